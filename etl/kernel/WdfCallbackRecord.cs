using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>
/// The driver framework is about to call its client: names the driver's own routine behind that of the framework in the ISR or DPC
/// record around it.
/// </summary>
/// <remarks>
/// Hooks 0x0F60 ISR, 0x0F61 passive-level ISR, 0x0F62 DPC, 0x0F67 work item. Not seen in a real file. The framework's source
/// writes the routine alone; one public header has the time before it, as a DPC record. The length tells.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Routine            where the payload is shorter than 16 / 12 bytes
/// 0     0     time       InitialTime        where it is not
/// 8     8     ptr        Routine
/// </code>
/// </remarks>
public readonly ref struct WdfCallbackRecord : IKernelRecord<WdfCallbackRecord>
{
    private readonly RecordPayload _payload;

    private WdfCallbackRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>When it began, in ticks of the trace's clock; null where the record has the routine alone.</summary>
    public long? InitialTime => HasTime ? _payload.Int64(0) : null;

    /// <summary>Address of the driver's own callback.</summary>
    public ulong Routine => _payload.Pointer(HasTime ? 8 : 0);

    private bool HasTime => _payload.Length >= _payload.At(16, 12);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out WdfCallbackRecord record)
    {
        record = new WdfCallbackRecord(in traceEvent);
        return record._payload.Length >= record._payload.PointerBytes;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        if (InitialTime is long initialTime)
        {
            fields.Field("InitialTime", FieldValue.Ticks(initialTime));
        }

        fields.Field("Routine", FieldValue.CodePointer(Routine));
    }
}
