namespace Tracer.Analysis;

/// <summary>What one sort of part of an episode has beyond what all have: a record of this file, or an idle exit.</summary>
internal abstract record CauseDetail;

/// <summary>An ISR or DPC ran.</summary>
/// <param name="Routine">Routine of its record.</param>
/// <param name="Runs">How many runs of the routine it is.</param>
/// <param name="UnclaimedRuns">How many of these were ISRs that returned FALSE: the interrupt was another device's.</param>
/// <param name="LongestTicks">The most of one of these runs, in ticks.</param>
/// <param name="Speed">The speed that the CPU ran at, as a key that can only be compared; null where not known.</param>
internal sealed record RoutineRan(ulong Routine, int Runs, int UnclaimedRuns, long LongestTicks, long? Speed) : CauseDetail;

/// <summary>Samples hit code that no record tells of: at raised IRQL, or of an ISR or DPC where these were not recorded.</summary>
/// <param name="ThreadId">The thread beneath.</param>
/// <param name="IsSilent">Whether no record of the CPU lies in it: nothing shows that interrupts were served.</param>
/// <param name="IsMasked">Whether interrupts were masked meanwhile, so that the code kept the CPU from all of them.</param>
internal sealed record CodeSampled(uint ThreadId, bool IsSilent, bool IsMasked) : CauseDetail;

/// <summary>A thread ran in the victim's place, or the victim's own runtime had stopped it.</summary>
/// <param name="ThreadId">The thread.</param>
/// <param name="Priority">Its priority.</param>
/// <param name="IsOwnPause">Whether the runtime of the victim's own process had stopped it to collect garbage.</param>
internal sealed record ThreadRan(uint ThreadId, int Priority, bool IsOwnPause = false) : CauseDetail;

/// <summary>Another CPU idled, and the victim was not given to it.</summary>
/// <param name="Priority">Priority of the thread that the victim waited behind.</param>
/// <param name="IsParked">Whether all CPUs that idled were parked.</param>
internal sealed record NotChosen(int Priority, bool IsParked) : CauseDetail;

/// <summary>Code on the victim's CPU only waited for somebody else.</summary>
/// <param name="Waiter">Who waited; null where not known.</param>
/// <param name="Pair">How often the one who waited and the owner ended together; null where that is no proof.</param>
/// <param name="IsLockRecorded">Whether records of the lock tell who held it.</param>
internal sealed record LockWait(OwnerFinding? Waiter, SpinPair? Pair, bool IsLockRecorded) : CauseDetail;

/// <summary>The DPC that the victim waits for was left in its queue.</summary>
/// <param name="Trail">The way of the wake-up.</param>
internal sealed record LeftInQueue(WakeupTrail Trail) : CauseDetail;

/// <summary>A page was read for the victim.</summary>
/// <param name="ThreadId">The victim.</param>
/// <param name="Fault">The record of it; null where there is none.</param>
internal sealed record PageRead(uint ThreadId, HardFault? Fault) : CauseDetail;
