using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Machine;

/// <summary>
/// The recent past of one CPU according to its records: ISRs and DPCs, the threads below them, samples, callbacks of the driver framework,
/// gaps. Values must be added in the order of their time stamps; the time stamp of a run is its end.
/// </summary>
internal sealed class CpuHistory
{
    /// <summary>Most stack frames that are kept of a sample: frames further out add nothing.</summary>
    public const int MaximumFrames = 64;

    /// <summary>Most later samples that may precede the stack record of a sample.</summary>
    private const int Awaited = 4;

    /// <summary>Most routines nested within one another: processors have fewer interrupt levels.</summary>
    private const int MostNested = 32;

    /// <summary>Most outermost routines that are remembered, in order to find those that a longer routine contains.</summary>
    private const int MostOutermost = 1024;

    private readonly SampleClock _sampleClock;
    private readonly List<long> _outermost = [];
    private readonly TimeCells _timeCells;

    /// <summary>The last record of each cell of time that has any, but for the newest cell.</summary>
    private readonly Ring<TimeOfRecord> _cells = new(Rings.SmallestOfRounds);
    private long _cellEndTicks = long.MinValue;
    private long _beforeTicks = long.MaxValue;
    private bool _isLastRunBroken;

    /// <summary>A bit for each of the latest samples that has no stack yet; the lowest bit is the newest sample.</summary>
    private uint _awaiting;
    private bool _isNewBuffer;
    private long _latestTicks = long.MinValue;
    private long _driverTicks = long.MinValue; // The newest sample of our own driver.

    /// <summary>The interrupts that queued DPCs, as far as the CPU's own records show them.</summary>
    private readonly QueueLines _lines;

    /// <summary>Those that the records of other CPUs tell.</summary>
    private readonly QueueLines _toldLines;

    /// <summary>The DPCs to which those were given since the history was last followed.</summary>
    private readonly List<(long Number, ushort Line)> _told = [];

    /// <summary>What others were shown last: the runs before this number.</summary>
    private long _shownRuns;

    /// <summary>Whether the last of those turned out not to be known since: they are told when they are shown more.</summary>
    private bool _isShownRunBroken;

    /// <summary>Creates an empty history.</summary>
    /// <param name="capacity">Most values of each kind that are kept.</param>
    /// <param name="cells">The history can be asked as of the end of any of these; null for any time.</param>
    public CpuHistory(int cpu, int capacity, SampleClock sampleClock, TimeCells? cells = null)
    {
        Cpu = cpu;
        _sampleClock = sampleClock;
        _lines = new QueueLines(0);
        _toldLines = new QueueLines(QueueLines.Told);
        _timeCells = cells ?? new TimeCells(0, 1);
        Spans = new Ring<LevelSpan>(capacity);
        Runs = new Ring<RunStretch>(capacity);
        Samples = new Ring<CpuSample>(Math.Max(Rings.SmallestOfRounds, capacity / 4));
        Frames = new Ring<ulong>(Math.Max(64 * 1024, capacity * 4));
        Callbacks = new Ring<CallbackEvent>(Math.Max(Rings.SmallestOfRounds, capacity / 8));
        SampleGaps = new Ring<SampleGap>(Math.Max(Rings.SmallestOfRounds, capacity / 8));
        ThreadRoutines = new Ring<ThreadRoutine>(Math.Max(Rings.SmallestOfRounds, capacity / 16));
    }

    /// <summary>Makes the history that others see; it is empty until it follows.</summary>
    /// <param name="read">The history that is built.</param>
    /// <param name="sampleClock">A clock as that one's, of its own.</param>
    public CpuHistory(CpuHistory read, int capacity, SampleClock sampleClock)
        : this(read.Cpu, capacity, sampleClock, read._timeCells) => (_lines, _toldLines) = (read._lines, read._toldLines);

    public int Cpu { get; }

    /// <summary>ISRs and DPCs, sorted by end.</summary>
    public Ring<LevelSpan> Spans { get; }

    /// <summary>Runs of threads, sorted by start.</summary>
    public Ring<RunStretch> Runs { get; }

