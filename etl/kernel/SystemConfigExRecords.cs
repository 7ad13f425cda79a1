using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>How the start of an NT path is written for people; the longest match wins.</summary>
/// <remarks>
/// Class 9b79ee91-b5fd-41c0-a243-4248e266e9d0, opcode 35. Source: TraceEvent's KernelTraceEventParser, real files.
/// <code>
/// @8    @4    type       field
/// 0     0     wz         NtPath
/// +     +     wz         DosPath
/// </code>
/// </remarks>
public readonly ref struct VolumeMappingRecord : IKernelRecord<VolumeMappingRecord>
{
    private readonly RecordPayload _payload;

    private VolumeMappingRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Start of NT paths, UTF-16.</summary>
    public ReadOnlySpan<byte> NtPath => _payload.Utf16(0, out _);

    /// <summary>What replaces it, UTF-16; may be empty.</summary>
    public ReadOnlySpan<byte> DosPath => _payload.Utf16Nth(0, 1);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out VolumeMappingRecord record)
    {
        record = new VolumeMappingRecord(in traceEvent);
        return true;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("NtPath", FieldValue.Utf16Text(NtPath));
        fields.Field("DosPath", FieldValue.Utf16Text(DosPath));
    }
}
