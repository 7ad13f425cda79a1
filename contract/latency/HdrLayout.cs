using System.Numerics;
using System.Runtime.CompilerServices;

namespace Tracer.Contract;

/// <summary>
/// How an <see cref="HdrHistogram"/> divides its range, as HdrHistogram (hdrhistogram.org) lays it out: buckets that double in width, each
/// divided into equal sub-buckets, so that every value is known to so many significant digits wherever it lies.
/// </summary>
/// <remarks>
/// Up to twice ten to the power of the digits each unit has a counter of its own; the next power of two above that is the number of
/// sub-buckets. Every further bucket has the upper half of them, twice as wide as in the bucket before.
/// </remarks>
public sealed record HdrLayout
{
    private readonly int _unitMagnitude;
    private readonly LogBuckets _units;

    /// <param name="lowest">Values below this need not be told apart; at least 1. It is rounded down to a power of two.</param>
    /// <param name="highest">The highest value that can be recorded; at least twice the lowest.</param>
    /// <param name="digits">Significant decimal digits, 1 to 5.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such layout.</exception>
    public HdrLayout(long lowest, long highest, int digits)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(lowest, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(lowest, long.MaxValue / 2);
        ArgumentOutOfRangeException.ThrowIfLessThan(highest, 2 * lowest);
        ArgumentOutOfRangeException.ThrowIfLessThan(digits, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(digits, 5);
        long units = 2;
        for (int i = 0; i < digits; i++)
        {
            units *= 10;
        }

        int magnitude = BitOperations.Log2((ulong)units - 1) + 1;
        _unitMagnitude = BitOperations.Log2((ulong)lowest);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(_unitMagnitude + magnitude, 62, nameof(lowest));
        _units = new LogBuckets(magnitude - 1);
        (Lowest, Highest, Digits) = (lowest, highest, digits);
        SubBuckets = 1 << magnitude;
        int half = magnitude - 1;
        Buckets = Math.Max(1, IndexOf(highest) >> half);
        Counters = (Buckets + 1) << half;
    }

    /// <summary>
    /// The layout of all latencies of Tracer: nanoseconds with three significant digits, up to one hour. Two of its histograms can be
    /// merged, whatever they were recorded from.
    /// </summary>
    public static HdrLayout Latencies { get; } = new(1, 3_600_000_000_000, 3);

    /// <summary>The lowest value that is told from 0.</summary>
    public long Lowest { get; }

    /// <summary>The highest value that can be recorded.</summary>
    public long Highest { get; }

    /// <summary>Significant decimal digits.</summary>
    public int Digits { get; }

    public int Buckets { get; }

    /// <summary>Number of sub-buckets of the first bucket; the others have half as many.</summary>
    public int SubBuckets { get; }

    public int Counters { get; }

    /// <summary>The counter of a value, which must be 0 to <see cref="Highest"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int IndexOf(long value) => _units.IndexOf(value >> _unitMagnitude);

    /// <summary>The lowest value that a counter counts.</summary>
    public long LowestAt(int index) => _units.LowestAt(index) << _unitMagnitude;

    /// <summary>The highest value that a counter counts.</summary>
    public long HighestAt(int index) => LowestAt(index) + (WidthAt(index) - 1);

    /// <summary>The value that stands for all values of a counter: the middle of them.</summary>
    public long MiddleAt(int index) => LowestAt(index) + (WidthAt(index) >> 1);

    private long WidthAt(int index) => _units.WidthAt(index) << _unitMagnitude;
}