    /// <summary>Profile samples, in order of time.</summary>
    public Ring<CpuSample> Samples { get; }

    /// <summary>Kernel stack frames of the samples.</summary>
    public Ring<ulong> Frames { get; }

    /// <summary>Callbacks of the driver framework, in order of time.</summary>
    public Ring<CallbackEvent> Callbacks { get; }

    public Ring<SampleGap> SampleGaps { get; }

    /// <summary>The least time without a record that is kept, in ticks; the largest time for none.</summary>
    public long LeastRecordGapTicks { get; init; } = long.MaxValue;

    /// <summary>The times without a record, in order of time, of which only so many are kept.</summary>
    public List<TickSpan> RecordGaps { get; } = [];

    /// <summary>What the CPU's records say of its idle states, in order of time.</summary>
    public Ring<IdleEvent> IdleEvents { get; } = new(1 << 14);

    /// <summary>Threaded DPCs and passive-level ISRs, sorted by end.</summary>
    public Ring<ThreadRoutine> ThreadRoutines { get; }

    /// <summary>Clock interrupts, in order of time.</summary>
    public Ring<ClockInterrupt> ClockInterrupts { get; } = new(4096);

    /// <summary>Completed requests to disks, in order of time.</summary>
    public Ring<DiskCompletion> Completions { get; } = new(1 << 14);

    /// <summary>Memory that it takes, in bytes.</summary>
    public long Bytes => Spans.Bytes + Runs.Bytes + Samples.Bytes + Frames.Bytes + Callbacks.Bytes + SampleGaps.Bytes
        + ThreadRoutines.Bytes + ClockInterrupts.Bytes + IdleEvents.Bytes + Completions.Bytes
        + _cells.Bytes;

    /// <summary>Time stamp of the newest record, in ticks.</summary>
    public long LatestTicks => _latestTicks < _beforeTicks ? _latestTicks
        : _cells.FirstAfter(_beforeTicks - 1) is var next && next > _cells.First ? _cells[next - 1].Ticks : long.MinValue;

    /// <summary>Time stamp of the newest record or sample that was read, also while it looks back, in ticks.</summary>
    public long NewestTicks => Math.Max(_latestTicks, _driverTicks);

    public bool IsLookingBack { get; private set; }

    /// <summary>
    /// Looks back: until <see cref="LookFromNow"/> every question is answered as of a time, with the records before it. So no answer
    /// depends on how far the CPU's events have been read.
    /// </summary>
    /// <param name="ticks">The time, in ticks: the end of a cell, or the largest time for all records.</param>
    public void LookFrom(long ticks)
    {
        LookFromNow();
        (_beforeTicks, IsLookingBack) = (ticks, true);
        Spans.ShowBeforeTime(ticks);
        Runs.ShowBeforeTime(ticks);
        Samples.ShowBeforeTime(ticks);
        Callbacks.ShowBeforeTime(ticks);
        SampleGaps.ShowBeforeTime(ticks);
        ThreadRoutines.ShowBeforeTime(ticks);
        ClockInterrupts.ShowBeforeTime(ticks);
        IdleEvents.ShowBeforeTime(ticks);
        Completions.ShowBeforeTime(ticks);

        if (Runs.Count == 1 && Runs.Newest.StartTicks == long.MinValue)
        {
            // What ran before the first switch only that one tells.
            Runs.ShowAll();
            Runs.ShowBefore(Runs.First);
        }

        // That the last run is not known shows at the switch that ends it, which has not come yet.
        _isLastRunBroken = Runs.Count > 0 && !Runs.Newest.IsKnown;
        if (_isLastRunBroken)
        {
            Runs.TakeOwn();
            Runs.Newest.IsKnown = true;
        }
    }

