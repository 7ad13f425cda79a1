using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Stacks;

/// <summary>
/// The events that are held back, oldest first, numbered from the start of the trace; found by time stamp, and by the thread or half that
/// they wait for. Bounded; grows by doubling and allocates nothing more once it is as large as the trace needs.
/// </summary>
internal sealed class HeldEvents
{
    public const long None = -1;

    private const int FirstCapacity = 256;

    /// <summary>How many events may have got their kernel part before one that is older than they are, of one thread.</summary>
    private const int MaximumDisorder = 64;

    private const ulong Golden = 0x9E37_79B9_7F4A_7C15;

    private readonly int _maximumEvents;
    private readonly HeldBytes _bytes;
    private readonly Dictionary<(uint Thread, ulong MatchId), long> _newestOfWait = [];
    private HeldEvent[] _ring = new HeldEvent[FirstCapacity];
    private long[] _slots = new long[FirstCapacity];

    /// <summary>Makes one that holds nothing.</summary>
    public HeldEvents(StackWindow window)
    {
        _maximumEvents = Math.Max(1, window.MaximumEvents);
        _bytes = new HeldBytes(window.MaximumBytes);
        Array.Fill(_slots, None);
    }

    /// <summary>Number of the oldest event that is held, or of the next one where none is.</summary>
    public long First { get; private set; }

    public long Next { get; private set; }

    public bool IsEmpty => First == Next;

    /// <summary>Memory taken from the system for events and their bytes, the lookup of waits left out.</summary>
    public long Bytes => _bytes.Bytes + (_ring.Length * (long)Unsafe.SizeOf<HeldEvent>())
        + (_slots.Length * (long)sizeof(long));

    public ref HeldEvent this[long number] => ref _ring[number & (_ring.Length - 1)];

    /// <summary>Whether an event is still held back; any number of one that has been is asked for.</summary>
    public bool Holds(long number) => number >= First;

    /// <param name="traceEvent">The event.</param>
    /// <param name="threadId">Thread whose stack is meant.</param>
    /// <param name="mayHaveRecords">Whether it waits for a first stack record; if not, for nothing.</param>
    /// <param name="frames">How many frames of its own there is to be room for, at <see cref="OwnFrames"/>.</param>
    /// <returns>False when there is no room until the oldest one goes.</returns>
    public bool TryAdd(in EtlEvent traceEvent, uint threadId, bool mayHaveRecords, int frames)
    {
        ReadOnlySpan<byte> record = traceEvent.Record;
        int words = WordsOf(record.Length);
        if (Next - First >= _maximumEvents || !_bytes.TryTake(words + frames, out HeldPlace place))
        {
            return false;
        }

        record.CopyTo(MemoryMarshal.AsBytes(_bytes.At(place, words)));
        if (Next - First == _ring.Length)
        {
            Grow();
        }

        long number = Next++;
        ref HeldEvent held = ref this[number];
        held = default;
        held.Ticks = traceEvent.TimestampTicks;
        held.BufferOffset = traceEvent.BufferOffset;
        held.Record = place;
        held.RecordBytes = record.Length;
        held.Cpu = traceEvent.Cpu;
        held.ThreadId = threadId;
        held.Wait = mayHaveRecords ? StackWait.FirstPart : StackWait.None;
        held.OlderOfWait = None;
        held.OlderInSlot = None;
        held.IsFoundByTime = mayHaveRecords;
        if (held.IsFoundByTime)
        {
            EnterSlot(number, ref held);
        }

        return true;
    }

    /// <summary>The newest held event that may have a time stamp; follow <see cref="HeldEvent.OlderInSlot"/> for more.</summary>
    public long NewestAt(long ticks) => _slots[SlotOf(ticks)];

    /// <summary>Where an event's own frames are, for which room was asked when it came.</summary>
    public static HeldPlace OwnFrames(in HeldEvent held) =>
        held.Record with { Offset = held.Record.Offset + WordsOf(held.RecordBytes) };

    /// <summary>Memory for frames, that lasts as long as the newest event; false when the oldest has to go first.</summary>
    public bool TryTakeFrames(int count, out HeldPlace place) => _bytes.TryTake(count, out place);

    public Span<ulong> Frames(HeldPlace place, int count) => _bytes.At(place, count);

    /// <summary>The bytes of a held event.</summary>
    public ReadOnlySpan<byte> RecordOf(in HeldEvent held) =>
        MemoryMarshal.AsBytes(_bytes.At(held.Record, WordsOf(held.RecordBytes)))[..held.RecordBytes];

    /// <summary>Lets an event wait for the next user part of its thread, or for a user half.</summary>
    /// <returns>False when too many newer events wait for the same already: it then can't be found any more.</returns>
    public bool TryAddWait(long number, StackWait wait)
    {
        ref HeldEvent held = ref this[number];
        ref long newest = ref CollectionsMarshal.GetValueRefOrAddDefault(_newestOfWait, WaitOf(held), out bool isOther);
        newest = isOther ? newest : None;
        ref long link = ref newest;
        for (int steps = 0; Holds(link) && link > number; steps++)
        {
            if (steps == MaximumDisorder)
            {
                return false;
            }

            link = ref this[link].OlderOfWait;
        }

        held.Wait = wait;
        held.OlderOfWait = link;
        link = number;
        return true;
    }

    /// <summary>Whether an event waits for the next user part of a thread, or for a user half.</summary>
    public bool HasWaits(uint threadId, ulong matchId) => _newestOfWait.ContainsKey((threadId, matchId));

    /// <summary>Ends all waits for a user part, or for a half.</summary>
    /// <returns>The newest event that waited; follow <see cref="HeldEvent.OlderOfWait"/> for more, as long as they are held.</returns>
    public long EndWaits(uint threadId, ulong matchId) =>
        _newestOfWait.Remove((threadId, matchId), out long newest) && Holds(newest) ? newest : None;

    /// <summary>Forgets the oldest event.</summary>
    public void RemoveFirst()
    {
        ref HeldEvent held = ref this[First];
        if (held.Wait is StackWait.UserPart or StackWait.UserHalf
            && _newestOfWait.TryGetValue(WaitOf(held), out long newest) && newest == First)
        {
            _newestOfWait.Remove(WaitOf(held));
        }

        First++;
        if (IsEmpty)
        {
            _bytes.ReturnAll();
        }
        else
        {
            _bytes.ReturnBefore(this[First].Record);
        }
    }

    private static int WordsOf(int bytes) => (bytes + sizeof(ulong) - 1) / sizeof(ulong);

    private static (uint Thread, ulong MatchId) WaitOf(in HeldEvent held) => (held.ThreadId, held.MatchId);

    private int SlotOf(long ticks) => (int)(((ulong)ticks * Golden) >> 32) & (_slots.Length - 1);

    private void EnterSlot(long number, ref HeldEvent held)
    {
        ref long slot = ref _slots[SlotOf(held.Ticks)];
        held.OlderInSlot = slot;
        slot = number;
    }

    private void Grow()
    {
        HeldEvent[] old = _ring;
        _ring = new HeldEvent[2 * old.Length];
        _slots = new long[_ring.Length];
        Array.Fill(_slots, None);
        for (long number = First; number < Next; number++)
        {
            ref HeldEvent held = ref this[number];
            held = old[number & (old.Length - 1)];
            if (held.IsFoundByTime)
            {
                EnterSlot(number, ref held);
            }
        }
    }
}
