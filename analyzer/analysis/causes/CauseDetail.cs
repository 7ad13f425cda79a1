using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>
/// What happened in a part of an episode, and with that by which mechanism it kept the victim: one of the records of this file, or an idle
/// exit. What it counts as in the end, its page in <c>mechanisms/</c> decides.
/// </summary>
internal abstract record CauseDetail
{
    public abstract Mechanism Mechanism { get; }
}

/// <summary>A CPU, or all of them, served nothing.</summary>
internal sealed record NothingServed : CauseDetail
{
    public static readonly NothingServed Instance = new();

    public override Mechanism Mechanism => Mechanism.Blackout;
}

/// <summary>The clock tick that serves the victim's timer had not come yet.</summary>
internal sealed record TickAwaited : CauseDetail
{
    public static readonly TickAwaited Instance = new();

    public override Mechanism Mechanism => Mechanism.TimerTick;
}

/// <summary>An ISR or DPC ran.</summary>
/// <param name="Runs">How many runs of the routine the part consists of.</param>
/// <param name="UnclaimedRuns">How many of these runs were ISRs that returned FALSE: the interrupt was another device's.</param>
/// <param name="Completed">Most requests to disks that one of the runs completed, as far as their records show.</param>
/// <param name="Speed">The CPU's speed as a key that can only be compared; null where not known.</param>
/// <param name="IsOfTimer">Whether all runs were DPCs of timers that expired.</param>
internal sealed record RoutineRan(
    ulong Routine, int Runs, int UnclaimedRuns, long LongestTicks, int Completed, long? Speed, bool IsOfTimer = false) : CauseDetail
{
    /// <summary>Whether it is an ISR; else it is a DPC.</summary>
    public bool IsIsr { get; init; }

    /// <summary>The ISRs that ran on the CPU near by.</summary>
    public IReadOnlyList<NearRuns> Near { get; init; } = [];

    /// <summary>The ISRs that ran on other CPUs at that time.</summary>
    public IReadOnlyList<NearRuns> Elsewhere { get; init; } = [];

    public override Mechanism Mechanism => IsIsr ? Mechanism.Isr : Mechanism.Dpc;
}

/// <summary>Samples hit code that no record describes: at raised IRQL, or in an ISR or DPC where these were not recorded.</summary>
/// <param name="Level">The level that the samples show, or that is assumed.</param>
/// <param name="ThreadId">The thread that the code interrupted or ran in.</param>
/// <param name="IsSilent">Whether the CPU logged no record meanwhile: then nothing shows that it served interrupts.</param>
/// <param name="IsMasked">Whether the sample's flags show that interrupts were masked, so that the code held off all of them.</param>
internal sealed record CodeSampled(CodeLevel Level, uint ThreadId, bool IsSilent, bool IsMasked) : CauseDetail
{
    /// <summary>How many of the samples hit code of the kernel without a name: it may have waited for a lock.</summary>
    public int Unnamed { get; init; }

    public override Mechanism Mechanism => Level switch
    {
        CodeLevel.Isr => Mechanism.Isr,
        CodeLevel.Dpc => Mechanism.Dpc,
        _ => Mechanism.RaisedIrql,
    };
}

/// <summary>A thread ran in the victim's place, or the runtime of the victim's own process had suspended the victim.</summary>
/// <param name="IsOwnPause">Whether the runtime of the victim's own process had suspended it to collect garbage.</param>
/// <param name="IsOwnWork">Whether it is the thread itself that was late, with work of its own that others waited for.</param>
internal sealed record ThreadRan(uint ThreadId, int Priority, bool IsOwnPause = false, bool IsOwnWork = false) : CauseDetail
{
    public override Mechanism Mechanism => Mechanism.Thread;
}

/// <summary>Another CPU was idle, but the victim was not dispatched there.</summary>
/// <param name="ThreadId">The thread that the victim waited behind.</param>
/// <param name="Priority">Its priority.</param>
internal sealed record NotChosen(uint ThreadId, int Priority, bool IsParked) : CauseDetail
{
    public override Mechanism Mechanism => Mechanism.Scheduler;
}

/// <summary>Code on the victim's CPU did nothing but wait for a lock or for another CPU.</summary>
/// <param name="Waiter">The module that waited; null where not known.</param>
/// <param name="Pair">How often waiter and holder ended together; null where that proves nothing.</param>
/// <param name="IsLockRecorded">Whether records of the lock show who held it.</param>
/// <param name="ShownBy">What ties the holder to the wait.</param>
internal sealed record LockWait(OwnerFinding? Waiter, SpinPair? Pair, bool IsLockRecorded, LockEvidence ShownBy) : CauseDetail
{
    public override Mechanism Mechanism => Mechanism.SpinWait;
}

/// <summary>The DPC that the victim waited for was left in its queue.</summary>
/// <param name="Path">The path from the interrupt to the thread.</param>
internal sealed record LeftInQueue(WakeupPath Path) : CauseDetail
{
    public override Mechanism Mechanism => Mechanism.DpcDeferred;
}

/// <param name="Fault">The hard fault's record; null where none was logged.</param>
internal sealed record PageRead(uint ThreadId, HardFault? Fault) : CauseDetail
{
    public override Mechanism Mechanism => Mechanism.Paging;
}
