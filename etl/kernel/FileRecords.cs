using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>Name of a file object or file key.</summary>
/// <remarks>
/// Hooks 0x0400 name, 0x0420 create, 0x0423 delete, 0x0424 rundown. Source: kernel-events 10; status V (0x0400 S).
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        FileObject
/// 8     4     wz         FileName
/// </code>
/// </remarks>
public readonly ref struct FileNameRecord : IKernelRecord<FileNameRecord>
{
    private readonly RecordPayload _payload;

    private FileNameRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>File object or file key.</summary>
    public ulong FileObject => _payload.Pointer(0);

    /// <summary>Name as an NT path, UTF-16.</summary>
    public ReadOnlySpan<byte> FileName => _payload.Utf16(_payload.At(8, 4), out _);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out FileNameRecord record)
    {
        record = new FileNameRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(8, 4);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("FileObject", FieldValue.Pointer(FileObject));
        fields.Field("FileName", FieldValue.Utf16Text(FileName));
    }
}

/// <summary>A file operation ended.</summary>
/// <remarks>
/// Hook 0x044C. Source: kernel-events 10; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Irp
/// 8     4     ptr        ExtraInfo
/// 16    8     u32        NtStatus
/// </code>
/// </remarks>
public readonly ref struct FileOperationEndRecord : IKernelRecord<FileOperationEndRecord>
{
    private readonly RecordPayload _payload;

    private FileOperationEndRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>I/O request packet.</summary>
    public ulong Irp => _payload.Pointer(0);

    /// <summary>What the operation returned besides its status.</summary>
    public ulong ExtraInfo => _payload.Pointer(_payload.At(8, 4));

    /// <summary>Status of the operation.</summary>
    public uint NtStatus => _payload.UInt32(_payload.At(16, 8));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out FileOperationEndRecord record)
    {
        record = new FileOperationEndRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(20, 12);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Irp", FieldValue.Pointer(Irp));
        fields.Field("ExtraInfo", FieldValue.Hexadecimal(ExtraInfo));
        fields.Field("NtStatus", FieldValue.Hexadecimal(NtStatus));
    }
}
