using System.Runtime.CompilerServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// One buffer that takes part in a merge: its data, and when and where each of its events is, by time. Its blocks are recycled from buffer
/// to buffer.
/// </summary>
internal sealed class MergeCursor
{
    /// <summary>Where events would be moved farther than this on average, all are sorted.</summary>
    private const int MovesForEach = 16;

    /// <summary>What a buffer needs may be so many times smaller than its tables, and a little more.</summary>
    private const int Oversize = 4;
    private const int OversizeBytes = 64 * 1024;

    /// <summary>What an event takes here, and in a batch: a key, and room to merge it.</summary>
    private const int EventBytes = sizeof(long) + sizeof(int);
    private const int KeyBytes = 2 * 16;

    private const int FirstEvents = 16;

    /// <summary>Events are mostly longer, in bytes; a buffer of shorter ones costs a copy.</summary>
    private const int UsualBytes = 32;

    private readonly TraceHealth _odd = new();
    private byte[] _data = [];
    private long[] _times = [];
    private int[] _places = [];
    private int _count;
    private int _next;
    private int _length;

    public int Cpu { get; private set; }

    /// <summary>The buffer's place in the file.</summary>
    public long BufferOffset { get; private set; }

    /// <summary>Place of <see cref="Cpu"/> among the CPUs that are merged.</summary>
    public int CpuOrder { get; set; }

    /// <summary>Whether all events were taken.</summary>
    public bool IsExhausted => _next >= _count;

    /// <summary>When the first event that was not taken yet was logged; there must be one.</summary>
    public long NextTicks => _times[_next];

    /// <summary>How many buffers were opened before it: the order of events of one CPU and time.</summary>
    public long Number { get; set; }

    /// <summary>Memory that it holds, and that the batches take which its events come in, in bytes.</summary>
    public long HeldBytes => _data.Length + ((long)EventBytes * _times.Length) + ((long)KeyBytes * _count);

    /// <summary>
    /// Memory that its buffer needs, by what the file holds alone; blocks that held a larger buffer before take more, see
    /// <see cref="HeldBytes"/>. What decides on the order of events must not depend on them.
    /// </summary>
    public long NeededBytes { get; private set; }

    /// <summary>The block that begins with header and events.</summary>
    public byte[] Block => _data;

    /// <summary>How many bytes header and events have.</summary>
    public int DataBytes => _length;

    private ReadOnlySpan<byte> Data => _data.AsSpan(0, _length);

