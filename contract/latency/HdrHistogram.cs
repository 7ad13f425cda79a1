using System.Runtime.CompilerServices;

namespace Tracer.Contract;

/// <summary>
/// Counts values in log-linear buckets, as HdrHistogram does (hdrhistogram.org; Gil Tene): percentiles far out in the tail are as exact as
/// the layout's digits say, merging is adding, and the memory depends on how far the values spread, not on how many there are. The least,
/// the greatest and the sum are kept exactly beside the buckets.
/// </summary>
/// <remarks>
/// Recording allocates only where a value falls into a page of counters that was empty until then: a layout of three digits over one hour
/// has 33,792 counters in pages of 64, of which the latencies of one thread touch a few dozen.
/// </remarks>
public sealed class HdrHistogram
{
    private const int PageBits = 6;
    private const int PageSize = 1 << PageBits;

    private readonly long[]?[] _pages;
    private Int128 _sum;
    private long _minimum = long.MaxValue;
    private long _maximum;

    /// <summary>Creates an empty histogram.</summary>
    public HdrHistogram(HdrLayout layout)
    {
        ArgumentNullException.ThrowIfNull(layout);
        Layout = layout;
        _pages = new long[]?[(layout.Counters + PageSize - 1) >> PageBits];
    }

    public HdrLayout Layout { get; }

    public long Count { get; private set; }

    /// <summary>The least value; 0 where there is none.</summary>
    public long Minimum => Count == 0 ? 0 : _minimum;

    /// <summary>The greatest value; 0 where there is none.</summary>
    public long Maximum => _maximum;

    /// <summary>The sum of all values.</summary>
    public Int128 Sum => _sum;

    /// <summary>The mean, rounded to the nearest whole unit; 0 where there is no value.</summary>
    public long Mean => Count == 0 ? 0 : (long)((_sum + (Count / 2)) / Count);

    /// <summary>Counts a value.</summary>
    /// <param name="value">0 to the highest of the layout.</param>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside the layout.</exception>
    public void Record(long value) => Record(value, 1);