    /// <summary>Ends looking back: all records are seen.</summary>
    public void LookFromNow()
    {
        if (_isLastRunBroken)
        {
            (Runs.Newest.IsKnown, _isLastRunBroken) = (false, false);
        }

        (_beforeTicks, IsLookingBack) = (long.MaxValue, false);
        Spans.ShowAll();
        Runs.ShowAll();
        Samples.ShowAll();
        Callbacks.ShowAll();
        SampleGaps.ShowAll();
        ThreadRoutines.ShowAll();
        ClockInterrupts.ShowAll();
        IdleEvents.ShowAll();
        Completions.ShowAll();
    }

    /// <summary>
    /// Shows what was read of the CPU so far, and nothing that is read later, until this is called again: so one thread looks at it while
    /// another reads on.
    /// </summary>
    /// <param name="read">The history that is built; nobody else uses it now.</param>
    public void Follow(CpuHistory read)
    {
        foreach ((long number, ushort line) in _told)
        {
            if (number >= read.Spans.First)
            {
                read.Spans[number].Vector = line; // Its blocks may have been moved since.
            }
        }

        _told.Clear();
        read.BeginShown();
        Spans.Follow(read.Spans);
        Runs.Follow(read.Runs);
        Samples.Follow(read.Samples);
        Frames.Follow(read.Frames);
        Callbacks.Follow(read.Callbacks);
        SampleGaps.Follow(read.SampleGaps);
        ThreadRoutines.Follow(read.ThreadRoutines);
        ClockInterrupts.Follow(read.ClockInterrupts);
        IdleEvents.Follow(read.IdleEvents);
        Completions.Follow(read.Completions);
        _cells.Follow(read._cells);
        (_latestTicks, _driverTicks) = (read._latestTicks, read._driverTicks);
        _sampleClock.Follow(read._sampleClock);
        for (int i = RecordGaps.Count; i < read.RecordGaps.Count; i++)
        {
            RecordGaps.Add(read.RecordGaps[i]);
        }
    }

    private void BeginShown()
    {
        if (_isShownRunBroken && _shownRuns > Runs.First)
        {
            Runs[_shownRuns - 1].IsKnown = false;
        }

        (_shownRuns, _isShownRunBroken) = (Runs.Next, false);
    }

    /// <summary>The interval between the profile samples at a time, in ticks; 0 where it is not known.</summary>
    public long SampleIntervalAt(long ticks) => _sampleClock.IntervalAt(ticks);

    /// <summary>Lateness of a sample at a time, in ticks, above which it is evidence by itself.</summary>
    public long SampleToleranceAt(long ticks) => _sampleClock.ToleranceAt(ticks);

    /// <summary>Notes a record of which only the time matters here, or that it completed a request to a disk.</summary>
    public void NoteOther(ushort hookId, long ticks)
    {
        NoteRecord(ticks);
        if (hookId is KernelHook.DiskRead or KernelHook.DiskWrite)
        {
            Completions.Add(new DiskCompletion { Ticks = ticks });
        }
    }

    /// <summary>Notes that this CPU logged a record; until then it was silent.</summary>
    /// <param name="ticks">Time in ticks; a time before the latest one is ignored.</param>
    public void NoteRecord(long ticks)
    {
        if (ticks <= _latestTicks)
        {
            return;
        }

        if (_sampleClock.MayMissUntil(ticks) && _latestTicks != long.MinValue
            && _sampleClock.FirstMissed(_latestTicks, ticks) is { } due)
        {
            SampleGaps.Add(new SampleGap
            {
                FromTicks = _latestTicks,
                DueTicks = due,
                ToTicks = ticks,
                BeatTicks = _sampleClock.BeatTicks,
                IntervalTicks = _sampleClock.IntervalTicks,
                ToleranceTicks = _sampleClock.ToleranceTicks,
                JitterTicks = _sampleClock.JitterTicks,
                IsBetweenBuffers = _isNewBuffer,
            });
        }

        const int MostRecordGaps = 100_000;
        if (ticks - LeastRecordGapTicks >= _latestTicks && _latestTicks != long.MinValue && RecordGaps.Count < MostRecordGaps)
        {
            RecordGaps.Add(new TickSpan(_latestTicks, ticks));
        }

        if (ticks >= _cellEndTicks)
        {
            BeginCell(ticks);
        }

        _latestTicks = ticks;
        _isNewBuffer = false;
    }

