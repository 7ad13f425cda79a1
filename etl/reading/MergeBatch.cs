using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Events of several buffers in order of time, and the buffers that hold them. Its blocks are recycled from batch to batch.
/// </summary>
internal sealed class MergeBatch
{
    private const int FirstKeys = 64;

    /// <summary>A block for more events than this is not kept.</summary>
    private const int MostKeysKept = 1 << 18;

    private Run[] _runs = [];
    private int _runCount;

    /// <summary>The events; only the first <see cref="Count"/> count.</summary>
    public MergeKey[] Keys { get; private set; } = [];

    public int Count { get; private set; }

    /// <summary>
    /// Where rounds end: how many parts lie before each end, and the time before which all events have come. Empty where the events are
    /// in order of time over all CPUs.
    /// </summary>
    public List<(int EndPart, long UntilTicks)> Rounds { get; } = [];

    /// <summary>What the rounds consist of.</summary>
    public List<Part> Parts { get; } = [];

    /// <summary>
    /// Memory that is free again once its events were given, in bytes, by what the file holds alone: see
    /// <see cref="MergeCursor.NeededBytes"/>.
    /// </summary>
    public long NeededBytes { get; private set; }

    /// <summary>Buffers whose last events these are.</summary>
    public List<MergeCursor> Closed { get; } = [];

    /// <summary>Begins anew, without an event.</summary>
    public void Begin(List<MergeCursor> runs)
    {
        if (_runs.Length < runs.Count)
        {
            _runs = new Run[Math.Max(runs.Count, 2 * _runs.Length)];
        }

        _runCount = runs.Count;
        for (int i = 0; i < runs.Count; i++)
        {
            MergeCursor cursor = runs[i];
            _runs[i] = new Run(cursor.Block, cursor.DataBytes, cursor.Cpu, cursor.BufferOffset);
        }

        Count = 0;
    }

    /// <summary>Its events were given: forgets them, and where they were many, their block.</summary>
    public void End()
    {
        _runs.AsSpan(0, _runCount).Clear();
        _runCount = 0;
        Closed.Clear();
        Rounds.Clear();
        Parts.Clear();
        Count = 0;
        NeededBytes = 0;
        MergeKey[] keys = Keys;
        Trim(ref keys);
        Keys = keys;
    }

    /// <summary>Makes room for so many events in all; there is none yet.</summary>
    public void Reserve(int events)
    {
        MergeKey[] keys = Keys;
        Fit(ref keys, events);
        Keys = keys;
    }

    /// <summary>Room for so many events, and for some more where it is made anew: batches are of much the same size.</summary>
    public static void Fit(ref MergeKey[] keys, int events)
    {
        if (keys.Length < events)
        {
            keys = GC.AllocateUninitializedArray<MergeKey>(Math.Max(events + (events / 4), FirstKeys));
        }
    }

    /// <summary>Forgets a block where it is for many events.</summary>
    public static void Trim(ref MergeKey[] keys) => keys = keys.Length > MostKeysKept ? [] : keys;

    /// <summary>Adds events, for which room was made.</summary>
    public Span<MergeKey> Add(int more)
    {
        Count += more;
        return Keys.AsSpan(Count - more, more);
    }

    /// <summary>What was put in order elsewhere are the events now; where they were is free.</summary>
    public void Swap(ref MergeKey[] ordered) => (Keys, ordered) = (ordered, Keys);

    /// <summary>A buffer has given its last event.</summary>
    public void Close(MergeCursor cursor)
    {
        Closed.Add(cursor);
        NeededBytes += cursor.NeededBytes;
    }

    public ReadOnlySpan<Part> PartsOf(int round)
    {
        int start = round == 0 ? 0 : Rounds[round - 1].EndPart;
        return CollectionsMarshal.AsSpan(Parts)[start..Rounds[round].EndPart];
    }

    /// <param name="sink">Takes the events.</param>
    /// <returns>False when the sink wants no more.</returns>
    public bool Give<TSink>(ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        int next = 0;
        return Give(ref next, Count, ref sink);
    }

    /// <summary>
    /// Gives the events from one up to another, and tells the first that was not given. Which kind the next event is can't be foreseen:
    /// its first bytes are on their way before the sink begins to decide about this one.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool Give<TSink>(ref int next, int end, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        ReadOnlySpan<Run> runs = _runs.AsSpan(0, _runCount);
        ReadOnlySpan<MergeKey> keys = Keys.AsSpan(0, end);
        if (next >= keys.Length)
        {
            return true;
        }

        ref readonly Run run = ref runs[keys[next].Run];
        ReadOnlySpan<byte> rest = run.From(keys[next].Place);
        ulong start = MemoryMarshal.Read<ulong>(rest);
        int last = keys.Length - 1;
        for (int at = next; at < keys.Length; at++)
        {
            ref readonly MergeKey following = ref keys[Math.Min(at + 1, last)];
            ref readonly Run followingRun = ref runs[following.Run];
            ReadOnlySpan<byte> followingRest = followingRun.From(following.Place);
            ulong followingStart = MemoryMarshal.Read<ulong>(followingRest);
            if (!EventWalk.GiveFound(start, rest, run.Cpu, run.BufferOffset, ref sink))
            {
                next = at + 1;
                return false;
            }

            run = ref followingRun;
            rest = followingRest;
            start = followingStart;
        }

        next = keys.Length;
        return true;
    }

    /// <summary>Events of one CPU in a round.</summary>
    /// <param name="CpuOrder">The CPU's place among those that are merged.</param>
    /// <param name="Start">The first.</param>
    /// <param name="End">Behind the last.</param>
    internal readonly record struct Part(int CpuOrder, int Start, int End)
    {
        public int Count => End - Start;
    }

    /// <summary>What is known of a buffer; here, so that no event has to ask its cursor.</summary>
    private readonly record struct Run(byte[] Block, int Bytes, int Cpu, long BufferOffset)
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ReadOnlySpan<byte> From(int place) => Block.AsSpan(place, Bytes - place);
    }
}
