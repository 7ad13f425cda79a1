namespace Tracer.Simulator.Engine;

public sealed record SimulatedProcess(uint Id, string ImageName)
{
    /// <summary>Who answers for the time of its threads.</summary>
    public CodeOwner Owner { get; } = new(CulpritKind.Process, ImageName);
}

/// <summary>What a thread is to be like.</summary>
public sealed record ThreadOptions
{
    public required SimulatedProcess Process { get; init; }

    /// <summary>What it does; the thread ends when the program does.</summary>
    public required Func<IEnumerable<Step>> Program { get; init; }

    /// <summary>Where it is before it has run; the kernel's dispatcher when left out.</summary>
    public CodeStretch? StartsAt { get; init; }

    /// <summary>Base priority, 1 to 31; boosts and decay only below 16.</summary>
    public int Priority { get; init; } = 8;

    /// <summary>The CPUs that it may use, one bit each.</summary>
    public UInt128 Affinity { get; init; } = UInt128.MaxValue;

    /// <summary>The CPU that is preferred; null for each CPU in turn.</summary>
    public int? IdealCpu { get; init; }

    /// <summary>Its id; null for one that the machine gives.</summary>
    public uint? Id { get; init; }

    /// <summary>Who answers for its time; null for its process.</summary>
    public CodeOwner? Owner { get; init; }
}

internal enum ThreadState
{
    Ready = 1,
    Running = 2,
    Standby = 3,
    Terminated = 4,
    Waiting = 5,
}

/// <summary>A DPC that made a thread ready.</summary>
/// <param name="Cpu">Where it stood in the queue and ran.</param>
internal sealed record WakingDpc(Cpu Cpu, long EnqueuedNs, long StartNs, Dpc Dpc, bool IsDeferrable);

/// <summary>A timer that expired: what keeps its CPU keeps a thread from being made ready.</summary>
/// <param name="TickNs">When the clock's tick that could serve it was due.</param>
/// <param name="PeriodNs">Its beat; 0 for none.</param>
internal sealed record TimerTick(Cpu Cpu, long TickNs, long PeriodNs);

public sealed class SimulatedThread
{
    internal SimulatedThread(uint id, SimulatedProcess process, int priority, UInt128 affinity, int idealCpu, Frame frame)
    {
        Id = id;
        Process = process;
        BasePriority = priority;
        Priority = priority;
        Affinity = affinity;
        IdealCpu = idealCpu;
        LastCpu = idealCpu;
        Frame = frame;
        frame.Thread = this;
    }

    /// <summary>Its id; 0 for the idle threads.</summary>
    public uint Id { get; }

    public SimulatedProcess Process { get; }

    /// <summary>The priority it goes back to.</summary>
    public int BasePriority { get; internal set; }

    /// <summary>Its dynamic priority, 0 to 31.</summary>
    public int Priority { get; internal set; }

    /// <summary>The CPUs that it may use, one bit each.</summary>
    public UInt128 Affinity { get; }

    public int IdealCpu { get; }

    internal bool IsIdleThread => Id == 0;

    internal Frame Frame { get; }

    internal int LastCpu { get; set; }

    internal ThreadState State { get; set; } = ThreadState.Waiting;

    /// <summary>The CPU whose current thread it is, also while it waits and the switch is not done; null for none.</summary>
    internal Cpu? OnCpu { get; set; }

    internal byte WaitReason { get; set; }

    internal long QuantumUsedNs { get; set; }

    /// <summary>When its wait ended, where it has not run since; else -1.</summary>
    internal long WokenNs { get; set; } = -1;

    /// <summary>When its wait ended last, whether it has run since or not.</summary>
    internal long LastWokenNs { get; set; }

    /// <summary>What kept it after its last wake-up.</summary>
    internal HeldWakeup Held { get; } = new();

    /// <summary>The DPC that made it ready and had stood in a queue, where that is recorded; null for none.</summary>
    internal WakingDpc? WokenBy { get; set; }

    /// <summary>The timer that made it ready too late; null where it was in time, or another thing made it ready.</summary>
    internal TimerTick? Late { get; set; }

    /// <summary>Its turns follow a beat.</summary>
    internal bool HasBeat { get; set; }

    /// <summary>What it does for its turn; null while it waits for the next, and below the victims' priority.</summary>
    internal Job? Job { get; set; }

    /// <summary>What it did lately.</summary>
    internal ThreadPhases Phases { get; } = new();

    /// <summary>When its wait for a CPU began: with its wake-up, or with the DPC that brought that; -1 where it does not wait.</summary>
    internal long WaitsSinceNs => WokenNs < 0 ? -1 : WokenBy?.EnqueuedNs ?? WokenNs;

    /// <summary>When it was put into a queue of ready threads last.</summary>
    internal long ReadySinceNs { get; set; }

    /// <summary>Lifted because it starved: falls back at the end of its quantum.</summary>
    internal bool IsStarvedLift { get; set; }

    internal long SwitchedOutNs { get; set; }

    internal bool MayUse(int cpu) => ((Affinity >> cpu) & 1) != 0;
}
