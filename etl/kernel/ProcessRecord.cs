using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A process began or ended, or was there when the trace began or ended.</summary>
/// <remarks>
/// Hooks 0x0301 start, 0x0302 end, 0x0303 and 0x0304 rundown, 0x0327 defunct. Source: WMI_PROCESS_INFORMATION of
/// ntwmi.h, MOF Process_TypeGroup1; versions 3 to 5 were confirmed on real files.
/// <code>
/// @8    @4    type       field (versions 1 on)
/// 0     0     ptr        UniqueProcessKey (version 1: PageDirectoryBase)
/// 8     4     u32        ProcessId
/// 12    8     u32        ParentId
/// 16    12    u32        SessionId
/// 20    16    i32        ExitStatus
/// 24    20    ptr        DirectoryTableBase (version 3 on)
/// 32    24    u32        Flags (version 4 on)
/// +     +     SID        see TokenUserSid
/// +     +     az         ImageFileName
/// +     +     wz         CommandLine (version 2 on)
/// +     +     wz, wz     PackageFullName, ApplicationId (version 4 on)
/// +     +     u64        ExitTime (version 5)
/// </code>
/// Version 0: ProcessId ptr, ParentId ptr, SID, ImageFileName.
/// </remarks>
public readonly ref struct ProcessRecord : IKernelRecord<ProcessRecord>
{
    private readonly RecordPayload _payload;
    private readonly int _version;
    private readonly int _sidOffset;

    private ProcessRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _version = traceEvent.Version;
        _sidOffset = _version switch
        {
            0 => _payload.At(16, 8),
            1 or 2 => _payload.At(24, 20),
            3 => _payload.At(32, 24),
            _ => _payload.At(36, 28),
        };
    }

    /// <summary>Identity that is not used twice; null before version 2.</summary>
    public ulong? UniqueProcessKey => _version >= 2 ? _payload.Pointer(0) : null;

    /// <summary>Physical address of the page tables; version 1 only.</summary>
    public ulong? PageDirectoryBase => _version == 1 ? _payload.Pointer(0) : null;

    /// <summary>The process.</summary>
    public uint ProcessId => _version == 0 ? (uint)_payload.Pointer(0) : _payload.UInt32(_payload.PointerBytes);

    /// <summary>The process that made it.</summary>
    public uint ParentId => _version == 0 ? (uint)_payload.Pointer(_payload.PointerBytes) : _payload.UInt32(_payload.At(12, 8));

    /// <summary>Terminal session; null in version 0.</summary>
    public uint? SessionId => _version >= 1 ? _payload.UInt32(_payload.At(16, 12)) : null;

    /// <summary>Exit code; 0x103 while it lives; null in version 0.</summary>
    public int? ExitStatus => _version >= 1 ? _payload.Int32(_payload.At(20, 16)) : null;

    /// <summary>Physical address of the page tables; null before version 3.</summary>
    public ulong? DirectoryTableBase => _version >= 3 ? _payload.Pointer(_payload.At(24, 20)) : null;

    /// <summary>1: has an application id; 2: 32-bit on a 64-bit system; 4: protected; 8: packaged; null before version 4.</summary>
    public uint? Flags => _version >= 4 ? _payload.UInt32(_payload.At(32, 24)) : null;

    /// <summary>Security identifier of its user; empty where there is none.</summary>
    public ReadOnlySpan<byte> Sid => TokenUserSid.Find(_payload, _sidOffset, out _);

    /// <summary>File name of its image, 8-bit; long names are cut.</summary>
    public ReadOnlySpan<byte> ImageFileName => _payload.Text8(ImageFileNameOffset, out _);

    /// <summary>Command line, UTF-16; empty before version 2.</summary>
    public ReadOnlySpan<byte> CommandLine => _version >= 2 ? _payload.Utf16(TextsOffset, out _) : default;

    /// <summary>Full name of its package, UTF-16; empty before version 4.</summary>
    public ReadOnlySpan<byte> PackageFullName => _version >= 4 ? _payload.Utf16Nth(TextsOffset, 1) : default;

    /// <summary>Application id in its package, UTF-16; empty before version 4.</summary>
    public ReadOnlySpan<byte> ApplicationId => _version >= 4 ? _payload.Utf16Nth(TextsOffset, 2) : default;

    /// <summary>When it ended: FILETIME, 100 ns since 1601, UTC; null before version 5.</summary>
    public long? ExitTime =>
        _version >= 5 && _payload.Utf16End(TextsOffset, 3) is int offset && offset + 8 <= _payload.Length ? _payload.Int64(offset) : null;

    private int ImageFileNameOffset
    {
        get
        {
            TokenUserSid.Find(_payload, _sidOffset, out int next);
            return next;
        }
    }

    private int TextsOffset
    {
        get
        {
            _payload.Text8(ImageFileNameOffset, out int next);
            return next;
        }
    }

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ProcessRecord record)
    {
        record = new ProcessRecord(in traceEvent);
        return record._payload.Length >= record._sidOffset + 4;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        if (_version >= 1)
        {
            fields.Field(_version == 1 ? "PageDirectoryBase" : "UniqueProcessKey", FieldValue.Pointer(_payload.Pointer(0)));
        }

        fields.Field("ProcessId", FieldValue.Unsigned(ProcessId));
        fields.Field("ParentId", FieldValue.Unsigned(ParentId));
        if (_version >= 1)
        {
            fields.Field("SessionId", FieldValue.Unsigned(SessionId.GetValueOrDefault()));
            fields.Field("ExitStatus", FieldValue.Signed(ExitStatus.GetValueOrDefault()));
        }

        if (DirectoryTableBase is ulong directoryTableBase)
        {
            fields.Field("DirectoryTableBase", FieldValue.Pointer(directoryTableBase));
        }

        if (Flags is uint flags)
        {
            fields.Field("Flags", FieldValue.Hexadecimal(flags));
        }

        ReadOnlySpan<byte> sid = Sid;
        fields.Field("Sid", sid.IsEmpty ? FieldValue.Null : FieldValue.Sid(sid));
        fields.Field("ImageFileName", FieldValue.Text8(ImageFileName));
        if (_version >= 2)
        {
            fields.Field("CommandLine", FieldValue.Utf16Text(CommandLine));
        }

        if (_version >= 4)
        {
            fields.Field("PackageFullName", FieldValue.Utf16Text(PackageFullName));
            fields.Field("ApplicationId", FieldValue.Utf16Text(ApplicationId));
        }

        if (ExitTime is long exitTime)
        {
            fields.Field("ExitTime", FieldValue.FileTime(exitTime));
        }
    }
}
