using System.Buffers.Binary;
using Tracer.Analysis.Facts;
using Tracer.Etl.Decoding;

namespace Tracer.AnalyzerShared.Redact;

/// <summary>
/// What stays of the events of providers: our own, those of the .NET runtime's pauses, of parked processors, of standby, of glitches and of
/// firmware methods that blame reads. Of all others it stays that something was logged then, by which thread, and its stack.
/// </summary>
internal sealed class ProviderRecords(NamedRecords named)
{
    private const ushort AcpiMethodTrace = 7;
    private const int AcpiBytesBehindName = 10;

    /// <summary>Who seems to have logged what was emptied: the name hashed by the EventSource rule.</summary>
    public static readonly Guid Emptied = ProviderIdFromName.Compute("Tracer.Redacted");

    private readonly ProviderEventShapes _shapes = new();
    private readonly Dictionary<ProviderEvent, TraceLoggingEventSchema> _schemas = [];
    private readonly List<EtlExtendedItem> _items = [];
    private readonly PayloadBuffer _stack = new();

    /// <returns>Whether more stays than that there was an event.</returns>
    public bool Write(in EtlEvent traceEvent, out EtlEventHeader header, PayloadBuffer payload, out EtlExtendedItem[] items)
    {
        Guid provider = traceEvent.ProviderId;
        EtlEventHeader read = EtlEventHeader.Of(in traceEvent);
        header = read with { ActivityId = Guid.Empty, EventFlags = 0, EventProperty = 0 };
        TakeStacks(in traceEvent);
        if (provider == TracerProvider.Id && _shapes.Of(in traceEvent) is { } shape)
        {
            if (!_schemas.TryGetValue(shape, out TraceLoggingEventSchema? schema))
            {
                _schemas.Add(shape, schema = shape.Schema());
            }

            payload.Raw(traceEvent.Payload[..PayloadBytes(shape, traceEvent.Payload)]);
            items = [.. schema.Items, .. _items];
            return true;
        }

        items = [.. _items];
        if (KnownBytes(in traceEvent) is { } bytes)
        {
            payload.Raw(traceEvent.Payload[..Math.Min(bytes, traceEvent.Payload.Length)]);
            return true;
        }

        if (provider == AcpiMethods.Provider && traceEvent.Id == AcpiMethodTrace && TryWriteMethod(traceEvent.Payload, payload))
        {
            return true;
        }

        header = new EtlEventHeader
        {
            Kind = read.Kind,
            TimestampTicks = read.TimestampTicks,
            ProcessId = read.ProcessId,
            ThreadId = read.ThreadId,
            KernelTimeClockTicks = read.KernelTimeClockTicks,
            UserTimeClockTicks = read.UserTimeClockTicks,
            ProviderId = provider == StandbyTimes.Provider || provider == ParkedProcessors.Provider ? provider : Emptied,
        };
        return false;
    }

    private static int? KnownBytes(in EtlEvent traceEvent)
    {
        if (StandbyTimes.IsChange(in traceEvent))
        {
            return 0; // Its fields tell of batteries and lids.
        }

        Guid provider = traceEvent.ProviderId;
        ushort id = traceEvent.Id;
        if (provider == ClrEvents.ProviderId)
        {
            // Threads begin to be suspended, begin to run again, run again.
            return id switch { 9 => 10, 3 or 7 => 2, _ => null };
        }

        if (GlitchKind.Find(provider, id) is { } glitch)
        {
            return glitch.Bytes(traceEvent.PointerBytes);
        }

        if (provider != ParkedProcessors.Provider)
        {
            return null;
        }

        return id switch
        {
            ParkedProcessors.ParkNodeRundown => 2 + (2 * traceEvent.PointerBytes),
            ParkedProcessors.ParkCore or ParkedProcessors.UnparkCore or ParkedProcessors.SpeedChange => 11,
            _ => null,
        };
    }

    /// <summary>The bytes of the fields that the schema has, as far as they are there.</summary>
    private static int PayloadBytes(ProviderEvent shape, ReadOnlySpan<byte> payload)
    {
        int at = 0;
        foreach (ProviderField field in shape.Fields)
        {
            int bytes = field.InType switch
            {
                TraceLoggingInType.UInt8 => 1,
                TraceLoggingInType.UInt16 => 2,
                TraceLoggingInType.UInt32 => 4,
                _ => 8,
            };
            if (field.IsArray)
            {
                int count = payload.Length - at >= sizeof(ushort) ? BinaryPrimitives.ReadUInt16LittleEndian(payload[at..]) : 0;
                bytes = sizeof(ushort) + (count * bytes);
            }

            at = Math.Min(at + bytes, payload.Length);
        }

        return at;
    }

    private bool TryWriteMethod(ReadOnlySpan<byte> event7, PayloadBuffer payload)
    {
        int nameBytes = event7.Length < sizeof(ushort) ? 0 : 2 * BinaryPrimitives.ReadUInt16LittleEndian(event7);
        if (event7.Length < sizeof(ushort) + nameBytes + AcpiBytesBehindName)
        {
            return false;
        }

        string name = named.Method(NameSurvey.Wide(event7.Slice(sizeof(ushort), nameBytes)).TrimEnd('\0'));
        payload.U16((ushort)name.Length).Characters(name).Raw(event7.Slice(sizeof(ushort) + nameBytes, AcpiBytesBehindName));
        return true;
    }

    private void TakeStacks(in EtlEvent traceEvent)
    {
        _items.Clear();
        foreach (EtlExtendedItemEnumerator item in traceEvent.ExtendedItems)
        {
            int pointer = item.Kind is EtlExtendedItemKind.StackTrace32 or EtlExtendedItemKind.StackKey32 ? sizeof(uint) : sizeof(ulong);
            if (item.Kind is EtlExtendedItemKind.StackTrace32 or EtlExtendedItemKind.StackTrace64 or EtlExtendedItemKind.StackKey32
                or EtlExtendedItemKind.StackKey64 && item.Data.Length >= sizeof(ulong))
            {
                _stack.Begin().Raw(item.Data[..sizeof(ulong)]);
                NumericRecords.WriteAddresses(item.Data[sizeof(ulong)..], pointer, _stack);
                _items.Add(new EtlExtendedItem(item.Kind, _stack.Bytes.ToArray()));
            }
        }
    }
}
