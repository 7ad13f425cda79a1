using System.Runtime.CompilerServices;

namespace Tracer.Analysis.Machine;

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

    /// <summary>By how much a ring grows at a time; a power of two.</summary>
    private const int Growth = 4;

    /// <summary>
    /// A ring of so many values grows to its limit at once: each step leaves a block behind that is too large to be given back soon, while
    /// the system gives memory only where it is written.
    /// </summary>
    private const int Many = 4096;

    private readonly int _maximum;
    private T[] _items = new T[SmallestCapacity];
    private long _first;
    private long _next;

    /// <summary>The first value that another ring shows of these blocks, see <see cref="Follow"/>; the largest number for none.</summary>
    private long _firstFollowed = long.MaxValue;

    /// <summary>Whether the blocks are another ring's.</summary>
    private bool _isFollowing;

    /// <summary>What is hidden while the past is looked at: all that was added, and the oldest value kept; -1 where nothing is.</summary>
    private long _added = -1;
    private long _oldest;

    /// <summary>Makes an empty ring.</summary>
    /// <param name="maximum">Most values to keep; rounded up to a power of two.</param>
    public Ring(int maximum) => _maximum = (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Max(maximum, SmallestMaximum));

    /// <summary>Number of the oldest value kept.</summary>
    public long First => _first;

    /// <summary>Number of the next value to come.</summary>
    public long Next => _next;

    public int Count => (int)(_next - _first);

    /// <summary>The newest value; there must be one.</summary>
    public ref T Newest
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref this[_next - 1];
    }

    /// <summary>Memory that it takes, in bytes.</summary>
    public long Bytes => (long)_items.Length * Unsafe.SizeOf<T>();

    /// <summary>The value with a number from <see cref="First"/> up to, but not including, <see cref="Next"/>.</summary>
    public ref T this[long number]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _items[number & (_items.Length - 1)];
    }

    /// <summary>Adds a value; discards the oldest one if the limit is reached.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(in T item)
    {
        if (Count == _items.Length)
        {
            MakeRoom();
        }

        this[_next++] = item;
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
                DiscardBefore(_next + items.Length - _items.Length);
            }
        }

        int start = (int)(_next & (_items.Length - 1));
        int before = Math.Min(items.Length, _items.Length - start);
        items[..before].CopyTo(_items.AsSpan(start));
        if (before < items.Length)
        {
            items[before..].CopyTo(_items);
        }

        _next += items.Length;
    }

    /// <summary>Discards all values before a number.</summary>
    public void ForgetBefore(long number) => _first = Math.Clamp(number, _first, _next);

    /// <summary>
    /// Shows the ring, of which nothing is hidden, as it was before a value was added: until <see cref="ShowAll"/> it has the values before
    /// that one, and the oldest among them are discarded as if no more than the limit, less what two rounds may add, had ever been
    /// kept.
    /// Nothing may be added meanwhile.
    /// </summary>
    /// <param name="next">The number of that value.</param>
    public void ShowBefore(long next)
    {
        (_added, _oldest) = (_next, _first);
        _next = Math.Clamp(next, _first, _next);
        _first = Math.Max(_first, _next - Math.Max(_maximum / 2, _maximum - Rings.EventsAhead));
    }

    /// <summary>
    /// Shows what another ring has, without what is added to it later, until it is called again. Nothing is added to this one. What it
    /// shows stays as it is but for values that the other one changes in place; one of the two is used by each of two threads.
    /// </summary>
    public void Follow(Ring<T> other)
    {
        (_items, _next, _isFollowing) = (other._items, other._next, true);
        _first = Math.Max(other._first, _next - (_maximum - Rings.EventsOfRound));
        other._firstFollowed = _first;
    }

    /// <summary>Takes blocks of its own: values of it can be changed that the ring it follows keeps.</summary>
    public void TakeOwn()
    {
        if (_isFollowing)
        {
            (_items, _isFollowing) = ((T[])_items.Clone(), false);
        }
    }

    /// <summary>Shows all values that are kept.</summary>
    public void ShowAll()
    {
        if (_added >= 0)
        {
            (_next, _first, _added) = (_added, _oldest, -1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakeRoom()
    {
        if (_items.Length < _maximum)
        {
            Grow();
        }
        else
        {
            DiscardBefore(_first + 1);
        }
    }

    /// <summary>Values are added in place of those before a number, but what another ring shows stays as it is.</summary>
    private void DiscardBefore(long number)
    {
        if (number > _firstFollowed)
        {
            _items = (T[])_items.Clone();
            _firstFollowed = long.MaxValue;
        }

        _first = number;
    }

    private void Grow()
    {
        _firstFollowed = long.MaxValue;
        bool isCleared = RuntimeHelpers.IsReferenceOrContainsReferences<T>();
        T[] larger = GC.AllocateUninitializedArray<T>(
            _items.Length >= Many && !isCleared ? _maximum : Math.Min(_maximum, Growth * _items.Length));
        for (long number = _first; number < _next;)
        {
            // As far as they lie behind one another.
            int from = (int)(number & (_items.Length - 1));
            int count = (int)Math.Min(_next - number, _items.Length - from);
            Array.Copy(_items, from, larger, number & (larger.Length - 1), count);
            number += count;
        }

        _items = larger;
    }
}

/// <summary>A value with a time by which rings order it.</summary>
internal interface ITimed
{
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

    /// <summary>Shows a ring as it was when all values before a time had been added, until <see cref="Ring{T}.ShowAll"/>.</summary>
    public static void ShowBeforeTime<T>(this Ring<T> ring, long ticks)
        where T : struct, ITimed
    {
        ring.ShowAll();
        ring.ShowBefore(ring.FirstAfter(ticks - 1));
    }
}
