using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>Identity of an image, added when a trace is merged: joined to the image event by base, process and time stamp.</summary>
/// <remarks>
/// Class b3e675d7-2554-4f18-830b-2762732560de, opcode 0. Source: TraceEvent's SymbolTraceEventParser, real files.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        ImageBase
/// 8     4     ptr        ImageSize
/// 16    8     u32        ProcessId
/// 20    12    u32        TimeDateStamp
/// 24    16    wz         OriginalFileName
/// </code>
/// </remarks>
public readonly ref struct ImageIdInfoRecord : IKernelRecord<ImageIdInfoRecord>
{
    private readonly RecordPayload _payload;

    private ImageIdInfoRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address at which the image is mapped.</summary>
    public ulong ImageBase => _payload.Pointer(0);

    /// <summary>Size of the mapping in bytes.</summary>
    public ulong ImageSize => _payload.Pointer(_payload.At(8, 4));

    /// <summary>Process it is mapped in; 0 is the kernel.</summary>
    public uint ProcessId => _payload.UInt32(_payload.At(16, 8));

    /// <summary>Time stamp of the image's PE header: seconds since 1970, or a hash for a reproducible build.</summary>
    public uint TimeDateStamp => _payload.UInt32(_payload.At(20, 12));

    /// <summary>File name in the image's version resource, UTF-16.</summary>
    public ReadOnlySpan<byte> OriginalFileName => _payload.Utf16(_payload.At(24, 16), out _);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ImageIdInfoRecord record)
    {
        record = new ImageIdInfoRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(24, 16);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ImageBase", FieldValue.Pointer(ImageBase));
        fields.Field("ImageSize", FieldValue.Unsigned(ImageSize));
        fields.Field("ProcessId", FieldValue.Unsigned(ProcessId));
        fields.Field("TimeDateStamp", FieldValue.Hexadecimal(TimeDateStamp));
        fields.Field("OriginalFileName", FieldValue.Utf16Text(OriginalFileName));
    }
}

/// <summary>
/// Which PDB holds the symbols of an image. The key on a symbol server is the name, the GUID as 32 hexadecimal digits and the age in
/// hexadecimal.
/// </summary>
/// <remarks>
/// Class b3e675d7-2554-4f18-830b-2762732560de, opcodes 36 (RSDS) and 37 (the PDB of a native image). Source:
/// TraceEvent's SymbolTraceEventParser, real files.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        ImageBase
/// 8     4     u32        ProcessId
/// 12    8     guid       PdbGuid
/// 28    24    u32        Age
/// 32    28    az         PdbFileName
/// </code>
/// </remarks>
public readonly ref struct ImageIdPdbRecord : IKernelRecord<ImageIdPdbRecord>
{
    private readonly RecordPayload _payload;

    private ImageIdPdbRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address at which the image is mapped.</summary>
    public ulong ImageBase => _payload.Pointer(0);

    /// <summary>Process it is mapped in; 0 is the kernel.</summary>
    public uint ProcessId => _payload.UInt32(_payload.At(8, 4));

    /// <summary>Signature of the PDB.</summary>
    public Guid PdbGuid => _payload.Guid(_payload.At(12, 8));

    /// <summary>Age of the symbol file: counts how often it was written.</summary>
    public uint Age => _payload.UInt32(_payload.At(28, 24));

    /// <summary>File name of the PDB, UTF-8.</summary>
    public ReadOnlySpan<byte> PdbFileName => _payload.Text8(_payload.At(32, 28), out _);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ImageIdPdbRecord record)
    {
        record = new ImageIdPdbRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(32, 28);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ImageBase", FieldValue.Pointer(ImageBase));
        fields.Field("ProcessId", FieldValue.Unsigned(ProcessId));
        fields.Field("PdbGuid", FieldValue.Guid(_payload.Slice(_payload.At(12, 8), 16)));
        fields.Field("Age", FieldValue.Unsigned(Age));
        fields.Field("PdbFileName", FieldValue.Text8(PdbFileName));
    }
}

/// <summary>The image is a reproducible build: its time stamp is a hash.</summary>
/// <remarks>
/// Class b3e675d7-2554-4f18-830b-2762732560de, opcode 40. Source: TraceEvent's SymbolTraceEventParser, real files.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        ImageBase
/// 8     4     u32        ProcessId
/// </code>
/// </remarks>
public readonly ref struct ImageIdReproducibleRecord : IKernelRecord<ImageIdReproducibleRecord>
{
    private readonly RecordPayload _payload;

    private ImageIdReproducibleRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address at which the image is mapped.</summary>
    public ulong ImageBase => _payload.Pointer(0);

    /// <summary>Process it is mapped in.</summary>
    public uint ProcessId => _payload.UInt32(_payload.At(8, 4));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ImageIdReproducibleRecord record)
    {
        record = new ImageIdReproducibleRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(12, 8);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ImageBase", FieldValue.Pointer(ImageBase));
        fields.Field("ProcessId", FieldValue.Unsigned(ProcessId));
    }
}

