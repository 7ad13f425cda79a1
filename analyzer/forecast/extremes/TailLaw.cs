using MathNet.Numerics.Distributions;

namespace Tracer.Forecast;

/// <summary>The law that the longest latencies follow, once it is fitted: asked for the level of any time.</summary>
internal sealed class TailLaw
{
    private readonly LatencySeries _series;
    private readonly Threshold[] _thresholds;
    private readonly ParetoSample[] _samples;

    public TailLaw(LatencySeries series, Tail tail)
    {
        _series = series;
        _samples = Samples(tail);
        _thresholds = [.. new[] { tail, ThresholdChoice.Outer(series, tail) }.OfType<Tail>()
            .Select(one => new Threshold(one, BlockBootstrap.Draw(series, one)))];
    }

    /// <summary>How many latencies a disturbance has above the threshold, on average.</summary>
    public double WaitsPerDisturbance => (double)_thresholds[0].Tail.Above / _thresholds[0].Tail.Clusters.Count;

    /// <summary>The level that is exceeded once in a time of the measured waits.</summary>
    public ReturnLevel Level(long horizonNs)
    {
        if (Horizons.Refusal(_series.ObservedNs, horizonNs) is { } refusal)
        {
            return new ReturnLevel(horizonNs, null, null, null, refusal);
        }

        Tail tail = _thresholds[0].Tail;
        double times = (double)horizonNs / _series.ObservedNs;
        double once = tail.Excesses.Length * times;
        if (once <= Horizons.LeastOnce)
        {
            return new ReturnLevel(horizonNs, null, null, null, new Refusal(RefusalReason.TooShort, string.Create(
                CultureInfo.InvariantCulture, $"exceeded so often that the tail above {Times.Text(tail.ThresholdNs)} does not tell")));
        }

        double best = tail.Pareto.Exceeded(1 / once);
        double cut = Cut(_samples, times, best);
        (double Low, double High)[] intervals = [.. _thresholds.Select(threshold => Interval(threshold, times, cut))];
        return ReturnLevel.Of(
            _series,
            horizonNs,
            tail.ThresholdNs + best,
            (intervals.Min(interval => interval.Low), intervals.Max(interval => interval.High)),
            Endless(_thresholds[^1].Tail, times));
    }

    /// <summary>
    /// The level that a tail without an end has, the exponential one with the mean of the outer excesses. The high end of an interval is
    /// not below it: latencies whose tail looks as if it ended soon are mostly those of which too little of the tail was seen.
    /// </summary>
    private static double Endless(Tail tail, double times) =>
        tail.ThresholdNs + tail.Excesses.Average() * Math.Log(Math.Max(tail.Excesses.Length * times, Horizons.LeastOnce));

    /// <summary>
    /// The interval that one threshold gives: levels that agree well enough with the excesses, and those that resampling the observed time
    /// by blocks gives.
    /// </summary>
    private static (double Low, double High) Interval(Threshold threshold, double times, double cut)
    {
        Tail tail = threshold.Tail;
        double once = Math.Max(tail.Excesses.Length * times, Horizons.LeastOnce);
        double best = tail.Pareto.Exceeded(1 / once);
        (double low, double high) = LevelInterval.Of(new OfLevel(tail.Excesses, tail.Pareto, once), best, 0, cut);
        (double lowest, double highest) = BlockBootstrap.Interval(threshold.Drawn, times);
        return (tail.ThresholdNs + Math.Min(low, lowest), tail.ThresholdNs + Math.Max(high, highest));
    }

    /// <summary>Samples of the fitted distribution, with a number of clusters that varies as it does by chance.</summary>
    private static ParetoSample[] Samples(Tail tail)
    {
        var random = new RandomNumbers(PeaksOverThreshold.Seed);
        var samples = new ParetoSample[ExtremeRules.Samples];
        for (int i = 0; i < samples.Length; i++)
        {
            double[] excesses = new double[Math.Max(random.Poisson(tail.Excesses.Length), ExtremeRules.LeastClusters / 2)];
            ParetoSample.Fill(excesses, tail.Pareto, random);
            samples[i] = new ParetoSample(excesses, ParetoFit.MostLikely(excesses));
        }

        return samples;
    }

    /// <summary>
    /// The deviance that 95 of 100 samples do not exceed at the level of the distribution that they are of; at least what large samples
    /// have (a parametric bootstrap of the profile likelihood).
    /// </summary>
    private static double Cut(ParetoSample[] samples, double times, double level)
    {
        double[] deviances = [.. samples.Select(sample => ParetoLevel.Deviance(
            sample.Excesses, sample.Fitted, Math.Max(times * sample.Excesses.Length, Horizons.LeastOnce), level)).Order()];
        return Math.Max(ChiSquared.InvCDF(1, 1 - ExtremeRules.Outside), Quantiles.Of(deviances, 1 - ExtremeRules.Outside));
    }

    private sealed record Threshold(Tail Tail, (int Clusters, GeneralizedPareto Fitted)[] Drawn);

    private readonly ref struct OfLevel(ReadOnlySpan<double> excesses, GeneralizedPareto best, double once) : LevelInterval.IDeviance
    {
        private readonly ReadOnlySpan<double> _excesses = excesses;
        private readonly GeneralizedPareto _best = best;
        private readonly double _once = once;

        public double At(double level) => level <= 0 ? double.PositiveInfinity : ParetoLevel.Deviance(_excesses, _best, _once, level);
    }
}
