using Tracer.Contract;
using Tracer.Etl;
using Tracer.Etl.Kernel;
using Tracer.Etl.Stacks;

namespace Tracer.Analysis;

/// <summary>
/// Takes the events of a trace by time, keeps what each CPU did lately, and hands over latencies at or above the threshold as soon as
/// all that may belong to them has been seen. Memory does not grow with the trace.
/// </summary>
internal sealed class TimelinePass
{
    /// <summary>A record that claims to be longer is damaged.</summary>
    private const int LongestRoutineSeconds = 60;

    /// <summary>A clock that makes fewer steps in the time of the threshold can't measure it.</summary>
    private const int StepsOfThreshold = 10;

    /// <summary>Values of a sort that are kept for all CPUs together.</summary>
    private const int KeptValues = 1 << 18;

    private readonly TimelineSettings _settings;
    private readonly CpuHistory?[] _cpus;
    private readonly SampleClock?[] _clocks;
    private readonly LevelWatch?[] _levels;
    private readonly DpcQueues _queues = new();
    private readonly EpisodeInquiry _inquiry;
    private readonly FrameworkClients _clients;
    private readonly ModuleMap _modules;
    private readonly LossMap _losses;
    private readonly IReadOnlyList<PitSample> _driverSamples;
    private readonly StackDefinitions _stacks;
    private readonly PowerHistory _power;
    private readonly LockHistory _locks;
    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];
    private readonly int _capacity;
    private readonly List<TickSpan> _levelsFound = [];
    private long _nextLevelEnd = long.MinValue;
    private int _nextDriverSample;

    /// <summary>Makes a pass.</summary>
    public TimelinePass(
        TimelineSettings settings,
        CpuHistory?[] cpus,
        SampleClock?[] clocks,
        EpisodeInquiry inquiry,
        FrameworkClients clients,
        ModuleMap modules,
        LossMap losses,
        IReadOnlyList<PitSample> driverSamples,
        StackDefinitions stacks,
        HardFaults faults,
        PowerHistory power,
        LockHistory locks)
    {
        _settings = settings;
        ThreadRuns = new ThreadRuns(settings.ThresholdTicks);
        _cpus = cpus;
        _clocks = clocks;
        _levels = new LevelWatch?[cpus.Length];
        _inquiry = inquiry;
        _clients = clients;
        _modules = modules;
        _losses = losses;
        _driverSamples = driverSamples;
        _stacks = stacks;
        _power = power;
        _locks = locks;
        _capacity = Math.Clamp(KeptValues / Math.Max(1, settings.CpuCount), 4096, 1 << 19);
        Routines = new RoutineCounts(cpus.Length);
        Steps = new ClockSteps(settings.ThresholdTicks / StepsOfThreshold);
        Threads = new ThreadProbes(settings, losses, inquiry, faults, Routines, power);
        Usage = settings.UsageFromTicks is { } from ? new UsagePerModule(modules, from, settings.TicksPerSecond) : null;
    }

    /// <summary>How often and how long each routine ran.</summary>
    public RoutineCounts Routines { get; }

    /// <summary>How finely the time stamps are divided.</summary>
    public ClockSteps Steps { get; }

    /// <summary>The routines that serve the clock.</summary>
    public ClockInterrupts ClockInterrupts { get; } = new();

    /// <summary>What ISRs and DPCs took by module and CPU; null where not asked for.</summary>
    public UsagePerModule? Usage { get; }

    /// <summary>Wake-ups of threads.</summary>
    public ThreadProbes Threads { get; }

    /// <summary>
    /// ISR and DPC records with a negative duration, or one beyond all reason, or that begin within another one and end behind it.
    /// </summary>
    public long AbsurdRoutines { get; private set; }

    /// <summary>Context switches whose old thread is not the one that was switched in before: records are missing between.</summary>
    public long BrokenSwitches { get; private set; }

    /// <summary>Context switches.</summary>
    public long Switches { get; private set; }

    /// <summary>Events too short for what they claim to be.</summary>
    public long ShortPayloads { get; private set; }

    /// <summary>How long the threads of each process had CPUs; filled only where the settings ask for it.</summary>
    public Dictionary<uint, (long Ticks, long Switches)> RunTimes { get; } = [];

    /// <summary>What samples that did not hit an idle thread hit, by address; filled only where the settings ask for it.</summary>
    public SampleCounts Samples { get; } = new();

    /// <summary>The long runs of each thread.</summary>
    public ThreadRuns ThreadRuns { get; }

    /// <summary>Samples of code other than the idle threads'.</summary>
    public long BusySamples { get; private set; }

    /// <summary>Those of them that hit the interrupt that takes the samples.</summary>
    public long SamplesOfRecording { get; private set; }

    /// <summary>Takes an event.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        int cpuNumber = traceEvent.Cpu;
        if ((uint)cpuNumber >= (uint)_cpus.Length)
        {
            return;
        }

        long ticks = traceEvent.TimestampTicks;
        ushort hookId = traceEvent.IsKernelHook ? traceEvent.HookId : KernelHook.Of(in traceEvent) ?? 0;
        if (ticks <= 0 || traceEvent.Kind == EtlHeaderKind.Message)
        {
            return; // No time that could be trusted.
        }

        if (_nextDriverSample < _driverSamples.Count)
        {
            AddDriverSamples(ticks);
        }

        Steps.Take(ticks);
        CpuHistory cpu = _cpus[cpuNumber] ?? AddCpu(cpuNumber);
        _inquiry.Reach(ticks);
        switch (hookId)
        {
            case KernelHook.ContextSwitch:
                AddSwitch(cpu, in traceEvent, ticks);
                break;
            case KernelHook.ReadyThread:
                cpu.Mark(ticks);
                if (ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready))
                {
                    Threads.Ready(cpu, in ready, ticks);
                }

                break;
            case KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc:
                AddDpc(cpu, in traceEvent, ticks, hookId == KernelHook.Dpc ? LevelKind.Dpc : LevelKind.TimerDpc);
                break;
            case KernelHook.Isr or KernelHook.IsrMessageSignalled:
                AddIsr(cpu, in traceEvent, ticks);
                break;
            case KernelHook.ThreadedDpc or KernelHook.PassiveIsr:
                cpu.Mark(ticks);
                AddInThread(cpu, in traceEvent, ticks, hookId == KernelHook.PassiveIsr);
                break;
            case KernelHook.SampledProfile:
                AddSample(cpu, in traceEvent, ticks);
                break;
            case KernelHook.Stack or KernelHook.StackKernelKey when cpu.MayAwaitStack:
                AddStack(cpu, in traceEvent, hookId, ticks);
                break;
            case KernelHook.WdfDpc or KernelHook.WdfIsr:
                cpu.Mark(ticks);
                if (WdfCallbackRecord.TryRead(in traceEvent, out WdfCallbackRecord callback))
                {
                    cpu.Callbacks.Add(new CallbackMark
                    {
                        Ticks = ticks,
                        Routine = callback.Routine,
                        IsInterrupt = hookId == KernelHook.WdfIsr,
                    });
                }

                break;
            case KernelHook.DpcEnqueue or KernelHook.DpcExecution:
                cpu.Mark(ticks);
                AddQueueing(cpu, in traceEvent, hookId, ticks);
                break;
            case KernelHook.ClockInterrupt:
                cpu.Mark(ticks);
                cpu.ClockInterrupts.Add(new ClockMark { Ticks = ticks });
                break;
            case KernelHook.HardFault:
                cpu.Mark(ticks);
                if (HardFaultRecord.TryRead(in traceEvent, out HardFaultRecord fault) && !IsAbsurd(fault.InitialTime, ticks))
                {
                    Threads.Faulted(in fault, ticks);
                }

                break;
            case KernelHook.SetInterval or KernelHook.CollectionStart or KernelHook.CollectionStart + 1:
                cpu.Mark(ticks);
                AddInterval(in traceEvent, hookId);
                break;
            case KernelHook.Stack or KernelHook.StackKernelKey:
                break; // Says nothing of its own: its event did.
            case KernelHook.SpinLock:
                cpu.Mark(ticks);
                _locks.Take(cpuNumber, in traceEvent, ticks);
                break;
            case >= KernelHook.PerformanceStateChange and <= KernelHook.IdleExitLatency:
                cpu.Mark(ticks);
                _power.Take(cpuNumber, hookId, in traceEvent, ticks);
                break;
            default:
                cpu.Mark(ticks);
                _power.TakeOther(in traceEvent, ticks);
                break;
        }
    }

    /// <summary>All events were taken: what is still open ends here.</summary>
    public void Complete()
    {
        for (int cpu = 0; cpu < _levels.Length; cpu++)
        {
            EndLevels(cpu, long.MaxValue);
        }

        _inquiry.Complete();
    }

    private CpuHistory AddCpu(int number)
    {
        var clock = new SampleClock(_settings.SampleIntervalTicks, _settings.SampleToleranceTicks);
        _clocks[number] = clock;
        _levels[number] = new LevelWatch(_settings.LevelGapTicks);
        return _cpus[number] = new CpuHistory(number, _capacity, clock);
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
        foreach (SampleClock? clock in _clocks)
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
            ShortPayloads++;
            cpu.Mark(ticks);
            return;
        }

        Switches++;
        long since = cpu.Runs.Count > 0 ? cpu.Runs[cpu.Runs.Next - 1].StartTicks : long.MinValue;
        if (since != long.MinValue && cpu.Runs[cpu.Runs.Next - 1].ThreadId == change.OldThreadId && change.OldThreadId != 0)
        {
            ThreadRuns.Add(change.OldThreadId, new LongRun(since, ticks, ticks - since, cpu.Cpu));
            if (_settings.WithRunTimes)
            {
                AddRunTime(change.OldThreadId, since, ticks);
            }
        }

        if (!cpu.AddSwitch(ticks, change.NewThreadId, change.NewThreadPriority, change.OldThreadId, change.OldThreadPriority,
            change.PreviousCState ?? 0))
        {
            BrokenSwitches++;
            if (since != long.MinValue)
            {
                _losses.Add(cpu.Cpu, since, ticks);
            }
        }

        EndLevels(cpu.Cpu, ticks);
        Threads.Switched(cpu, in change, ticks);
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
            && _queues.TryTake(execution.Key, ticks, out QueuedDpc queued))
        {
            Routines.AddQueued(execution.DpcRoutine, ticks - queued.Ticks);
            cpu.DpcStarts.Add(new DpcStart { Ticks = ticks, Routine = execution.DpcRoutine, Queued = queued });
        }
    }

    private void AddRunTime(uint thread, long sinceTicks, long ticks)
    {
        uint process = _settings.ProcessOf(thread, ticks) ?? uint.MaxValue;
        (long known, long switches) = RunTimes.GetValueOrDefault(process);
        RunTimes[process] = (known + (ticks - sinceTicks), switches + 1);
    }

    private void AddDpc(CpuHistory cpu, in EtlEvent traceEvent, long ticks, LevelKind kind)
    {
        if (!DpcRecord.TryRead(in traceEvent, out DpcRecord record))
        {
            ShortPayloads++;
            cpu.Mark(ticks);
            return;
        }

        AddLevel(cpu, new LevelSpan { StartTicks = record.InitialTime, EndTicks = ticks, Routine = record.Routine, Kind = kind });
    }

    private void AddIsr(CpuHistory cpu, in EtlEvent traceEvent, long ticks)
    {
        if (!IsrRecord.TryRead(in traceEvent, out IsrRecord record))
        {
            ShortPayloads++;
            cpu.Mark(ticks);
            return;
        }

        AddLevel(cpu, new LevelSpan
        {
            StartTicks = record.InitialTime,
            EndTicks = ticks,
            Routine = record.Routine,
            Vector = record.Vector ?? 0,
            Kind = LevelKind.Isr,
            IsUnclaimed = record.ReturnValue == 0,
            IsProfile = _settings.ProfileInterrupt.Is(record.Routine),
        });
    }

    private void AddLevel(CpuHistory cpu, LevelSpan span)
    {
        if (IsAbsurd(span.StartTicks, span.EndTicks))
        {
            AbsurdRoutines++;
            cpu.Mark(span.EndTicks);
            return;
        }

        if (!cpu.TryAddSpan(in span, _settings.LevelGapTicks))
        {
            AbsurdRoutines++;
            return;
        }

        Usage?.Add(cpu.Cpu, span.Routine, span.IsIsr, span.StartTicks, span.EndTicks);
        RunClient client = _clients.Took(cpu, in span);
        if (span is { IsIsr: true, IsProfile: false } && _clients.RoleOf(in span) == ModuleRole.Kernel)
        {
            ClockInterrupts.Ran(cpu.Cpu, in span);
        }

        _power.Ran(cpu.Cpu, in span, Routines.Add(cpu.Cpu, in span, client));
        LevelWatch levels = _levels[cpu.Cpu]!;
        levels.Add(span.StartTicks, span.EndTicks);
        if (span.EndTicks > _nextLevelEnd)
        {
            // Without switches nothing else ends a stretch: no routine lasts a second, or hardly.
            _nextLevelEnd = span.EndTicks + (_settings.TicksPerSecond / 4);
            for (int other = 0; other < _levels.Length; other++)
            {
                EndLevels(other, span.EndTicks - _settings.TicksPerSecond);
            }
        }
    }

    private bool IsAbsurd(long startTicks, long endTicks) =>
        startTicks <= 0 || startTicks > endTicks || endTicks - startTicks > LongestRoutineSeconds * _settings.TicksPerSecond;

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
            Routines.AddInThread(cpu.Cpu, ran.Routine, isIsr, ran.StartTicks, ticks);
            Usage?.Add(cpu.Cpu, ran.Routine, isIsr, ran.StartTicks, ticks);
            if (cpu.Runs.Count > 0 && cpu.Runs[cpu.Runs.Next - 1].IsKnown)
            {
                // It logs its end itself: the thread that runs now is its own.
                ran.ThreadId = cpu.Runs[cpu.Runs.Next - 1].ThreadId;
                cpu.ThreadRoutines.Add(in ran);
            }
        }
    }

    private void AddSample(CpuHistory cpu, in EtlEvent traceEvent, long ticks)
    {
        if (!SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord record))
        {
            ShortPayloads++;
            cpu.Mark(ticks);
            return;
        }

        var sample = new SampleMark
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
            BusySamples++;
            SamplesOfRecording += _settings.ProfileInterrupt.Holds(sample.Instruction) ? 1 : 0;
        }

        if (_settings.WithSamples && !sample.IsIdle)
        {
            Samples.Add(sample.Instruction, _modules.Images.IsKernelAddress(sample.Instruction)
                ? 0
                : _settings.ProcessOf(sample.ThreadId, ticks) ?? 0);
        }
    }

    /// <summary>
    /// Takes the kernel part of a stack where it is a sample's: it is logged behind the sample, on the same CPU, with the sample's time
    /// stamp (kernel-events 9). Stacks of other events tell nothing that is asked here.
    /// </summary>
    private void AddStack(CpuHistory cpu, in EtlEvent traceEvent, ushort hookId, long ticks)
    {
        if (hookId == KernelHook.StackKernelKey)
        {
            if (StackKeyRecord.TryRead(in traceEvent, out StackKeyRecord use) && cpu.AwaitsStack(use.EventTimeStamp, out long user)
                && _stacks.TryResolve(use.Key, ticks, out ReadOnlySpan<ulong> defined))
            {
                // Deleted and used for another stack within one tick: the stack begins where the sample hit (kernel-events 9).
                ulong hit = cpu.Samples[user].Instruction;
                bool isReused = !BeginsAt(defined, hit) && _stacks.TryResolve(use.Key, ticks + 1, out ReadOnlySpan<ulong> next)
                    && BeginsAt(next, hit);
                if (isReused)
                {
                    _stacks.TryResolve(use.Key, ticks + 1, out defined);
                }

                cpu.AddStack(user, defined);
            }

            return;
        }

        if (!StackRecord.TryRead(in traceEvent, out StackRecord record) || !cpu.AwaitsStack(record.EventTimeStamp, out long number))
        {
            return;
        }

        int copied = record.CopyFrames(_frames);
        int count = 0;
        while (count < copied && _modules.Images.IsKernelAddress(_frames[count]))
        {
            count++;
        }

        if (count > 0)
        {
            cpu.AddStack(number, _frames.AsSpan(0, count));
        }
    }

    private static bool BeginsAt(ReadOnlySpan<ulong> frames, ulong address) => frames.Length > 0 && frames[0] == address;

    /// <summary>Samples that the driver took; it logs them after its episode, so they are put where they belong.</summary>
    private void AddDriverSamples(long untilTicks)
    {
        Span<ulong> frames = stackalloc ulong[CpuHistory.MaximumFrames];
        while (_nextDriverSample < _driverSamples.Count && _driverSamples[_nextDriverSample].Ticks <= untilTicks)
        {
            PitSample taken = _driverSamples[_nextDriverSample++];
            if ((uint)taken.Cpu >= (uint)_cpus.Length)
            {
                continue;
            }

            CpuHistory cpu = _cpus[taken.Cpu] ?? AddCpu(taken.Cpu);
            int count = Math.Min(taken.Callers.Count, frames.Length - 1);
            frames[0] = taken.Ip;
            for (int i = 0; i < count; i++)
            {
                frames[i + 1] = taken.Callers[i];
            }

            long run = cpu.RunAt(taken.Ticks);
            var sample = new SampleMark
            {
                Ticks = taken.Ticks,
                Instruction = taken.Ip,
                ThreadId = run >= 0 ? cpu.Runs[run].ThreadId : SampleMark.UnknownThread,
                IsMasked = taken.IsMasked,
                IsLatency = taken.Source == (byte)SampleSource.LatencyIsr,
            };
            cpu.AddDriverSample(in sample, frames[..(count + 1)]);
        }
    }

    private void EndLevels(int cpu, long ticks)
    {
        if (_levels[cpu] is not { } levels)
        {
            return;
        }

        _levelsFound.Clear();
        levels.EndBefore(ticks, _settings.ThresholdTicks, _levelsFound);
        if (!_settings.WantsLevels)
        {
            return;
        }

        foreach (TickSpan level in _levelsFound)
        {
            _inquiry.Add(new EpisodeCandidate
            {
                Probe = ProbeKind.Level,
                FromTicks = level.StartTicks,
                ToTicks = level.EndTicks,
                Cpu = cpu,
            });
        }
    }

    /// <summary>Gives events to a pass.</summary>
    internal readonly struct Sink(TimelinePass pass) : IEtlEventSink
    {
        /// <inheritdoc/>
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            pass.Add(in traceEvent);
            return true;
        }
    }
}
