using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>Which Windows was traced; added when a trace is merged.</summary>
/// <remarks>
/// Class 9b79ee91-b5fd-41c0-a243-4248e266e9d0, opcode 32. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     i64        InstallDate
/// 8     8     wz         BuildLab
/// +     +     wz         ProductName
/// </code>
/// </remarks>
public readonly ref struct SystemBuildRecord : IKernelRecord<SystemBuildRecord>
{
    private readonly RecordPayload _payload;

    private SystemBuildRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>When it was installed: FILETIME, 100 ns since 1601, UTC.</summary>
    public long InstallDate => _payload.Int64(0);

    /// <summary>Branch, build number and date, UTF-16.</summary>
    public ReadOnlySpan<byte> BuildLab => _payload.Utf16(8, out _);

    /// <summary>Edition, UTF-16.</summary>
    public ReadOnlySpan<byte> ProductName => _payload.Utf16Nth(8, 1);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out SystemBuildRecord record)
    {
        record = new SystemBuildRecord(in traceEvent);
        return record._payload.Length >= 8;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("InstallDate", FieldValue.FileTime(InstallDate));
        fields.Field("BuildLab", FieldValue.Utf16Text(BuildLab));
        fields.Field("ProductName", FieldValue.Utf16Text(ProductName));
    }
}

/// <summary>Directories of the system.</summary>
/// <remarks>
/// Class 9b79ee91-b5fd-41c0-a243-4248e266e9d0, opcode 33. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     wz         SystemDirectory
/// +     +     wz         SystemWindowsDirectory
/// </code>
/// </remarks>
public readonly ref struct SystemPathsRecord : IKernelRecord<SystemPathsRecord>
{
    private readonly RecordPayload _payload;

    private SystemPathsRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>System directory, UTF-16.</summary>
    public ReadOnlySpan<byte> SystemDirectory => _payload.Utf16(0, out _);

    /// <summary>Windows directory, UTF-16.</summary>
    public ReadOnlySpan<byte> SystemWindowsDirectory => _payload.Utf16Nth(0, 1);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out SystemPathsRecord record)
    {
        record = new SystemPathsRecord(in traceEvent);
        return true;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("SystemDirectory", FieldValue.Utf16Text(SystemDirectory));
        fields.Field("SystemWindowsDirectory", FieldValue.Utf16Text(SystemWindowsDirectory));
    }
}

/// <summary>A volume without a drive letter.</summary>
/// <remarks>
/// Class 9b79ee91-b5fd-41c0-a243-4248e266e9d0, opcode 34. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     wz         VolumePath
/// </code>
/// </remarks>
public readonly ref struct UnmappedVolumeRecord : IKernelRecord<UnmappedVolumeRecord>
{
    private readonly RecordPayload _payload;

    private UnmappedVolumeRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Its NT path, UTF-16.</summary>
    public ReadOnlySpan<byte> VolumePath => _payload.Utf16(0, out _);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out UnmappedVolumeRecord record)
    {
        record = new UnmappedVolumeRecord(in traceEvent);
        return true;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("VolumePath", FieldValue.Utf16Text(VolumePath));
    }
}

/// <summary>How the start of an NT path is written for people; the longest match wins.</summary>
/// <remarks>
/// Class 9b79ee91-b5fd-41c0-a243-4248e266e9d0, opcode 35. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     wz         NtPath
/// +     +     wz         DosPath
/// </code>
/// </remarks>
public readonly ref struct VolumeMappingRecord : IKernelRecord<VolumeMappingRecord>
{
    private readonly RecordPayload _payload;

    private VolumeMappingRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Start of NT paths, UTF-16.</summary>
    public ReadOnlySpan<byte> NtPath => _payload.Utf16(0, out _);

    /// <summary>What replaces it, UTF-16; may be empty.</summary>
    public ReadOnlySpan<byte> DosPath => _payload.Utf16Nth(0, 1);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out VolumeMappingRecord record)
    {
        record = new VolumeMappingRecord(in traceEvent);
        return true;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("NtPath", FieldValue.Utf16Text(NtPath));
        fields.Field("DosPath", FieldValue.Utf16Text(DosPath));
    }
}
