using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A read from or write to a disk was completed.</summary>
/// <remarks>
/// Hooks 0x010A read, 0x010B write. Source: kernel-events 10; status V (versions 2 and 3), S (rest).
/// <code>
/// @8    @4    type       field
/// 0     0     u32        DiskNumber
/// 4     4     u32        IrpFlags
/// 8     8     u32        TransferSize
/// 12    12    u32        ResponseTime
/// 16    16    u64        ByteOffset
/// 24    24    ptr        FileObject
/// 32    28    ptr        Irp (version 2 on)
/// 40    32    u64        HighResResponseTime (version 1: where Irp is later)
/// 48    40    u32        IssuingThreadId (version 3 on)
/// </code>
/// </remarks>
public readonly ref struct DiskTransferRecord : IKernelRecord<DiskTransferRecord>
{
    private readonly RecordPayload _payload;
    private readonly int _version;

    private DiskTransferRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _version = traceEvent.Version;
    }

    /// <summary>Number of the disk.</summary>
    public uint DiskNumber => _payload.UInt32(0);

    /// <summary>Flags of the I/O request packet.</summary>
    public uint IrpFlags => _payload.UInt32(4);

    /// <summary>Bytes transferred.</summary>
    public uint TransferSize => _payload.UInt32(8);

    /// <summary>Response time as older systems give it; newer ones leave it. Its unit is not public.</summary>
    public uint ResponseTime => _payload.UInt32(12);

    /// <summary>Where on the disk, in bytes.</summary>
    public ulong ByteOffset => _payload.UInt64(16);

    /// <summary>File object.</summary>
    public ulong FileObject => _payload.Pointer(24);

    /// <summary>I/O request packet; null before version 2.</summary>
    public ulong? Irp => _version >= 2 ? _payload.Pointer(_payload.At(32, 28)) : null;

    /// <summary>Time from issue to completion, in ticks of the performance counter; null in version 0.</summary>
    public ulong? HighResResponseTime => _version switch
    {
        0 => null,
        1 => _payload.UInt64(_payload.At(32, 28)),
        _ => _payload.UInt64(_payload.At(40, 32)),
    };

    /// <summary>Thread that issued the request; null before version 3.</summary>
    public uint? IssuingThreadId => _version >= 3 ? _payload.UInt32(_payload.At(48, 40)) : null;

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out DiskTransferRecord record)
    {
        record = new DiskTransferRecord(in traceEvent);
        RecordPayload payload = record._payload;
        return payload.Length >= record._version switch
        {
            0 => payload.At(32, 28),
            1 => payload.At(40, 36),
            2 => payload.At(48, 40),
            _ => payload.At(52, 44),
        };
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("DiskNumber", FieldValue.Unsigned(DiskNumber));
        fields.Field("IrpFlags", FieldValue.Hexadecimal(IrpFlags));
        fields.Field("TransferSize", FieldValue.Unsigned(TransferSize));
        fields.Field("ResponseTime", FieldValue.Unsigned(ResponseTime));
        fields.Field("ByteOffset", FieldValue.Unsigned(ByteOffset));
        fields.Field("FileObject", FieldValue.Pointer(FileObject));
        if (Irp is ulong irp)
        {
            fields.Field("Irp", FieldValue.Pointer(irp));
        }

        if (HighResResponseTime is ulong responseTime)
        {
            fields.Field("HighResResponseTime", FieldValue.Unsigned(responseTime));
        }

        if (IssuingThreadId is uint threadId)
        {
            fields.Field("IssuingThreadId", FieldValue.Unsigned(threadId));
        }
    }
}
