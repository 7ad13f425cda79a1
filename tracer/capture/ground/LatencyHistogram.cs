namespace Tracer.Capture.Ground;

/// <summary>A latency histogram of the driver: log-linear buckets as <c>kdriver/include/tracer_ioctl.h</c> declares them.</summary>
public sealed class LatencyHistogram
{
    private readonly ulong[] _counts;

    internal LatencyHistogram(in DriverHistogram histogram)
    {
        _counts = ((ReadOnlySpan<ulong>)histogram.Buckets).ToArray();
        Total = histogram.Total;
        Max = Of(histogram.MaxNs);
    }

    /// <summary>Its buckets, in nanoseconds.</summary>
    public static LogBuckets Layout { get; } = new(4);

    public ulong Total { get; }

    public Duration Max { get; }

    /// <summary>The buckets that are not empty: the smallest latency of each in nanoseconds, and how many it counts.</summary>
    public IEnumerable<(long LatencyNs, long Count)> Counts()
    {
        for (int bucket = 0; bucket < _counts.Length; bucket++)
        {
            if (_counts[bucket] > 0)
            {
                ulong most = (ulong)(long.MaxValue / _counts.Length);
                yield return (Layout.LowestAt(bucket), (long)Math.Min(_counts[bucket], most));
            }
        }
    }

    /// <summary>A latency that so large a share of all does not exceed: at most 1/16 more than the true one, and never more than the
    /// longest.</summary>
    /// <param name="share">The share, above 0, at most 1.</param>
    /// <returns>Null where nothing was counted.</returns>
    public Duration? Percentile(double share)
    {
        if (Total == 0)
        {
            return null;
        }

        ulong wanted = Math.Max(1, (ulong)Math.Min(Math.Ceiling(share * Total), Total));
        ulong below = 0;
        for (int bucket = 0; bucket < _counts.Length - 1; bucket++)
        {
            below += _counts[bucket];
            if (below >= wanted)
            {
                Duration end = new(Layout.HighestAt(bucket));
                return end < Max ? end : Max;
            }
        }

        return Max;
    }

    private static Duration Of(ulong nanoseconds) => new((long)Math.Min(nanoseconds, long.MaxValue));
}
