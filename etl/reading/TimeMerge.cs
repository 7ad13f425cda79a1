using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Merges the buffers of several CPUs by time: a tournament tree over one open buffer for each CPU, and over more of a CPU only where its
/// buffers overlap in time. Memory is bounded by the number of CPUs, not by the file.
/// </summary>
internal sealed class TimeMerge
{
    /// <summary>
    /// So many bytes of buffers are open at once for overlaps; beyond, events come when their buffer's turn comes, and are counted.
    /// </summary>
    private const int MaximumOverlapBytes = 16 * 1024 * 1024;

    private readonly TraceInput _input;
    private readonly BufferIndex _index;
    private readonly TraceHealth _health;
    private readonly List<MergeCursor> _cursors = [];
    private readonly List<long> _ranks = [];
    private readonly int[] _nextPlace;
    private readonly List<int> _cpuOfSlot = [];

    // The tree: node 0 holds the winner, nodes 1.. the losers of each match; leaves are slots of cursors.
    private int[] _tree = [];
    private Head[] _heads = [];
    private int _leaves;
    private bool _isTreeStale;
    private long _overlapBytes;

    /// <summary>Starts a merge.</summary>
    /// <param name="input">The file.</param>
    /// <param name="index">Its buffers.</param>
    /// <param name="health">Is told what is odd about the events.</param>
    public TimeMerge(TraceInput input, BufferIndex index, TraceHealth health)
    {
        _input = input;
        _index = index;
        _health = health;
        _nextPlace = new int[index.Cpus.Count];
    }

    /// <summary>Gives all events by time; at equal times by CPU, and within a CPU as written.</summary>
    /// <returns>False when the sink wants no more.</returns>
    public bool GiveAll<TSink>(ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        for (int cpu = 0; cpu < _index.Cpus.Count; cpu++)
        {
            Open(NewSlot(cpu), cpu);
        }

        BuildTree();
        while (true)
        {
            int winner = _tree.Length == 0 ? -1 : _tree[0];
            if (winner < 0 || _cursors[winner].IsExhausted)
            {
                return true;
            }

            if (!GiveFrom(winner, ref sink))
            {
                return false;
            }
        }
    }

    /// <summary>Gives events until a buffer has no more.</summary>
    private bool GiveFrom<TSink>(int winner, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        int[] tree = _tree;
        Head[] heads = _heads;
        ReadOnlySpan<MergeCursor> cursors = CollectionsMarshal.AsSpan(_cursors);
        while (true)
        {
            MergeCursor cursor = cursors[winner];
            int at = cursor.Take();
            if (!EventWalk.GiveFound(cursor.Data, at, cursor.Cpu, cursor.BufferOffset, ref sink))
            {
                return false;
            }

            if (cursor.IsExhausted)
            {
                Refill(winner);
                return true;
            }

            heads[winner].Ticks = cursor.HeadTicks;
            winner = Replay(tree, heads, winner, _leaves);
        }
    }

    /// <summary>Plays the matches of one slot again, up to the root.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Replay(int[] tree, Head[] heads, int slot, int leaves)
    {
        int winner = slot;
        Head best = heads[slot];
        for (int node = (slot + leaves) >> 1; node > 0; node >>= 1)
        {
            int other = tree[node];
            Head head = heads[other];
            if (head.Precedes(best))
            {
                tree[node] = winner;
                winner = other;
                best = head;
            }
        }

        tree[0] = winner;
        return winner;
    }

    /// <summary>Opens the CPU's next buffer in a slot whose buffer is used up.</summary>
    private void Refill(int slot)
    {
        long last = _cursors[slot].LastTicks;
        Open(slot, _cpuOfSlot[slot]);
        if (!_cursors[slot].IsExhausted && _cursors[slot].HeadTicks < last)
        {
            _health.Add(HealthCounter.TimeInversions);
        }

        if (_isTreeStale)
        {
            BuildTree();
        }
        else
        {
            _heads[slot] = HeadOf(slot);
            Replay(_tree, _heads, slot, _leaves);
        }
    }

    /// <summary>Opens the CPU's next buffer that has events, and in other slots those that begin before it ends.</summary>
    private void Open(int slot, int cpu)
    {
        ReadOnlySpan<BufferIndex.Place> places = _index.Of(_index.Cpus[cpu]);
        while (_nextPlace[cpu] < places.Length)
        {
            int which = _nextPlace[cpu]++;
            MergeCursor cursor = _cursors[slot];
            cursor.Load(_input, places[which], _health);
            if (cursor.IsExhausted)
            {
                continue;
            }

            _ranks[slot] = ((long)cpu << 32) + which;
            bool overlaps = _nextPlace[cpu] < places.Length && places[_nextPlace[cpu]].FirstTicks < cursor.LastTicks;
            if (!overlaps || FreeSlot(cpu) is not (>= 0 and int free))
            {
                return;
            }

            slot = free;
            _isTreeStale = true;
        }
    }

    private int NewSlot(int cpu)
    {
        _cursors.Add(new MergeCursor());
        _ranks.Add(0);
        _cpuOfSlot.Add(cpu);
        return _cursors.Count - 1;
    }

    /// <summary>A slot of the CPU whose buffer is used up, or a new one; -1 where there are too many.</summary>
    private int FreeSlot(int cpu)
    {
        for (int slot = 0; slot < _cursors.Count; slot++)
        {
            if (_cpuOfSlot[slot] == cpu && _cursors[slot].IsExhausted)
            {
                return slot;
            }
        }

        _overlapBytes += _cursors[0].BlockBytes;
        return _overlapBytes > MaximumOverlapBytes ? -1 : NewSlot(cpu);
    }

    private Head HeadOf(int slot) => _cursors[slot].IsExhausted
        ? new Head { Ticks = long.MaxValue, Rank = long.MaxValue }
        : new Head { Ticks = _cursors[slot].HeadTicks, Rank = _ranks[slot] };

    private void BuildTree()
    {
        _isTreeStale = false;
        _leaves = _cursors.Count;
        _tree = new int[Math.Max(1, _leaves)];
        _heads = new Head[_leaves];
        var winners = new int[2 * Math.Max(1, _leaves)];
        for (int slot = 0; slot < _leaves; slot++)
        {
            _heads[slot] = HeadOf(slot);
            winners[_leaves + slot] = slot;
        }

        for (int node = _leaves - 1; node > 0; node--)
        {
            int left = winners[2 * node];
            int right = winners[(2 * node) + 1];
            bool leftWins = !_heads[right].Precedes(_heads[left]);
            winners[node] = leftWins ? left : right;
            _tree[node] = leftWins ? right : left;
        }

        _tree[0] = _leaves == 0 ? -1 : winners[1];
    }

    /// <summary>What a slot offers: the time of its next event, and its place among those of the same time.</summary>
    private struct Head
    {
        public long Ticks;
        public long Rank;

        public readonly bool Precedes(in Head other) => Ticks < other.Ticks || (Ticks == other.Ticks && Rank < other.Rank);
    }
}