    /// <summary>Notes that the next record is the first of another buffer of the file.</summary>
    public void NoteBuffer() => _isNewBuffer = true;

    private void BeginCell(long ticks)
    {
        if (_latestTicks != long.MinValue)
        {
            _cells.Add(new TimeOfRecord { Ticks = _latestTicks });
        }

        _cellEndTicks = _timeCells.EndOf(ticks);
    }

    /// <summary>
    /// Adds an ISR or DPC, in the order of their ends. Routines on one processor nest. A routine that begins within an earlier one and ends
    /// after it has a damaged time stamp; so has one that contains more levels of nested routines than a processor has.
    /// </summary>
    /// <param name="skewTicks">Two routines may overlap by this much without being damaged.</param>
    /// <returns>Whether the routine was added; false for a damaged one.</returns>
    public bool TryAddSpan(in LevelSpan span, long skewTicks)
    {
        int kept = _outermost.Count;
        int nested = 0;
        while (kept > 0 && _outermost[kept - 1] is var inner && inner >= Spans.First && Spans[inner].StartTicks >= span.StartTicks)
        {
            nested = Math.Max(nested, 1 + Spans[inner].Inner);
            kept--;
        }

        NoteRecord(span.StartTicks);
        NoteRecord(span.EndTicks);
        bool isAcross = kept > 0 && _outermost[kept - 1] is var before && before >= Spans.First
            && Spans[before].EndTicks > span.StartTicks + skewTicks;
        if (isAcross || nested > MostNested)
        {
            return false;
        }

        if (kept < _outermost.Count)
        {
            for (int i = kept; i < _outermost.Count; i++)
            {
                Spans[_outermost[i]].Outer = (int)(Spans.Next - _outermost[i]);
            }

            _outermost.RemoveRange(kept, _outermost.Count - kept);
        }

        if (_outermost.Count == MostOutermost)
        {
            _outermost.RemoveRange(0, MostOutermost / 2);
        }

        _outermost.Add(Spans.Next);
        Spans.Add(in span);
        Spans.Newest.Inner = (byte)nested;
        return true;
    }

    /// <summary>The interrupt of an ISR, or the one that queued a DPC as far as that is known.</summary>
    public QueueLine LineOf(in LevelSpan span) => span.IsIsr ? new QueueLine(Cpu, span.Vector, span.Routine)
        : span.Vector >= QueueLines.Told ? _toldLines[span.Vector] : _lines[span.Vector];

    /// <summary>Keeps which interrupt queued a DPC, by the CPU's own records.</summary>
    public void SetLine(long number, QueueLine line) => Spans[number].Vector = _lines.NumberOf(line);

    /// <summary>Keeps which interrupt queued a DPC, by the records of other CPUs, in the history that others see.</summary>
    public void TellLine(long number, QueueLine line)
    {
        ushort known = _toldLines.NumberOf(line);
        Spans[number].Vector = known;
        _told.Add((number, known));
    }

    /// <summary>Number of the innermost ISR or DPC at a time, not counting the profile interrupt itself; -1 where there is none.</summary>
    /// <param name="ticks">The time; at its entry time a routine does not count yet.</param>
    public long SpanAt(long ticks)
    {
        long number = FirstEndingFrom(ticks);
        while (number >= 0 && (Spans[number].StartTicks >= ticks || Spans[number].IsProfile))
        {
            number = OuterOf(number);
        }

        return number;
    }

    /// <summary>Number of the ISR or DPC that the given one interrupted; -1 where there is none.</summary>
    public long OuterOf(long number) =>
        Spans[number].Outer is > 0 and var after && number + after is var outer && outer >= Spans.First && outer < Spans.Next ? outer : -1;

    /// <summary>Number of the first ISR or DPC that ends at or after a time; -1 where there is none.</summary>
    public long FirstEndingFrom(long ticks) => Spans.FirstAfter(ticks - 1) is var number && number < Spans.Next ? number : -1;

