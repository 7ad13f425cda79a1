using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A file is opened or created.</summary>
/// <remarks>
/// Hook 0x0440. Source: kernel-events 10; status S.
/// <code>
/// version 2                        version 3
/// @8    @4    type  field          @8    @4    type  field
/// 0     0     ptr   Irp            0     0     ptr   Irp
/// 8     4     ptr   Thread         8     4     ptr   FileObject
/// 16    8     ptr   FileObject     16    8     u32   ThreadId
/// 24    12    u32   Options        20    12    u32   Options
/// 28    16    u32   Attributes     24    16    u32   Attributes
/// 32    20    u32   Share          28    20    u32   Share
/// 36    24    wz    OpenPath       32    24    wz    OpenPath
/// </code>
/// </remarks>
public readonly ref struct FileCreateRecord : IKernelRecord<FileCreateRecord>
{
    private readonly RecordPayload _payload;
    private readonly bool _hasThreadId;
    private readonly int _options;

    private FileCreateRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _hasThreadId = traceEvent.Version >= 3;
        _options = _hasThreadId ? _payload.At(20, 12) : _payload.At(24, 12);
    }

    /// <summary>I/O request packet.</summary>
    public ulong Irp => _payload.Pointer(0);

    /// <summary>Thread as a pointer; null from version 3 on.</summary>
    public ulong? Thread => _hasThreadId ? null : _payload.Pointer(_payload.PointerBytes);

    /// <summary>File object.</summary>
    public ulong FileObject => _payload.Pointer(_payload.PointerBytes * (_hasThreadId ? 1 : 2));

    /// <summary>Thread that opens it; null before version 3.</summary>
    public uint? ThreadId => _hasThreadId ? _payload.UInt32(_payload.At(16, 8)) : null;

    /// <summary>Disposition and options.</summary>
    public uint Options => _payload.UInt32(_options);

    /// <summary>File attributes.</summary>
    public uint Attributes => _payload.UInt32(_options + 4);

    /// <summary>What others may do with the file meanwhile.</summary>
    public uint Share => _payload.UInt32(_options + 8);

    /// <summary>Path as it was given, UTF-16.</summary>
    public ReadOnlySpan<byte> OpenPath => _payload.Utf16(_options + 12, out _);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out FileCreateRecord record)
    {
        record = new FileCreateRecord(in traceEvent);
        return record._payload.Length >= record._options + 12;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Irp", FieldValue.Pointer(Irp));
        if (Thread is ulong thread)
        {
            fields.Field("Thread", FieldValue.Pointer(thread));
        }

        fields.Field("FileObject", FieldValue.Pointer(FileObject));
        if (ThreadId is uint threadId)
        {
            fields.Field("ThreadId", FieldValue.Unsigned(threadId));
        }

        fields.Field("Options", FieldValue.Hexadecimal(Options));
        fields.Field("Attributes", FieldValue.Hexadecimal(Attributes));
        fields.Field("Share", FieldValue.Hexadecimal(Share));
        fields.Field("OpenPath", FieldValue.Utf16Text(OpenPath));
    }
}