    /// <summary>Counts a value several times.</summary>
    /// <param name="value">0 to the highest of the layout.</param>
    /// <param name="count">How often; at least 0.</param>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside the layout, or the count below 0.</exception>
    // Compiled well at the first call: measurements count while the system still thinks about what to compile again.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Record(long value, long count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, Layout.Highest);
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        if (count > 0)
        {
            AddAt(Layout.IndexOf(value), count);
            _minimum = Math.Min(_minimum, value);
            _maximum = Math.Max(_maximum, value);
            _sum += (Int128)value * count;
        }
    }

    /// <summary>Makes the counters of all values at once: recording allocates nothing from then on.</summary>
    public void Reserve()
    {
        for (int page = 0; page < _pages.Length; page++)
        {
            _pages[page] ??= new long[PageSize];
        }
    }

    /// <summary>Adds all values of another histogram.</summary>
    /// <exception cref="ArgumentException">Its layout is another.</exception>
    public void Add(HdrHistogram other)
    {
        ArgumentNullException.ThrowIfNull(other);
        if (other.Layout != Layout)
        {
            throw new ArgumentException("Only histograms of the same layout can be added.", nameof(other));
        }

        for (int index = other.NextCounted(0); index >= 0; index = other.NextCounted(index + 1))
        {
            AddAt(index, other.CountAt(index));
        }

        _minimum = Math.Min(_minimum, other._minimum);
        _maximum = Math.Max(_maximum, other._maximum);
        _sum += other._sum;
    }

    /// <summary>How many values a counter has counted.</summary>
    public long CountAt(int index) => _pages[index >> PageBits] is { } page ? page[index & (PageSize - 1)] : 0;

    /// <summary>The first counter from one on that has counted a value; -1 where there is none.</summary>
    public int NextCounted(int index)
    {
        while (index < Layout.Counters)
        {
            if (_pages[index >> PageBits] is not { } page)
            {
                index = ((index >> PageBits) + 1) << PageBits;
            }
            else if (page[index & (PageSize - 1)] != 0)
            {
                return index;
            }
            else
            {
                index++;
            }
        }

        return -1;
    }

    /// <summary>
    /// The value that so many percent of the values do not exceed, as HdrHistogram defines it: the highest value of the bucket in which
    /// that rank lies. 0 where there is no value.
    /// </summary>
    /// <param name="percentile">0 to 100; 0 is the lowest value of the first bucket.</param>
    public long AtPercentile(double percentile)
    {
        // The next lower number, so that 99.9 % of 1,000 is the 999th although the product comes out above 999.
        double requested = Math.Clamp(Math.BitDecrement(percentile), 0, 100);
        long rank = Math.Max(1, (long)Math.Ceiling(requested * Count / 100));
        long seen = 0;
        for (int index = NextCounted(0); index >= 0; index = NextCounted(index + 1))
        {
            seen += CountAt(index);
            if (seen >= rank)
            {
                return percentile == 0 ? Layout.LowestAt(index) : Layout.HighestAt(index);
            }
        }

        return 0;
    }

    /// <summary>
    /// How many values lie in buckets that begin in a range; exactly those of the range where both bounds are bounds of buckets.
    /// </summary>
    /// <param name="below">Its end, which does not belong to it.</param>
    public long CountBetween(long from, long below)
    {
        long count = 0;
        int first = Layout.IndexOf(Math.Clamp(from, 0, Layout.Highest));
        for (int index = NextCounted(first); index >= 0 && Layout.LowestAt(index) < below; index = NextCounted(index + 1))
        {
            count += Layout.LowestAt(index) >= from ? CountAt(index) : 0;
        }

        return count;
    }

    /// <summary>
    /// Mean and standard deviation as HdrHistogram defines them: every value is the middle of its bucket, and the deviation is that of the
    /// values that were counted. 0 where there is no value.
    /// </summary>
    public (double Mean, double Deviation) Moments()
    {
        if (Count == 0)
        {
            return (0, 0);
        }

        double sum = 0;
        for (int index = NextCounted(0); index >= 0; index = NextCounted(index + 1))
        {
            sum += (double)Layout.MiddleAt(index) * CountAt(index);
        }

        double mean = sum / Count;
        double squares = 0;
        for (int index = NextCounted(0); index >= 0; index = NextCounted(index + 1))
        {
            double off = Layout.MiddleAt(index) - mean;
            squares += off * off * CountAt(index);
        }

        return (mean, Math.Sqrt(squares / Count));
    }

    /// <summary>Counts into a counter whose values are known only by the bucket; the least, greatest and sum follow from it.</summary>
    /// <exception cref="OverflowException">More values than can be counted.</exception>
    internal void AddBucket(int index, long count)
    {
        AddAt(index, count);
        _minimum = Math.Min(_minimum, Layout.LowestAt(index));
        _maximum = Math.Max(_maximum, Math.Min(Layout.HighestAt(index), Layout.Highest));
        _sum += (Int128)Layout.MiddleAt(index) * count;
    }

    /// <summary>
    /// Sets what the buckets alone do not tell, from where it was written down beside them.
    /// </summary>
    /// <returns>False where the buckets contradict it.</returns>
    internal bool TrySetExact(long minimum, long maximum, Int128 sum)
    {
        if (Count == 0)
        {
            return minimum == 0 && maximum == 0 && sum == 0;
        }

        if (minimum < 0 || maximum > Layout.Highest || Layout.IndexOf(minimum) != NextCounted(0)
            || Layout.IndexOf(maximum) != Layout.IndexOf(_maximum) || sum < (Int128)minimum * Count || sum > (Int128)maximum * Count)
        {
            return false;
        }

        (_minimum, _maximum, _sum) = (minimum, maximum, sum);
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void AddAt(int index, long count)
    {
        Count = checked(Count + count);
        long[] page = _pages[index >> PageBits] ??= new long[PageSize];
        page[index & (PageSize - 1)] += count;
    }
}
