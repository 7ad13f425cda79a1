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

    public MergeKey[] Spare { get; private set; } = [];

    public int Count { get; private set; }

    /// <summary>
    /// Where rounds end: how many events lie before each end, and the time before which all events have come. Empty where the events are
    /// in order of time over all CPUs.
    /// </summary>
    public List<(int End, long UntilTicks)> Rounds { get; } = [];

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
        Count = 0;
        if (Keys.Length > MostKeysKept)
        {
            Keys = [];
            Spare = [];
        }
    }

    /// <summary>Makes room for more events.</summary>
    public Span<MergeKey> Add(int more)
    {
        if (Keys.Length < Count + more)
        {
            MergeKey[] longer = new MergeKey[Math.Max(Math.Max(2 * Keys.Length, FirstKeys), Count + more)];
            Keys.AsSpan(0, Count).CopyTo(longer);
            Keys = longer;
            Spare = new MergeKey[longer.Length];
        }

        Count += more;
        return Keys.AsSpan(Count - more, more);
    }

    /// <summary>What was merged into <see cref="Spare"/> are the events now.</summary>
    public void Swap() => (Keys, Spare) = (Spare, Keys);

    /// <summary>Whether something of it was not given yet.</summary>
    public bool HasMore(in Position next) => next.Event < Count || next.Round < Rounds.Count;

    /// <param name="sink">Takes the events.</param>
    /// <param name="endRound">Told where a round ends: the time before which all events have come, in ticks.</param>
    /// <returns>False when the sink wants no more.</returns>
    public bool Give<TSink>(ref TSink sink, Action<long>? endRound = null)
        where TSink : IEtlEventSink, allows ref struct
    {
        Position next = default;
        return Give(ref next, ref sink, endRound);
    }

    /// <summary>Gives the events from one on to a sink.</summary>
    /// <param name="next">The first; then the one behind the last that was given.</param>
    /// <param name="sink">Takes the events.</param>
    /// <param name="endRound">Told where a round ends: the time before which all events have come, in ticks.</param>
    /// <returns>False when the sink wants no more.</returns>
    public bool Give<TSink>(ref Position next, ref TSink sink, Action<long>? endRound = null)
        where TSink : IEtlEventSink, allows ref struct
    {
        while (next.Round < Rounds.Count)
        {
            (int end, long until) = Rounds[next.Round];
            if (!Give(ref next.Event, end, ref sink))
            {
                return false;
            }

            next.Round++;
            endRound?.Invoke(until);
        }

        return Give(ref next.Event, Count, ref sink);
    }

    /// <summary>
    /// Gives the events from one up to another. Which kind the next event is can't be foreseen: its first bytes are on their way before
    /// the sink begins to decide about this one.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private bool Give<TSink>(ref int next, int end, ref TSink sink)
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

    /// <summary>How much of a batch was given.</summary>
    internal struct Position
    {
        /// <summary>The next event.</summary>
        public int Event;

        /// <summary>The round that it is in.</summary>
        public int Round;
    }

    /// <summary>What is known of a buffer; here, so that no event has to ask its cursor.</summary>
    private readonly record struct Run(byte[] Block, int Bytes, int Cpu, long BufferOffset)
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ReadOnlySpan<byte> From(int place) => Block.AsSpan(place, Bytes - place);
    }
}