/// <summary>A file is read or written.</summary>
/// <remarks>
/// Hooks 0x0443 read, 0x0444 write. Source: kernel-events 10; status S.
/// <code>
/// version 2                        version 3
/// @8    @4    type  field          @8    @4    type  field
/// 0     0     u64   Offset         0     0     u64   Offset
/// 8     8     ptr   Irp            8     8     ptr   Irp
/// 16    12    ptr   Thread         16    12    ptr   FileObject
/// 24    16    ptr   FileObject     24    16    ptr   FileKey
/// 32    20    ptr   FileKey        32    20    u32   ThreadId
/// 40    24    u32   IoSize         36    24    u32   IoSize
/// 44    28    u32   IoFlags        40    28    u32   IoFlags
/// </code>
/// </remarks>
public readonly ref struct FileTransferRecord : IKernelRecord<FileTransferRecord>
{
    private readonly RecordPayload _payload;
    private readonly bool _hasThreadId;

    private FileTransferRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _hasThreadId = traceEvent.Version >= 3;
    }

    /// <summary>Where in the file, in bytes.</summary>
    public ulong Offset => _payload.UInt64(0);

    /// <summary>I/O request packet.</summary>
    public ulong Irp => _payload.Pointer(8);

    /// <summary>Thread as a pointer; null from version 3 on.</summary>
    public ulong? Thread => _hasThreadId ? null : _payload.Pointer(8 + _payload.PointerBytes);

    /// <summary>File object.</summary>
    public ulong FileObject => _payload.Pointer(_hasThreadId ? _payload.At(16, 12) : _payload.At(24, 16));

    /// <summary>Key of the file, the same for all its file objects.</summary>
    public ulong FileKey => _payload.Pointer(_hasThreadId ? _payload.At(24, 16) : _payload.At(32, 20));

    /// <summary>Thread that reads or writes; null before version 3.</summary>
    public uint? ThreadId => _hasThreadId ? _payload.UInt32(_payload.At(32, 20)) : null;

    /// <summary>Bytes asked for.</summary>
    public uint IoSize => _payload.UInt32(IoSizeOffset);

    /// <summary>Flags of the request.</summary>
    public uint IoFlags => _payload.UInt32(IoSizeOffset + 4);

    private int IoSizeOffset => _hasThreadId ? _payload.At(36, 24) : _payload.At(40, 24);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out FileTransferRecord record)
    {
        record = new FileTransferRecord(in traceEvent);
        return record._payload.Length >= record.IoSizeOffset + 8;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Offset", FieldValue.Unsigned(Offset));
        fields.Field("Irp", FieldValue.Pointer(Irp));
        if (Thread is ulong thread)
        {
            fields.Field("Thread", FieldValue.Pointer(thread));
        }

        fields.Field("FileObject", FieldValue.Pointer(FileObject));
        fields.Field("FileKey", FieldValue.Pointer(FileKey));
        if (ThreadId is uint threadId)
        {
            fields.Field("ThreadId", FieldValue.Unsigned(threadId));
        }

        fields.Field("IoSize", FieldValue.Unsigned(IoSize));
        fields.Field("IoFlags", FieldValue.Hexadecimal(IoFlags));
    }
}

/// <summary>A filter driver's callback is called before or after a file operation, or failed.</summary>
/// <remarks>
/// Hooks 0x0460 before, 0x0461 after, 0x0464 and 0x0465 their failures. Source: kernel-events 10; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Routine
/// 8     4     ptr        FileObject
/// 16    8     ptr        FileContext
/// 24    12    ptr        Irp
/// 32    16    ptr        CallbackData
/// 40    20    u32        MajorFunction
/// 44    24    u32        Status (failures only)
/// </code>
/// </remarks>
public readonly ref struct MinifilterRecord : IKernelRecord<MinifilterRecord>
{
    private const byte PreOperationFailure = 0x64;
    private const byte PostOperationFailure = 0x65;

    private readonly RecordPayload _payload;
    private readonly bool _isFailure;

    private MinifilterRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _isFailure = traceEvent.Opcode is PreOperationFailure or PostOperationFailure;
    }

    /// <summary>Address of the callback.</summary>
    public ulong Routine => _payload.Pointer(0);

    /// <summary>File object.</summary>
    public ulong FileObject => _payload.Pointer(_payload.At(8, 4));

    /// <summary>Context of the file in its file system.</summary>
    public ulong FileContext => _payload.Pointer(_payload.At(16, 8));

    /// <summary>I/O request packet.</summary>
    public ulong Irp => _payload.Pointer(_payload.At(24, 12));

    /// <summary>What the callback is called with.</summary>
    public ulong CallbackData => _payload.Pointer(_payload.At(32, 16));

    /// <summary>What is asked of the file; the filter manager has functions of its own above the known ones.</summary>
    public IrpMajorFunction MajorFunction => (IrpMajorFunction)_payload.UInt32(_payload.At(40, 20));

    /// <summary>Why the callback failed; null for other records.</summary>
    public uint? Status => _isFailure ? _payload.UInt32(_payload.At(44, 24)) : null;

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out MinifilterRecord record)
    {
        record = new MinifilterRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(44, 24) + (record._isFailure ? 4 : 0);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Routine", FieldValue.CodePointer(Routine));
        fields.Field("FileObject", FieldValue.Pointer(FileObject));
        fields.Field("FileContext", FieldValue.Pointer(FileContext));
        fields.Field("Irp", FieldValue.Pointer(Irp));
        fields.Field("CallbackData", FieldValue.Pointer(CallbackData));
        fields.Field("MajorFunction", NamedNumber<IrpMajorFunction>.Of((ulong)MajorFunction));
        if (Status is uint status)
        {
            fields.Field("Status", FieldValue.Hexadecimal(status));
        }
    }
}
