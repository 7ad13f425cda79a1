using System.Runtime.InteropServices;

namespace Tracer.Analysis.Facts;

/// <summary>
/// Which process a thread belonged to, from event headers: they carry the thread and process that logged the event. Used where no thread
/// record tells. Bounded; a known pair costs no allocation.
/// </summary>
internal sealed class ThreadPairs
{
    private const int MaximumPairs = 1 << 18;
    private const int RecentSlots = 1 << 12;

    private readonly Dictionary<(uint ThreadId, uint ProcessId), int> _indexes = [];
    private readonly List<Pair> _pairs = [];

    /// <summary>
    /// Index plus one of the pair in which a thread was last seen, by the low bits of the thread's id: the next event is likely to have the
    /// same pair.
    /// </summary>
    private readonly int[] _recent = new int[RecentSlots];
    private Pair[] _sorted = [];

    public long Dropped { get; private set; }

    /// <param name="threadId">The thread; the idle threads, which all have the id 0, are ignored.</param>
    public void Add(uint threadId, uint processId, long ticks)
    {
        if (threadId is 0 or uint.MaxValue || processId == uint.MaxValue)
        {
            return;
        }

        // Thread ids are multiples of four.
        ref int recent = ref _recent[(threadId >> 2) & (RecentSlots - 1)];
        Span<Pair> pairs = CollectionsMarshal.AsSpan(_pairs);
        if (recent == 0 || pairs[recent - 1].ThreadId != threadId || pairs[recent - 1].ProcessId != processId)
        {
            if (!_indexes.TryGetValue((threadId, processId), out int index))
            {
                if (_pairs.Count == MaximumPairs)
                {
                    Dropped++;
                    return;
                }

                index = _pairs.Count;
                _indexes.Add((threadId, processId), index);
                _pairs.Add(new Pair(threadId, processId, ticks, ticks));
                pairs = CollectionsMarshal.AsSpan(_pairs);
            }

            recent = index + 1;
        }

        ref Pair pair = ref pairs[recent - 1];
        if (ticks < pair.FirstTicks || ticks > pair.LastTicks)
        {
            pair = pair with { FirstTicks = Math.Min(pair.FirstTicks, ticks), LastTicks = Math.Max(pair.LastTicks, ticks) };
        }
    }

    /// <summary>Sorts the pairs; queries are valid afterwards.</summary>
    public void Complete()
    {
        _sorted = [.. _pairs];
        Array.Sort(_sorted);
        _pairs.Clear();
        _indexes.Clear();
    }

    /// <summary>
    /// The process in which a thread was seen at the time nearest to the given one; null where the thread was never seen.
    /// </summary>
    public uint? ProcessOf(uint threadId, long ticks)
    {
        int at = Array.BinarySearch(_sorted, new Pair(threadId, 0, long.MinValue, 0));
        at = at < 0 ? ~at : at;
        uint? nearest = null;
        ulong distance = ulong.MaxValue;
        for (; at < _sorted.Length && _sorted[at].ThreadId == threadId; at++)
        {
            ulong away = _sorted[at].DistanceTo(ticks);
            if (nearest is null || away < distance)
            {
                nearest = _sorted[at].ProcessId;
                distance = away;
            }
        }

        return nearest;
    }

    private readonly record struct Pair(uint ThreadId, uint ProcessId, long FirstTicks, long LastTicks) : IComparable<Pair>
    {
        public ulong DistanceTo(long ticks) => ticks < FirstTicks ? unchecked((ulong)FirstTicks - (ulong)ticks)
            : ticks > LastTicks ? unchecked((ulong)ticks - (ulong)LastTicks) : 0;

        public int CompareTo(Pair other)
        {
            int order = ThreadId.CompareTo(other.ThreadId);
            order = order != 0 ? order : FirstTicks.CompareTo(other.FirstTicks);
            return order != 0 ? order : ProcessId.CompareTo(other.ProcessId);
        }
    }
}
