using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Engine;

/// <summary>What a simulated machine is like. Times are nanoseconds.</summary>
public sealed record MachineOptions
{
    /// <summary>The seed that all random sequences follow.</summary>
    public required ulong Seed { get; init; }

    /// <summary>Logical processors, 1 to <see cref="ProcessorGroups.MostCpus"/>.</summary>
    public int Cpus { get; init; } = 2;

    /// <summary>The CPUs that are made to save energy, one bit each; 0 for none.</summary>
    public UInt128 EfficiencyCpus { get; init; }

    /// <summary>How fast these are, beside the others.</summary>
    public int EfficiencyPercent { get; init; } = 45;

    public Recording Recording { get; init; } = Recording.Usual;

    /// <summary>Whether stacks are put together for the log; not for one that drops them.</summary>
    public bool TakesStacks { get; init; } = true;

    /// <summary>Time between two profile interrupts of a CPU.</summary>
    public long SampleIntervalNs { get; init; } = 1_000_000;

    /// <summary>Time between two clock interrupts of a CPU.</summary>
    public long ClockIntervalNs { get; init; } = 1_000_000;

    /// <summary>Latency at or above this is an episode of the truth.</summary>
    public long ThresholdNs { get; init; } = Defaults.Threshold.Nanoseconds;

    /// <summary>Threads of this priority and above are victims when they wait.</summary>
    public int MinimumPriority { get; init; } = Defaults.MinimumPriority;

    /// <summary>The CPUs that real-time threads of no scenario may use, one bit each; 0 for all.</summary>
    public UInt128 RealTimeAffinity { get; init; }

    /// <summary>CPU time that a thread may use before others of its priority have their turn.</summary>
    public long QuantumNs { get; init; } = 31_250_000;

    /// <summary>How many CPUs, side by side, share one queue of ready threads.</summary>
    public int CpusPerReadyQueue { get; init; } = 1;

    /// <summary>Whether a CPU without work takes ready threads that wait for another one.</summary>
    public bool TakesFromOtherQueues { get; init; } = true;

    /// <summary>The idle states, shallow ones first; none for a CPU that spins.</summary>
    public IReadOnlyList<IdleState> IdleStates { get; init; } = [new IdleState(1, 1_000, 0), new IdleState(2, 30_000, 400_000)];

    /// <summary>How often an exit from an idle state takes as long as the one before, 0 to 1, where its latency is drawn.</summary>
    public double ExitPersistence { get; init; }

    /// <summary>Whose code takes no time, masks nothing, raises nothing, locks nothing and stops nothing; null for nobody.</summary>
    public Func<CodeOwner, bool>? IsMuted { get; init; }

    /// <summary>0 for threads that all begin with the machine; else each a little later, for each number at other times.</summary>
    public int ThreadShift { get; init; }

    /// <summary>What a first simulation drew, or is to keep what it draws; null where there is no second.</summary>
    public DrawMemory? Draws { get; init; }

    /// <summary>How long an idle CPU takes to run again after all have stood still; null for the exit from its idle state.</summary>
    public Spread? ResumeFromStall { get; init; }

    /// <summary>The interrupts of the clock and the profile, beyond their plain cost.</summary>
    public PeriodicInterrupts Periodic { get; init; } = new();

    public KernelCode Kernel { get; init; } = new();

    /// <summary>From an interrupt to the first instruction of its ISR.</summary>
    public long InterruptEntryNs { get; init; } = 300;

    /// <summary>Before each DPC.</summary>
    public long DpcEntryNs { get; init; } = 150;

    public long ClockCostNs { get; init; } = 1_200;

    public long ProfileCostNs { get; init; } = 900;

    /// <summary>The interrupt of another CPU.</summary>
    public long IpiCostNs { get; init; } = 400;

    public long TimerExpiryCostNs { get; init; } = 350;

    /// <summary>From the decision to switch threads to the first instruction of the new one.</summary>
    public long SwitchCostNs { get; init; } = 1_100;
}

/// <param name="Number">As the records name it; 1 for C1.</param>
/// <param name="ExitLatencyNs">How long an interrupt has to wait until the CPU is back, in nanoseconds.</param>
/// <param name="WorthNs">The CPU enters it when its last idle time was at least this long, in nanoseconds.</param>
public sealed record IdleState(uint Number, long ExitLatencyNs, long WorthNs)
{
    /// <summary>How long an exit takes where that differs from one to the next; null for always the same.</summary>
    public Spread? ExitLatency { get; init; }

    /// <summary>How long it takes while no CPU runs a thread, so that what all share sleeps too; null for no difference.</summary>
    public Spread? ExitLatencyOfIdleMachine { get; init; }
}

/// <summary>Where samples hit the kernel's own code.</summary>
public sealed record KernelCode
{
    private const ulong Base = 0xFFFFF802_1A400000;

    public CodeOwner Owner { get; init; } = new(CulpritKind.Kernel, "ntoskrnl.exe");

    public CodeStretch Idle { get; init; } = new(Base + 0x1000);

    public CodeStretch InterruptEntry { get; init; } = new(Base + 0x2000);

    public CodeStretch Clock { get; init; } = new(Base + 0x3000);

    public CodeStretch Profile { get; init; } = new(Base + 0x4000);

    /// <summary>The interrupt of another CPU.</summary>
    public CodeStretch Ipi { get; init; } = new(Base + 0x5000);

    /// <summary>The loop that runs DPCs, and timer expiry.</summary>
    public CodeStretch RetireDpcs { get; init; } = new(Base + 0x6000);

    public CodeStretch Dispatcher { get; init; } = new(Base + 0x7000);
}
