using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>
/// Which virtual machine or container the trace was taken in; all zero outside one. Its offset aligns the clocks of guest and host.
/// </summary>
/// <remarks>
/// Hook 0x0050. Its length and its zeros were seen in real files, the names in bytes that the unit tests of snail-server print.
/// <code>
/// @8    @4    type       field
/// 0     0     u16        EventVersion
/// 2     2     u8[2]      reserved
/// 4     4     u32        PartitionType
/// 8     8     i64        QpcOffsetFromRoot
/// 16    16    guid       PartitionId
/// 32    32    guid       ParentId
/// </code>
/// </remarks>
public readonly ref struct PartitionInfoRecord : IKernelRecord<PartitionInfoRecord>
{
    private readonly RecordPayload _payload;

    private PartitionInfoRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Version of the record itself.</summary>
    public ushort EventVersion => _payload.UInt16(0);

    /// <summary>Kind of partition.</summary>
    public uint PartitionType => _payload.UInt32(4);

    /// <summary>Performance counter of this partition against that of the root, in ticks.</summary>
    public long QpcOffsetFromRoot => _payload.Int64(8);

    /// <summary>The partition.</summary>
    public Guid PartitionId => _payload.Guid(16);

    /// <summary>The partition that contains it.</summary>
    public Guid ParentId => _payload.Guid(32);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out PartitionInfoRecord record)
    {
        record = new PartitionInfoRecord(in traceEvent);
        return record._payload.Length >= 48;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("EventVersion", FieldValue.Unsigned(EventVersion));
        fields.Field("PartitionType", FieldValue.Unsigned(PartitionType));
        fields.Field("QpcOffsetFromRoot", FieldValue.Signed(QpcOffsetFromRoot));
        fields.Field("PartitionId", FieldValue.Guid(_payload.Slice(16, 16)));
        fields.Field("ParentId", FieldValue.Guid(_payload.Slice(32, 16)));
    }
}
