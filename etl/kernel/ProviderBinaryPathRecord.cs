using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>The binary that registered providers of a private session, and their GUIDs.</summary>
/// <remarks>
/// Hook 0x0043. Source: kernel-events 12; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        GuidCount
/// 4     4     guid[n]    Guids
/// +     +     wz         BinaryPath
/// </code>
/// </remarks>
public readonly ref struct ProviderBinaryPathRecord : IKernelRecord<ProviderBinaryPathRecord>
{
    private readonly RecordPayload _payload;

    private ProviderBinaryPathRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>How many GUIDs are there; never more than the payload holds.</summary>
    public int GuidCount => _payload.CountAt(_payload.UInt32(0), 4, 16);

    /// <summary>Path of the binary, UTF-16.</summary>
    public ReadOnlySpan<byte> BinaryPath => _payload.Utf16(4 + (16 * GuidCount), out _);

    /// <summary>One of the GUIDs.</summary>
    /// <param name="index">0 to <see cref="GuidCount"/> - 1.</param>
    public Guid ProviderGuid(int index) => _payload.Guid(4 + (16 * index));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ProviderBinaryPathRecord record)
    {
        record = new ProviderBinaryPathRecord(in traceEvent);
        return record._payload.Length >= 4;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.BeginArray("Guids");
        for (int i = 0; i < GuidCount; i++)
        {
            fields.Field("", FieldValue.Guid(_payload.Slice(4 + (16 * i), 16)));
        }

        fields.EndArray();
        fields.Field("BinaryPath", FieldValue.Utf16Text(BinaryPath));
    }
}
