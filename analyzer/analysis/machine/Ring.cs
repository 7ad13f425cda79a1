using System.Runtime.CompilerServices;

namespace Tracer.Analysis;

/// <summary>
/// The newest values of a stream, numbered from 0 on; the oldest is discarded when the limit is reached. Memory grows with the content, up
/// to the limit.
/// </summary>
internal sealed class Ring<T>
    where T : struct
{
    /// <summary>Smallest limit of a ring, however low a limit is requested.</summary>
    private const int SmallestMaximum = 256;

    /// <summary>Initial capacity of a ring; it is small because a trace may name thousands of CPUs with an event or two each.</summary>
    private const int SmallestCapacity = 16;

    private readonly int _maximum;
    private T[] _items = new T[SmallestCapacity];

    /// <summary>Makes an empty ring.</summary>
    /// <param name="maximum">Most values to keep; rounded up to a power of two.</param>
    public Ring(int maximum) => _maximum = (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Max(maximum, SmallestMaximum));

    /// <summary>Number of the oldest value kept.</summary>
    public long First { get; private set; }

    /// <summary>Number of the next value to come.</summary>
    public long Next { get; private set; }

    /// <summary>Number of values kept.</summary>
    public int Count => (int)(Next - First);

    /// <summary>Memory that it takes, in bytes.</summary>
    public long Bytes => (long)_items.Length * Unsafe.SizeOf<T>();

    /// <summary>The value with a number from <see cref="First"/> up to, but not including, <see cref="Next"/>.</summary>
    public ref T this[long number]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _items[number & (_items.Length - 1)];
    }

    /// <summary>Adds a value; discards the oldest one if the limit is reached.</summary>
    public void Add(in T item)
    {
        if (Count == _items.Length)
        {
            if (_items.Length < _maximum)
            {
                Grow();
            }
            else
            {
                First++;
            }
        }

        _items[Next & (_items.Length - 1)] = item;
        Next++;
    }

    /// <summary>Adds several values, at most as many as the smallest ring may hold.</summary>
    public void AddAll(ReadOnlySpan<T> items)
    {
        while (_items.Length - Count < items.Length)
        {
            if (_items.Length < _maximum)
            {
                Grow();
            }
            else
            {
                First = Next + items.Length - _items.Length;
            }
        }

        int start = (int)(Next & (_items.Length - 1));
        int before = Math.Min(items.Length, _items.Length - start);
        items[..before].CopyTo(_items.AsSpan(start));
        items[before..].CopyTo(_items);
        Next += items.Length;
    }

    /// <summary>Discards all values before a number.</summary>
    public void ForgetBefore(long number) => First = Math.Clamp(number, First, Next);

    /// <summary>Removes the newest value.</summary>
    public void RemoveLast() => Next = Math.Max(First, Next - 1);

    private void Grow()
    {
        var larger = new T[_items.Length * 2];
        for (long number = First; number < Next; number++)
        {
            larger[number & (larger.Length - 1)] = _items[number & (_items.Length - 1)];
        }

        _items = larger;
    }
}

/// <summary>A value with a time by which rings order it.</summary>
internal interface ITimed
{
    /// <summary>The time that it is ordered by, in ticks.</summary>
    long OrderTicks { get; }
}

/// <summary>Finds values in rings that are in the order of time.</summary>
internal static class TimedRings
{
    /// <summary>
    /// Number of the first value after a time; <see cref="Ring{T}.Next"/> where there is none. Most questions are about the recent past, so
    /// the search goes back from the newest value, in steps that double, before it halves what is left.
    /// </summary>
    public static long FirstAfter<T>(this Ring<T> ring, long ticks)
        where T : struct, ITimed
    {
        long low = ring.First;
        long high = ring.Next;
        for (long step = 1; high - low > step; step *= 2)
        {
            if (ring[high - step].OrderTicks <= ticks)
            {
                low = high - step + 1;
                break;
            }

            high -= step;
        }

        while (low < high)
        {
            long middle = low + ((high - low) / 2);
            if (ring[middle].OrderTicks <= ticks)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return low;
    }
}
