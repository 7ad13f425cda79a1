using Tracer.Etl.Kernel;

namespace Tracer.Etl.Stacks;

/// <summary>The records that stacks consist of (STACK_WALK_EVENT_DATA of ntwmi.h, extended items of evntcons.h).</summary>
internal static class StackHooks
{
    private const ushort UserHalfId = 18;
    private const byte UserHalfOpcode = 24;

    /// <summary>Microsoft-Windows-Kernel-EventTracing.</summary>
    private static readonly Guid EventTracingProvider = new("b675ec37-bdb6-4648-bc92-f3fdc74d3ca2");

    /// <summary>Whether an event is nothing but a part of other events' stacks, or says what a key of one means.</summary>
    public static bool IsStackRecord(in EtlEvent traceEvent) =>
        traceEvent.HookId is KernelHook.Stack or (>= KernelHook.StackKeyCreate and <= KernelHook.StackUserKey);

    /// <summary>Whether an event carries, as an extended item, the user half of an earlier event's stack.</summary>
    public static bool IsUserHalf(in EtlEvent traceEvent) => traceEvent.IsEventHeader
        && traceEvent.Id == UserHalfId && traceEvent.Opcode == UserHalfOpcode && traceEvent.ProviderId == EventTracingProvider;

    /// <summary>Whether an address lies in the kernel's half, by its top bit: wrong on a 32-bit system with 3 GB for users.</summary>
    public static bool IsKernelAddress(ulong address, int pointerBytes) => (address >> ((8 * pointerBytes) - 1)) != 0;

    /// <summary>
    /// Thread whose stack an event's is: the one that the payload names where it is the running one, else the one that logged it.
    /// </summary>
    /// <returns><see cref="EtlEvent.NotInHeader"/> where the event does not tell: then its CPU has to do.</returns>
    /// <remarks>
    /// A context switch is walked on the thread switched to. The thread of a ReadyThread record is the one made ready, so not this one.
    /// </remarks>
    public static uint ThreadOf(in EtlEvent traceEvent)
    {
        switch (traceEvent.HookId)
        {
            case KernelHook.ContextSwitch when ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord contextSwitch):
                return contextSwitch.NewThreadId;
            case KernelHook.SampledProfile or KernelHook.NmiSample
                when SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample):
                return sample.ThreadId;
            case KernelHook.PmcSample when PmcSampleRecord.TryRead(in traceEvent, out PmcSampleRecord sample):
                return sample.ThreadId;
            case KernelHook.HardFault when HardFaultRecord.TryRead(in traceEvent, out HardFaultRecord fault):
                return fault.ThreadId;
            default:
                return traceEvent.ThreadId;
        }
    }

    /// <summary>Whether a stack record can belong to an event: kernel events, but not those that describe system or trace.</summary>
    public static bool CanHaveRecords(in EtlEvent traceEvent) => traceEvent.IsKernelHook
        && traceEvent.Group is not (KernelGroup.Header or KernelGroup.SystemConfig or KernelGroup.StackWalk);
}
