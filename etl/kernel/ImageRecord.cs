using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>
/// An image was mapped or unmapped, or was there when the trace began or ended. Process 0 is the kernel: its images are drivers.
/// </summary>
/// <remarks>
/// Hooks 0x030A load, 0x1402 unload, 0x1403 and 0x1404 rundown. Source: WMI_IMAGELOAD_INFORMATION of ntwmi.h, MOF
/// Image_Load; versions 2 and 3 were confirmed on real files.
/// <code>
/// @8    @4    type       field (versions 2 on)
/// 0     0     ptr        ImageBase
/// 8     4     ptr        ImageSize
/// 16    8     u32        ProcessId
/// 20    12    u32        ImageChecksum
/// 24    16    u32        TimeDateStamp
/// 28    20    u8, u8     SignatureLevel, SignatureType (version 3), 2 reserved
/// 32    24    ptr        DefaultBase
/// 40    28    u32[4]     reserved
/// 56    44    wz         FileName
/// </code>
/// Version 1: ImageBase ptr, ImageSize ptr, ProcessId u32, FileName wz. Version 0: ImageBase ptr, ImageSize u32, FileName wz.
/// </remarks>
public readonly ref struct ImageRecord : IKernelRecord<ImageRecord>
{
    private readonly RecordPayload _payload;
    private readonly int _version;
    private readonly int _nameOffset;

    private ImageRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _version = traceEvent.Version;
        _nameOffset = _version switch
        {
            0 => _payload.At(12, 8),
            1 => _payload.At(20, 12),
            _ => _payload.At(56, 44),
        };
    }

    /// <summary>Address at which it is mapped.</summary>
    public ulong ImageBase => _payload.Pointer(0);

    /// <summary>Size of the mapping in bytes.</summary>
    public ulong ImageSize => _version == 0 ? _payload.UInt32(_payload.PointerBytes) : _payload.Pointer(_payload.PointerBytes);

    /// <summary>Process it is mapped in, 0 for the kernel; null in version 0.</summary>
    public uint? ProcessId => _version >= 1 ? _payload.UInt32(_payload.At(16, 8)) : null;

    /// <summary>Checksum in its PE header; null before version 2.</summary>
    public uint? ImageChecksum => _version >= 2 ? _payload.UInt32(_payload.At(20, 12)) : null;

    /// <summary>
    /// Time stamp in its PE header: seconds since 1970, or a hash for a reproducible build; 0 in Windows 8 rundown of user images; null
    /// before version 2.
    /// </summary>
    public uint? TimeDateStamp => _version >= 2 ? _payload.UInt32(_payload.At(24, 16)) : null;

    /// <summary>How far its signature is trusted, as the kernel numbers it; null before version 3.</summary>
    public byte? SignatureLevel => _version >= 3 ? _payload.UInt8(_payload.At(28, 20)) : null;

    /// <summary>Kind of its signature, as the kernel numbers it; null before version 3.</summary>
    public byte? SignatureType => _version >= 3 ? _payload.UInt8(_payload.At(29, 21)) : null;

    /// <summary>Address it was linked for; null before version 2.</summary>
    public ulong? DefaultBase => _version >= 2 ? _payload.Pointer(_payload.At(32, 24)) : null;

    /// <summary>Its NT path, UTF-16.</summary>
    public ReadOnlySpan<byte> FileName => _payload.Utf16(_nameOffset, out _);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ImageRecord record)
    {
        record = new ImageRecord(in traceEvent);
        return record._payload.Length >= record._nameOffset;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ImageBase", FieldValue.Pointer(ImageBase));
        fields.Field("ImageSize", FieldValue.Unsigned(ImageSize));
        if (ProcessId is uint processId)
        {
            fields.Field("ProcessId", FieldValue.Unsigned(processId));
        }

        if (_version >= 2)
        {
            fields.Field("ImageChecksum", FieldValue.Hexadecimal(ImageChecksum.GetValueOrDefault()));
            fields.Field("TimeDateStamp", FieldValue.Hexadecimal(TimeDateStamp.GetValueOrDefault()));
            if (_version >= 3)
            {
                fields.Field("SignatureLevel", FieldValue.Unsigned(SignatureLevel.GetValueOrDefault()));
                fields.Field("SignatureType", FieldValue.Unsigned(SignatureType.GetValueOrDefault()));
            }

            fields.Field("DefaultBase", FieldValue.Pointer(DefaultBase.GetValueOrDefault()));
        }

        fields.Field("FileName", FieldValue.Utf16Text(FileName));
    }
}
