using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>A part of an episode, before its owner has got a name.</summary>
internal sealed record CauseShare
{
    /// <summary>How it kept the victim waiting.</summary>
    public required Mechanism Mechanism { get; init; }

    /// <summary>How long, in ticks.</summary>
    public required long Ticks { get; init; }

    /// <summary>Whose code ran; null for a thread or a blackout.</summary>
    public OwnerFinding? Owner { get; init; }

    /// <summary>The thread that ran in the victim's place; null for none.</summary>
    public uint? ThreadId { get; init; }

    /// <summary>Its priority.</summary>
    public int ThreadPriority { get; init; }

    /// <summary>The blackout that it lies in; null for none.</summary>
    public Blackout? Blackout { get; init; }

    /// <summary>Whether the trace shows that it happened, but not that nothing else did.</summary>
    public bool IsInferred { get; init; }

    /// <summary>The way of the wake-up whose DPC was left waiting; null for others.</summary>
    public WakeupTrail? Trail { get; init; }

    /// <summary>The hard fault that it is; null where no record tells of it, and for others.</summary>
    public HardFault? Fault { get; init; }

    /// <summary>Whether the runtime of the victim's own process had stopped it to collect garbage.</summary>
    public bool IsOwnPause { get; init; }

    /// <summary>When it began, in ticks: the first of its stretches.</summary>
    public required long AtTicks { get; init; }

    /// <summary>The stretches that it consists of; where empty, one from <see cref="AtTicks"/> on.</summary>
    public IReadOnlyList<CauseStretch> Stretches { get; init; } = [];

    /// <summary>Whether stretches of its episode are missing because there were too many.</summary>
    public bool IsCut { get; init; }

    /// <summary>How sure the owner may be at most.</summary>
    public Confidence AtMost { get; init; } = Confidence.Certain;

    /// <summary>Who only waited for the owner; null where the mechanism is no such wait, and where not known.</summary>
    public OwnerFinding? Waiter { get; init; }

    /// <summary>How often the one who waited and the owner ended together; null where that is no proof.</summary>
    public SpinPair? Pair { get; init; }

    /// <summary>
    /// What this is unless the pair ended together at other times, or unless the tentative blackout proves to be one; null where it is what
    /// it is, and where nothing else explains it.
    /// </summary>
    public CauseShare? Otherwise { get; init; }

    /// <summary>Whether records of the lock tell who held it.</summary>
    public bool IsLockRecorded { get; init; }

    /// <summary>Whether the CPUs that idled meanwhile were parked.</summary>
    public bool IsParked { get; init; }

    /// <summary>The idle state that the CPU had to leave; null for other mechanisms.</summary>
    public IdleExit? IdleExit { get; init; }

    /// <summary>The speed that the CPU ran at, as a key that can only be compared; null where not known.</summary>
    public long? Speed { get; init; }

    /// <summary>Routine of the ISR or DPC record; 0 for other mechanisms.</summary>
    public ulong SpanRoutine { get; init; }

    /// <summary>How many runs of the routine it is; 0 for other mechanisms.</summary>
    public int Runs { get; init; }

    /// <summary>How many of these runs were ISRs that returned FALSE: the interrupt was another device's.</summary>
    public int UnclaimedRuns { get; init; }

    /// <summary>The most of one of these runs, in ticks; 0 for other mechanisms.</summary>
    public long LongestTicks { get; init; }

    /// <summary>Whether no record of the CPU lies in it: nothing shows that interrupts were served.</summary>
    public bool IsSilent { get; init; }

    /// <summary>Whether interrupts were masked meanwhile, so that the code kept the CPU from all of them.</summary>
    public bool IsMasked { get; init; }
}
