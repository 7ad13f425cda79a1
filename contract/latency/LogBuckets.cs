using System.Numerics;
using System.Runtime.CompilerServices;

namespace Tracer.Contract;

/// <summary>
/// Log-linear buckets for whole numbers from 0 on: each power of two is divided into equally many, so that a number is known to the same
/// part of itself wherever it lies. Numbers below twice so many have a bucket each.
/// </summary>
/// <param name="SubBits">Each power of two is divided into 2 to this power buckets.</param>
public readonly record struct LogBuckets(int SubBits)
{
    /// <param name="value">The number, at least 0.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int IndexOf(long value)
    {
        int shift = BitOperations.Log2((ulong)value | (1UL << SubBits)) - SubBits;
        return (shift << SubBits) + (int)(value >> shift);
    }

    /// <summary>The lowest number of a bucket.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long LowestAt(int index)
    {
        int shift = ShiftAt(index);
        return ((long)index - ((long)shift << SubBits)) << shift;
    }

    /// <summary>The highest number of a bucket.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long HighestAt(int index) => LowestAt(index) + (WidthAt(index) - 1);

    /// <summary>How many numbers a bucket holds.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long WidthAt(int index) => 1L << ShiftAt(index);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int ShiftAt(int index) => Math.Max(0, (index >> SubBits) - 1);
}