/// <summary>Version resource of an image; joined to <see cref="ImageIdInfoRecord"/> by size and time stamp. Texts are UTF-16.</summary>
/// <remarks>
/// Class b3e675d7-2554-4f18-830b-2762732560de, opcode 64. Source: TraceEvent's SymbolTraceEventParser, real files.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ImageSize
/// 4     4     u32        TimeDateStamp
/// 8     8     wz         OrigFileName
/// +     +     wz         FileDescription
/// +     +     wz         FileVersion
/// +     +     wz         BinFileVersion
/// +     +     wz         VerLanguage
/// +     +     wz         ProductName
/// +     +     wz         CompanyName
/// +     +     wz         ProductVersion
/// +     +     wz         FileId
/// +     +     wz         ProgramId
/// </code>
/// </remarks>
public readonly ref struct ImageFileVersionRecord : IKernelRecord<ImageFileVersionRecord>
{
    private readonly RecordPayload _payload;

    private ImageFileVersionRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Size of the mapping in bytes.</summary>
    public uint ImageSize => _payload.UInt32(0);

    /// <summary>Time stamp of the image's PE header: seconds since 1970, or a hash for a reproducible build.</summary>
    public uint TimeDateStamp => _payload.UInt32(4);

    /// <summary>File name when it was built, UTF-16.</summary>
    public ReadOnlySpan<byte> OrigFileName => _payload.Utf16(8, out _);

    /// <summary>What it is, UTF-16.</summary>
    public ReadOnlySpan<byte> FileDescription => _payload.Utf16Nth(8, 1);

    /// <summary>Version as the vendor writes it, UTF-16.</summary>
    public ReadOnlySpan<byte> FileVersion => _payload.Utf16Nth(8, 2);

    /// <summary>Version as four numbers, UTF-16.</summary>
    public ReadOnlySpan<byte> BinFileVersion => _payload.Utf16Nth(8, 3);

    /// <summary>Language of the resource, UTF-16.</summary>
    public ReadOnlySpan<byte> VerLanguage => _payload.Utf16Nth(8, 4);

    /// <summary>Product it belongs to, UTF-16.</summary>
    public ReadOnlySpan<byte> ProductName => _payload.Utf16Nth(8, 5);

    /// <summary>Vendor, UTF-16.</summary>
    public ReadOnlySpan<byte> CompanyName => _payload.Utf16Nth(8, 6);

    /// <summary>Version of the product, UTF-16.</summary>
    public ReadOnlySpan<byte> ProductVersion => _payload.Utf16Nth(8, 7);

    /// <summary>Identity of the file, UTF-16.</summary>
    public ReadOnlySpan<byte> FileId => _payload.Utf16Nth(8, 8);

    /// <summary>Identity of the program, UTF-16.</summary>
    public ReadOnlySpan<byte> ProgramId => _payload.Utf16Nth(8, 9);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ImageFileVersionRecord record)
    {
        record = new ImageFileVersionRecord(in traceEvent);
        return record._payload.Length >= 8;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ImageSize", FieldValue.Unsigned(ImageSize));
        fields.Field("TimeDateStamp", FieldValue.Hexadecimal(TimeDateStamp));
        fields.Field("OrigFileName", FieldValue.Utf16Text(OrigFileName));
        fields.Field("FileDescription", FieldValue.Utf16Text(FileDescription));
        fields.Field("FileVersion", FieldValue.Utf16Text(FileVersion));
        fields.Field("BinFileVersion", FieldValue.Utf16Text(BinFileVersion));
        fields.Field("VerLanguage", FieldValue.Utf16Text(VerLanguage));
        fields.Field("ProductName", FieldValue.Utf16Text(ProductName));
        fields.Field("CompanyName", FieldValue.Utf16Text(CompanyName));
        fields.Field("ProductVersion", FieldValue.Utf16Text(ProductVersion));
        fields.Field("FileId", FieldValue.Utf16Text(FileId));
        fields.Field("ProgramId", FieldValue.Utf16Text(ProgramId));
    }
}
