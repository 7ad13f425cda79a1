using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Machine;

/// <summary>
/// Builds what one CPU did from its own events, in their order: its history and counts. Knows no other CPU; what others must know goes into
/// <see cref="Records"/>. Memory is bounded.
/// </summary>
internal sealed class Lane
{
    /// <summary>A record that claims a longer run of an ISR or DPC is damaged.</summary>
    private const int LongestRoutineSeconds = 60;

    /// <summary>So many switches within a routine show that it began later than its record says: one may be of the clock's tick.</summary>
    private const int SwitchesOfDamage = 4;

    /// <summary>
    /// What lies between two buffers is odd where the first held so many events: in smaller ones much does by chance.
    /// </summary>
    private const int LeastOfBuffer = 256;

    private readonly int _number;
    private readonly MachineSettings _settings;
    private readonly MachineState _machine;
    private readonly CpuHistory _cpu;
    private readonly SampleClock _clock;
    private LevelSpan _ran;
    private LevelTime _interrupted;

    /// <summary>The thread that runs, by the last switch or sample; null where neither came yet.</summary>
    private uint? _shownThread;
    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];
    private readonly PitSample[] _driverSamples;
    private readonly bool _isAskedWhole;
    private readonly long _longGapTicks;
    private readonly long _longestRoutineTicks;
    private int _nextDriverSample;
    private int _nextInterval;
    private long _nextTicks = long.MinValue;
    private long _latestDpcEndTicks = long.MinValue;
    private long _latestTicks = long.MinValue;
    private long _bufferOffset = -1;
    private int _bufferEvents;

    /// <param name="settings">What must be known about the trace.</param>
    /// <param name="machine">Only what is known before the reading, or of this CPU alone, is asked.</param>
    public Lane(int cpu, MachineSettings settings, MachineState machine)
    {
        _number = cpu;
        _settings = settings;
        _machine = machine;
        _isAskedWhole = machine.Asked.IsWhole;
        _longGapTicks = TickRate.TicksOfSeconds(TraceHoles.HoleSeconds, machine.TicksPerSecond);
        _longestRoutineTicks = TickRate.TicksOfSeconds(LongestRoutineSeconds, machine.TicksPerSecond);
        SampleClock NewClock() => new(settings.SampleIntervalTicks, settings.SampleToleranceTicks);
        _clock = NewClock();
        int capacity = Rings.LimitOf(settings.CpuCount);
        _cpu = new CpuHistory(cpu, capacity, _clock, settings.Cells) { LeastRecordGapTicks = settings.LeastRecordGapTicks };
        Shown = new CpuHistory(_cpu, capacity, NewClock());
        _driverSamples = [.. settings.DriverSamples.Where(sample => sample.Cpu == cpu)];
        Routines = new LaneRoutines(cpu, settings.CpuCount, machine.Routines, Records, machine.Asked);
        Samples = new SampleCounts(settings.CpuCount);
        Steps = machine.NewSteps();
        _interrupted = new LevelTime(settings.LevelGapTicks);
        SetNext();
    }

    /// <summary>The CPU's history, which it builds.</summary>
    public CpuHistory Past => _cpu;

    /// <summary>That history up to the end of the round that was handed over, for others.</summary>
    public CpuHistory Shown { get; }

    /// <summary>The ISR or DPC that returned last, or the routine of a thread as one.</summary>
    public ref readonly LevelSpan Ran => ref _ran;

    /// <summary>What others must know of the round at hand.</summary>
    public LaneRecords Records { get; } = new();

    /// <summary>What they must know of the round that was handed over.</summary>
    public LaneRecords HandedOver { get; } = new();

    /// <summary>
    /// From when to when the CPU logged nothing for so long that it may be a hole in the trace, in the round at hand; its first event ends
    /// a gap that began before all times.
    /// </summary>
    public List<TickSpan> LongGaps { get; } = [];

    public LaneRoutines Routines { get; }

    /// <summary>The addresses hit by samples outside idle threads; filled only where the settings ask for it.</summary>
    public SampleCounts Samples { get; }

    /// <summary>Resolution of the time stamps.</summary>
    public ClockSteps Steps { get; }

    public LaneCounts Counts { get; } = new();

    /// <summary>The waits of measured threads for the CPU.</summary>
    public Told<(long ReadyTicks, long RanTicks)> Waits { get; } = new();

    /// <summary>Takes an event of the CPU.</summary>
    /// <param name="hookId">Its hook id, also where it has a classic header.</param>
    public LaneChange Add(in EtlEvent traceEvent, ushort hookId, long ticks)
    {
        if (ticks >= _nextTicks)
        {
            AdvanceTo(ticks);
        }

        if (_latestTicks == long.MinValue || ticks - _latestTicks > _longGapTicks)
        {
            LongGaps.Add(new TickSpan(_latestTicks, ticks));
        }

        if (traceEvent.BufferOffset != _bufferOffset)
        {
            if (_bufferEvents >= LeastOfBuffer)
            {
                _cpu.NoteBuffer();
            }

            (_bufferOffset, _bufferEvents) = (traceEvent.BufferOffset, 0);
        }

        _bufferEvents++;

        _latestTicks = ticks;
        Steps.Take(ticks);
        if (!_isAskedWhole && _machine.Asked.Holds(_number, ticks))
        {
            Counts.AskedEvents++;
        }

        switch (hookId)
        {
            case KernelHook.ContextSwitch:
                _machine.Recorded.Note(_number, ticks);
                return AddSwitch(in traceEvent, ticks);
            case KernelHook.ReadyThread:
                _machine.Recorded.Note(_number, ticks);
                _cpu.NoteRecord(ticks);
                if (ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready))
                {
                    ref LaneRecord record = ref Records.Add(LaneRecordKind.Ready, ticks);
                    (record.Thread, record.IsSo, record.A) = (ready.ThreadId, ready.IsFromDpc, _latestDpcEndTicks);
                }

                break;
            case KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc:
                _machine.Recorded.Note(_number, ticks);
                return AddDpc(in traceEvent, ticks, hookId == KernelHook.Dpc ? LevelKind.Dpc : LevelKind.TimerDpc);
            case KernelHook.Isr or KernelHook.IsrMessageSignalled:
                _machine.Recorded.Note(_number, ticks);
                return AddIsr(in traceEvent, ticks);
            case KernelHook.ThreadedDpc or KernelHook.PassiveIsr:
                _cpu.NoteRecord(ticks);
                return AddInThread(in traceEvent, ticks, hookId == KernelHook.PassiveIsr);
            case KernelHook.SampledProfile:
                _machine.Recorded.Note(_number, ticks);
                AddSample(in traceEvent, ticks);
                break;
            case KernelHook.Stack or KernelHook.StackKernelKey when _cpu.MayAwaitStack:
                AddStack(in traceEvent, hookId, ticks);
                break;
            case KernelHook.WdfDpc or KernelHook.WdfIsr:
                _cpu.NoteRecord(ticks);
                if (WdfCallbackRecord.TryRead(in traceEvent, out WdfCallbackRecord callback))
                {
                    _cpu.Callbacks.Add(new CallbackEvent
                    {
                        Ticks = ticks,
                        Routine = callback.Routine,
                        IsInterrupt = hookId == KernelHook.WdfIsr,
                    });
                }

                break;
            case KernelHook.DpcEnqueue or KernelHook.DpcExecution:
                _cpu.NoteRecord(ticks);
                AddQueueing(in traceEvent, hookId, ticks);
                break;
            case KernelHook.ClockInterrupt:
                _cpu.NoteRecord(ticks);
                _cpu.ClockInterrupts.Add(new ClockInterrupt { Ticks = ticks });
                break;
            case KernelHook.Stack or KernelHook.StackKernelKey:
                break; // No record of its own kind: it belongs to an event that was already marked.
            default:
                _cpu.NoteOther(hookId, ticks);
                AddOther(in traceEvent, hookId, ticks);
                break;
        }

        return LaneChange.None;
    }

    /// <summary>
    /// The CPU's last event before a time of the round at hand, in ticks, as far as it matters for <see cref="TraceHoles"/>; null for none.
    /// </summary>
    public long? LatestBefore(long ticks)
    {
        long before = Math.Min(_latestTicks, ticks);
        foreach (TickSpan gap in LongGaps)
        {
            before = gap.StartTicks < ticks && ticks <= gap.EndTicks ? gap.StartTicks : before;
        }

        return before == long.MinValue ? null : before;
    }

    /// <summary>Hands the round over; nobody uses the lane or what it shows meanwhile.</summary>
    public void HandOver()
    {
        Records.HandOver(HandedOver);
        LongGaps.Clear();
    }

    /// <summary>Takes what the thread pass told: a round begins, or nothing more comes.</summary>
    public void BeginRound()
    {
        foreach ((long ready, long ran) in Waits.ToTake)
        {
            Routines.Waited(ready, ran);
        }

        Waits.Clear();
        Routines.BeginRound();
    }

    /// <summary>Counts the ISR or DPC that returned.</summary>
    /// <param name="client">The client that it ran for, as far as that run shows it.</param>
    public void Count(RunClient client)
    {
        ref readonly LevelSpan ran = ref Ran;
        long net = Routines.Add(in ran, client);
        _interrupted.Add(ran.StartTicks, ran.EndTicks, net);
        if (_machine.Power.HasSpeeds)
        {
            ref LaneRecord record = ref Records.Add(LaneRecordKind.RanAtSpeed, ran.EndTicks);
            (record.A, record.B, record.C, record.IsSo) = (ran.StartTicks, (long)ran.Routine, net, ran.IsIsr);
        }
    }

    /// <summary>Time has come to a point, although the CPU may have logged nothing: adds what others say of it up to then.</summary>
    public void AdvanceTo(long ticks)
    {
        IReadOnlyList<SampleIntervalChange> changes = _settings.SampleIntervals;
        for (; _nextInterval < changes.Count && changes[_nextInterval].Ticks <= ticks; _nextInterval++)
        {
            SampleIntervalChange change = changes[_nextInterval];
            long interval = _settings.TicksOf100Nanoseconds(change.Interval100ns);
            if (interval == 0 || interval != _clock.IntervalTicks)
            {
                _clock.SetInterval(change.Ticks, interval);
            }
        }

        while (_nextDriverSample < _driverSamples.Length && _driverSamples[_nextDriverSample].Ticks <= ticks)
        {
            AddDriverSample(_driverSamples[_nextDriverSample++]);
        }

        SetNext();
    }

    private void SetNext()
    {
        long interval = _nextInterval < _settings.SampleIntervals.Count ? _settings.SampleIntervals[_nextInterval].Ticks : long.MaxValue;
        long sample = _nextDriverSample < _driverSamples.Length ? _driverSamples[_nextDriverSample].Ticks : long.MaxValue;
        _nextTicks = Math.Min(interval, sample);
    }

    private void AddOther(in EtlEvent traceEvent, ushort hookId, long ticks)
    {
        switch (hookId)
        {
            case KernelHook.HardFault:
                if (HardFaultRecord.TryRead(in traceEvent, out HardFaultRecord fault) && !IsAbsurd(fault.InitialTime, ticks))
                {
                    Records.Add(LaneRecordKind.Fault, ticks, Records.Faults, new HardFault
                    {
                        StartTicks = fault.InitialTime,
                        EndTicks = ticks,
                        ThreadId = fault.ThreadId,
                        Bytes = fault.ByteCount,
                        FileObject = fault.FileObject,
                    });
                }

                break;
            case KernelHook.SetInterval or KernelHook.CollectionStart or KernelHook.CollectionStart + 1:
                break; // The first reading has told.
            case KernelHook.SpinLock:
                if (_machine.Locks.TryRead(_number, in traceEvent, ticks, out LockHold hold))
                {
                    Records.Add(LaneRecordKind.Lock, ticks, Records.Holds, hold);
                }

                break;
            case KernelHook.PerformanceStateChange:
                if (PowerHistory.TryRead(_number, in traceEvent, out SpeedChange change))
                {
                    Records.Add(LaneRecordKind.Speed, ticks, Records.Speeds, change);
                }

                break;
            case > KernelHook.PerformanceStateChange and <= KernelHook.IdleExitLatency:
                if (IdleEvent.TryRead(hookId, in traceEvent, ticks, out IdleEvent idle))
                {
                    _cpu.IdleEvents.Add(in idle);
                }

                break;
            case var named when FaultedFiles.IsName(named):
                if (_settings.FaultedFiles.TryRead(named, in traceEvent, out FileName name))
                {
                    Records.Add(LaneRecordKind.FileName, ticks, Records.Names, name);
                }

                break;
            default:
                if (_machine.Power.TryReadOther(in traceEvent, out SpeedChange told))
                {
                    Records.Add(LaneRecordKind.Speed, ticks, Records.Speeds, told);
                }

                break;
        }
    }

    private LaneChange AddSwitch(in EtlEvent traceEvent, long ticks)
    {
        if (!ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change))
        {
            Counts.ShortPayloads++;
            _cpu.NoteRecord(ticks);
            return LaneChange.None;
        }

        Counts.Switches++;
        _shownThread = change.NewThreadId;
        Counts.AskedSwitches += _machine.Asked.Holds(_number, ticks) ? 1 : 0;
        byte idleState = change.PreviousCState ?? 0;
        bool isUnbroken = _cpu.AddSwitch(
            ticks, change.NewThreadId, change.NewThreadPriority, change.OldThreadId, change.OldThreadPriority, idleState);
        Counts.BrokenSwitches += isUnbroken ? 0 : 1;
        ref LaneRecord record = ref Records.Add(LaneRecordKind.Switch, ticks);
        record.A = change.OldThreadId == 0 && _cpu.Runs[_cpu.Runs.Next - 2] is { IsIdle: true } idle
            ? Math.Max(idle.StartTicks, _cpu.Spans.Count > 0 ? _cpu.Spans.Newest.EndTicks : long.MinValue)
            : long.MaxValue;
        (record.B, record.C) = _interrupted.Take();
        record.Thread = change.NewThreadId;
        record.Other = change.OldThreadId;
        record.Priority = change.NewThreadPriority;
        record.Detail = change.OldThreadIdealProcessor;
        record.State = change.OldThreadState;
        record.Reason = change.OldThreadWaitReason;
        record.IdleState = idleState;
        return LaneChange.Switch;
    }

    private void AddQueueing(in EtlEvent traceEvent, ushort hookId, long ticks)
    {
        if (hookId == KernelHook.DpcEnqueue)
        {
            if (DpcEnqueueRecord.TryRead(in traceEvent, out DpcEnqueueRecord enqueue))
            {
                ref LaneRecord record = ref Records.Add(LaneRecordKind.DpcQueued, ticks);
                record.A = (long)enqueue.Key;
                record.B = Math.Max(0, enqueue.QueueDepth);
                record.Other = Math.Min(enqueue.TargetProcessorIndex, int.MaxValue);
                record.Detail = enqueue.Importance;
            }
        }
        else if (DpcExecutionRecord.TryRead(in traceEvent, out DpcExecutionRecord execution))
        {
            ref LaneRecord record = ref Records.Add(LaneRecordKind.DpcTaken, ticks);
            (record.A, record.B) = ((long)execution.Key, (long)execution.DpcRoutine);
        }
    }

    private LaneChange AddDpc(in EtlEvent traceEvent, long ticks, LevelKind kind)
    {
        if (!DpcRecord.TryRead(in traceEvent, out DpcRecord record))
        {
            Counts.ShortPayloads++;
            _cpu.NoteRecord(ticks);
            return LaneChange.None;
        }

        _ran = new LevelSpan { StartTicks = record.InitialTime, EndTicks = ticks, Routine = record.Routine, Kind = kind };
        return AddLevel(in _ran);
    }

    private LaneChange AddIsr(in EtlEvent traceEvent, long ticks)
    {
        if (!IsrRecord.TryRead(in traceEvent, out IsrRecord record))
        {
            Counts.ShortPayloads++;
            _cpu.NoteRecord(ticks);
            return LaneChange.None;
        }

        _ran = new LevelSpan
        {
            StartTicks = record.InitialTime,
            EndTicks = ticks,
            Routine = record.Routine,
            Vector = record.Vector ?? 0,
            Kind = LevelKind.Isr,
            IsUnclaimed = record.ReturnValue == 0,
            IsProfile = _settings.ProfileInterrupt.Is(record.Routine),
        };
        return AddLevel(in _ran);
    }

    private LaneChange AddLevel(in LevelSpan span)
    {
        if (IsAbsurd(span.StartTicks, span.EndTicks))
        {
            Counts.AbsurdRoutines++;
            _cpu.NoteRecord(span.EndTicks);
            return LaneChange.None;
        }

        if (IsAcrossSwitches(in span) || !_cpu.TryAddSpan(in span, _settings.LevelGapTicks))
        {
            Counts.AbsurdRoutines++;
            return LaneChange.None;
        }

        if (!span.IsIsr)
        {
            _latestDpcEndTicks = span.EndTicks;
            _machine.RecordedDpcs.Note(_number, span.EndTicks);
        }

        return LaneChange.Routine;
    }

    /// <summary>
    /// Whether a routine contains several switches: no CPU switches threads at these levels, so that its time of entry is damaged.
    /// </summary>
    private bool IsAcrossSwitches(in LevelSpan span) => _cpu.Runs.Count >= SwitchesOfDamage
        && _cpu.Runs[_cpu.Runs.Next - SwitchesOfDamage].StartTicks > span.StartTicks + _settings.LevelGapTicks
        && _cpu.Runs.Newest.StartTicks < span.EndTicks;

    private bool IsAbsurd(long startTicks, long endTicks) =>
        startTicks <= 0 || startTicks > endTicks || endTicks - startTicks > _longestRoutineTicks;

    private LaneChange AddInThread(in EtlEvent traceEvent, long ticks, bool isIsr)
    {
        var ran = new ThreadRoutine { EndTicks = ticks, IsIsr = isIsr };
        if (isIsr && IsrRecord.TryRead(in traceEvent, out IsrRecord isr))
        {
            (ran.StartTicks, ran.Routine) = (isr.InitialTime, isr.Routine);
        }
        else if (!isIsr && DpcRecord.TryRead(in traceEvent, out DpcRecord dpc))
        {
            (ran.StartTicks, ran.Routine) = (dpc.InitialTime, dpc.Routine);
        }
        else
        {
            return LaneChange.None;
        }

        if (IsAbsurd(ran.StartTicks, ticks))
        {
            return LaneChange.None;
        }

        Routines.AddInThread(ran.Routine, isIsr, ran.StartTicks, ticks);
        if (_cpu.Runs.Count > 0 && _cpu.Runs.Newest.IsKnown)
        {
            // The thread logs the end of the routine itself: it is the one running now.
            ran.ThreadId = _cpu.Runs.Newest.ThreadId;
            _cpu.ThreadRoutines.Add(in ran);
        }

        _ran = new LevelSpan
        {
            StartTicks = ran.StartTicks,
            EndTicks = ticks,
            Routine = ran.Routine,
            Kind = isIsr ? LevelKind.Isr : LevelKind.Dpc,
        };
        return LaneChange.ThreadRoutine;
    }

    private void AddSample(in EtlEvent traceEvent, long ticks)
    {
        if (!SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord record))
        {
            Counts.ShortPayloads++;
            _cpu.NoteRecord(ticks);
            return;
        }

        var sample = new CpuSample
        {
            Ticks = ticks,
            Instruction = record.InstructionPointer,
            ThreadId = record.ThreadId,
            IsInDpc = record.IsInDpc == true,
            IsInIsr = record.IsInIsr == true,
        };
        _cpu.AddSample(in sample);
        if (!sample.IsIdle)
        {
            Counts.BusySamples++;
            Counts.ForeignSamples += _shownThread is { } shown && shown != sample.ThreadId ? 1 : 0;
            _shownThread = sample.ThreadId;
            Counts.SamplesOfRecording += _settings.ProfileInterrupt.Holds(sample.Instruction) ? 1 : 0;
        }

        if (_settings.WithSamples && !sample.IsIdle && _machine.Asked.Holds(_number, ticks))
        {
            Samples.Add(sample.Instruction, _settings.Images.IsKernelAddress(sample.Instruction)
                ? 0
                : _settings.ProcessOf(sample.ThreadId, ticks) ?? 0);
        }
    }

    /// <summary>
    /// Adds the kernel part of a stack if it belongs to a sample. The stack is logged after the sample, on the same CPU, with the sample's
    /// time stamp (StackWalk_Event, MOF). Stacks of other events are not needed here.
    /// </summary>
    private void AddStack(in EtlEvent traceEvent, ushort hookId, long ticks)
    {
        if (hookId == KernelHook.StackKernelKey)
        {
            if (StackKeyRecord.TryRead(in traceEvent, out StackKeyRecord use) && _cpu.AwaitsStack(use.EventTimeStamp, out long user)
                && _settings.Stacks.TryResolve(use.Key, ticks, out ReadOnlySpan<ulong> defined) && defined.Length > 0)
            {
                // The stack key was deleted and reused for another stack within one tick: the right stack begins where the sample hit.
                ulong hit = _cpu.Samples[user].Instruction;
                bool isReused = !BeginsAt(defined, hit) && _settings.Stacks.TryResolve(use.Key, ticks + 1, out ReadOnlySpan<ulong> next)
                    && BeginsAt(next, hit);
                if (isReused)
                {
                    _settings.Stacks.TryResolve(use.Key, ticks + 1, out defined);
                }

                _cpu.AddStack(user, defined);
            }

            return;
        }

        if (!StackRecord.TryRead(in traceEvent, out StackRecord record) || !_cpu.AwaitsStack(record.EventTimeStamp, out long number))
        {
            return;
        }

        ReadOnlySpan<ulong> frames = record.Frames(_frames);
        int count = 0;
        while (count < frames.Length && _settings.Images.IsKernelAddress(frames[count]))
        {
            count++;
        }

        if (count > 0)
        {
            _cpu.AddStack(number, frames[..count]);
        }
    }

    private static bool BeginsAt(ReadOnlySpan<ulong> frames, ulong address) => frames.Length > 0 && frames[0] == address;

    /// <summary>
    /// Adds a sample that our driver took. It logs them after its episode, so they are inserted at the time they were taken.
    /// </summary>
    private void AddDriverSample(PitSample taken)
    {
        Span<ulong> frames = _frames;
        int count = Math.Min(taken.Callers.Count, frames.Length - 1);
        frames[0] = taken.Ip;
        for (int i = 0; i < count; i++)
        {
            frames[i + 1] = taken.Callers[i];
        }

        long run = _cpu.RunAt(taken.Ticks);
        var sample = new CpuSample
        {
            Ticks = taken.Ticks,
            Instruction = taken.Ip,
            ThreadId = run >= 0 ? _cpu.Runs[run].ThreadId : CpuSample.UnknownThread,
            IsMasked = taken.IsMasked,
            IsLatency = taken.Source == (byte)SampleSource.LatencyIsr,
        };
        _cpu.AddDriverSample(in sample, frames[..(count + 1)]);
    }
}
