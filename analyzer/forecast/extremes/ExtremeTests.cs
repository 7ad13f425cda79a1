namespace Tracer.Forecast;

/// <summary>Whether the maxima of blocks look like the distribution that was fitted, and whether that may be continued.</summary>
internal static class ExtremeTests
{
    /// <summary>All random numbers have a fixed seed: a trace gives the same bytes each time.</summary>
    private const ulong Seed = 0x6765_7661_6E64;

    /// <summary>Samples of the fitted distribution: p-values in steps of half a percent.</summary>
    private const int Samples = 199;

    /// <summary>Below any probability of a fitted distribution: keeps its logarithm finite.</summary>
    private const double Tiny = 1e-300;

    /// <param name="maxima">In ascending order.</param>
    /// <returns>Why they may not be continued; null where they may.</returns>
    public static Refusal? Refusal(double[] maxima, GeneralizedExtreme extreme)
    {
        if (extreme.Shape > ExtremeRules.MostShape)
        {
            return new Refusal(RefusalReason.HeavyTail, string.Create(CultureInfo.InvariantCulture,
                $"the tail falls so slowly that no bound can be given (xi = {extreme.Shape:0.00}, at most {ExtremeRules.MostShape})"));
        }

        return Probability(maxima, extreme) >= AndersonDarling.Least ? null : new Refusal(
            RefusalReason.NoThreshold, "the maxima do not look like those of one distribution");
    }

    /// <summary>How likely maxima of the distribution, fitted again, are to look worse by the statistic of Anderson and Darling.</summary>
    private static double Probability(double[] maxima, GeneralizedExtreme extreme)
    {
        var random = new RandomNumbers(Seed);
        double statistic = Statistic(maxima, extreme);
        int worse = 0;
        for (int drawn = 1; drawn <= Samples; drawn++)
        {
            double[] sample = ExtremeSample.One(maxima.Length, extreme, random);
            worse += Statistic(sample, ExtremeFit.MostLikely(sample)) >= statistic ? 1 : 0;
            if (worse > AndersonDarling.Least * (Samples + 1))
            {
                return (double)worse / drawn;
            }
        }

        return (worse + 1.0) / (Samples + 1);
    }

    private static double Statistic(double[] maxima, GeneralizedExtreme extreme)
    {
        double sum = 0;
        int n = maxima.Length;
        for (int i = 0; i < n; i++)
        {
            double below = Math.Max(extreme.Probability(maxima[i]), Tiny);
            double above = Math.Max(1 - below, Tiny);
            sum += (2 * i + 1) * Math.Log(below) + (2 * (n - i) - 1) * Math.Log(above);
        }

        return -n - sum / n;
    }
}
