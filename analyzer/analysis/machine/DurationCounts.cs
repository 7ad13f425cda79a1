namespace Tracer.Analysis.Machine;

/// <summary>
/// Durations of one kind in ticks: their count, sum, maximum and histogram. Buckets are at most 1/64 wide, so that a quantile is at most
/// 1.6 % too long.
/// </summary>
internal sealed class DurationCounts
{
    /// <summary>
    /// Most buckets in the sparse form; with more of them an array is used. A trace may name a different routine for every run, and these
    /// must not take kilobytes each.
    /// </summary>
    private const int MostNumbered = 32;

    /// <summary>With so many durations an array is used, however few buckets they are in: it is faster.</summary>
    private const int ManyDurations = 256;

    /// <summary>Durations are told apart by 1.6 %.</summary>
    private static readonly LogBuckets Layout = new(6);

    private (int Bucket, long Count)[] _numbered = [];
    private int _used;
    private long[]? _placed;

    public long Count { get; private set; }

    /// <summary>Sum of the durations, in ticks.</summary>
    public long TotalTicks { get; private set; }

    public long MaxTicks { get; private set; }

    /// <summary>The buckets that are not empty, the shortest first: their bounds in ticks, and the number of durations.</summary>
    public IEnumerable<(long LeastTicks, long MostTicks, long Count)> Buckets =>
        Used.Select(used => (Layout.LowestAt(used.Bucket), Layout.HighestAt(used.Bucket), used.Count));

    private IEnumerable<(int Bucket, long Count)> Used => _placed is { } placed
        ? Enumerable.Range(0, placed.Length).Where(bucket => placed[bucket] > 0).Select(bucket => (bucket, placed[bucket]))
        : _numbered.Take(_used);

    public void Add(long ticks)
    {
        Count++;
        TotalTicks += ticks;
        MaxTicks = Math.Max(MaxTicks, ticks);
        Add(Layout.IndexOf(Math.Max(0, ticks)), 1);
    }

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

    /// <summary>The given percentile in ticks: the upper end of its bucket, but at most the longest duration.</summary>
    public long Percentile(int percent) => At((long)Math.Ceiling(Count * (percent / 100.0)));

    /// <summary>
    /// The duration with a given rank (1 is the shortest), in ticks: the upper end of its bucket, but at most the longest duration.
    /// </summary>
    public long At(long wanted)
    {
        long seen = 0;
        foreach ((int bucket, long count) in Used)
        {
            seen += count;
            if (seen >= wanted)
            {
                return Math.Min(MaxTicks, Layout.HighestAt(bucket));
            }
        }

        return MaxTicks;
    }

    private void Add(int bucket, long count)
    {
        if (_placed is null && (Count == ManyDurations || !TryAddNumbered(bucket, count)))
        {
            _placed = new long[Math.Max(bucket, _used > 0 ? _numbered[_used - 1].Bucket : 0) + 1];
            foreach ((int known, long of) in _numbered.AsSpan(0, _used))
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
        // By hand: this is done for each ISR and DPC of a line that has run seldom so far.
        int low = 0;
        for (int high = _used; low < high;)
        {
            int middle = (low + high) >> 1;
            (low, high) = _numbered[middle].Bucket < bucket ? (middle + 1, high) : (low, middle);
        }

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
}
