using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A display adapter of the machine.</summary>
/// <remarks>
/// Hook 0x0B0E, versions 0 to 2. Source: kernel-events 8; status S.
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

    private VideoAdapterRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

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

/// <summary>A service that runs in a process; version 2 lacks the last two texts.</summary>
/// <remarks>
/// Hook 0x0B0F. Source: kernel-events 8; status V (version 3).
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ProcessId
/// 4     4     u32        ServiceState
/// 8     8     u32        SubProcessTag
/// 12    12    wz         ServiceName
/// +     +     wz         DisplayName
/// +     +     wz         ProcessName
/// +     +     wz         LoadOrderGroup (version 3 on)
/// +     +     wz         SvchostGroup (version 3 on)
/// </code>
/// </remarks>
public readonly ref struct ServiceRecord : IKernelRecord<ServiceRecord>
{
    private readonly RecordPayload _payload;
    private readonly int _version;

    private ServiceRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _version = traceEvent.Version;
    }

    /// <summary>Process it runs in.</summary>
    public uint ProcessId => _payload.UInt32(0);

    /// <summary>State it is in.</summary>
    public ServiceState ServiceState => (ServiceState)_payload.UInt32(4);

    /// <summary>Tag that threads carry while they work for it.</summary>
    public uint SubProcessTag => _payload.UInt32(8);

    /// <summary>Name of the service, UTF-16.</summary>
    public ReadOnlySpan<byte> ServiceName => _payload.Utf16(12, out _);

    /// <summary>Name for people, UTF-16.</summary>
    public ReadOnlySpan<byte> DisplayName => _payload.Utf16Nth(12, 1);

    /// <summary>Image of its process, UTF-16.</summary>
    public ReadOnlySpan<byte> ProcessName => _payload.Utf16Nth(12, 2);

    /// <summary>Group in which it is started, UTF-16; empty before version 3.</summary>
    public ReadOnlySpan<byte> LoadOrderGroup => _version >= 3 ? _payload.Utf16Nth(12, 3) : default;

    /// <summary>Group of services that share its process, UTF-16; empty before version 3.</summary>
    public ReadOnlySpan<byte> SvchostGroup => _version >= 3 ? _payload.Utf16Nth(12, 4) : default;

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ServiceRecord record)
    {
        record = new ServiceRecord(in traceEvent);
        return record._payload.Length >= 12;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ProcessId", FieldValue.Unsigned(ProcessId));
        fields.Field("ServiceState", NamedNumber<ServiceState>.Of((ulong)ServiceState));
        fields.Field("SubProcessTag", FieldValue.Unsigned(SubProcessTag));
        fields.Field("ServiceName", FieldValue.Utf16Text(ServiceName));
        fields.Field("DisplayName", FieldValue.Utf16Text(DisplayName));
        fields.Field("ProcessName", FieldValue.Utf16Text(ProcessName));

        if (_version >= 3)
        {
            fields.Field("LoadOrderGroup", FieldValue.Utf16Text(LoadOrderGroup));
            fields.Field("SvchostGroup", FieldValue.Utf16Text(SvchostGroup));
        }
    }
}

/// <summary>Sleep states that the machine supports.</summary>
/// <remarks>
/// Hook 0x0B10. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u8         S1
/// 1     1     u8         S2
/// 2     2     u8         S3
/// 3     3     u8         S4
/// 4     4     u8         S5
/// 5     5     u8         AoAc
/// 6     6     u8[2]      reserved
/// </code>
/// </remarks>
public readonly ref struct PowerCapabilityRecord : IKernelRecord<PowerCapabilityRecord>
{
    private readonly RecordPayload _payload;

    private PowerCapabilityRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Whether it supports S1.</summary>
    public bool S1 => _payload.UInt8(0) != 0;

    /// <summary>Whether it supports S2.</summary>
    public bool S2 => _payload.UInt8(1) != 0;

    /// <summary>Whether it supports S3.</summary>
    public bool S3 => _payload.UInt8(2) != 0;

    /// <summary>Whether it supports S4.</summary>
    public bool S4 => _payload.UInt8(3) != 0;

    /// <summary>Whether it supports S5.</summary>
    public bool S5 => _payload.UInt8(4) != 0;

    /// <summary>Whether it supports modern standby (always on, always connected).</summary>
    public bool AoAc => _payload.UInt8(5) != 0;

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out PowerCapabilityRecord record)
    {
        record = new PowerCapabilityRecord(in traceEvent);
        return record._payload.Length >= 8;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("S1", FieldValue.Boolean(S1));
        fields.Field("S2", FieldValue.Boolean(S2));
        fields.Field("S3", FieldValue.Boolean(S3));
        fields.Field("S4", FieldValue.Boolean(S4));
        fields.Field("S5", FieldValue.Boolean(S5));
        fields.Field("AoAc", FieldValue.Boolean(AoAc));
    }
}

