using System.Runtime.InteropServices;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Machine;

/// <summary>
/// Processes the events of a trace in order of time, keeps the state of the machine, and notifies a watcher of what may end a wait.
/// </summary>
internal sealed class MachineReading
{
    /// <summary>A record that claims a longer run of an ISR or DPC is damaged.</summary>
    private const int LongestRoutineSeconds = 60;

    /// <summary>
    /// Where no CPU logs anything for this long, records are missing: a thread that is there before and behind it need not have run
    /// meanwhile. Windows itself wakes a thread each second (the balance set manager).
    /// </summary>
    private const int HoleSeconds = 2;

    /// <summary>Most values of each kind that are kept, for all CPUs together.</summary>
    private const int KeptValues = 1 << 18;

    private readonly MachineSettings _settings;
    private readonly MachineState _machine;
    private readonly IMachineWatcher _watcher;
    private readonly DpcQueues _queues = new();
    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];
    private readonly int _capacity;
    private readonly bool _isAskedWhole;
    private int _nextDriverSample;
    private long _latestTicks = long.MaxValue;
    private long _holeEndTicks = long.MinValue;
    private long _reachTicks = long.MinValue;

    /// <param name="settings">What must be known about the trace.</param>
    public MachineReading(MachineSettings settings, MachineState machine, IMachineWatcher watcher)
    {
        _settings = settings;
        _machine = machine;
        _watcher = watcher;
        _isAskedWhole = machine.Asked.IsWhole;
        _capacity = Math.Clamp(KeptValues / Math.Max(1, settings.CpuCount), 4096, 1 << 19);
    }

    public void Add(in EtlEvent traceEvent)
    {
        int cpuNumber = traceEvent.Cpu;
        if ((uint)cpuNumber >= (uint)_machine.Cpus.Length)
        {
            return;
        }

        long ticks = traceEvent.TimestampTicks;
        ushort hookId = traceEvent.IsKernelHook ? traceEvent.HookId : KernelHook.Of(in traceEvent) ?? 0;
        if (ticks <= 0 || traceEvent.Kind == EtlHeaderKind.Message)
        {
            return; // Its time stamp cannot be trusted.
        }

        if (_nextDriverSample < _settings.DriverSamples.Count)
        {
            AddDriverSamples(ticks);
        }

        _machine.Steps.Take(ticks);
        if (ticks - _latestTicks > HoleSeconds * _machine.TicksPerSecond)
        {
            _holeEndTicks = ticks;
        }

        _latestTicks = ticks;
        if (!_isAskedWhole && _machine.Asked.Holds(cpuNumber, ticks))
        {
            _machine.AskedEvents++;
        }

        CpuHistory cpu = _machine.Cpus[cpuNumber] ?? AddCpu(cpuNumber);
        if (ticks >= _reachTicks)
        {
            _reachTicks = _watcher.Reach(ticks);
        }

        switch (hookId)
        {
            case KernelHook.ContextSwitch:
                _machine.Recorded.Note(cpuNumber, ticks);
                AddSwitch(cpu, in traceEvent, ticks);
                break;
            case KernelHook.ReadyThread:
                _machine.Recorded.Note(cpuNumber, ticks);
                cpu.NoteRecord(ticks);
                if (ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready))
                {
                    _watcher.Ready(cpu, in ready, ticks);
                }

                break;
            case KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc:
                _machine.Recorded.Note(cpuNumber, ticks);
                AddDpc(cpu, in traceEvent, ticks, hookId == KernelHook.Dpc ? LevelKind.Dpc : LevelKind.TimerDpc);
                break;
            case KernelHook.Isr or KernelHook.IsrMessageSignalled:
                _machine.Recorded.Note(cpuNumber, ticks);
                AddIsr(cpu, in traceEvent, ticks);
                break;
            case KernelHook.ThreadedDpc or KernelHook.PassiveIsr:
                cpu.NoteRecord(ticks);
                AddInThread(cpu, in traceEvent, ticks, hookId == KernelHook.PassiveIsr);
                break;
            case KernelHook.SampledProfile:
                _machine.Recorded.Note(cpuNumber, ticks);
                AddSample(cpu, in traceEvent, ticks);
                break;
            case KernelHook.Stack or KernelHook.StackKernelKey when cpu.MayAwaitStack:
                AddStack(cpu, in traceEvent, hookId, ticks);
                break;
            case KernelHook.WdfDpc or KernelHook.WdfIsr:
                cpu.NoteRecord(ticks);
                if (WdfCallbackRecord.TryRead(in traceEvent, out WdfCallbackRecord callback))
                {
                    cpu.Callbacks.Add(new CallbackEvent
                    {
                        Ticks = ticks,
                        Routine = callback.Routine,
                        IsInterrupt = hookId == KernelHook.WdfIsr,
                    });
                }

                break;
            case KernelHook.DpcEnqueue or KernelHook.DpcExecution:
                cpu.NoteRecord(ticks);
                AddQueueing(cpu, in traceEvent, hookId, ticks);
                break;
            case KernelHook.ClockInterrupt:
                cpu.NoteRecord(ticks);
                cpu.ClockInterrupts.Add(new ClockInterrupt { Ticks = ticks });
                break;
            case KernelHook.HardFault:
                cpu.NoteRecord(ticks);
                if (HardFaultRecord.TryRead(in traceEvent, out HardFaultRecord fault) && !IsAbsurd(fault.InitialTime, ticks))
                {
                    AddFault(in fault, cpuNumber, ticks);
                    _watcher.Faulted(in fault, ticks);
                }

                break;
            case KernelHook.SetInterval or KernelHook.CollectionStart or KernelHook.CollectionStart + 1:
                cpu.NoteRecord(ticks);
                AddInterval(in traceEvent, hookId);
                break;
            case KernelHook.Stack or KernelHook.StackKernelKey:
                break; // No record of its own kind: it belongs to an event that was already marked.
            case KernelHook.SpinLock:
                cpu.NoteRecord(ticks);
                _machine.Locks.Take(cpuNumber, in traceEvent, ticks);
                break;
            case >= KernelHook.PerformanceStateChange and <= KernelHook.IdleExitLatency:
                cpu.NoteRecord(ticks);
                _machine.Power.Take(cpuNumber, hookId, in traceEvent, ticks);
                break;
            case var named when FaultedFiles.IsName(named):
                cpu.NoteRecord(ticks);
                _settings.FaultedFiles.AddName(named, in traceEvent);
                break;
            default:
                cpu.NoteRecord(ticks);
                _machine.Power.TakeOther(in traceEvent, ticks);
                break;
        }
    }

    private CpuHistory AddCpu(int number)
    {
        var clock = new SampleClock(_settings.SampleIntervalTicks, _settings.SampleToleranceTicks);
        _machine.Clocks[number] = clock;
        return _machine.Cpus[number] = new CpuHistory(number, _capacity, clock);
    }

    private void AddFault(in HardFaultRecord record, int cpu, long ticks)
    {
        var fault = new HardFault
        {
            StartTicks = record.InitialTime,
            EndTicks = ticks,
            ThreadId = record.ThreadId,
            Bytes = record.ByteCount,
            FileObject = record.FileObject,
        };
        _machine.Faults.Add(in fault);
        if (_machine.Asked.Holds(cpu, fault.StartTicks))
        {
            _machine.FaultCounts.Add(
                _settings.ProcessOf(fault.ThreadId, ticks), _settings.FaultedFiles.Of(fault.FileObject), in fault);
        }
    }

    private void AddInterval(in EtlEvent traceEvent, ushort hookId)
    {
        const uint TimerSource = 0;
        if (!SampleIntervalRecord.TryRead(in traceEvent, out SampleIntervalRecord record) || record.Source != TimerSource)
        {
            return;
        }

        bool isEnd = hookId == KernelHook.CollectionStart + 1;
        long interval = isEnd ? 0 : _settings.TicksOf100Nanoseconds(record.NewInterval);
        foreach (SampleClock? clock in _machine.Clocks)
        {
            if (clock is not null && (isEnd || clock.IntervalTicks != interval))
            {
                clock.SetInterval(interval);
            }
        }
    }

    private void AddSwitch(CpuHistory cpu, in EtlEvent traceEvent, long ticks)
    {
        if (!ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change))
        {
            _machine.ShortPayloads++;
            cpu.NoteRecord(ticks);
            return;
        }

        _machine.Switches++;
        _machine.AskedSwitches += _machine.Asked.Holds(cpu.Cpu, ticks) ? 1 : 0;
        long since = cpu.Runs.Count > 0 ? cpu.Runs.Newest.StartTicks : long.MinValue;
        if (since != long.MinValue && cpu.Runs.Newest.ThreadId == change.OldThreadId && change.OldThreadId != 0)
        {
            _machine.ThreadRuns.Add(change.OldThreadId, new LongRun(since, ticks, ticks - since, cpu.Cpu));
            if (_settings.WithRunTimes && since >= _holeEndTicks && _machine.Asked.Holds(cpu.Cpu, since))
            {
                AddRunTime(change.OldThreadId, since, ticks);
            }
        }

        if (!cpu.AddSwitch(ticks, change.NewThreadId, change.NewThreadPriority, change.OldThreadId, change.OldThreadPriority,
            change.PreviousCState ?? 0))
        {
            _machine.BrokenSwitches++;
            if (since != long.MinValue)
            {
                _machine.Losses.Add(cpu.Cpu, since, ticks);
            }
        }

        _watcher.Switched(cpu, in change, ticks);
    }

    private void AddQueueing(CpuHistory cpu, in EtlEvent traceEvent, ushort hookId, long ticks)
    {
        if (hookId == KernelHook.DpcEnqueue)
        {
            if (DpcEnqueueRecord.TryRead(in traceEvent, out DpcEnqueueRecord enqueue))
            {
                _queues.Enqueued(enqueue.Key, new QueuedDpc
                {
                    Ticks = ticks,
                    Cpu = cpu.Cpu,
                    TargetCpu = (int)Math.Min(enqueue.TargetProcessorIndex, int.MaxValue),
                    Depth = Math.Max(0, enqueue.QueueDepth),
                    Importance = enqueue.Importance,
                });
            }
        }
        else if (DpcExecutionRecord.TryRead(in traceEvent, out DpcExecutionRecord execution)
            && _queues.TryTake(execution.Key, ticks, out QueuedDpc queued)
            && !(_machine.IsOneCpuOnly && queued.Cpu != cpu.Cpu))
        {
            _machine.Routines.AddQueued(cpu.Cpu, execution.DpcRoutine, queued.Ticks, ticks);
            cpu.DpcStarts.Add(new DpcStart { Ticks = ticks, Routine = execution.DpcRoutine, Queued = queued });
        }
    }

    private void AddRunTime(uint thread, long sinceTicks, long ticks)
    {
        uint process = _settings.ProcessOf(thread, ticks) ?? uint.MaxValue;
        ref (long Ticks, long Switches) known = ref CollectionsMarshal.GetValueRefOrAddDefault(_machine.RunTimes, process, out _);
        known = (known.Ticks + (ticks - sinceTicks), known.Switches + 1);
    }

    private void AddDpc(CpuHistory cpu, in EtlEvent traceEvent, long ticks, LevelKind kind)
    {
        if (!DpcRecord.TryRead(in traceEvent, out DpcRecord record))
        {
            _machine.ShortPayloads++;
            cpu.NoteRecord(ticks);
            return;
        }

        var span = new LevelSpan { StartTicks = record.InitialTime, EndTicks = ticks, Routine = record.Routine, Kind = kind };
        AddLevel(cpu, in span);
    }

    private void AddIsr(CpuHistory cpu, in EtlEvent traceEvent, long ticks)
    {
        if (!IsrRecord.TryRead(in traceEvent, out IsrRecord record))
        {
            _machine.ShortPayloads++;
            cpu.NoteRecord(ticks);
            return;
        }

        var span = new LevelSpan
        {
            StartTicks = record.InitialTime,
            EndTicks = ticks,
            Routine = record.Routine,
            Vector = record.Vector ?? 0,
            Kind = LevelKind.Isr,
            IsUnclaimed = record.ReturnValue == 0,
            IsProfile = _settings.ProfileInterrupt.Is(record.Routine),
        };
        AddLevel(cpu, in span);
    }

    private void AddLevel(CpuHistory cpu, in LevelSpan span)
    {
        if (IsAbsurd(span.StartTicks, span.EndTicks))
        {
            _machine.AbsurdRoutines++;
            cpu.NoteRecord(span.EndTicks);
            return;
        }

        if (!cpu.TryAddSpan(in span, _settings.LevelGapTicks))
        {
            _machine.AbsurdRoutines++;
            return;
        }

        RunClient client = _watcher.Ran(cpu, in span);
        _machine.Power.Ran(cpu.Cpu, in span, _machine.Routines.Add(cpu.Cpu, in span, client));
    }

    private bool IsAbsurd(long startTicks, long endTicks) =>
        startTicks <= 0 || startTicks > endTicks || endTicks - startTicks > LongestRoutineSeconds * _machine.TicksPerSecond;

    private void AddInThread(CpuHistory cpu, in EtlEvent traceEvent, long ticks, bool isIsr)
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
            return;
        }

        if (!IsAbsurd(ran.StartTicks, ticks))
        {
            _machine.Routines.AddInThread(cpu.Cpu, ran.Routine, isIsr, ran.StartTicks, ticks);
            _watcher.RanInThread(cpu, in ran);
            if (cpu.Runs.Count > 0 && cpu.Runs[cpu.Runs.Next - 1].IsKnown)
            {
                // The thread logs the end of the routine itself: it is the one running now.
                ran.ThreadId = cpu.Runs[cpu.Runs.Next - 1].ThreadId;
                cpu.ThreadRoutines.Add(in ran);
            }
        }
    }

    private void AddSample(CpuHistory cpu, in EtlEvent traceEvent, long ticks)
    {
        if (!SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord record))
        {
            _machine.ShortPayloads++;
            cpu.NoteRecord(ticks);
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
        cpu.AddSample(in sample);
        if (!sample.IsIdle)
        {
            _machine.BusySamples++;
            _machine.SamplesOfRecording += _settings.ProfileInterrupt.Holds(sample.Instruction) ? 1 : 0;
        }

        if (_settings.WithSamples && !sample.IsIdle && _machine.Asked.Holds(cpu.Cpu, ticks))
        {
            _machine.Samples.Add(sample.Instruction, _settings.Images.IsKernelAddress(sample.Instruction)
                ? 0
                : _settings.ProcessOf(sample.ThreadId, ticks) ?? 0);
        }
    }

    /// <summary>
    /// Adds the kernel part of a stack if it belongs to a sample. The stack is logged after the sample, on the same CPU, with the sample's
    /// time stamp (StackWalk_Event, MOF). Stacks of other events are not needed here.
    /// </summary>
    private void AddStack(CpuHistory cpu, in EtlEvent traceEvent, ushort hookId, long ticks)
    {
        if (hookId == KernelHook.StackKernelKey)
        {
            if (StackKeyRecord.TryRead(in traceEvent, out StackKeyRecord use) && cpu.AwaitsStack(use.EventTimeStamp, out long user)
                && _settings.Stacks.TryResolve(use.Key, ticks, out ReadOnlySpan<ulong> defined))
            {
                // The stack key was deleted and reused for another stack within one tick: the right stack begins where the sample hit.
                ulong hit = cpu.Samples[user].Instruction;
                bool isReused = !BeginsAt(defined, hit) && _settings.Stacks.TryResolve(use.Key, ticks + 1, out ReadOnlySpan<ulong> next)
                    && BeginsAt(next, hit);
                if (isReused)
                {
                    _settings.Stacks.TryResolve(use.Key, ticks + 1, out defined);
                }

                cpu.AddStack(user, defined);
            }

            return;
        }

        if (!StackRecord.TryRead(in traceEvent, out StackRecord record) || !cpu.AwaitsStack(record.EventTimeStamp, out long number))
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
            cpu.AddStack(number, frames[..count]);
        }
    }

    private static bool BeginsAt(ReadOnlySpan<ulong> frames, ulong address) => frames.Length > 0 && frames[0] == address;

    /// <summary>
    /// Adds the samples that our driver took. It logs them after its episode, so they are inserted at the time they were taken.
    /// </summary>
    private void AddDriverSamples(long untilTicks)
    {
        Span<ulong> frames = stackalloc ulong[CpuHistory.MaximumFrames];
        while (_nextDriverSample < _settings.DriverSamples.Count && _settings.DriverSamples[_nextDriverSample].Ticks <= untilTicks)
        {
            PitSample taken = _settings.DriverSamples[_nextDriverSample++];
            if ((uint)taken.Cpu >= (uint)_machine.Cpus.Length)
            {
                continue;
            }

            CpuHistory cpu = _machine.Cpus[taken.Cpu] ?? AddCpu(taken.Cpu);
            int count = Math.Min(taken.Callers.Count, frames.Length - 1);
            frames[0] = taken.Ip;
            for (int i = 0; i < count; i++)
            {
                frames[i + 1] = taken.Callers[i];
            }

            long run = cpu.RunAt(taken.Ticks);
            var sample = new CpuSample
            {
                Ticks = taken.Ticks,
                Instruction = taken.Ip,
                ThreadId = run >= 0 ? cpu.Runs[run].ThreadId : CpuSample.UnknownThread,
                IsMasked = taken.IsMasked,
                IsLatency = taken.Source == (byte)SampleSource.LatencyIsr,
            };
            cpu.AddDriverSample(in sample, frames[..(count + 1)]);
        }
    }

    /// <summary>Passes events to a reading.</summary>
    internal readonly struct Sink(MachineReading reading) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            reading.Add(in traceEvent);
            return true;
        }
    }
}