    /// <summary>The ISRs and DPCs that overlap a stretch, in no order.</summary>
    public void AddTouching(long fromTicks, long toTicks, List<long> numbers)
    {
        long number = Spans.FirstAfter(fromTicks);
        for (; number < Spans.Next && Spans[number].EndTicks <= toTicks; number++)
        {
            numbers.Add(number);
        }

        // Routines that began before the end of the stretch and end after it all contain that end, and so are nested in each other.
        for (long outer = number < Spans.Next ? number : -1; outer >= 0; outer = OuterOf(outer))
        {
            if (Spans[outer].StartTicks < toTicks)
            {
                numbers.Add(outer);
            }
        }
    }

    /// <param name="idleState">The idle state that the CPU left; 0 where it was not idle.</param>
    /// <returns>Whether the old thread is the one last switched in; if not, records are missing between the two switches.</returns>
    public bool AddSwitch(long ticks, uint newThread, sbyte newPriority, uint oldThread, sbyte oldPriority, byte idleState = 0)
    {
        NoteRecord(ticks);
        bool isUnbroken = true;
        if (Runs.Count == 0)
        {
            Runs.Add(new RunStretch
            {
                StartTicks = long.MinValue,
                ThreadId = oldThread,
                Priority = oldPriority,
                IsKnown = true,
            });
        }
        else
        {
            ref RunStretch last = ref Runs[Runs.Next - 1];
            if (last.ThreadId != oldThread)
            {
                isUnbroken = false;
                if (Runs.Next == _shownRuns)
                {
                    _isShownRunBroken = true;
                }
                else
                {
                    last.IsKnown = false;
                }
            }
        }

        Runs.Add(new RunStretch
        {
            StartTicks = ticks,
            ThreadId = newThread,
            Priority = newPriority,
            IsKnown = true,
            IdleStateBefore = idleState,
        });
        return isUnbroken;
    }

    /// <summary>Adds a profile sample; its stack follows in a separate record.</summary>
    public void AddSample(in CpuSample sample)
    {
        NoteRecord(sample.Ticks);
        _sampleClock.Sampled(sample.Ticks);
        Samples.Add(in sample);
        Samples.Newest.FirstFrame = long.MaxValue;
        _awaiting = ((_awaiting << 1) | 1) & ((1u << Awaited) - 1);
    }

    /// <summary>
    /// Adds a sample of our own driver. It neither sets the beat of the profile interrupt, because it keeps another one, nor shows that
    /// interrupts were served, because it may come as an NMI.
    /// </summary>
    public void AddDriverSample(in CpuSample sample, ReadOnlySpan<ulong> kernelFrames)
    {
        Samples.Add(in sample);
        _driverTicks = Math.Max(_driverTicks, sample.Ticks);
        _awaiting = (_awaiting << 1) & ((1u << Awaited) - 1);
        Keep(ref Samples[Samples.Next - 1], kernelFrames);
    }

    /// <summary>Whether any of the latest samples still lacks its stack; if none does, a stack record belongs to another event.</summary>
    public bool MayAwaitStack => _awaiting != 0;

    /// <summary>
    /// Whether one of the latest samples was taken at a time and still lacks its stack: then the stack record may belong to it.
    /// </summary>
    public bool AwaitsStack(long ticks, out long number)
    {
        for (number = Samples.Next - 1; number >= Math.Max(Samples.First, Samples.Next - Awaited); number--)
        {
            if (Samples[number].Ticks == ticks)
            {
                return Samples[number].Frames == 0;
            }
        }

        return false;
    }

    /// <param name="kernelFrames">Kernel frames of the stack, innermost first.</param>
    public void AddStack(long number, ReadOnlySpan<ulong> kernelFrames)
    {
        Keep(ref Samples[number], kernelFrames);
        _awaiting &= ~(1u << (int)(Samples.Next - 1 - number));
    }

