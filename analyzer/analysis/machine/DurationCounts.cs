using System.Numerics;

namespace Tracer.Analysis;

/// <summary>
/// Durations of one kind in ticks: count, sum, longest, and how many in each of buckets that are at most 1/64 wide, so that a quantile
/// is at most 1.6 % too long.
/// </summary>
internal sealed class DurationCounts
{
    /// <summary>Each power of two is divided into two to this power: durations are told apart by 1.6 %.</summary>
    private const int SubBits = 6;

    /// <summary>That number of buckets.</summary>
    private const int SubBuckets = 1 << SubBits;

    /// <summary>
    /// Buckets that are kept by number; with more of them each has its place. A trace may name a routine for every run: that must not take
    /// the kilobytes of all buckets.
    /// </summary>
    private const int MostNumbered = 32;

    private (int Bucket, long Count)[] _numbered = [];
    private int _used;
    private long[]? _placed;

    /// <summary>How many.</summary>
    public long Count { get; private set; }

    /// <summary>All together, in ticks.</summary>
    public long TotalTicks { get; private set; }

    /// <summary>The longest, in ticks.</summary>
    public long MaxTicks { get; private set; }

    /// <summary>The buckets that are not empty, the shortest first: what one holds, in ticks, and how many.</summary>
    public IEnumerable<(long LeastTicks, long MostTicks, long Count)> Buckets =>
        Used.Select(used => (used.Bucket == 0 ? 0 : UpperEndOf(used.Bucket - 1) + 1, UpperEndOf(used.Bucket), used.Count));

    private IEnumerable<(int Bucket, long Count)> Used => _placed is { } placed
        ? Enumerable.Range(0, placed.Length).Where(bucket => placed[bucket] > 0).Select(bucket => (bucket, placed[bucket]))
        : _numbered.Take(_used);

    /// <summary>Takes one.</summary>
    public void Add(long ticks)
    {
        Count++;
        TotalTicks += ticks;
        MaxTicks = Math.Max(MaxTicks, ticks);
        Add(BucketOf(ticks), 1);
    }

    /// <summary>Takes all of another's.</summary>
    public void Add(DurationCounts other)
    {
        Count += other.Count;
        TotalTicks += other.TotalTicks;
        MaxTicks = Math.Max(MaxTicks, other.MaxTicks);
        foreach ((int bucket, long count) in other.Used)
        {
            Add(bucket, count);
        }
    }

    /// <summary>So many of a hundred are at most this long, in ticks: the upper end of a bucket, but never more than the longest.</summary>
    public long Percentile(int percent) => At((long)Math.Ceiling(Count * (percent / 100.0)));

    /// <summary>The one with this number, the shortest being 1, in ticks: the upper end of its bucket, at most the longest.</summary>
    public long At(long wanted)
    {
        long seen = 0;
        foreach ((int bucket, long count) in Used)
        {
            seen += count;
            if (seen >= wanted)
            {
                return Math.Min(MaxTicks, UpperEndOf(bucket));
            }
        }

        return MaxTicks;
    }

    private void Add(int bucket, long count)
    {
        if (_placed is null && !TryAddNumbered(bucket, count))
        {
            _placed = new long[Math.Max(bucket, _numbered[_used - 1].Bucket) + 1];
            foreach ((int known, long of) in _numbered)
            {
                _placed[known] = of;
            }

            _numbered = [];
        }
        else if (_placed is null)
        {
            return;
        }

        if (bucket >= _placed.Length)
        {
            Array.Resize(ref _placed, Math.Max(bucket + 1, _placed.Length * 2));
        }

        _placed[bucket] += count;
    }

    private bool TryAddNumbered(int bucket, long count)
    {
        int low = SortedSearch.FirstNot(0, _used, (_numbered, bucket), static (at, i) => at._numbered[i].Bucket < at.bucket);

        if (low < _used && _numbered[low].Bucket == bucket)
        {
            _numbered[low].Count += count;
            return true;
        }

        if (_used == MostNumbered)
        {
            return false;
        }

        if (_used == _numbered.Length)
        {
            Array.Resize(ref _numbered, Math.Max(2, 2 * _used));
        }

        Array.Copy(_numbered, low, _numbered, low + 1, _used - low);
        _numbered[low] = (bucket, count);
        _used++;
        return true;
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
