using System.Runtime.CompilerServices;

namespace Tracer.Bench.Reading;

/// <summary>
/// Decodes the events of latency analysis by their typed views and adds up the fields that tell who ran, when, and whom it kept waiting.
/// </summary>
internal struct LatencySums : IEtlEventSink, IFieldSums
{
    public long Events { readonly get; set; }

    public long Decoded { readonly get; set; }

    public ulong Sum { readonly get; set; }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool OnEvent(scoped in EtlEvent traceEvent)
    {
        Events++;
        ulong sum;
        switch (traceEvent.HookId)
        {
            case KernelHook.Isr when IsrRecord.TryRead(in traceEvent, out IsrRecord isr):
                sum = (ulong)isr.InitialTime + isr.Routine + isr.Vector.GetValueOrDefault();
                break;
            case KernelHook.Dpc or KernelHook.TimerDpc when DpcRecord.TryRead(in traceEvent, out DpcRecord dpc):
                sum = (ulong)dpc.InitialTime + dpc.Routine;
                break;
            case KernelHook.ContextSwitch when ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord contextSwitch):
                sum = contextSwitch.NewThreadId + contextSwitch.OldThreadId + (ulong)contextSwitch.NewThreadPriority
                    + (ulong)contextSwitch.OldThreadPriority + (ulong)contextSwitch.OldThreadState
                    + (ulong)contextSwitch.OldThreadWaitReason;
                break;
            case KernelHook.ReadyThread when ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready):
                sum = ready.ThreadId + ready.Flags;
                break;
            case KernelHook.SampledProfile when SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample):
                sum = sample.InstructionPointer + sample.ThreadId + sample.Flags.GetValueOrDefault();
                break;
            default:
                return true;
        }

        Decoded++;
        Sum += sum + (ulong)traceEvent.TimestampTicks;
        return true;
    }
}