/// <summary>Parameters of the TCP/IP stack.</summary>
/// <remarks>
/// Hook 0x0B11. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        TcbTablePartitions
/// 4     4     u32        MaxHashTableSize
/// 8     8     u32        MaxUserPort
/// 12    12    u32        TcpTimedWaitDelay
/// </code>
/// </remarks>
public readonly ref struct NetworkParametersRecord : IKernelRecord<NetworkParametersRecord>
{
    private readonly RecordPayload _payload;

    private NetworkParametersRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Partitions of the table of connections.</summary>
    public uint TcbTablePartitions => _payload.UInt32(0);

    /// <summary>Largest size of its hash table.</summary>
    public uint MaxHashTableSize => _payload.UInt32(4);

    /// <summary>Highest port for outgoing connections.</summary>
    public uint MaxUserPort => _payload.UInt32(8);

    /// <summary>How long a closed connection is kept, in seconds.</summary>
    public uint TcpTimedWaitDelay => _payload.UInt32(12);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out NetworkParametersRecord record)
    {
        record = new NetworkParametersRecord(in traceEvent);
        return record._payload.Length >= 16;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("TcbTablePartitions", FieldValue.Unsigned(TcbTablePartitions));
        fields.Field("MaxHashTableSize", FieldValue.Unsigned(MaxHashTableSize));
        fields.Field("MaxUserPort", FieldValue.Unsigned(MaxUserPort));
        fields.Field("TcpTimedWaitDelay", FieldValue.Unsigned(TcpTimedWaitDelay));
    }
}

/// <summary>Who made the machine and its firmware. Texts are UTF-16.</summary>
/// <remarks>
/// Hook 0x0B19. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     wz         Manufacturer
/// +     +     wz         Product
/// +     +     wz         BiosDate
/// +     +     wz         BiosVersion
/// </code>
/// </remarks>
public readonly ref struct PlatformRecord : IKernelRecord<PlatformRecord>
{
    private readonly RecordPayload _payload;

    private PlatformRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Maker, UTF-16.</summary>
    public ReadOnlySpan<byte> Manufacturer => _payload.Utf16(0, out _);

    /// <summary>Model, UTF-16.</summary>
    public ReadOnlySpan<byte> Product => _payload.Utf16Nth(0, 1);

    /// <summary>Date of the firmware, UTF-16.</summary>
    public ReadOnlySpan<byte> BiosDate => _payload.Utf16Nth(0, 2);

    /// <summary>Version of the firmware, UTF-16.</summary>
    public ReadOnlySpan<byte> BiosVersion => _payload.Utf16Nth(0, 3);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out PlatformRecord record)
    {
        record = new PlatformRecord(in traceEvent);
        return true;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Manufacturer", FieldValue.Utf16Text(Manufacturer));
        fields.Field("Product", FieldValue.Utf16Text(Product));
        fields.Field("BiosDate", FieldValue.Utf16Text(BiosDate));
        fields.Field("BiosVersion", FieldValue.Utf16Text(BiosVersion));
    }
}

