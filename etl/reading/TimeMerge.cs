namespace Tracer.Etl.Reading;

/// <summary>
/// Merges the buffers of all CPUs by time, in batches: what all open buffers hold from before the last opened one of any CPU begins. A
/// CPU has two buffers open, and more only where its buffers overlap in time, so memory is bounded by the number of CPUs. The work for a
/// batch is that for its events and the buffer that is opened, however many others are open.
/// </summary>
/// <remarks>
/// The index knows when a buffer's first event was logged, and that need not be its earliest: an interrupt that comes between the
/// reservation of that event and its time stamp logs what stands behind it and happened before it. So a buffer counts as begun only when
/// it has been opened and its events are in order.
/// </remarks>
internal sealed class TimeMerge
{
    /// <summary>
    /// Open buffers may take so much memory, and <see cref="HeldOfAByte"/> times the file: more than all of a sound file take at once.
    /// Where they would take more, events come when their buffer's turn comes, and are counted as out of order.
    /// </summary>
    private const long FreeHeldBytes = 32 * 1024 * 1024;
    private const int HeldOfAByte = 8;

    /// <summary>But never more than this.</summary>
    private const long MaximumHeldBytes = 1024 * 1024 * 1024;

    /// <summary>
    /// Where open buffers take more, events at the very time that limits a batch leave with it, so that buffers of one time stamp are not
    /// all held. Until then they stay: an event before them may stand in the next buffer.
    /// </summary>
    private const long FreeTiedBytes = 8 * 1024 * 1024;

    /// <summary>Buffers that are loaded before they are due take no more memory than this.</summary>
    private const long MaximumAheadBytes = 16 * 1024 * 1024;

    /// <summary>So many bytes of first buffers are worth a thread.</summary>
    private const long BytesOfThread = 1024 * 1024;

    /// <summary>Blocks that are kept to be used again.</summary>
    private const long MaximumFreeBytes = 32 * 1024 * 1024;

    private readonly TraceInput _input;
    private readonly BufferIndex _index;
    private readonly StrayTimes? _times;
    private readonly TraceHealth _health;
    private readonly int[] _nextPlace;

    /// <summary>
    /// The CPUs whose next buffers are not open yet, by when those limit a batch: they may hold events from that time on. At equal times
    /// by CPU.
    /// </summary>
    private readonly PriorityQueue<int, (long Ticks, int Cpu)> _waiting = new();

    /// <summary>Open buffers by their next event, at equal times by CPU.</summary>
    private readonly PriorityQueue<MergeCursor, (long Ticks, int Cpu)> _open = new();
    private readonly List<MergeCursor> _taken = [];
    private readonly Stack<MergeCursor> _free = [];
    private readonly List<int> _runEnds = [];
    private readonly StackFilter?[] _filters;
    private readonly RoundCut? _rounds;

    /// <summary>
    /// The next compressed buffer of each CPU where another thread loads it meanwhile; null where buffers are loaded when they are due.
    /// </summary>
    private readonly BufferLoad?[]? _ahead;

    /// <summary>The first buffers of CPUs where several threads loaded them, until they are taken.</summary>
    private readonly (MergeCursor Cursor, TraceHealth Health)?[] _firsts;
    private readonly int _threads;
    private readonly long _mostHeld;
    private byte[] _compressed = [];
    private MergeKey[] _spare = [];
    private long _lastTicks = long.MinValue;
    private long _held;
    private long _freeBytes;
    private long _aheadBytes;
    private long _opened;
    private bool _hasBegun;

    /// <param name="index">Its buffers.</param>
    /// <param name="input">The file.</param>
    /// <param name="health">Is told what is odd about the events.</param>
    /// <param name="threads">How many threads may load the first buffers.</param>
    /// <param name="loadsAhead">
    /// Whether other threads read and decompress the next buffers meanwhile, where they are compressed. The events and their order are the
    /// same.
    /// </param>
    /// <param name="times">Puts times right; null where they stay as they are.</param>
    /// <param name="stacksOf">Hook ids of the events whose stacks are wanted; null for all stacks.</param>
    /// <param name="roundEvents">Most events of a CPU in a round (<see cref="RoundCut"/>); null where all are to come by time.</param>
    public TimeMerge(
        TraceInput input,
        BufferIndex index,
        TraceHealth health,
        int threads,
        bool loadsAhead,
        StrayTimes? times = null,
        ushort[]? stacksOf = null,
        int? roundEvents = null)
    {
        _rounds = roundEvents is { } most ? new RoundCut(most) : null;
        _ahead = loadsAhead ? new BufferLoad?[index.Cpus.Count] : null;
        _input = input;
        _index = index;
        _times = times;
        _health = health;
        _threads = threads;
        _firsts = new (MergeCursor, TraceHealth)?[index.Cpus.Count];
        _nextPlace = new int[index.Cpus.Count];
        _mostHeld = Math.Min(MaximumHeldBytes, FreeHeldBytes + (HeldOfAByte * Math.Min(input.Length, MaximumHeldBytes)));
        _filters = new StackFilter?[index.Cpus.Count];
        for (int cpu = 0; cpu < _filters.Length && stacksOf is not null; cpu++)
        {
            _filters[cpu] = new StackFilter(stacksOf);
        }
    }

