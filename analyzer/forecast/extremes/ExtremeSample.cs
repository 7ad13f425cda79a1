namespace Tracer.Forecast;

/// <summary>Maxima of blocks, drawn from a distribution.</summary>
/// <param name="Maxima">The maxima, in ascending order.</param>
/// <param name="Fitted">The distribution that is most likely for them.</param>
internal sealed record ExtremeSample(double[] Maxima, GeneralizedExtreme Fitted)
{
    public static ExtremeSample[] Draw(int blocks, GeneralizedExtreme extreme, int samples, RandomNumbers random)
    {
        var drawn = new ExtremeSample[samples];
        for (int i = 0; i < samples; i++)
        {
            double[] maxima = One(blocks, extreme, random);
            drawn[i] = new ExtremeSample(maxima, ExtremeFit.MostLikely(maxima));
        }

        return drawn;
    }

    /// <summary>Draws maxima, in ascending order.</summary>
    public static double[] One(int blocks, GeneralizedExtreme extreme, RandomNumbers random)
    {
        double[] maxima = new double[blocks];
        for (int i = 0; i < blocks; i++)
        {
            maxima[i] = extreme.Below(random.Uniform());
        }

        Array.Sort(maxima);
        return maxima;
    }
}
