namespace Tracer.Contract;

/// <summary>Makes distributions of histograms, and histograms of distributions.</summary>
public static class LatencyDistributions
{
    /// <summary>The percentiles that reports have.</summary>
    public static IReadOnlyList<decimal> Percents { get; } = [50, 90, 99, 99.9m, 99.99m, 99.999m];

    /// <summary>The first bin's end, in nanoseconds: an eighth of a microsecond, below which no clock of a trace tells apart.</summary>
    private const long FirstBinEnd = 125;

    /// <param name="histogram">The measurements in nanoseconds.</param>
    public static LatencyDistribution Of(LatencyKind kind, LatencySource source, LatencyPart part, HdrHistogram histogram)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        return new LatencyDistribution
        {
            Kind = kind,
            Source = source,
            Part = part,
            Count = histogram.Count,
            Minimum = new Duration(histogram.Minimum),
            Mean = new Duration(histogram.Mean),
            Deviation = new Duration((long)Math.Round(histogram.Moments().Deviation)),
            Maximum = new Duration(histogram.Maximum),
            Total = new Duration((long)Int128.Min(histogram.Sum, long.MaxValue)),
            Percentiles = [.. Percents.Select(percent => Told(histogram, percent))],
            Bins = BinsOf(histogram),
            Histogram = HdrEncoding.Encode(histogram),
        };
    }

    /// <summary>The histogram of a distribution, which may come from another program.</summary>
    /// <returns>Null where it has none, or another layout than <see cref="HdrLayout.Latencies"/>, or its numbers contradict it.</returns>
    public static HdrHistogram? HistogramOf(LatencyDistribution distribution)
    {
        ArgumentNullException.ThrowIfNull(distribution);
        return HdrEncoding.Decode(distribution.Histogram) is { } histogram
            && histogram.Layout == HdrLayout.Latencies
            && histogram.Count == distribution.Count
            && histogram.TrySetExact(
                distribution.Minimum.Nanoseconds, distribution.Maximum.Nanoseconds, distribution.Total.Nanoseconds)
            ? histogram
            : null;
    }

    /// <summary>The bins of a histogram: powers of two of a microsecond, from the first that is not empty to the last.</summary>
    public static IReadOnlyList<LatencyBin> BinsOf(HdrHistogram histogram)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        List<LatencyBin> bins = [];
        long from = 0;
        for (long to = FirstBinEnd; from <= histogram.Maximum && histogram.Count > 0; (from, to) = (to, to * 2))
        {
            long count = histogram.CountBetween(from, to);
            if (count > 0 || bins.Count > 0)
            {
                bins.Add(new LatencyBin(new Duration(from), new Duration(to), count));
            }
        }

        return bins;
    }

    public static PriorityGroup GroupOf(int priority) => priority switch
    {
        < 16 => PriorityGroup.Normal,
        < 24 => PriorityGroup.RealTimeLow,
        < 28 => PriorityGroup.RealTimeMedium,
        _ => PriorityGroup.RealTimeHigh,
    };

    private static Duration? At(HdrHistogram histogram, decimal percent) =>
        histogram.Count * (100 - percent) >= 100
            ? new Duration(Math.Min(histogram.AtPercentile((double)percent), histogram.Maximum))
            : null;

    private static LatencyPercentile Told(HdrHistogram histogram, decimal percent)
    {
        if (At(histogram, percent) is not { } value)
        {
            return new LatencyPercentile(percent, null);
        }

        (long fewest, long most) = RankBand.Of(histogram.Count, (double)(100 - percent) / 100);
        return new LatencyPercentile(
            percent,
            value,
            new Duration(Math.Min(value.Nanoseconds, FromTop(histogram, most + 1))),
            fewest == 0 ? null : new Duration(Math.Max(value.Nanoseconds, FromTop(histogram, fewest))));
    }

    /// <summary>The latency of a rank, the longest being of rank 1.</summary>
    private static long FromTop(HdrHistogram histogram, long rank) => rank >= histogram.Count ? histogram.Minimum
        : Math.Min(histogram.Maximum, histogram.AtPercentile(100 * (histogram.Count - rank + 0.5) / histogram.Count));
}
