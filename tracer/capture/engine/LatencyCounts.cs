using System.Numerics;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Engine;

/// <summary>Counts latencies in quarters of powers of two of nanoseconds: any latency, 2 KiB, no allocation.</summary>
public sealed class LatencyCounts
{
    private const int Powers = 63;
    private static readonly LogBuckets Layout = new(2);

    private readonly long[] _counts = new long[Layout.IndexOf(long.MaxValue) + 1];

    public long Count { get; private set; }

    /// <summary>The longest, in nanoseconds; 0 before the first.</summary>
    public long WorstNs { get; private set; }

    /// <param name="latencyNs">In nanoseconds; less than 0 counts as 0.</param>
    public void Add(long latencyNs)
    {
        latencyNs = Math.Max(0, latencyNs);
        _counts[Layout.IndexOf(latencyNs)]++;
        Count++;
        WorstNs = Math.Max(WorstNs, latencyNs);
    }

    /// <summary>Counts what somebody else has counted, in the place of what was counted here; the worst is the worst of both.</summary>
    public void Take(LatencyHistogram all)
    {
        ArgumentNullException.ThrowIfNull(all);
        Array.Clear(_counts);
        Count = 0;
        foreach ((long latencyNs, long count) in all.Counts())
        {
            _counts[Layout.IndexOf(latencyNs)] += count;
            Count += count;
        }

        Reach(all.Max.Nanoseconds);
    }

    /// <summary>Notes how long a latency was that is counted elsewhere.</summary>
    public void Reach(long latencyNs) => WorstNs = Math.Max(WorstNs, latencyNs);

    /// <summary>The latency that a part of all does not exceed: the upper end of its bucket, but never more than the worst.</summary>
    /// <param name="part">0 to 1.</param>
    /// <returns>Null before the first latency.</returns>
    public Duration? Percentile(double part)
    {
        if (Count == 0)
        {
            return null;
        }

        long wanted = Math.Max(1, (long)Math.Ceiling(part * Count));
        long seen = 0;
        for (int i = 0; i < _counts.Length; i++)
        {
            seen += _counts[i];
            if (seen >= wanted)
            {
                return new Duration(Math.Min(Layout.HighestAt(i), WorstNs));
            }
        }

        return new Duration(WorstNs);
    }

    /// <summary>The counts by powers of two, from the first that is not empty to the last.</summary>
    public IReadOnlyList<LatencyBucket> Buckets()
    {
        if (Count == 0)
        {
            return [];
        }

        int first = PowerOf(Array.FindIndex(_counts, static count => count > 0));
        int last = PowerOf(Array.FindLastIndex(_counts, static count => count > 0));
        var counts = new long[Powers];
        for (int i = 0; i < _counts.Length; i++)
        {
            counts[PowerOf(i)] += _counts[i];
        }

        var buckets = new LatencyBucket[last - first + 1];
        for (int i = 0; i < buckets.Length; i++)
        {
            int power = first + i;
            long from = power == 0 ? 0 : 1L << power;
            long to = power >= Powers - 1 ? long.MaxValue : 1L << (power + 1);
            buckets[i] = new LatencyBucket(new Duration(from), new Duration(to), counts[power]);
        }

        return buckets;
    }

    private static int PowerOf(int index) => BitOperations.Log2((ulong)Layout.LowestAt(index) | 1);
}
