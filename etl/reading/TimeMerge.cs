using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Merges the buffers of all CPUs by time, in batches: what all open buffers hold from before the last opened one of any CPU begins. A
/// CPU has two buffers open, and more only where its buffers overlap in time, so memory is bounded by the number of CPUs.
/// </summary>
/// <remarks>
/// The index knows when a buffer's first event was logged, and that need not be its earliest: an interrupt that comes between the
/// reservation of that event and its time stamp logs what stands behind it and happened before it. So a buffer counts as begun only when
/// it has been opened and its events are in order.
/// </remarks>
internal sealed class TimeMerge
{
    /// <summary>
    /// Open buffers may take so much memory beyond four of the largest for each CPU; where more overlap, events come when their buffer's
    /// turn comes, and are counted as out of order.
    /// </summary>
    private const long MaximumOverlapBytes = 16 * 1024 * 1024;

    /// <summary>The same for all of them together.</summary>
    private const long MaximumHeldBytes = 1024 * 1024 * 1024;

    private readonly TraceInput _input;
    private readonly BufferIndex _index;
    private readonly TraceHealth _health;
    private readonly int[] _nextPlace;
    private readonly int[] _openOfCpu;

    /// <summary>When the last opened buffer of each CPU begins.</summary>
    private readonly long[] _beginOfLast;
    private readonly List<MergeCursor> _open = [];
    private readonly Stack<MergeCursor> _free = [];
    private readonly List<int> _runEnds = [];
    private MergeKey[] _keys = new MergeKey[1024];
    private MergeKey[] _spare = new MergeKey[1024];
    private int _count;
    private long _lastTicks = long.MinValue;
    private long _largest;

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
        _openOfCpu = new int[index.Cpus.Count];
        _beginOfLast = new long[index.Cpus.Count];
    }

    /// <summary>Gives all events by time; at equal times by CPU, and within a CPU as written.</summary>
    /// <returns>False when the sink wants no more.</returns>
    public bool GiveAll<TSink>(ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        for (int cpu = 0; cpu < _index.Cpus.Count && !HoldsTooMuch(); cpu++)
        {
            OpenNext(cpu);
        }

        while (true)
        {
            int nextCpu = CpuOfEarliestLimit(out long limit);

            // Where too much overlaps, what is open goes first.
            bool isAll = nextCpu < 0 || HoldsTooMuch();
            CollectBefore(isAll ? null : limit);
            MergeRuns();
            if (!GiveBatch(ref sink))
            {
                return false;
            }

            if (nextCpu < 0)
            {
                return true;
            }

            CloseExhausted();
            OpenNext(nextCpu);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private bool GiveBatch<TSink>(ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        if (_count == 0)
        {
            return true;
        }

        _health.Add(HealthCounter.TimeInversions, _keys[0].Ticks < _lastTicks ? 1 : 0);
        _lastTicks = Math.Max(_lastTicks, _keys[_count - 1].Ticks);
        ReadOnlySpan<MergeCursor> open = CollectionsMarshal.AsSpan(_open);
        foreach (ref readonly MergeKey key in _keys.AsSpan(0, _count))
        {
            MergeCursor cursor = open[key.Run];
            if (!EventWalk.GiveFound(cursor.Data, key.Place, cursor.Cpu, cursor.BufferOffset, ref sink))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>
    /// The CPU that limits a batch the most: its closed buffers may hold events from that time on. -1 where all have been opened.
    /// </summary>
    private int CpuOfEarliestLimit(out long limit)
    {
        int earliest = -1;
        limit = long.MaxValue;
        for (int cpu = 0; cpu < _nextPlace.Length; cpu++)
        {
            ReadOnlySpan<BufferIndex.Place> places = _index.Of(cpu);
            int next = _nextPlace[cpu];
            if (next == places.Length)
            {
                continue;
            }

            long first = places[next].FirstTicks;
            long ticks = next == 0 ? first : Math.Min(_beginOfLast[cpu], first);
            if (earliest < 0 || ticks < limit)
            {
                earliest = cpu;
                limit = ticks;
            }
        }

        return earliest;
    }

    /// <summary>Opens the CPU's next buffer, keeping the open ones by CPU and, within one, as opened: the order of equal times.</summary>
    private void OpenNext(int cpu)
    {
        MergeCursor cursor = _free.Count > 0 ? _free.Pop() : new MergeCursor();
        BufferIndex.Place place = _index.Of(cpu)[_nextPlace[cpu]++];
        cursor.Load(_input, place, _health);
        _beginOfLast[cpu] = cursor.IsExhausted ? place.FirstTicks : cursor.NextTicks;
        _largest = Math.Max(_largest, cursor.BlockBytes);
        int at = 0;
        for (int before = 0; before <= cpu; before++)
        {
            at += _openOfCpu[before];
        }

        _open.Insert(at, cursor);
        _openOfCpu[cpu]++;
        cursor.CpuOrder = cpu;
    }

    private void CloseExhausted()
    {
        for (int i = _open.Count - 1; i >= 0; i--)
        {
            if (_open[i].IsExhausted)
            {
                _openOfCpu[_open[i].CpuOrder]--;
                _free.Push(_open[i]);
                _open.RemoveAt(i);
            }
        }
    }

    /// <summary>Takes from each open buffer the events before a time, or all.</summary>
    private void CollectBefore(long? ticks)
    {
        _count = 0;
        _runEnds.Clear();
        for (int run = 0; run < _open.Count; run++)
        {
            int more = ticks is { } limit ? _open[run].CountBefore(limit) : _open[run].Left;
            if (_keys.Length < _count + more)
            {
                Array.Resize(ref _keys, Math.Max(2 * _keys.Length, _count + more));
                _spare = new MergeKey[_keys.Length];
            }

            _open[run].Take(run, _keys.AsSpan(_count, more));
            _count += more;
            if (more > 0)
            {
                _runEnds.Add(_count);
            }
        }
    }

    /// <summary>Merges neighbouring runs until there is one.</summary>
    private void MergeRuns()
    {
        while (_runEnds.Count > 1)
        {
            int start = 0;
            int merged = 0;
            for (int i = 0; i < _runEnds.Count; i += 2)
            {
                int middle = _runEnds[i];
                int end = i + 1 < _runEnds.Count ? _runEnds[i + 1] : middle;
                MergeKey.Merge(_keys.AsSpan(start, end - start), middle - start, _spare.AsSpan(start));
                _runEnds[merged++] = end;
                start = end;
            }

            _runEnds.RemoveRange(merged, _runEnds.Count - merged);
            (_keys, _spare) = (_spare, _keys);
        }
    }

    private bool HoldsTooMuch()
    {
        long bytes = 0;
        foreach (MergeCursor cursor in _open)
        {
            bytes += cursor.BlockBytes;
        }

        return bytes > Math.Min(MaximumHeldBytes, MaximumOverlapBytes + (4 * _index.Cpus.Count * _largest));
    }
}
