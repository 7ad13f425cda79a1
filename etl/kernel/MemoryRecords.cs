using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>
/// A page was read from a file because it was touched. The event's time stamp is the end, <see cref="InitialTime"/> the start, in ticks of
/// the trace's clock.
/// </summary>
/// <remarks>
/// Hook 0x0220. Source: PERFINFO_HARDPAGEFAULT_INFORMATION of ntwmi.h, MOF PageFault_HardFault, real files.
/// <code>
/// @8    @4    type       field
/// 0     0     i64        InitialTime
/// 8     8     u64        ReadOffset
/// 16    16    ptr        VirtualAddress
/// 24    20    ptr        FileObject
/// 32    24    u32        ThreadId
/// 36    28    u32        ByteCount
/// </code>
/// </remarks>
public readonly ref struct HardFaultRecord : IKernelRecord<HardFaultRecord>
{
    private readonly RecordPayload _payload;

    private HardFaultRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>When the fault began, in ticks of the trace's clock.</summary>
    public long InitialTime => _payload.Int64(0);

    /// <summary>Where it was read in the file, in bytes.</summary>
    public ulong ReadOffset => _payload.UInt64(8);

    /// <summary>Address that was touched.</summary>
    public ulong VirtualAddress => _payload.Pointer(16);

    /// <summary>File object.</summary>
    public ulong FileObject => _payload.Pointer(_payload.At(24, 20));

    /// <summary>Thread that waited.</summary>
    public uint ThreadId => _payload.UInt32(_payload.At(32, 24));

    /// <summary>Bytes read.</summary>
    public uint ByteCount => _payload.UInt32(_payload.At(36, 28));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out HardFaultRecord record)
    {
        record = new HardFaultRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(40, 32);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("InitialTime", FieldValue.Ticks(InitialTime));
        fields.Field("ReadOffset", FieldValue.Unsigned(ReadOffset));
        fields.Field("VirtualAddress", FieldValue.Pointer(VirtualAddress));
        fields.Field("FileObject", FieldValue.Pointer(FileObject));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("ByteCount", FieldValue.Unsigned(ByteCount));
    }
}
