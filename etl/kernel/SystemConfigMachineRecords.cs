using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A display adapter of the machine.</summary>
/// <remarks>
/// Hook 0x0B0E, versions 0 to 2. Source: VIDEO_RECORD of ntwmi.h, MOF SystemConfig_Video; version 2 was confirmed on five
/// records of real files.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        MemorySize
/// 4     4     u32        XRes
/// 8     8     u32        YRes
/// 12    12    u32        BitsPerPixel
/// 16    16    u32        VRefresh
/// 20    20    u16[256]   ChipType
/// 532   532   u16[256]   DACType
/// 1044  1044  u16[256]   AdapterString
/// 1556  1556  u16[256]   BiosString
/// 2068  2068  u16[256]   DeviceId
/// 2580  2580  u32        StateFlags
/// </code>
/// </remarks>
public readonly ref struct VideoAdapterRecord : IKernelRecord<VideoAdapterRecord>
{
    private readonly RecordPayload _payload;

    private VideoAdapterRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Memory of the adapter in bytes.</summary>
    public uint MemorySize => _payload.UInt32(0);

    /// <summary>Width in pixels.</summary>
    public uint XRes => _payload.UInt32(4);

    /// <summary>Height in pixels.</summary>
    public uint YRes => _payload.UInt32(8);

    /// <summary>Colour depth in bits.</summary>
    public uint BitsPerPixel => _payload.UInt32(12);

    /// <summary>Refresh rate in Hz.</summary>
    public uint VRefresh => _payload.UInt32(16);

    /// <summary>Chip, UTF-16.</summary>
    public ReadOnlySpan<byte> ChipType => _payload.FixedUtf16(20, 256);

    /// <summary>Converter, UTF-16.</summary>
    public ReadOnlySpan<byte> DACType => _payload.FixedUtf16(532, 256);

    /// <summary>Adapter, UTF-16.</summary>
    public ReadOnlySpan<byte> AdapterString => _payload.FixedUtf16(1044, 256);

    /// <summary>Firmware, UTF-16.</summary>
    public ReadOnlySpan<byte> BiosString => _payload.FixedUtf16(1556, 256);

    /// <summary>Device id, UTF-16.</summary>
    public ReadOnlySpan<byte> DeviceId => _payload.FixedUtf16(2068, 256);

    /// <summary>State of the adapter, as the display system flags it.</summary>
    public uint StateFlags => _payload.UInt32(2580);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out VideoAdapterRecord record)
    {
        record = new VideoAdapterRecord(in traceEvent);
        return record._payload.Length >= 2584;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("MemorySize", FieldValue.Unsigned(MemorySize));
        fields.Field("XRes", FieldValue.Unsigned(XRes));
        fields.Field("YRes", FieldValue.Unsigned(YRes));
        fields.Field("BitsPerPixel", FieldValue.Unsigned(BitsPerPixel));
        fields.Field("VRefresh", FieldValue.Unsigned(VRefresh));
        fields.Field("ChipType", FieldValue.Utf16Text(ChipType));
        fields.Field("DACType", FieldValue.Utf16Text(DACType));
        fields.Field("AdapterString", FieldValue.Utf16Text(AdapterString));
        fields.Field("BiosString", FieldValue.Utf16Text(BiosString));
        fields.Field("DeviceId", FieldValue.Utf16Text(DeviceId));
        fields.Field("StateFlags", FieldValue.Hexadecimal(StateFlags));
    }
}

/// <summary>A processor of the machine.</summary>
/// <remarks>
/// Hook 0x0B23. The MOF class lists Vendor before Identifier; real bytes do not. Source: MOF SystemConfig_V2_Processors, real files.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ProcessorIndex
/// 4     4     u32        FeatureSet
/// 8     8     u32        MHz
/// 12    12    u16[64]    Name
/// 140   140   u16[128]   Identifier
/// 396   396   u16[16]    Vendor
/// </code>
/// </remarks>
public readonly ref struct ProcessorRecord : IKernelRecord<ProcessorRecord>
{
    private readonly RecordPayload _payload;

    private ProcessorRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Index of the processor.</summary>
    public uint ProcessorIndex => _payload.UInt32(0);

    /// <summary>Features, as the kernel flags them.</summary>
    public uint FeatureSet => _payload.UInt32(4);

    /// <summary>Nominal speed in MHz.</summary>
    public uint MHz => _payload.UInt32(8);

    /// <summary>Product name, UTF-16.</summary>
    public ReadOnlySpan<byte> Name => _payload.FixedUtf16(12, 64);

    /// <summary>Family, model and stepping, UTF-16.</summary>
    public ReadOnlySpan<byte> Identifier => _payload.FixedUtf16(140, 128);

    /// <summary>Vendor, UTF-16.</summary>
    public ReadOnlySpan<byte> Vendor => _payload.FixedUtf16(396, 16);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ProcessorRecord record)
    {
        record = new ProcessorRecord(in traceEvent);
        return record._payload.Length >= 428;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ProcessorIndex", FieldValue.Unsigned(ProcessorIndex));
        fields.Field("FeatureSet", FieldValue.Hexadecimal(FeatureSet));
        fields.Field("MHz", FieldValue.Unsigned(MHz));
        fields.Field("Name", FieldValue.Utf16Text(Name));
        fields.Field("Identifier", FieldValue.Utf16Text(Identifier));
        fields.Field("Vendor", FieldValue.Utf16Text(Vendor));
    }
}
