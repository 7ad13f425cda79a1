namespace Tracer.Forecast;

/// <summary>Excesses drawn from a generalized Pareto distribution.</summary>
/// <param name="Excesses">The excesses, in ascending order.</param>
/// <param name="Fitted">The distribution that is most likely for them.</param>
internal sealed record ParetoSample(double[] Excesses, GeneralizedPareto Fitted)
{
    /// <summary>Fills an array with excesses in ascending order.</summary>
    public static void Fill(double[] sample, GeneralizedPareto pareto, RandomNumbers random)
    {
        for (int i = 0; i < sample.Length; i++)
        {
            sample[i] = pareto.Exceeded(random.Uniform());
        }

        Array.Sort(sample);
    }
}
