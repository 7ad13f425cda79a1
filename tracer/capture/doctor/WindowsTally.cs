using System.Runtime.Versioning;
using Microsoft.Diagnostics.Tracing;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Doctor;

/// <summary>
/// What Windows' own reader (OpenTrace, ProcessTrace) counts, through TraceEvent. Names and fields of our provider's events are what
/// Windows makes of their own description (TDH), so that a wake-up counts only where Windows can read it.
/// </summary>
[SupportedOSPlatform("windows")]
public sealed class WindowsTally : ITraceTally
{
    private const string SequenceField = "sequence";

    private static readonly Guid StackClass = KernelGroup.StackWalk.ClassId();

    public string Reader => "ProcessTrace";

    public ProofTally Count(string path)
    {
        var counter = new TallyCounter();
        using var source = new ETWTraceEventSource(path);
        source.AllEvents += traceEvent => Add(counter, traceEvent);
        source.Dynamic.All += traceEvent =>
        {
            if (traceEvent.ProviderGuid == TracerProvider.Id && traceEvent.EventName == TracerProvider.Wakeup.Name
                && traceEvent.PayloadByName(SequenceField) is { } sequence)
            {
                counter.AddWakeup(Convert.ToUInt64(sequence, System.Globalization.CultureInfo.InvariantCulture));
            }
        };
        source.Process();
        return counter.Tally(Reader);
    }

    /// <param name="traceEvent">The event; known by opcode where it has no id.</param>
    internal static void Add(TallyCounter counter, TraceEvent traceEvent)
    {
        bool isClassic = traceEvent.IsClassicProvider;
        counter.Add(
            isClassic ? traceEvent.TaskGuid : traceEvent.ProviderGuid,
            isClassic,
            isClassic ? (byte)traceEvent.Opcode : (ushort)traceEvent.ID,
            traceEvent.Version);
        if (isClassic && traceEvent.TaskGuid == StackClass && (byte)traceEvent.Opcode == unchecked((byte)KernelHook.Stack))
        {
            const int FramesOffset = 16;
            counter.AddStack((traceEvent.EventDataLength - FramesOffset) / traceEvent.PointerSize);
        }
    }
}
