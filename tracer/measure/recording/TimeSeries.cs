using System.Runtime.CompilerServices;

namespace Tracer.Measure.Recording;

/// <summary>
/// Counts times in nanoseconds, which may be below 0: a histogram for each sign, the exact sum of their squares, and the greatest with when
/// they were. All memory is taken at the start: recording allocates nothing.
/// </summary>
internal sealed class TimeSeries
{
    private const int MostWorst = 10;

    private readonly HdrHistogram _late = new(HdrLayout.Latencies);
    private readonly HdrHistogram? _early;
    private readonly (long At, long Value)[] _worst = new (long At, long Value)[MostWorst];
    private int _worstCount;
    private long _worstLeast = long.MinValue;
    private UInt128 _squares;

    /// <summary>Makes an empty one.</summary>
    /// <param name="isSigned">Whether values below 0 may come.</param>
    public TimeSeries(string name, string meaning, bool isSigned = false)
    {
        (Name, Meaning) = (name, meaning);
        _late.Reserve();
        if (isSigned)
        {
            _early = new HdrHistogram(HdrLayout.Latencies);
            _early.Reserve();
        }
    }

    public string Name { get; }

    public string Meaning { get; }

    public long Count => _late.Count + (_early?.Count ?? 0);

    public Int128 Sum => _late.Sum - (_early?.Sum ?? 0);

    /// <summary>The least; 0 where there is none.</summary>
    public long Minimum => _early is { Count: > 0 } ? -_early.Maximum : _late.Minimum;

    /// <summary>The greatest; 0 where there is none.</summary>
    public long Maximum => _late.Count > 0 || _early is null ? _late.Maximum : -_early.Minimum;

    /// <summary>The mean, rounded to a whole nanosecond; 0 where there is no value.</summary>
    public long Mean => Count == 0 ? 0 : Rounded((double)Sum / Count);

    /// <summary>The variance in square nanoseconds, of all values; 0 where there is none.</summary>
    public double Variance
    {
        get
        {
            if (Count == 0)
            {
                return 0;
            }

            double mean = (double)Sum / Count;
            return Math.Max(0, ((double)_squares / Count) - (mean * mean));
        }
    }

    /// <summary>Counts a value. Allocates nothing. What is beyond an hour counts as an hour.</summary>
    /// <param name="at">When it was, in nanoseconds from the start.</param>
    /// <param name="value">The value; one below 0 counts as 0 where the series has no sign.</param>
    // Compiled well at the first call: what it takes stands between two readings of the counter.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Record(long at, long value)
    {
        long highest = HdrLayout.Latencies.Highest;
        ulong size = (ulong)Math.Min(Math.Abs(value), highest);
        if (value >= 0)
        {
            _late.Record((long)size);
        }
        else if (_early is not null)
        {
            _early.Record((long)size);
        }
        else
        {
            _late.Record(0);
            size = 0;
        }

        _squares += Math.BigMul(size, size);
        if (value > _worstLeast || _worstCount < MostWorst)
        {
            KeepWorst(at, value);
        }
    }

    /// <summary>The value that so many percent do not exceed.</summary>
    /// <param name="percent">Above 0, to 100.</param>
    /// <returns>Null where fewer than one value lies beyond.</returns>
    public long? AtPercentile(decimal percent)
    {
        if (Count * (100 - percent) < 100)
        {
            return null;
        }

        long rank = Math.Max(1, (long)Math.Ceiling(percent * Count / 100));
        long early = _early?.Count ?? 0;
        return rank <= early ? -AtRank(_early!, early - rank + 1, isHighest: false) : AtRank(_late, rank - early, isHighest: true);
    }

    public MeasureSeries ToReport() => new()
    {
        Name = Name,
        Meaning = Meaning,
        Count = Count,
        Minimum = new Duration(Minimum),
        Mean = new Duration(Mean),
        Deviation = new Duration(Rounded(Math.Sqrt(Variance))),
        Maximum = new Duration(Maximum),
        Percentiles =
        [
            .. LatencyDistributions.Percents.Select(percent => new LatencyPercentile(
                percent, AtPercentile(percent) is { } value ? new Duration(value) : null)),
        ],
        Bins = [.. EarlyBins(), .. LatencyDistributions.BinsOf(_late)],
        Worst =
        [
            .. _worst.Take(_worstCount).OrderByDescending(static one => one.Value).ThenBy(static one => one.At)
                .Select(static one => new MeasureWorst(new Duration(one.At), new Duration(one.Value))),
        ],
        Histogram = HdrEncoding.Encode(_late),
        EarlyHistogram = _early is null ? null : HdrEncoding.Encode(_early),
    };

    private static long AtRank(HdrHistogram histogram, long rank, bool isHighest)
    {
        long seen = 0;
        for (int index = histogram.NextCounted(0); index >= 0; index = histogram.NextCounted(index + 1))
        {
            seen += histogram.CountAt(index);
            if (seen >= rank)
            {
                return isHighest
                    ? Math.Min(histogram.Layout.HighestAt(index), histogram.Maximum)
                    : Math.Max(histogram.Layout.LowestAt(index), histogram.Minimum);
            }
        }

        return 0;
    }

    private static long Rounded(double value) => (long)Math.Round(value, MidpointRounding.AwayFromZero);

    private IEnumerable<LatencyBin> EarlyBins() => _early is null
        ? []
        : LatencyDistributions.BinsOf(_early).Reverse()
            .Select(static bin => new LatencyBin(Duration.Zero - bin.To, Duration.Zero - bin.From, bin.Count));

    private void KeepWorst(long at, long value)
    {
        if (_worstCount < MostWorst)
        {
            _worst[_worstCount++] = (at, value);
        }
        else
        {
            int least = 0;
            for (int i = 1; i < MostWorst; i++)
            {
                least = _worst[i].Value < _worst[least].Value ? i : least;
            }

            _worst[least] = (at, value);
        }

        if (_worstCount == MostWorst)
        {
            _worstLeast = long.MaxValue;
            foreach ((long _, long one) in _worst)
            {
                _worstLeast = Math.Min(_worstLeast, one);
            }
        }
    }
}
