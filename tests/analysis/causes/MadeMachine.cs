using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>A machine whose past a test writes by hand, and what searches it; a tick is usually a microsecond.</summary>
internal sealed class MadeMachine
{
    public const ulong Kernel = 0xFFFFF800_10000000;
    public const ulong Framework = 0xFFFFF800_20000000;
    public const ulong Alpha = 0xFFFFF800_30000000;
    public const ulong Beta = 0xFFFFF800_31000000;
    public const ulong User = 0x401000;

    /// <summary>A thread of process 100.</summary>
    public const uint OfProcess100 = 140;

    /// <summary>A longer gap ends a stretch at the level of ISRs and DPCs.</summary>
    public const long LevelGap = 10;

    /// <summary>Spans and runs of a CPU that are kept; of samples and most others four times as many.</summary>
    private const int Kept = 256;

    private static readonly TraceFacts Facts = Read();

    public MadeMachine(
        int cpus = 2, long ticksPerSecond = 1_000_000, long interval = 0, long? tolerance = null, long records = WorkBudget.FixedRecords,
        bool isOneCpuOnly = false)
    {
        var power = new PowerHistory(cpus, hasSpeeds: false, (_, _) => -1);
        State = new MachineState(cpus, ticksPerSecond, 100, new LossMap(), power, new LockHistory(ticksPerSecond, null))
        {
            IsOneCpuOnly = isOneCpuOnly,
        };
        for (int cpu = 0; cpu < cpus; cpu++)
        {
            State.Cpus[cpu] = new CpuHistory(cpu, Kept, new SampleClock(interval, tolerance ?? (interval / 8)));
        }

        Owners = new OwnersOfCode(Facts, new ModuleMap(Facts.Images, new ModuleCalls()), State, names: null);
        Budget = new WorkBudget(0, records);
    }

    public MachineState State { get; }

    public OwnersOfCode Owners { get; }

    public Blackouts Blackouts { get; } = new();

    public WorkBudget Budget { get; }

    public CpuHistory this[int cpu] => State.Cpus[cpu]!;

    /// <summary>Searches for what kept another CPU.</summary>
    public HolderSearch Holders() => new(State, Blackouts, Owners, new WaitingRoutines(Owners.Kernel), Budget);

    /// <summary>Accounts for stretches; threads 4 to 9 are the system's.</summary>
    public Accounting Accounting(bool hasLevels = true) => new(
        Owners,
        Blackouts,
        (thread, _) => thread is >= 4 and <= 9 ? ThreadTable.SystemProcess : 100,
        hasLevels,
        hasLevels,
        new SpinSearch(State, Blackouts, Owners, Budget),
        State,
        Budget);

    /// <summary>Follows the chains of threads that made each other ready; any thread may run on any CPU.</summary>
    public ThreadChains Chains(Accounting accounting)
    {
        EpisodeAnalysisSettings settings = Settings(new CaptureEvents());
        var measured = new MeasuredWait(settings, State.Cpus, null!, accounting);
        var waited = new WaitedCpu(settings, State, accounting, measured, Budget);
        return new ThreadChains(State, accounting, waited, Owners.Modules, LevelGap, hasHardFaults: true);
    }

    /// <summary>
    /// What begins from 1000 to 9000 on CPU 0 or 1 is asked for, for thread 120 from 400 on; above 2000 a time is damaged.
    /// </summary>
    public static EpisodeAnalysisSettings Settings(CaptureEvents recorder) => new()
    {
        ThresholdTicks = 100,
        LevelGapTicks = LevelGap,
        IsVictim = null,
        LongestTicks = 2_000,
        LagTicks = 1_000,
        Cells = new TimeCells(0, 1),
        FromTicks = 1_000,
        GlitchFromTicks = 400,
        IsOfGlitch = thread => thread == 120,
        ToTicks = 9_000,
        Cpus = new HashSet<int> { 0, 1 },
        Recorder = recorder,
        WantsGaps = true,
        WithStrips = false,
        AffinityOf = (_, _) => null,
        Readies = new MeasuredReadies([]),
        Ticks = new TimerTicks([], 100, 1_000_000),
        PausesOf = (_, _, _) => [],
        Parked = new ParkedProcessors(),
        LeastIdleTicks = 10,
    };

