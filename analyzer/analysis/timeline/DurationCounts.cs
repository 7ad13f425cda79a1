using System.Numerics;

namespace Tracer.Analysis;

/// <summary>
/// Durations of one kind in ticks: count, sum, longest, and how many in each of buckets that are at most 1/64 wide, so that a quantile
/// is at most 1.6 % too long.
/// </summary>
internal sealed class DurationCounts
{
    private const int SubBits = 6;
    private const int SubBuckets = 1 << SubBits;

    private long[] _buckets = [];

    /// <summary>How many.</summary>
    public long Count { get; private set; }

    /// <summary>All together, in ticks.</summary>
    public long TotalTicks { get; private set; }

    /// <summary>The longest, in ticks.</summary>
    public long MaxTicks { get; private set; }

    /// <summary>The buckets that are not empty, the shortest first: what one holds, in ticks, and how many.</summary>
    public IEnumerable<(long LeastTicks, long MostTicks, long Count)> Buckets
    {
        get
        {
            for (int i = 0; i < _buckets.Length; i++)
            {
                if (_buckets[i] > 0)
                {
                    yield return (i == 0 ? 0 : UpperEndOf(i - 1) + 1, UpperEndOf(i), _buckets[i]);
                }
            }
        }
    }

    /// <summary>Takes one.</summary>
    public void Add(long ticks)
    {
        Count++;
        TotalTicks += ticks;
        MaxTicks = Math.Max(MaxTicks, ticks);
        int bucket = BucketOf(ticks);
        if (bucket >= _buckets.Length)
        {
            Array.Resize(ref _buckets, Math.Max(bucket + 1, _buckets.Length * 2));
        }

        _buckets[bucket]++;
    }

    /// <summary>Takes all of another's.</summary>
    public void Add(DurationCounts other)
    {
        Count += other.Count;
        TotalTicks += other.TotalTicks;
        MaxTicks = Math.Max(MaxTicks, other.MaxTicks);
        if (other._buckets.Length > _buckets.Length)
        {
            Array.Resize(ref _buckets, other._buckets.Length);
        }

        for (int i = 0; i < other._buckets.Length; i++)
        {
            _buckets[i] += other._buckets[i];
        }
    }

    /// <summary>So many of a hundred are at most this long, in ticks: the upper end of a bucket, but never more than the longest.</summary>
    public long Percentile(int percent) => At((long)Math.Ceiling(Count * (percent / 100.0)));

    /// <summary>The one with this number, the shortest being 1, in ticks: the upper end of its bucket, at most the longest.</summary>
    public long At(long wanted)
    {
        long seen = 0;
        for (int i = 0; i < _buckets.Length; i++)
        {
            seen += _buckets[i];
            if (seen >= wanted && seen > 0)
            {
                return Math.Min(MaxTicks, UpperEndOf(i));
            }
        }

        return MaxTicks;
    }

    private static int BucketOf(long ticks)
    {
        ulong value = (ulong)Math.Max(0, ticks);
        if (value < SubBuckets)
        {
            return (int)value;
        }

        int shift = BitOperations.Log2(value) - SubBits;
        return (int)(((ulong)(shift + 1) << SubBits) + ((value >> shift) - SubBuckets));
    }

    private static long UpperEndOf(int bucket)
    {
        if (bucket < SubBuckets)
        {
            return bucket;
        }

        int shift = (bucket >> SubBits) - 1;
        ulong value = (ulong)((bucket & (SubBuckets - 1)) + SubBuckets);
        return (long)Math.Min(long.MaxValue, ((value + 1) << shift) - 1);
    }
}
