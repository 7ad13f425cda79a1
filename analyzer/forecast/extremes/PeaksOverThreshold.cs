namespace Tracer.Forecast;

/// <summary>
/// Return levels from what exceeds a high threshold (Coles 2001, chapter 4): clusters of latencies above it come at a steady rate, and the
/// longest of each exceeds it by a generalized Pareto distribution. The interval is what two thresholds give, the chosen one and one with
/// half as many latencies above it: a choice that the data allow must not make it narrow.
/// </summary>
public static class PeaksOverThreshold
{
    /// <summary>All random numbers have a fixed seed: a trace gives the same bytes each time.</summary>
    internal const ulong Seed = 0x7461_696C;

    /// <summary>Levels that are exceeded once in each of some times of use.</summary>
    public static ReturnLevels Of(LatencySeries series, IReadOnlyList<long> horizonsNs)
    {
        ArgumentNullException.ThrowIfNull(series);
        ArgumentNullException.ThrowIfNull(horizonsNs);
        if (series.Waits == 0)
        {
            return new ReturnLevels { Refusal = new Refusal(RefusalReason.NothingMeasured, "no wait was measured") };
        }

        var random = new RandomNumbers(Seed);
        if (ThresholdChoice.Choose(series, random, out Refusal? refusal) is not { } tail)
        {
            return new ReturnLevels { Refusal = refusal };
        }

        refusal = Steadiness.Refusal(series, tail.Clusters) ?? TailTests.Refusal(tail);
        var levels = new ReturnLevels
        {
            Refusal = refusal,
            ChoiceNs = tail.ThresholdNs,
            Count = tail.Above,
            Clusters = tail.Clusters.Count,
            IntervalNs = tail.IntervalNs,
            Shape = tail.Pareto.Shape,
            ScaleNs = tail.Pareto.Scale,
        };
        if (refusal is not null)
        {
            return levels;
        }

        var law = new TailLaw(series, tail);
        return levels with { Law = law, Levels = [.. horizonsNs.Select(horizon => law.Level(horizon))] };
    }
}