    /// <summary>An ISR or DPC ran; to be told in the order of their ends.</summary>
    public void Ran(int cpu, long from, long to, ulong routine, LevelKind kind = LevelKind.Dpc, bool isProfile = false) =>
        Assert.True(this[cpu].TryAddSpan(
            new LevelSpan { StartTicks = from, EndTicks = to, Routine = routine + 0x100, Kind = kind, IsProfile = isProfile }, 0));

    /// <summary>A DPC that ran had waited in its queue.</summary>
    public void Queued(int cpu, long from, long to, ulong routine)
    {
        var queued = new QueuedDpc { Ticks = from, Cpu = cpu, TargetCpu = cpu, Importance = 1 };
        State.Queues.Started(cpu, new DpcStart { Ticks = to, Routine = routine + 0x100, Queued = queued });
    }

    /// <summary>A CPU went from one thread to another.</summary>
    public void Switch(int cpu, long at, uint from, uint to, sbyte priority = 8, long ready = long.MinValue, byte idleState = 0)
    {
        this[cpu].AddSwitch(at, to, to == 0 ? (sbyte)0 : priority, from, 8, idleState);
        State.ReadyTimes.Add(cpu, ready);
    }

    /// <summary>A sample hit code; behind it stand its callers, innermost first.</summary>
    public void Sample(int cpu, long at, ulong code, uint thread = 0, params ulong[] callers) =>
        Take(cpu, new CpuSample { Ticks = at, Instruction = code + 0x120, ThreadId = thread }, callers);

    public void Take(int cpu, CpuSample sample, params ulong[] callers)
    {
        this[cpu].AddSample(in sample);
        if (callers.Length > 0)
        {
            this[cpu].AddStack(this[cpu].Samples.Next - 1, [sample.Instruction, .. callers.Select(caller => caller + 0x140)]);
        }
    }

    public void Idle(int cpu, long at, IdleEventKind kind, uint state) =>
        this[cpu].IdleEvents.Add(new IdleEvent { Ticks = at, State = state, Kind = kind });

    public static Blackout MadeBlackout(
        long from, long to, int cpu = 0, bool isWhole = false, bool isAlive = true, bool isTentative = false, ulong routine = 0,
        bool mayBeClock = false, params BlackoutEdge[] edges) => new()
        {
            Cpu = cpu,
            FromTicks = from,
            StartTicks = from,
            DueTicks = from,
            ToTicks = to,
            Cpus = 1,
            IsWholeMachine = isWhole,
            IsElsewhereAlive = isAlive,
            IsTentative = isTentative,
            MayBeClock = mayBeClock,
            Routine = routine,
            Edges = edges,
        };

    /// <summary>A part of an episode that this mechanism took; nothing else about it is asked.</summary>
    public static CauseDetail DetailOf(Mechanism mechanism) => mechanism switch
    {
        Mechanism.Isr => new RoutineRan(0, 1, 0, 0, 0, null) { IsIsr = true },
        Mechanism.Dpc => new RoutineRan(0, 1, 0, 0, 0, null),
        Mechanism.RaisedIrql => new CodeSampled(CodeLevel.Thread, 0, false, false),
        Mechanism.Thread => new ThreadRan(0, 0),
        Mechanism.SpinWait => new LockWait(null, null, false, default),
        Mechanism.Blackout => NothingServed.Instance,
        Mechanism.TimerTick => TickAwaited.Instance,
        Mechanism.Paging => new PageRead(0, null),
        Mechanism.Scheduler => new NotChosen(0, 0, false),
        Mechanism.IdleExit => new IdleExit(0, 0, 1, false),
        Mechanism.DpcDeferred => new LeftInQueue(null!),
        _ => throw new ArgumentOutOfRangeException(nameof(mechanism)),
    };

    private static TraceFacts Read()
    {
        Scenario images = ScenarioText.Read("images", """
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image ndis.sys     0xFFFFF800_20000000 0x100000
            image alpha.sys    0xFFFFF800_30000000 0x100000
            image beta.sys     0xFFFFF800_31000000 0x100000
            process 100 audio.exe
            thread 140 of 100
            1000us cpu0 switch 0(0) -> 120(8)
            """);
        using EtlReader reader = EtlReader.Open(new MemoryStream(ScenarioFile.Write(images)));
        return TraceFacts.Read(reader);
    }
}
