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

    /// <summary>In place of the CPU that is to be opened next: all were.</summary>
    private const int Done = -1;

    /// <summary>In place of the CPU that is to be opened next: all are.</summary>
    private const int NotBegun = -2;

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
    private readonly StackFilter?[] _filters;
    private long _lastTicks = long.MinValue;
    private long _largest;
    private int _nextCpu = NotBegun;

    /// <summary>Starts a merge.</summary>
    /// <param name="input">The file.</param>
    /// <param name="index">Its buffers.</param>
    /// <param name="health">Is told what is odd about the events.</param>
    /// <param name="stacksOf">Hook ids of the events whose stacks are wanted; null for all stacks.</param>
    public TimeMerge(TraceInput input, BufferIndex index, TraceHealth health, ushort[]? stacksOf = null)
    {
        _input = input;
        _index = index;
        _health = health;
        _nextPlace = new int[index.Cpus.Count];
        _openOfCpu = new int[index.Cpus.Count];
        _beginOfLast = new long[index.Cpus.Count];
        _filters = new StackFilter?[index.Cpus.Count];
        for (int cpu = 0; cpu < _filters.Length && stacksOf is not null; cpu++)
        {
            _filters[cpu] = new StackFilter(stacksOf);
        }
    }

    /// <summary>Gives all events by time; at equal times by CPU, and within a CPU as written.</summary>
    /// <returns>False when the sink wants no more.</returns>
    public bool GiveAll<TSink>(ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        var batch = new MergeBatch();
        while (TryNext(batch))
        {
            if (!batch.Give(ref sink))
            {
                return false;
            }

            Recycle(batch);
        }

        return true;
    }

    /// <summary>Collects the next events by time.</summary>
    /// <param name="batch">Takes them; nobody may use it meanwhile, and what it held was recycled.</param>
    /// <returns>False where there are no more.</returns>
    public bool TryNext(MergeBatch batch)
    {
        if (_nextCpu == Done)
        {
            return false;
        }

        if (_nextCpu == NotBegun)
        {
            for (int cpu = 0; cpu < _index.Cpus.Count && !HoldsTooMuch(); cpu++)
            {
                OpenNext(cpu);
            }
        }
        else
        {
            OpenNext(_nextCpu);
        }

        _nextCpu = CpuOfEarliestLimit(out long limit);

        // Where too much overlaps, what is open goes first.
        bool isAll = _nextCpu == Done || HoldsTooMuch();
        CollectBefore(batch, isAll ? null : limit);
        MergeRuns(batch);
        if (batch.Count > 0)
        {
            _health.Add(HealthCounter.TimeInversions, batch.Keys[0].Ticks < _lastTicks ? 1 : 0);
            _lastTicks = Math.Max(_lastTicks, batch.Keys[batch.Count - 1].Ticks);
        }

        CloseExhausted(batch);
        return true;
    }

    /// <summary>The events of a batch were given: what only it used may hold other buffers.</summary>
    /// <param name="batch">The batch.</param>
    public void Recycle(MergeBatch batch)
    {
        foreach (MergeCursor cursor in batch.Closed)
        {
            _free.Push(cursor);
        }

        batch.Closed.Clear();
    }

    /// <summary>
    /// The CPU that limits a batch the most: its closed buffers may hold events from that time on. <see cref="Done"/> where all have
    /// been opened.
    /// </summary>
    private int CpuOfEarliestLimit(out long limit)
    {
        int earliest = Done;
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
            if (earliest == Done || ticks < limit)
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
        cursor.Load(_input, place, _health, _filters[cpu]);
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

    private void CloseExhausted(MergeBatch batch)
    {
        for (int i = _open.Count - 1; i >= 0; i--)
        {
            if (_open[i].IsExhausted)
            {
                _openOfCpu[_open[i].CpuOrder]--;
                batch.Closed.Add(_open[i]);
                _open.RemoveAt(i);
            }
        }
    }

    /// <summary>Takes from each open buffer the events before a time, or all.</summary>
    private void CollectBefore(MergeBatch batch, long? ticks)
    {
        batch.Begin(_open);
        _runEnds.Clear();
        for (int run = 0; run < _open.Count; run++)
        {
            int more = ticks is { } limit ? _open[run].CountBefore(limit) : _open[run].Left;
            _open[run].Take(run, batch.Add(more));
            if (more > 0)
            {
                _runEnds.Add(batch.Count);
            }
        }
    }

    /// <summary>Merges neighbouring runs until there is one.</summary>
    private void MergeRuns(MergeBatch batch)
    {
        while (_runEnds.Count > 1)
        {
            int start = 0;
            int merged = 0;
            for (int i = 0; i < _runEnds.Count; i += 2)
            {
                int middle = _runEnds[i];
                int end = i + 1 < _runEnds.Count ? _runEnds[i + 1] : middle;
                MergeKey.Merge(batch.Keys.AsSpan(start, end - start), middle - start, batch.Spare.AsSpan(start));
                _runEnds[merged++] = end;
                start = end;
            }

            _runEnds.RemoveRange(merged, _runEnds.Count - merged);
            batch.Swap();
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
