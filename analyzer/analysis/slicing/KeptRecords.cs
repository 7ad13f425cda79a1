using System.Buffers.Binary;
using Tracer.Analysis.Facts;
using Tracer.Etl.Decoding;

namespace Tracer.Analysis.Slicing;

/// <summary>
/// Which records of a trace belong into a part of it: those of the part; what a record of the part refers to, wherever it stands (names,
/// rundown, identities, schemas, stacks and what their keys mean, the clock of a probe); and the last state before the part of what tells
/// of changes only.
/// </summary>
public static class KeptRecords
{
    private const int Created = 1;
    private const int Ended = 2;
    private const int ThereAtStart = 3;
    private const int ThereAtEnd = 4;

    /// <summary>Process terminated, before its end record.</summary>
    private const ushort ProcessTerminate = 0x030B;

    /// <summary>A process object without a process.</summary>
    private const ushort ProcessDefunct = 0x0327;

    private const ushort ThreadName = 0x0548;
    private const ushort CollectionEnd = 0x0F4A;

    /// <summary>Class of what a merge tells of the system beside SystemConfig: volumes, the build.</summary>
    private static readonly Guid SystemConfigExClass = new("9b79ee91-b5fd-41c0-a243-4248e266e9d0");

    /// <summary>Class of descriptions of events that a merge adds.</summary>
    private static readonly Guid EventMetadataClass = new("bbccf6c1-6cd1-48c4-80ff-839482e37671");

    public static bool IsKept(in EtlEvent traceEvent, SliceSurvey survey)
    {
        ArgumentNullException.ThrowIfNull(survey);
        TraceWindow window = survey.Window;
        long ticks = traceEvent.TimestampTicks;
        if (KernelHook.Of(in traceEvent) is not { } hook)
        {
            return survey.IsProvidersKept(in traceEvent) ?? (window.Contains(ticks) || IsDescription(in traceEvent));
        }

        switch (hook)
        {
            case KernelHook.Stack or KernelHook.StackKernelKey or KernelHook.StackUserKey:
                return TimeOfOwner(in traceEvent) is { } owner && window.Contains(owner);
            case KernelHook.StackKeyCreate or KernelHook.StackKeyDelete or KernelHook.StackKeyRundown:
                return survey.IsStackUsed(in traceEvent);
            case KernelHook.SetInterval or KernelHook.CollectionStart or CollectionEnd:
                return true;
            default:
                return (KernelGroup)(hook >> 8) switch
                {
                    KernelGroup.Header => false, // The trace gets a header of its own.
                    KernelGroup.SystemConfig => true,
                    _ => window.Contains(ticks) || NamesSomething(hook) || Began(hook, in traceEvent, window)
                        || survey.IsLastState(hook, in traceEvent) || (FaultedFiles.IsName(hook) && survey.IsFileUsed(in traceEvent)),
                };
        }
    }

    /// <summary>Whether a rundown record says the same as the one at the end of the rundown, which holds for all of the trace.</summary>
    /// <returns>True for records of what was there when the rundown began.</returns>
    public static bool IsOfRundownStart(ushort hook) => hook is KernelHook.ImageDCStart or 0x0303 or 0x0503;

    /// <summary>The time stamp of the event whose stack a stack record is; null for a damaged one.</summary>
    internal static long? TimeOfOwner(in EtlEvent traceEvent) => traceEvent.Payload.Length >= sizeof(long)
        ? BinaryPrimitives.ReadInt64LittleEndian(traceEvent.Payload)
        : null;

    /// <summary>Whether a record says what others mean: identities of images, volumes, descriptions of events.</summary>
    private static bool IsDescription(in EtlEvent traceEvent) => traceEvent.IsEventHeader
        ? EventSourceManifests.IsChunk(in traceEvent)
        : traceEvent.Kind is EtlHeaderKind.Full32 or EtlHeaderKind.Full64
            && (traceEvent.ProviderId == KernelRecordCatalog.ImageIdClass || traceEvent.ProviderId == SystemConfigExClass
                || traceEvent.ProviderId == EventMetadataClass);

    /// <summary>Whether a record of an end stands behind the window, and what it tells of began in it.</summary>
    private static bool Began(ushort hook, in EtlEvent traceEvent, TraceWindow window)
    {
        if (traceEvent.TimestampTicks <= window.End)
        {
            return false;
        }

        return hook switch
        {
            KernelHook.Isr or KernelHook.IsrMessageSignalled or KernelHook.PassiveIsr =>
                IsrRecord.TryRead(in traceEvent, out IsrRecord isr) && window.Contains(isr.InitialTime),
            KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.ThreadedDpc or KernelHook.IoTimerDpc =>
                DpcRecord.TryRead(in traceEvent, out DpcRecord dpc) && window.Contains(dpc.InitialTime),
            KernelHook.HardFault =>
                HardFaultRecord.TryRead(in traceEvent, out HardFaultRecord fault) && window.Contains(fault.InitialTime),
            _ => false,
        };
    }

    private static bool NamesSomething(ushort hook) => (KernelGroup)(hook >> 8) switch
    {
        KernelGroup.Process => (hook & 0xFF) is Created or Ended or ThereAtStart or ThereAtEnd
            || hook is ProcessTerminate or ProcessDefunct or KernelHook.ImageLoad,
        KernelGroup.Thread => (hook & 0xFF) is Created or Ended or ThereAtStart or ThereAtEnd || hook == ThreadName,
        KernelGroup.Image => hook is KernelHook.ImageUnload or KernelHook.ImageLoadOfImageGroup
            or KernelHook.ImageDCStart or KernelHook.ImageDCEnd or KernelHook.HypercallPage,
        _ => false,
    };
}
