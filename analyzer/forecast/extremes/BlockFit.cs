using MathNet.Numerics.Distributions;

namespace Tracer.Forecast;

/// <param name="Maxima">The maxima, in ascending order.</param>
/// <param name="Extreme">The most likely distribution.</param>
/// <param name="Samples">Samples of it, where intervals are asked for.</param>
internal sealed record BlockFit(long LengthNs, double[] Maxima, GeneralizedExtreme Extreme, ExtremeSample[] Samples)
{
    /// <summary>Euler's constant: the mean of the Gumbel distribution.</summary>
    private const double EulerGamma = 0.5772156649;

    /// <param name="refusal">Why nothing may be told from them; null where it may.</param>
    public static BlockFit? Of(List<LatencyBlock> blocks, long lengthNs, out Refusal? refusal)
    {
        double[] maxima = [.. blocks.Select(block => (double)block.MaximumNs).Order()];
        if (maxima.Length < ExtremeRules.LeastClusters)
        {
            refusal = new Refusal(RefusalReason.TooShort, $"only {Counted.Of(maxima.Length, "longer block")} had enough in them");
            return null;
        }

        if (maxima.Length - maxima.Distinct().Count() > ExtremeRules.MostTies * maxima.Length)
        {
            refusal = new Refusal(RefusalReason.Ties, ExtremeRules.TiesSentence);
            return null;
        }

        GeneralizedExtreme extreme = ExtremeFit.MostLikely(maxima);
        refusal = ExtremeTests.Refusal(maxima, extreme);
        return new BlockFit(lengthNs, maxima, extreme, []);
    }

    public BlockFit Sampled(RandomNumbers random) =>
        this with { Samples = ExtremeSample.Draw(Maxima.Length, Extreme, ExtremeRules.Samples / 2, random) };

    /// <summary>
    /// The interval of the level that is exceeded once in a time: levels that agree well enough with the maxima, as far as 95 of 100
    /// samples do, and those that the samples give.
    /// </summary>
    public (double Low, double High) Interval(long horizonNs)
    {
        double once = horizonNs / (double)LengthNs;
        double best = Extreme.ExceededOnceIn(once);
        double[] deviances = [.. Samples.Select(sample => ExtremeLevel.Deviance(sample.Maxima, sample.Fitted, once, best)).Order()];
        double[] sampled = [.. Samples.Select(sample => sample.Fitted.ExceededOnceIn(once)).Order()];
        double cut = Math.Max(ChiSquared.InvCDF(1, 1 - ExtremeRules.Outside), Quantiles.Of(deviances, 1 - ExtremeRules.Outside));
        (double low, double high) = LevelInterval.Of(new OfLevel(Maxima, Extreme, once), best, 0, cut);
        return (
            Math.Min(low, Quantiles.Of(sampled, ExtremeRules.Outside / 2)),
            Math.Max(high, Quantiles.Of(sampled, 1 - ExtremeRules.Outside / 2)));
    }

    /// <summary>The level of a tail without an end (Gumbel's, by L-moments), in nanoseconds.</summary>
    public double EndlessLevel(long horizonNs)
    {
        double mean = Maxima.Average();
        double half = Maxima.Select((maximum, i) => maximum * (2.0 * i - Maxima.Length + 1)).Sum() / Maxima.Length / (Maxima.Length - 1);
        double scale = half / Math.Log(2);
        return mean - EulerGamma * scale + scale * Math.Log(horizonNs / (double)LengthNs);
    }

    private readonly ref struct OfLevel(ReadOnlySpan<double> maxima, GeneralizedExtreme best, double once) : LevelInterval.IDeviance
    {
        private readonly ReadOnlySpan<double> _maxima = maxima;
        private readonly GeneralizedExtreme _best = best;
        private readonly double _once = once;

        public double At(double level) => ExtremeLevel.Deviance(_maxima, _best, _once, level);
    }
}