    /// <summary>Copies the kernel frames of a sample, innermost first; none where they have been discarded.</summary>
    public ReadOnlySpan<ulong> FramesOf(in CpuSample sample, Span<ulong> buffer)
    {
        if (!HasFrames(in sample) || sample.FirstFrame < Frames.First)
        {
            return default;
        }

        int count = Math.Min(sample.Frames, buffer.Length);
        for (int i = 0; i < count; i++)
        {
            buffer[i] = Frames[sample.FirstFrame + i];
        }

        return buffer[..count];
    }

    /// <summary>Whether a sample has a stack; one that came later than what is shown is none yet.</summary>
    public bool HasFrames(in CpuSample sample) => sample.Frames > 0 && sample.FirstFrame < Frames.Next;

    private void Keep(ref CpuSample sample, ReadOnlySpan<ulong> kernelFrames)
    {
        sample.FirstFrame = Frames.Next;
        sample.Frames = (ushort)Math.Min(kernelFrames.Length, MaximumFrames);
        Frames.AddAll(kernelFrames[..sample.Frames]);
    }

    /// <summary>Number of the run of a thread at a time; -1 where it is not known.</summary>
    public long RunAt(long ticks) => Runs.FirstAfter(ticks) is long next && next > Runs.First ? next - 1 : -1;

    /// <summary>
    /// Whether an ISR only checked whether its device had interrupted: it returned FALSE, and another ISR of the same vector, called
    /// directly before or after it, claimed the interrupt.
    /// </summary>
    /// <param name="withinTicks">An ISR that follows later than this was called for another interrupt, in ticks.</param>
    public bool IsOthersInterrupt(long number, long withinTicks) => Spans[number] is { IsIsr: true, IsUnclaimed: true }
        && (IsClaimedBeside(number, 1, withinTicks) || IsClaimedBeside(number, -1, withinTicks));

    private bool IsClaimedBeside(long number, int step, long withinTicks)
    {
        const int LongestChain = 8;
        for (int i = 1; i <= LongestChain; i++)
        {
            long at = number + (i * step);
            if (at < Spans.First || at >= Spans.Next || Spans[at] is not { IsIsr: true } other)
            {
                return false;
            }

            LevelSpan one = Spans[at - step];
            long gap = step > 0 ? other.StartTicks - one.EndTicks : one.StartTicks - other.EndTicks;
            if (other.Vector != one.Vector || gap < 0 || gap > withinTicks)
            {
                return false;
            }

            if (!other.IsUnclaimed)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Number of ISRs, DPCs, switches and samples between two times, as far as they are still kept; at least 1.</summary>
    public long RecordsBetween(long fromTicks, long toTicks) => 1 + Spans.FirstAfter(toTicks) - Spans.FirstAfter(fromTicks)
        + Runs.FirstAfter(toTicks) - Runs.FirstAfter(fromTicks) + Samples.FirstAfter(toTicks) - Samples.FirstAfter(fromTicks);

    /// <summary>Number of the first sample at or after a time.</summary>
    public long FirstSampleFrom(long ticks) => Samples.FirstAfter(ticks == long.MinValue ? ticks : ticks - 1);

    /// <summary>Number of the first span that ends after a time; the number of the next span to come where there is none.</summary>
    public long FirstSpanEndingAfter(long ticks) => Spans.FirstAfter(ticks);

    /// <summary>Whether a record of this CPU lies strictly between two times, as far as records are still kept.</summary>
    public bool HasRecordBetween(long fromTicks, long toTicks)
    {
        long run = RunAt(toTicks - 1);
        if (run >= 0 && Runs[run].StartTicks > fromTicks)
        {
            return true;
        }

        long sample = FirstSampleFrom(fromTicks + 1);
        if (sample < Samples.Next && Samples[sample].Ticks < toTicks)
        {
            return true;
        }

        long span = FirstEndingFrom(fromTicks + 1);
        if (span >= 0 && Spans[span].EndTicks < toTicks)
        {
            return true;
        }

        for (; span >= 0; span = OuterOf(span))
        {
            if (Spans[span].StartTicks > fromTicks && Spans[span].StartTicks < toTicks)
            {
                return true;
            }
        }

        return false;
    }
}
