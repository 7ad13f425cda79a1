namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>The buckets in which a store keeps latencies: coarser than those of a trace, so that a million of them fit a disk.</summary>
internal static class FleetHistogram
{
    private const int LowestNs = 1024;

    /// <summary>No trace counts more in a bucket; sums of nine million of them fit 64 bits.</summary>
    private const long MostCount = 1_000_000_000_000;

    /// <summary>Nanoseconds in steps of 6 % or less, up to an hour; what is below a microsecond is hardly told apart.</summary>
    public static HdrLayout Layout { get; } = new(LowestNs, HdrLayout.Latencies.Highest, 1);

    /// <summary>The buckets of a histogram, those with counts, in their order.</summary>
    public static (long Bucket, long Count)[] Of(HdrHistogram histogram)
    {
        List<(long Bucket, long Count)> buckets = [];
        for (int index = histogram.NextCounted(0); index >= 0; index = histogram.NextCounted(index + 1))
        {
            long bucket = Layout.IndexOf(Math.Min(histogram.Layout.LowestAt(index), Layout.Highest));
            long count = Math.Min(MostCount, histogram.CountAt(index));
            if (buckets.Count > 0 && buckets[^1].Bucket == bucket)
            {
                buckets[^1] = (bucket, Math.Min(MostCount, buckets[^1].Count + count));
            }
            else
            {
                buckets.Add((bucket, count));
            }
        }

        return [.. buckets];
    }

    public static void Add(HdrHistogram histogram, long bucket, long count)
    {
        if (bucket >= 0 && bucket < Layout.Counters && count <= long.MaxValue - histogram.Count)
        {
            histogram.Record(Math.Min(Layout.HighestAt((int)bucket), Layout.Highest), count);
        }
    }
}