    private bool HoldsTooMuch => _held > _mostHeld;

    /// <summary>Gives all events by time, at equal times by CPU, and within a CPU as written.</summary>
    /// <param name="sink">Takes the events.</param>
    /// <returns>False when the sink wants no more.</returns>
    public bool GiveAll<TSink>(ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        try
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
        finally
        {
            End();
        }
    }

    /// <summary>Nothing more is wanted: when it returns, no thread uses the input any more.</summary>
    public void End()
    {
        foreach (BufferLoad? load in _ahead ?? [])
        {
            load?.Abandon();
        }
    }

    /// <summary>Collects the next events by time, or by rounds.</summary>
    /// <param name="batch">Takes them; nobody may use it meanwhile, and what it held was recycled.</param>
    /// <returns>False where there are no more.</returns>
    public bool TryNext(MergeBatch batch)
    {
        if (!_hasBegun)
        {
            Begin(batch);
        }
        else if (_waiting.TryDequeue(out int cpu, out _))
        {
            OpenNext(cpu, batch);
        }
        else
        {
            return false;
        }

        // Where too much overlaps, what is open goes first.
        bool isLimited = _waiting.TryPeek(out _, out (long Ticks, int Cpu) limit) && !HoldsTooMuch;
        limit.Cpu = _held > FreeTiedBytes ? limit.Cpu : -1;
        Collect(batch, isLimited ? limit : (long.MaxValue, int.MaxValue));
        (long FirstTicks, long LastTicks)? times = _rounds is null
            ? MergeRuns(batch)
            : _rounds.Order(batch, _taken, _runEnds, isLimited ? limit.Ticks : _waiting.Count == 0 ? long.MaxValue : LatestOf(batch));
        if (times is { } known)
        {
            _health.Add(HealthCounter.TimeInversions, known.FirstTicks < _lastTicks ? 1 : 0);
            _lastTicks = Math.Max(_lastTicks, known.LastTicks);
        }

        return true;
    }

    /// <summary>The latest time that was given, with a batch: where too much overlaps, older events may come behind it.</summary>
    private long LatestOf(MergeBatch batch)
    {
        long latest = _lastTicks;
        foreach (int end in _runEnds)
        {
            latest = end > 0 ? Math.Max(latest, batch.Keys[end - 1].Ticks) : latest;
        }

        return latest;
    }

    /// <summary>The events of a batch were given: what only it used may hold other buffers.</summary>
    public void Recycle(MergeBatch batch)
    {
        foreach (MergeCursor cursor in batch.Closed)
        {
            if (_freeBytes + cursor.HeldBytes <= MaximumFreeBytes)
            {
                _freeBytes += cursor.HeldBytes;
                _free.Push(cursor);
            }
        }

        batch.End();
    }

    private void Begin(MergeBatch batch)
    {
        _hasBegun = true;
        LoadFirsts();
        for (int cpu = 0; cpu < _nextPlace.Length; cpu++)
        {
            if (HoldsTooMuch)
            {
                _waiting.Enqueue(cpu, (_index.Of(cpu)[0].FirstTicks, cpu));
            }
            else
            {
                OpenNext(cpu, batch);
            }
        }
    }

    /// <summary>Loads the first buffers of CPUs, several at once, where that is worth it.</summary>
    private void LoadFirsts()
    {
        int count = 0;
        long bytes = 0;
        while (count < _firsts.Length && bytes + _index.Of(count)[0].HeldBytes <= MaximumAheadBytes)
        {
            bytes += _index.Of(count++)[0].HeldBytes;
        }

        int threads = (int)Math.Min(_threads, bytes / BytesOfThread);
        if (threads > 1)
        {
            ParallelPieces.Do(count, threads, cpu =>
            {
                (MergeCursor cursor, TraceHealth health) = (new(), new());
                byte[] compressed = [];
                cursor.Load(_input, in _index.Of(cpu)[0], _times, health, _filters[cpu], ref compressed);
                _input.Blocks.Give(compressed);
                _firsts[cpu] = (cursor, health);
            });
        }
    }