    /// <summary>How many events that were not taken yet are of a time or before it.</summary>
    public int CountUpTo(long ticks)
    {
        int low = _next;
        int high = _count;
        while (low < high)
        {
            int middle = (low + high) >>> 1;
            if (_times[middle] <= ticks)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return low - _next;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Take(int run, Span<MergeKey> keys)
    {
        ReadOnlySpan<long> times = _times.AsSpan(_next, keys.Length);
        ReadOnlySpan<int> places = _places.AsSpan(_next, keys.Length);
        for (int i = 0; i < keys.Length; i++)
        {
            keys[i] = new MergeKey(times[i], run, places[i]);
        }

        _next += keys.Length;
    }

    /// <summary>Reads a buffer and finds its events.</summary>
    /// <param name="input">The file.</param>
    /// <param name="place">Where the buffer is.</param>
    /// <param name="times">Puts times right; null where they stay as they are.</param>
    /// <param name="health">Is told of damage and of events out of order.</param>
    /// <param name="filter">Leaves out stacks; null where all are wanted.</param>
    /// <param name="compressed">Takes what is compressed; made larger where it must be.</param>
    public void Load(
        TraceInput input,
        in BufferIndex.Place place,
        StrayTimes? times,
        TraceHealth health,
        StackFilter? filter,
        ref byte[] compressed)
    {
        Fit(input, ref _data, place.HeldBytes);
        if (place.IsCompressed)
        {
            Fit(input, ref compressed, place.StoredBytes);
        }

        BufferOffset = place.Offset;
        _count = 0;
        _next = 0;
        _length = 0;
        NeededBytes = place.HeldBytes;
        Span<byte> stored = (place.IsCompressed ? compressed : _data).AsSpan(0, place.StoredBytes);
        stored = stored[..input.ReadFully(stored, place.Offset)];
        if (!BufferIndex.IsStill(stored, in place, out EtlBufferHeader header))
        {
            return;
        }

        Cpu = header.Cpu;
        _length = place.IsCompressed
            ? BufferDecompression.Decompress(header, stored, _data.AsSpan(), place.Offset, health)
            : BufferDecompression.EndOfRaw(header, stored);
        // Mostly no time is stray: they are looked at while events are measured, and put right before only where one is.
        if (times is null || times.OffsetOf(Cpu) != 0 || !TryMeasure(health, place.FirstTicks, filter, times.Limits))
        {
            times?.Settle(_data.AsSpan(0, _length), Cpu, in place, health);
            TryMeasure(health, place.FirstTicks, filter, (long.MinValue, long.MaxValue));
        }

        if (_times.Length > OversizeBytes / EventBytes && _times.Length > 2 * Oversize * _count)
        {
            Array.Resize(ref _times, _count);
            Array.Resize(ref _places, _count);
        }
    }

    private static void Fit(TraceInput input, ref byte[] block, int bytes)
    {
        if (!SpareBlocks.Fits(block, bytes))
        {
            block = input.Blocks.Take(bytes);
        }
    }

    /// <summary>Finds the events and their times.</summary>
    /// <param name="health">Is told what is odd.</param>
    /// <param name="untimedTicks">When events without a time at the start of the buffer count as logged.</param>
    /// <param name="filter">Leaves out stacks.</param>
    /// <param name="limits">Between which times all must lie.</param>
    /// <returns>False where one does not: then nothing was found, and nobody was told of anything.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private bool TryMeasure(TraceHealth health, long untimedTicks, StackFilter? filter, (long From, long To) limits)
    {
        filter?.Begin();
        _odd.Clear();
        bool isOdd = false;
        ulong width = (ulong)limits.To - (ulong)limits.From;
        ReadOnlySpan<byte> data = Data;
        long ticks = long.MinValue;
        int at = EtlBufferHeader.HeaderBytes;
        long last = long.MinValue;
        int events = 0;
        int count = 0;
        int inversions = 0;
        long[] times = _times;
        int[] places = _places;
        while (at < data.Length)
        {
            int next;
            bool isWanted = true;
            if (EventWalk.TryMeasure(data, at, out ReadOnlySpan<byte> record, out ushort hookId, out long logged))
            {
                ticks = logged;
                next = BufferHeaderLayout.Aligned(at + record.Length);
                isWanted = filter is null || filter.Wants(record, hookId, logged);
            }
            else
            {
                isOdd = true;
                next = EventWalk.Measure(data, ref at, BufferOffset, _odd, ref ticks);
                if (next == EventWalk.Stopped)
                {
                    break;
                }

                isWanted = filter is null || filter.WantsOther(data, at, ticks);
            }

            if ((ulong)ticks - (ulong)limits.From > width)
            {
                filter?.Return();
                return false; // Or it has none.
            }

            events++;
            if (isWanted)
            {
                if (count == times.Length)
                {
                    // At first as many as there seldom are more of; what is never used takes no memory of the machine.
                    int room = count == 0 ? Math.Max(FirstEvents, data.Length / UsualBytes) : 2 * count;
                    Array.Resize(ref _times, room);
                    Array.Resize(ref _places, room);
                    times = _times;
                    places = _places;
                }

                times[count] = ticks;
                places[count++] = at;
            }

            inversions += ticks < last ? 1 : 0;
            last = ticks;
            at = next;
        }

        if (isOdd)
        {
            health.Add(_odd);
        }

        NeededBytes += ((long)EventBytes + KeyBytes) * events;
        _count = count;
        if (_count > 0 && times[0] == long.MinValue)
        {
            PlaceUntimed(untimedTicks);
        }

        if (inversions > 0)
        {
            health.Add(HealthCounter.TimeInversions, inversions);
            SortByTime();
        }

        return true;
    }

    /// <summary>
    /// Messages without a time stamp come with the event before them; at the start of a buffer with the one behind them, or else when the
    /// buffer before began.
    /// </summary>
    private void PlaceUntimed(long otherwise)
    {
        int untimed = 0;
        while (untimed < _count && EtlEvent.TryRead(Data[_places[untimed]..], 0, 0, out EtlEvent read) && !read.HasTimestamp)
        {
            untimed++;
        }

        _times.AsSpan(0, untimed).Fill(untimed < _count ? _times[untimed] : otherwise);
    }

    /// <summary>
    /// Puts the events in order; those of one time stay as written. Mostly few are out of order and by little, so each is moved to its
    /// place; where that would take long, all are sorted.
    /// </summary>
    private void SortByTime()
    {
        int moves = 0;
        for (int i = 1; i < _count; i++)
        {
            long ticks = _times[i];
            int place = _places[i];
            int to = i;
            for (; to > 0 && _times[to - 1] > ticks; to--)
            {
                _times[to] = _times[to - 1];
                _places[to] = _places[to - 1];
            }

            _times[to] = ticks;
            _places[to] = place;
            moves += i - to;
            if (moves > MovesForEach * _count)
            {
                SortAll();
                return;
            }
        }
    }

    private void SortAll()
    {
        var order = new (long Ticks, int Place)[_count];
        for (int i = 0; i < _count; i++)
        {
            order[i] = (_times[i], _places[i]);
        }

        Array.Sort(order); // Places ascend as written, so they break ties.
        for (int i = 0; i < _count; i++)
        {
            (_times[i], _places[i]) = order[i];
        }
    }
}
