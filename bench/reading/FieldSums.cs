using System.Runtime.CompilerServices;
using Tracer.Etl;
using Tracer.Etl.Kernel;

namespace Tracer.Bench.Reading;

/// <summary>Decodes the events of latency analysis by their typed views and adds up every field.</summary>
internal struct FieldSums : IEtlEventSink
{
    /// <summary>How many events.</summary>
    public long Events;

    /// <summary>How many of them were decoded.</summary>
    public long Decoded;

    /// <summary>Sum of all fields and times; the same in every order.</summary>
    public ulong Sum;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool OnEvent(scoped in EtlEvent traceEvent)
    {
        Events++;
        ulong sum;
        switch (traceEvent.HookId)
        {
            case KernelHook.Isr or KernelHook.IsrMessageSignalled or KernelHook.PassiveIsr
                when IsrRecord.TryRead(in traceEvent, out IsrRecord isr):
                sum = SumOf(in isr);
                break;
            case KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.ThreadedDpc or KernelHook.IoTimerDpc
                when DpcRecord.TryRead(in traceEvent, out DpcRecord dpc):
                sum = (ulong)dpc.InitialTime + dpc.Routine;
                break;
            case KernelHook.ContextSwitch when ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord contextSwitch):
                sum = SumOf(in contextSwitch);
                break;
            case KernelHook.ReadyThread when ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready):
                sum = ready.ThreadId + (ulong)ready.AdjustReason + (ulong)ready.AdjustIncrement + ready.Flags;
                break;
            case KernelHook.SampledProfile when SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample):
                sum = sample.InstructionPointer + sample.ThreadId + sample.Count + sample.Flags.GetValueOrDefault()
                    + sample.Rank.GetValueOrDefault();
                break;
            default:
                return true;
        }

        Decoded++;
        Sum += sum + (ulong)traceEvent.TimestampTicks;
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong SumOf(in IsrRecord isr) =>
        (ulong)isr.InitialTime + isr.Routine + isr.ReturnValue + isr.Vector.GetValueOrDefault() + isr.MessageNumber.GetValueOrDefault();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong SumOf(in ContextSwitchRecord value) =>
        value.NewThreadId
        + value.OldThreadId
        + (ulong)value.NewThreadPriority
        + (ulong)value.OldThreadPriority
        + value.PreviousCState.GetValueOrDefault()
        + value.OldThreadRank.GetValueOrDefault()
        + (ulong)value.NewThreadPriorityDecrement.GetValueOrDefault()
        + (ulong)value.OldThreadWaitReason
        + (ulong)value.OldThreadWaitMode
        + value.OldThreadQosLevel.GetValueOrDefault()
        + value.NewThreadQosLevel.GetValueOrDefault()
        + (ulong)value.OldThreadState
        + value.OldThreadIdealProcessor
        + value.NewThreadWaitTime.GetValueOrDefault()
        + (ulong)value.OldThreadRemainingQuantum.GetValueOrDefault();
}
