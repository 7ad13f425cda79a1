using System.Buffers.Binary;
using Tracer.Etl;
using Tracer.Etl.Kernel;

namespace Tracer.Capture;

/// <summary>
/// Which records of a snapshot go into the trace of an episode: those of the window; stacks with the event they belong to, however late
/// they were written; behind the window only what names things that were gone before the rundown.
/// </summary>
public static class KeptRecords
{
    private const int Created = 1;
    private const int Ended = 2;

    /// <summary>Process terminated, before its end record.</summary>
    private const ushort ProcessTerminate = 0x030B;

    /// <summary>A process object without a process.</summary>
    private const ushort ProcessDefunct = 0x0327;

    private const ushort ThreadName = 0x0548;

    /// <summary>Decides.</summary>
    /// <param name="traceEvent">A record of the snapshot.</param>
    /// <param name="window">What is kept.</param>
    /// <returns>Whether it is kept.</returns>
    public static bool IsKept(in EtlEvent traceEvent, TraceWindow window)
    {
        long ticks = traceEvent.TimestampTicks;
        if (KernelHook.Of(in traceEvent) is not { } hook)
        {
            return window.Contains(ticks);
        }

        switch (hook)
        {
            case KernelHook.Stack or KernelHook.StackKernelKey or KernelHook.StackUserKey:
                // The time stamp of the event whose stack it is comes first.
                return traceEvent.Payload.Length >= sizeof(long)
                    && window.Contains(BinaryPrimitives.ReadInt64LittleEndian(traceEvent.Payload));
            case KernelHook.StackKeyCreate or KernelHook.StackKeyDelete or KernelHook.StackKeyRundown:
                // A definition comes behind its uses.
                return ticks >= window.Begin;
            default:
                return (KernelGroup)(hook >> 8) switch
                {
                    KernelGroup.Header => false, // The trace gets a header of its own.
                    KernelGroup.SystemConfig => true,
                    _ => window.Contains(ticks) || (ticks > window.End && NamesSomething(hook)),
                };
        }
    }

    /// <summary>Whether a rundown record says the same as the one at the end of the rundown, which holds for all of the trace.</summary>
    /// <param name="hook">Its hook id.</param>
    /// <returns>True for records of what was there when the rundown began.</returns>
    public static bool IsOfRundownStart(ushort hook) => hook is KernelHook.ImageDCStart or 0x0303 or 0x0503;

    private static bool NamesSomething(ushort hook) => (KernelGroup)(hook >> 8) switch
    {
        KernelGroup.Process => (hook & 0xFF) is Created or Ended || hook is ProcessTerminate or ProcessDefunct or KernelHook.ImageLoad,
        KernelGroup.Thread => (hook & 0xFF) is Created or Ended || hook == ThreadName,
        KernelGroup.Image => hook is KernelHook.ImageUnload or KernelHook.ImageLoadOfImageGroup,
        _ => false,
    };
}
