using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>Names the symbol file of the binary that logs: PDB signature, age and file name.</summary>
/// <remarks>
/// Hook 0x0040. Source: kernel-events 12; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     guid       PdbGuid
/// 16    16    u32        Age
/// 20    20    az         PdbName
/// </code>
/// </remarks>
public readonly ref struct PdbIdRecord : IKernelRecord<PdbIdRecord>
{
    private readonly RecordPayload _payload;

    private PdbIdRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Signature of the PDB.</summary>
    public Guid PdbGuid => _payload.Guid(0);

    /// <summary>Age of the symbol file: counts how often it was written.</summary>
    public uint Age => _payload.UInt32(16);

    /// <summary>File name of the PDB, 8-bit.</summary>
    public ReadOnlySpan<byte> PdbName => _payload.Text8(20, out _);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out PdbIdRecord record)
    {
        record = new PdbIdRecord(in traceEvent);
        return record._payload.Length >= 20;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("PdbGuid", FieldValue.Guid(_payload.Slice(0, 16)));
        fields.Field("Age", FieldValue.Unsigned(Age));
        fields.Field("PdbName", FieldValue.Text8(PdbName));
    }
}

/// <summary>The build laboratory string of the logging system.</summary>
/// <remarks>
/// Hook 0x0042. Source: kernel-events 12; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     az         BuildLab
/// </code>
/// </remarks>
public readonly ref struct BuildInfoRecord : IKernelRecord<BuildInfoRecord>
{
    private readonly RecordPayload _payload;

    private BuildInfoRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Branch, build number and date, 8-bit.</summary>
    public ReadOnlySpan<byte> BuildLab => _payload.Text8(0, out _);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out BuildInfoRecord record)
    {
        record = new BuildInfoRecord(in traceEvent);
        return true;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("BuildLab", FieldValue.Text8(BuildLab));
    }
}

/// <summary>
/// Which virtual machine or container the trace was taken in; all zero outside one. Its offset aligns the clocks of guest and host.
/// </summary>
/// <remarks>
/// Hook 0x0050. Source: kernel-events 12; status V for length and zeros, B for names.
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

    private PartitionInfoRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

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

/// <summary>
/// A record without a public name: 168 bytes, of which the first four hold the number of processors in the one file that has it.
/// </summary>
/// <remarks>
/// Hook 0x0052. Source: kernel-events 12; status unknown.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        NumberOfProcessors
/// </code>
/// </remarks>
public readonly ref struct ProcessorCountRecord : IKernelRecord<ProcessorCountRecord>
{
    private readonly RecordPayload _payload;

    private ProcessorCountRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Number of processors.</summary>
    public uint NumberOfProcessors => _payload.UInt32(0);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ProcessorCountRecord record)
    {
        record = new ProcessorCountRecord(in traceEvent);
        return record._payload.Length >= 4;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("NumberOfProcessors", FieldValue.Unsigned(NumberOfProcessors));
    }
}
