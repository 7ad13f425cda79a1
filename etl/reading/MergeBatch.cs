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

    private readonly List<MergeCursor> _runs = [];

    /// <summary>The events; only the first <see cref="Count"/> count.</summary>
    public MergeKey[] Keys { get; private set; } = [];

    /// <summary>As long as <see cref="Keys"/>, for a merge.</summary>
    public MergeKey[] Spare { get; private set; } = [];

    /// <summary>How many events.</summary>
    public int Count { get; private set; }

    /// <summary>Buffers whose last events these are.</summary>
    public List<MergeCursor> Closed { get; } = [];

    /// <summary>Begins anew, without an event.</summary>
    /// <param name="runs">The buffers, by their numbers in <see cref="MergeKey.Run"/>.</param>
    public void Begin(List<MergeCursor> runs)
    {
        _runs.Clear();
        _runs.AddRange(runs);
        Count = 0;
    }

    /// <summary>Its events were given: forgets them, and where they were many, their block.</summary>
    public void End()
    {
        _runs.Clear();
        Closed.Clear();
        Count = 0;
        if (Keys.Length > MostKeysKept)
        {
            Keys = [];
            Spare = [];
        }
    }

    /// <summary>Makes room for more events.</summary>
    /// <param name="more">How many.</param>
    /// <returns>The room.</returns>
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

    /// <summary>Gives the events to a sink.</summary>
    /// <returns>False when the sink wants no more.</returns>
    public bool Give<TSink>(ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        int next = 0;
        return Give(ref next, ref sink);
    }

    /// <summary>Gives the events from one on to a sink.</summary>
    /// <param name="next">The number of the first; then of the one behind the last that was given.</param>
    /// <param name="sink">Takes the events.</param>
    /// <returns>False when the sink wants no more.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool Give<TSink>(ref int next, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        ReadOnlySpan<MergeCursor> runs = CollectionsMarshal.AsSpan(_runs);
        ReadOnlySpan<MergeKey> keys = Keys.AsSpan(0, Count);
        for (int at = next; at < keys.Length; at++)
        {
            ref readonly MergeKey key = ref keys[at];
            MergeCursor cursor = runs[key.Run];
            if (!EventWalk.GiveFound(cursor.Data, key.Place, cursor.Cpu, cursor.BufferOffset, ref sink))
            {
                next = at + 1;
                return false;
            }
        }

        next = keys.Length;
        return true;
    }
}
