using Microsoft.Diagnostics.Tracing;

namespace Tracer.Capture.Sessions;

/// <summary>
/// The events of a real-time session as <see cref="EtlEvent"/>s: header and payload are laid out as a file has them, so that what reads
/// files reads sessions. TraceEvent hands out one object again and again, and nothing here allocates per event.
/// </summary>
/// <remarks>Extended items (stacks, TraceLogging's schemas) do not come through: TraceEvent keeps the record that has them.</remarks>
internal sealed unsafe class RealTimeEvents
{
    private readonly IRealTimeSink _sink;
    private readonly byte[] _record = new byte[ushort.MaxValue];

    public RealTimeEvents(IRealTimeSink sink) => _sink = sink;

    /// <summary>Takes an event of TraceEvent's; <see cref="RealTimeReading"/> calls it for each.</summary>
    public void OnEvent(TraceEvent traceEvent)
    {
        if (traceEvent.IsClassicProvider)
        {
            OnClassic(traceEvent);
        }
        else
        {
            Give(traceEvent, new EtlEventHeader
            {
                Kind = traceEvent.PointerSize == sizeof(ulong) ? EtlHeaderKind.EventHeader64 : EtlHeaderKind.EventHeader32,
                TimestampTicks = TicksOf(traceEvent),
                ProviderId = traceEvent.ProviderGuid,
                Id = (ushort)traceEvent.ID,
                Version = (byte)traceEvent.Version,
                Opcode = (byte)traceEvent.Opcode,
                Level = (byte)traceEvent.Level,
                Channel = (byte)traceEvent.Channel,
                Task = (ushort)traceEvent.Task,
                Keyword = (ulong)traceEvent.Keywords,
                ActivityId = traceEvent.ActivityID,
                ThreadId = (uint)traceEvent.ThreadID,
                ProcessId = (uint)traceEvent.ProcessID,
            });
        }
    }

    private void OnClassic(TraceEvent traceEvent)
    {
        Guid classId = traceEvent.TaskGuid;
        if (classId == RealTimeReading.LostEvent)
        {
            _sink.OnLost(1);
            return;
        }

        KernelGroup group = KernelGroupClass.GroupOf(classId);
        if (group is not (KernelGroup.None or KernelGroup.Header))
        {
            Give(traceEvent, new EtlEventHeader
            {
                Kind = traceEvent.PointerSize == sizeof(ulong) ? EtlHeaderKind.System64 : EtlHeaderKind.System32,
                TimestampTicks = TicksOf(traceEvent),
                HookId = (ushort)(((int)group << 8) | (byte)traceEvent.Opcode),
                Version = (byte)traceEvent.Version,
                ThreadId = (uint)traceEvent.ThreadID,
                ProcessId = (uint)traceEvent.ProcessID,
            });
        }
    }

    private void Give(TraceEvent traceEvent, in EtlEventHeader header)
    {
        ReadOnlySpan<byte> payload = new((void*)traceEvent.DataStart, traceEvent.EventDataLength);
        if (payload.Length > _record.Length - EventRecord.Measure(in header, 0))
        {
            return; // A record has at most 64 KiB, its header included: one that has more is none.
        }

        int bytes = EventRecord.Write(_record, in header, payload);
        if (EtlEvent.TryRead(_record.AsSpan(0, bytes), traceEvent.ProcessorNumber, 0, out EtlEvent one))
        {
            _sink.OnEvent(in one);
        }
    }

#pragma warning disable CS0618 // "Not obsolete but discouraged": the milliseconds that it offers instead are rounded.
    private static long TicksOf(TraceEvent traceEvent) => traceEvent.TimeStampQPC;
#pragma warning restore CS0618
}