/// <summary>Scaling of the display.</summary>
/// <remarks>
/// Hook 0x0B1C. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        MachineDpi
/// 4     4     u32        UserDpi
/// </code>
/// </remarks>
public readonly ref struct DpiRecord : IKernelRecord<DpiRecord>
{
    private readonly RecordPayload _payload;

    private DpiRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Dots per inch of the machine.</summary>
    public uint MachineDpi => _payload.UInt32(0);

    /// <summary>Dots per inch of the user.</summary>
    public uint UserDpi => _payload.UInt32(4);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out DpiRecord record)
    {
        record = new DpiRecord(in traceEvent);
        return record._payload.Length >= 8;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("MachineDpi", FieldValue.Unsigned(MachineDpi));
        fields.Field("UserDpi", FieldValue.Unsigned(UserDpi));
    }
}

/// <summary>State of code integrity checks.</summary>
/// <remarks>
/// Hook 0x0B1D. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        CodeIntegrityInfo
/// </code>
/// </remarks>
public readonly ref struct CodeIntegrityRecord : IKernelRecord<CodeIntegrityRecord>
{
    private readonly RecordPayload _payload;

    private CodeIntegrityRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Flags, as the system gives them.</summary>
    public uint CodeIntegrityInfo => _payload.UInt32(0);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out CodeIntegrityRecord record)
    {
        record = new CodeIntegrityRecord(in traceEvent);
        return record._payload.Length >= 4;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("CodeIntegrityInfo", FieldValue.Hexadecimal(CodeIntegrityInfo));
    }
}

/// <summary>Identity of the machine for telemetry.</summary>
/// <remarks>
/// Hook 0x0B1E. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     guid       MachineId
/// </code>
/// </remarks>
public readonly ref struct MachineIdRecord : IKernelRecord<MachineIdRecord>
{
    private readonly RecordPayload _payload;

    private MachineIdRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>The identity.</summary>
    public Guid MachineId => _payload.Guid(0);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out MachineIdRecord record)
    {
        record = new MachineIdRecord(in traceEvent);
        return record._payload.Length >= 16;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("MachineId", FieldValue.Guid(_payload.Slice(0, 16)));
    }
}

/// <summary>Family and form of the device.</summary>
/// <remarks>
/// Hook 0x0B21. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u64        UapInfo
/// 8     8     u32        DeviceFamily
/// 12    12    u32        DeviceForm
/// </code>
/// </remarks>
public readonly ref struct DeviceFamilyRecord : IKernelRecord<DeviceFamilyRecord>
{
    private readonly RecordPayload _payload;

    private DeviceFamilyRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Version of the platform, packed.</summary>
    public ulong UapInfo => _payload.UInt64(0);

    /// <summary>Family, as the system numbers it.</summary>
    public uint DeviceFamily => _payload.UInt32(8);

    /// <summary>Form, as the system numbers it.</summary>
    public uint DeviceForm => _payload.UInt32(12);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out DeviceFamilyRecord record)
    {
        record = new DeviceFamilyRecord(in traceEvent);
        return record._payload.Length >= 16;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("UapInfo", FieldValue.Hexadecimal(UapInfo));
        fields.Field("DeviceFamily", FieldValue.Unsigned(DeviceFamily));
        fields.Field("DeviceForm", FieldValue.Unsigned(DeviceForm));
    }
}

/// <summary>Test flights that the machine takes part in.</summary>
/// <remarks>
/// Hook 0x0B22. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     wz         UpdateId
/// +     +     wz         FlightIdList
/// </code>
/// </remarks>
public readonly ref struct FlightIdsRecord : IKernelRecord<FlightIdsRecord>
{
    private readonly RecordPayload _payload;

    private FlightIdsRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Identity of the update, UTF-16.</summary>
    public ReadOnlySpan<byte> UpdateId => _payload.Utf16(0, out _);

    /// <summary>The flights, UTF-16.</summary>
    public ReadOnlySpan<byte> FlightIdList => _payload.Utf16Nth(0, 1);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out FlightIdsRecord record)
    {
        record = new FlightIdsRecord(in traceEvent);
        return true;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("UpdateId", FieldValue.Utf16Text(UpdateId));
        fields.Field("FlightIdList", FieldValue.Utf16Text(FlightIdList));
    }
}

/// <summary>A processor of the machine.</summary>
/// <remarks>
/// Hook 0x0B23. The MOF class lists Vendor before Identifier; real bytes do not. Source: kernel-events 8; status V.
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

    private ProcessorRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

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
