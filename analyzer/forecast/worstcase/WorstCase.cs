namespace Tracer.Forecast;

/// <summary>
/// The longest latency to expect in a time of use, as Table 3 of Cota-Robles &amp; Held has it: a plain maximum, put together from what
/// was observed and from nothing else.
/// </summary>
/// <param name="ExpectedNs">
/// The mean of the maxima of all ways to choose so much time from the observed; null where less was observed, or nothing.
/// </param>
/// <param name="ObservedNs">
/// The longest latency observed at all, which is no bound for a time longer than that; null where there is none.
/// </param>
public sealed record WorstCase(long UseNs, long? ExpectedNs, long? ObservedNs)
{
    /// <summary>The longest block that a time of use is put together from: a minute, in nanoseconds.</summary>
    private const long MinuteNs = 60_000_000_000;

    /// <summary>Fewest blocks that a time of use is put together from: of fewer, the mean of the maxima is that of a handful.</summary>
    private const int LeastBlocks = 20;

    public static WorstCase Of(LatencySeries series, long useNs)
    {
        ArgumentNullException.ThrowIfNull(series);
        long? observed = series.Longest?.LatencyNs;
        if (observed is null || series.ObservedNs < useNs)
        {
            return new WorstCase(useNs, null, observed);
        }

        long length = Math.Max(1, Math.Min(MinuteNs, useNs / LeastBlocks) / series.BlockNs) * series.BlockNs;
        LatencyBlock[] blocks = [.. SeriesBlocks.Lengthen(series, length).Where(block => block.ObservedNs > 0)];
        double chosen = useNs / blocks.Average(block => (double)block.ObservedNs);
        return new WorstCase(useNs, (long)Math.Round(MeanMaximum([.. blocks.Select(block => block.MaximumNs).Order()], chosen)), observed);
    }

    /// <summary>
    /// The mean maximum of some numbers chosen without putting any back: the k-th smallest is the maximum of C(k - 1, chosen - 1) of the
    /// C(n, chosen) choices, summed without a random number. Between whole numbers of choices the mean lies on a straight line.
    /// </summary>
    /// <param name="sorted">The numbers in ascending order.</param>
    /// <param name="chosen">How many are chosen, at least 1.</param>
    internal static double MeanMaximum(ReadOnlySpan<long> sorted, double chosen)
    {
        int below = (int)Math.Clamp(Math.Floor(chosen), 1, sorted.Length);
        int above = Math.Min(below + 1, sorted.Length);
        double part = Math.Clamp(chosen - below, 0, 1);
        return (1 - part) * Mean(sorted, below) + part * Mean(sorted, above);
    }

    private static double Mean(ReadOnlySpan<long> sorted, int chosen)
    {
        double mean = 0;
        double weight = chosen / (double)sorted.Length;
        for (int k = sorted.Length; k >= chosen; k--)
        {
            mean += weight * sorted[k - 1];
            weight *= (k - chosen) / (double)Math.Max(1, k - 1);
        }

        return mean;
    }
}
