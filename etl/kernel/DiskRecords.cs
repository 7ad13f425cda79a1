using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A disk request was sent. Version 2 lacks the thread.</summary>
/// <remarks>
/// Hooks 0x010C read, 0x010D write, 0x010F flush. Source: kernel-events 10; status V (version 3), S (version 2).
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Irp
/// 8     4     u32        IssuingThreadId (version 3 on)
/// </code>
/// </remarks>
public readonly ref struct DiskInitRecord : IKernelRecord<DiskInitRecord>
{
    private readonly RecordPayload _payload;
    private readonly int _version;

    private DiskInitRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _version = traceEvent.Version;
    }

    /// <summary>I/O request packet.</summary>
    public ulong Irp => _payload.Pointer(0);

    /// <summary>Thread that issued the request.</summary>
    public uint? IssuingThreadId => _version >= 3 ? _payload.UInt32(_payload.At(8, 4)) : null;

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out DiskInitRecord record)
    {
        record = new DiskInitRecord(in traceEvent);
        return record._payload.Length >= record._version switch
        {
            >= 3 => record._payload.At(12, 8),
            _ => record._payload.At(8, 4),
        };
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Irp", FieldValue.Pointer(Irp));

        if (_version >= 3)
        {
            fields.Field("IssuingThreadId", FieldValue.Unsigned(IssuingThreadId.GetValueOrDefault()));
        }
    }
}

/// <summary>A flush of a disk was completed.</summary>
/// <remarks>
/// Hook 0x010E. Source: kernel-events 10; status V (versions 2 and 3), S (before).
/// <code>
/// @8    @4    type       field
/// 0     0     u32        DiskNumber
/// 4     4     u32        IrpFlags
/// 8     8     u64        HighResResponseTime
/// 16    16    ptr        Irp
/// 24    20    u32        IssuingThreadId (version 3 on)
/// </code>
/// </remarks>
public readonly ref struct DiskFlushRecord : IKernelRecord<DiskFlushRecord>
{
    private readonly RecordPayload _payload;
    private readonly int _version;

    private DiskFlushRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _version = traceEvent.Version;
    }

    /// <summary>Number of the disk.</summary>
    public uint DiskNumber => _payload.UInt32(0);

    /// <summary>Flags of the I/O request packet.</summary>
    public uint IrpFlags => _payload.UInt32(4);

    /// <summary>Time from issue to completion, in ticks of the performance counter.</summary>
    public ulong HighResResponseTime => _payload.UInt64(8);

    /// <summary>I/O request packet.</summary>
    public ulong Irp => _payload.Pointer(16);

    /// <summary>Thread that issued the request.</summary>
    public uint? IssuingThreadId => _version >= 3 ? _payload.UInt32(_payload.At(24, 20)) : null;

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out DiskFlushRecord record)
    {
        record = new DiskFlushRecord(in traceEvent);
        return record._payload.Length >= record._version switch
        {
            >= 3 => record._payload.At(28, 24),
            _ => record._payload.At(24, 20),
        };
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("DiskNumber", FieldValue.Unsigned(DiskNumber));
        fields.Field("IrpFlags", FieldValue.Hexadecimal(IrpFlags));
        fields.Field("HighResResponseTime", FieldValue.Unsigned(HighResResponseTime));
        fields.Field("Irp", FieldValue.Pointer(Irp));

        if (_version >= 3)
        {
            fields.Field("IssuingThreadId", FieldValue.Unsigned(IssuingThreadId.GetValueOrDefault()));
        }
    }
}

/// <summary>A driver's dispatch routine is called.</summary>
/// <remarks>
/// Hook 0x0122. The fields are packed. Source: kernel-events 10; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        MajorFunction
/// 4     4     u32        MinorFunction
/// 8     8     ptr        Routine
/// 16    12    ptr        FileObject
/// 24    16    ptr        Irp
/// 32    20    u32        UniqMatchId
/// </code>
/// </remarks>
public readonly ref struct DriverCallRecord : IKernelRecord<DriverCallRecord>
{
    private readonly RecordPayload _payload;

    private DriverCallRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>What is asked for.</summary>
    public IrpMajorFunction MajorFunction => (IrpMajorFunction)_payload.UInt32(0);

    /// <summary>Which kind of it.</summary>
    public uint MinorFunction => _payload.UInt32(4);

    /// <summary>Address of the dispatch routine.</summary>
    public ulong Routine => _payload.Pointer(8);

    /// <summary>File object.</summary>
    public ulong FileObject => _payload.Pointer(_payload.At(16, 12));

    /// <summary>I/O request packet.</summary>
    public ulong Irp => _payload.Pointer(_payload.At(24, 16));

    /// <summary>Number that joins the records of one call.</summary>
    public uint UniqMatchId => _payload.UInt32(_payload.At(32, 20));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out DriverCallRecord record)
    {
        record = new DriverCallRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(36, 24);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("MajorFunction", NamedNumber<IrpMajorFunction>.Of((ulong)MajorFunction));
        fields.Field("MinorFunction", FieldValue.Unsigned(MinorFunction));
        fields.Field("Routine", FieldValue.CodePointer(Routine));
        fields.Field("FileObject", FieldValue.Pointer(FileObject));
        fields.Field("Irp", FieldValue.Pointer(Irp));
        fields.Field("UniqMatchId", FieldValue.Unsigned(UniqMatchId));
    }
}

/// <summary>A driver call, or the completion of a request, returned.</summary>
/// <remarks>
/// Hooks 0x0123 dispatch routine, 0x0135 completion of a request. Source: kernel-events 10; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Irp
/// 8     4     u32        UniqMatchId
/// </code>
/// </remarks>
public readonly ref struct DriverReturnRecord : IKernelRecord<DriverReturnRecord>
{
    private readonly RecordPayload _payload;

    private DriverReturnRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>I/O request packet.</summary>
    public ulong Irp => _payload.Pointer(0);

    /// <summary>Number that joins the records of one call.</summary>
    public uint UniqMatchId => _payload.UInt32(_payload.At(8, 4));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out DriverReturnRecord record)
    {
        record = new DriverReturnRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(12, 8);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Irp", FieldValue.Pointer(Irp));
        fields.Field("UniqMatchId", FieldValue.Unsigned(UniqMatchId));
    }
}

/// <summary>A completion routine is called, or a driver completes a request.</summary>
/// <remarks>
/// Hooks 0x0125 completion routine, 0x0134 complete request. Source: kernel-events 10; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Routine
/// 8     4     ptr        Irp
/// 16    8     u32        UniqMatchId
/// </code>
/// </remarks>
public readonly ref struct DriverCompletionRecord : IKernelRecord<DriverCompletionRecord>
{
    private readonly RecordPayload _payload;

    private DriverCompletionRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address of the completion routine, or of the code that completes.</summary>
    public ulong Routine => _payload.Pointer(0);

    /// <summary>I/O request packet.</summary>
    public ulong Irp => _payload.Pointer(_payload.At(8, 4));

    /// <summary>Number that joins the records of one call.</summary>
    public uint UniqMatchId => _payload.UInt32(_payload.At(16, 8));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out DriverCompletionRecord record)
    {
        record = new DriverCompletionRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(20, 12);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Routine", FieldValue.CodePointer(Routine));
        fields.Field("Irp", FieldValue.Pointer(Irp));
        fields.Field("UniqMatchId", FieldValue.Unsigned(UniqMatchId));
    }
}
