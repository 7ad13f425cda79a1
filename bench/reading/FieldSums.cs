using System.Runtime.CompilerServices;

namespace Tracer.Bench.Reading;

/// <summary>Decodes the events of latency analysis by their typed views and adds up every field.</summary>
internal struct FieldSums : IEtlEventSink, IFieldSums
{
    public long Events { readonly get; set; }

    public long Decoded { readonly get; set; }

    public ulong Sum { readonly get; set; }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool OnEvent(scoped in EtlEvent traceEvent)
    {
        Events++;
        switch (traceEvent.HookId)
        {
            case KernelHook.Isr or KernelHook.IsrMessageSignalled or KernelHook.PassiveIsr:
                AddIsr(in traceEvent);
                break;
            case KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.ThreadedDpc or KernelHook.IoTimerDpc:
                AddDpc(in traceEvent);
                break;
            case KernelHook.ContextSwitch:
                AddSwitch(in traceEvent);
                break;
            case KernelHook.ReadyThread:
                AddReady(in traceEvent);
                break;
            case KernelHook.SampledProfile:
                AddSample(in traceEvent);
                break;
        }

        return true;
    }

    // A method for each kind of record, as analysis has them: one that decoded them all would exceed what the compiler inlines.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AddIsr(scoped in EtlEvent traceEvent)
    {
        if (IsrRecord.TryRead(in traceEvent, out IsrRecord isr))
        {
            Add(SumOf(in isr), traceEvent.TimestampTicks);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AddDpc(scoped in EtlEvent traceEvent)
    {
        if (DpcRecord.TryRead(in traceEvent, out DpcRecord dpc))
        {
            Add((ulong)dpc.InitialTime + dpc.Routine, traceEvent.TimestampTicks);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AddSwitch(scoped in EtlEvent traceEvent)
    {
        if (ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord contextSwitch))
        {
            Add(SumOf(in contextSwitch), traceEvent.TimestampTicks);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AddReady(scoped in EtlEvent traceEvent)
    {
        if (ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready))
        {
            Add(ready.ThreadId + (ulong)ready.AdjustReason + (ulong)ready.AdjustIncrement + ready.Flags, traceEvent.TimestampTicks);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AddSample(scoped in EtlEvent traceEvent)
    {
        if (SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample))
        {
            ulong sum = sample.InstructionPointer + sample.ThreadId + sample.Count + sample.Flags.GetValueOrDefault()
                + sample.Rank.GetValueOrDefault();
            Add(sum, traceEvent.TimestampTicks);
        }
    }

    private void Add(ulong sum, long ticks)
    {
        Decoded++;
        Sum += sum + (ulong)ticks;
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
