namespace Tracer.Analysis.Machine;

/// <summary>Which waits of a thread are in the midst of its job, and which end it.</summary>
public static class JobWaits
{
    /// <summary>Whether a thread waits for a page, or for a lock of the kernel: no thread waits so for its next turn.</summary>
    public static bool IsInside(WaitReason reason) => reason is WaitReason.PageIn or WaitReason.WrPageIn or WaitReason.FreePage
        or WaitReason.WrFreePage or WaitReason.WrVirtualMemory or WaitReason.WrResource or WaitReason.WrPushLock or WaitReason.WrMutex
        or WaitReason.WrFastMutex or WaitReason.WrGuardedMutex or WaitReason.WrRundown;

    /// <summary>Whether the job of a thread goes on that left its CPU: it could run on, or waits in the midst of its work.</summary>
    public static bool GoesOn(KernelThreadState state, WaitReason reason) =>
        state is KernelThreadState.Ready or KernelThreadState.Standby or KernelThreadState.DeferredReady or KernelThreadState.GateWait
        || (state == KernelThreadState.Waiting && IsInside(reason));
}