    /// <summary>Opens the CPU's next buffer; what is behind it limits the batch from the earlier of when the two begin.</summary>
    private void OpenNext(int cpu, MergeBatch batch)
    {
        ReadOnlySpan<BufferIndex.Place> places = _index.Of(cpu);
        ref readonly BufferIndex.Place place = ref places[_nextPlace[cpu]++];
        MergeCursor cursor = Load(cpu, in place);
        cursor.CpuOrder = cpu;
        cursor.Number = _opened++;
        long begin = place.FirstTicks;
        if (cursor.IsExhausted)
        {
            batch.Close(cursor);
        }
        else
        {
            begin = cursor.NextTicks;
            _held += cursor.NeededBytes;
            _open.Enqueue(cursor, (begin, cpu));
        }

        if (_nextPlace[cpu] < places.Length)
        {
            LoadAhead(cpu, in places[_nextPlace[cpu]]);
            _waiting.Enqueue(cpu, (Math.Min(begin, places[_nextPlace[cpu]].FirstTicks), cpu));
        }
    }

    private MergeCursor Load(int cpu, in BufferIndex.Place place)
    {
        if (_firsts[cpu] is { } first)
        {
            _firsts[cpu] = null;
            _health.Add(first.Health);
            return first.Cursor;
        }

        if (_ahead?[cpu] is { IsBegun: true } load)
        {
            _aheadBytes -= place.HeldBytes;
            return load.Take(_health);
        }

        MergeCursor cursor = NewCursor();
        cursor.Load(_input, in place, _times, _health, _filters[cpu], ref _compressed);
        return cursor;
    }

    /// <summary>What is not compressed is loaded faster than it is handed over.</summary>
    private void LoadAhead(int cpu, in BufferIndex.Place place)
    {
        if (_ahead is not null && place.IsCompressed && _aheadBytes + place.HeldBytes <= MaximumAheadBytes)
        {
            _aheadBytes += place.HeldBytes;
            (_ahead[cpu] ??= new BufferLoad(_input, _times, _filters[cpu])).Begin(NewCursor(), in place);
        }
    }

    private MergeCursor NewCursor()
    {
        if (!_free.TryPop(out MergeCursor? cursor))
        {
            return new MergeCursor();
        }

        _freeBytes -= cursor.HeldBytes;
        return cursor;
    }

    /// <summary>
    /// Takes from each open buffer the events before a time, and those of that time up to a CPU, whose next buffer comes behind them;
    /// -1 for none of that time.
    /// </summary>
    private void Collect(MergeBatch batch, (long Ticks, int Cpu) limit)
    {
        _taken.Clear();
        while (_open.TryPeek(out _, out (long Ticks, int Cpu) next) && next.CompareTo(limit) <= 0)
        {
            _taken.Add(_open.Dequeue());
        }

        // In the order that events of equal times come in.
        _taken.Sort(static (first, second) => first.CpuOrder != second.CpuOrder
            ? first.CpuOrder.CompareTo(second.CpuOrder)
            : first.Number.CompareTo(second.Number));
        _health.AddWork(_taken.Count);
        batch.Begin(_taken);
        int events = 0;
        foreach (MergeCursor cursor in _taken)
        {
            events += CountOf(cursor, limit);
        }

        batch.Reserve(events);
        _runEnds.Clear();
        for (int run = 0; run < _taken.Count; run++)
        {
            MergeCursor cursor = _taken[run];
            cursor.Take(run, batch.Add(CountOf(cursor, limit)));
            _runEnds.Add(batch.Count);
            if (cursor.IsExhausted)
            {
                _held -= cursor.NeededBytes;
                batch.Close(cursor);
            }
            else
            {
                _open.Enqueue(cursor, (cursor.NextTicks, cursor.CpuOrder));
            }
        }
    }

    private static int CountOf(MergeCursor cursor, (long Ticks, int Cpu) limit) =>
        cursor.CountUpTo(cursor.CpuOrder <= limit.Cpu ? limit.Ticks : limit.Ticks - 1);

    /// <summary>Merges neighbouring runs until there is one.</summary>
    /// <returns>The first and the last time; null where there are no events.</returns>
    private (long FirstTicks, long LastTicks)? MergeRuns(MergeBatch batch)
    {
        while (_runEnds.Count > 1)
        {
            MergeBatch.Fit(ref _spare, batch.Count);
            int start = 0;
            int merged = 0;
            for (int i = 0; i < _runEnds.Count; i += 2)
            {
                int middle = _runEnds[i];
                int end = i + 1 < _runEnds.Count ? _runEnds[i + 1] : middle;
                MergeKey.Merge(batch.Keys.AsSpan(start, end - start), middle - start, _spare.AsSpan(start));
                _runEnds[merged++] = end;
                start = end;
            }

            _runEnds.RemoveRange(merged, _runEnds.Count - merged);
            batch.Swap(ref _spare);
        }

        MergeBatch.Trim(ref _spare);
        return batch.Count > 0 ? (batch.Keys[0].Ticks, batch.Keys[batch.Count - 1].Ticks) : null;
    }
}
