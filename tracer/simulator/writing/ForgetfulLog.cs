using Tracer.Simulator.Engine;

namespace Tracer.Simulator.Writing;

/// <summary>Drops all that is logged: for a simulation of which only the truth is wanted.</summary>
internal sealed class ForgetfulLog : IKernelLog
{
    public void Isr(long startNs, long endNs, int cpu, ulong routine, ushort vector, bool isClaimed, uint? message)
    {
    }

    public void Dpc(long startNs, long endNs, int cpu, DpcRecordKind kind, ulong routine)
    {
    }

    public void DpcEnqueued(long timeNs, int cpu, ulong key, int depth, uint count, int targetCpu, byte importance)
    {
    }

    public void DpcExecuting(long timeNs, int cpu, ulong routine, ulong key)
    {
    }

    public void WdfCallback(long timeNs, int cpu, bool isInterrupt, ulong routine)
    {
    }

    public void ReadyThread(long timeNs, int cpu, uint threadId, sbyte boost, bool isFromDpc, ReadOnlySpan<ulong> stack)
    {
    }

    public void ContextSwitch(long timeNs, int cpu, in SimulatedSwitch change, ReadOnlySpan<ulong> stack)
    {
    }

    public void Sample(
        long timeNs, int cpu, ulong instruction, uint threadId, int priority, bool isInDpc, bool isInIsr, ReadOnlySpan<ulong> stack)
    {
    }

    public void ClockInterrupt(long timeNs, int cpu, bool isOwner)
    {
    }

    public void IdleEnter(long timeNs, int cpu, uint state)
    {
    }

    public void IdleExit(long timeNs, int cpu, uint state)
    {
    }

    public void HardFault(long startNs, long endNs, int cpu, uint threadId, ulong address, uint bytes)
    {
    }

    public void DiskTransfer(long startNs, long endNs, int cpu, bool isWrite, uint threadId, uint bytes)
    {
    }

    public void SpinLock(in SimulatedLockUse use)
    {
    }

    public void PrioritySet(long timeNs, int cpu, uint threadId, int oldPriority, int newPriority)
    {
    }

    public void AntiStarvationBoost(long timeNs, int cpu, uint threadId, int queueCpu, int oldPriority)
    {
    }

    public void FirmwareMethod(long timeNs, int cpu, uint threadId, string method, bool isEnd)
    {
    }

    public void IdleExitLatency(long timeNs, int cpu, uint state, long latencyNs)
    {
    }

    public void SpeedChanged(long timeNs, int cpu, int newPercent, int oldPercent)
    {
    }

    public void CpuParked(long timeNs, int cpu, int parkedCpu, bool isParked)
    {
    }

    public void Slept(long timeNs, long ns)
    {
    }

    public void StandbyEntered(long timeNs, int cpu, uint threadId)
    {
    }

    public void StandbyLeft(long timeNs, int cpu, uint threadId, long ns, long sleptNs, int sleeps)
    {
    }

    public void GarbageCollection(long timeNs, int cpu, uint threadId, CollectionStep step, uint number)
    {
    }

    public void SoundGlitch(long timeNs, int cpu, uint threadId, ushort eventId, long? deadlineNs, ReadOnlySpan<ulong> fields)
    {
    }

    public void MeasuringStarted(
        long timeNs, int cpu, uint threadId, int priority, long periodNs, long thresholdNs, bool isProcess = false)
    {
    }

    public void ClocksRelated(long timeNs, int cpu, uint threadId)
    {
    }

    public void WakeupMeasured(long timeNs, int cpu, uint threadId, in SimulatedWakeup wakeup)
    {
    }

    public void TimerTold(long timeNs, int cpu, uint threadId, in SimulatedTimerState state)
    {
    }

    public void MeasuringStopped(long timeNs, int cpu, uint threadId, ulong wakeups)
    {
    }
}
