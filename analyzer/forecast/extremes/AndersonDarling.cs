namespace Tracer.Forecast;

/// <summary>
/// Whether excesses look like the distribution that was fitted to them: the statistic of Anderson and Darling, which weighs the tails, and
/// how often samples of the fitted distribution itself, fitted again, look worse (Choulakian and Stephens 2001).
/// </summary>
internal static class AndersonDarling
{
    /// <summary>Samples drawn for one probability.</summary>
    public const int Samples = 199;

    /// <summary>The probability below which excesses are not of the distribution.</summary>
    public const double Least = 0.1;

    /// <param name="excesses">In ascending order.</param>
    public static double Statistic(ReadOnlySpan<double> excesses, GeneralizedPareto pareto)
    {
        const double Tiny = 1e-300;
        double sum = 0;
        int n = excesses.Length;
        for (int i = 0; i < n; i++)
        {
            double above = Math.Max(pareto.Survival(excesses[i]), Tiny);
            double below = Math.Max(1 - above, Tiny);
            sum += (2 * i + 1) * Math.Log(below) + (2 * (n - i) - 1) * Math.Log(above);
        }

        return -n - sum / n;
    }

    /// <summary>
    /// How likely excesses of the distribution are to look worse; no more samples are drawn than tell which side it is on.
    /// </summary>
    public static double Probability(double[] excesses, GeneralizedPareto pareto, RandomNumbers random)
    {
        double statistic = Statistic(excesses, pareto);
        double[] sample = new double[excesses.Length];
        int worse = 0;
        for (int drawn = 1; drawn <= Samples; drawn++)
        {
            ParetoSample.Fill(sample, pareto, random);
            worse += Statistic(sample, ParetoFit.MostLikely(sample)) >= statistic ? 1 : 0;
            if (worse > Least * (Samples + 1))
            {
                return (double)worse / drawn;
            }
        }

        return (worse + 1.0) / (Samples + 1);
    }
}
