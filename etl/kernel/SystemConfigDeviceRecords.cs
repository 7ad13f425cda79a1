using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A device, the service (driver) that runs it and the filters on it.</summary>
/// <remarks>
/// Hook 0x0B16. Source: WMI_PNP_RECORD of ntwmi.h, MOF SystemConfig_PnP; versions 3 to 5 were confirmed on real files. The same for both
/// pointer widths.
/// <code>
/// v5    v4    type       field
/// 0     0     guid       ClassGuid
/// 16    16    u32        UpperFilterCount
/// 20    20    u32        LowerFilterCount
/// 24    -     u32        DevStatus
/// 28    -     u32        DevProblem
/// 32    24    wz x 5     DeviceID, DeviceDescription, FriendlyName, PdoName, ServiceName
/// +     +     wz[n]      UpperFilters
/// +     +     wz[n]      LowerFilters
/// </code>
/// Before version 4: IDLength, DescriptionLength, FriendlyNameLength u32; DeviceID, DeviceDescription, FriendlyName wz; PdoName wz in
/// version 3.
/// </remarks>
public readonly ref struct PnpDeviceRecord : IKernelRecord<PnpDeviceRecord>
{
    private const int TextsBeforeFilters = 5;

    private readonly RecordPayload _payload;
    private readonly int _version;
    private readonly int _textsOffset;

    private PnpDeviceRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _version = traceEvent.Version;
        _textsOffset = _version switch
        {
            >= 5 => 32,
            4 => 24,
            _ => 12,
        };
    }

    /// <summary>Length of the device id in characters; null from version 4 on.</summary>
    public uint? IDLength => HasFilters ? null : _payload.UInt32(0);

    /// <summary>Length of the description in characters; null from version 4 on.</summary>
    public uint? DescriptionLength => HasFilters ? null : _payload.UInt32(4);

    /// <summary>Length of the friendly name in characters; null from version 4 on.</summary>
    public uint? FriendlyNameLength => HasFilters ? null : _payload.UInt32(8);

    /// <summary>Setup class of the device; null before version 4.</summary>
    public Guid? ClassGuid => HasFilters ? _payload.Guid(0) : null;

    /// <summary>How many filters stand above the device's driver; 0 before version 4.</summary>
    public uint UpperFilterCount => HasFilters ? _payload.UInt32(16) : 0;

    /// <summary>How many filters stand below it; 0 before version 4.</summary>
    public uint LowerFilterCount => HasFilters ? _payload.UInt32(20) : 0;

    /// <summary>State of the device in the configuration manager's bits; null before version 5.</summary>
    public uint? DevStatus => _version >= 5 ? _payload.UInt32(24) : null;

    /// <summary>What is wrong with it, 0 for nothing; null before version 5.</summary>
    public uint? DevProblem => _version >= 5 ? _payload.UInt32(28) : null;

    /// <summary>Device instance id, UTF-16.</summary>
    public ReadOnlySpan<byte> DeviceID => _payload.Utf16Nth(_textsOffset, 0);

    /// <summary>What it is, UTF-16.</summary>
    public ReadOnlySpan<byte> DeviceDescription => _payload.Utf16Nth(_textsOffset, 1);

    /// <summary>What the system calls it, UTF-16; often empty.</summary>
    public ReadOnlySpan<byte> FriendlyName => _payload.Utf16Nth(_textsOffset, 2);

    /// <summary>Name of its physical device object, UTF-16; empty before version 3.</summary>
    public ReadOnlySpan<byte> PdoName => _version >= 3 ? _payload.Utf16Nth(_textsOffset, 3) : default;

    /// <summary>Service of its driver, UTF-16; empty before version 4.</summary>
    public ReadOnlySpan<byte> ServiceName => HasFilters ? _payload.Utf16Nth(_textsOffset, 4) : default;

    private bool HasFilters => _version >= 4;

    /// <summary>Service of a filter above the device's driver, UTF-16.</summary>
    /// <param name="index">0 to <see cref="UpperFilterCount"/> - 1; empty where the payload ends before it.</param>
    public ReadOnlySpan<byte> UpperFilter(int index) => _payload.Utf16Nth(_textsOffset, TextsBeforeFilters + index);

    /// <summary>Service of a filter below it, UTF-16.</summary>
    /// <param name="index">0 to <see cref="LowerFilterCount"/> - 1; empty where the payload ends before it.</param>
    public ReadOnlySpan<byte> LowerFilter(int index) =>
        UpperFilterCount > int.MaxValue - TextsBeforeFilters - (uint)index
            ? default
            : _payload.Utf16Nth(_textsOffset, TextsBeforeFilters + (int)UpperFilterCount + index);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out PnpDeviceRecord record)
    {
        record = new PnpDeviceRecord(in traceEvent);
        return record._payload.Length >= record._textsOffset;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        if (HasFilters)
        {
            fields.Field("ClassGuid", FieldValue.Guid(_payload.Slice(0, 16)));
            fields.Field("UpperFilterCount", FieldValue.Unsigned(UpperFilterCount));
            fields.Field("LowerFilterCount", FieldValue.Unsigned(LowerFilterCount));
        }
        else
        {
            fields.Field("IDLength", FieldValue.Unsigned(IDLength.GetValueOrDefault()));
            fields.Field("DescriptionLength", FieldValue.Unsigned(DescriptionLength.GetValueOrDefault()));
            fields.Field("FriendlyNameLength", FieldValue.Unsigned(FriendlyNameLength.GetValueOrDefault()));
        }

        if (_version >= 5)
        {
            fields.Field("DevStatus", FieldValue.Hexadecimal(DevStatus.GetValueOrDefault()));
            fields.Field("DevProblem", FieldValue.Unsigned(DevProblem.GetValueOrDefault()));
        }

        fields.Field("DeviceID", FieldValue.Utf16Text(DeviceID));
        fields.Field("DeviceDescription", FieldValue.Utf16Text(DeviceDescription));
        fields.Field("FriendlyName", FieldValue.Utf16Text(FriendlyName));
        if (_version >= 3)
        {
            fields.Field("PdoName", FieldValue.Utf16Text(PdoName));
        }

        if (HasFilters)
        {
            fields.Field("ServiceName", FieldValue.Utf16Text(ServiceName));
            int offset = _payload.Utf16End(_textsOffset, TextsBeforeFilters);
            offset = WriteFilters(fields, "UpperFilters", UpperFilterCount, offset);
            WriteFilters(fields, "LowerFilters", LowerFilterCount, offset);
        }
    }

    private int WriteFilters(IFieldSink fields, string name, uint count, int offset)
    {
        fields.BeginArray(name);
        for (uint i = 0; i < count && offset < _payload.Length; i++)
        {
            fields.Field("", FieldValue.Utf16Text(_payload.Utf16(offset, out offset)));
        }

        fields.EndArray();
        return offset;
    }
}

/// <summary>A network adapter of the machine.</summary>
/// <remarks>
/// Hook 0x0B0D. Source: NIC_RECORD of ntwmi.h, MOF SystemConfig_NIC, real files. The same for both pointer widths.
/// <code>
/// at    type       field
/// 0     u8[8]      PhysicalAddr
/// 8     u32        PhysicalAddrLen
/// 12    u32        Ipv4Index
/// 16    u32        Ipv6Index
/// 20    wz         Description
/// +     wz         IpAddresses
/// +     wz         DnsServers
/// </code>
/// </remarks>
public readonly ref struct NetworkAdapterRecord : IKernelRecord<NetworkAdapterRecord>
{
    private const int PhysicalAddrBytes = 8;
    private const int TextsOffset = 20;

    private readonly RecordPayload _payload;

    private NetworkAdapterRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Hardware address: as many bytes as it has, at most eight.</summary>
    public ReadOnlySpan<byte> PhysicalAddr => _payload.Slice(0, (int)Math.Min(PhysicalAddrLen, PhysicalAddrBytes));

    /// <summary>Length of the hardware address in bytes.</summary>
    public uint PhysicalAddrLen => _payload.UInt32(8);

    /// <summary>Index of its IPv4 interface.</summary>
    public uint Ipv4Index => _payload.UInt32(12);

    /// <summary>Index of its IPv6 interface.</summary>
    public uint Ipv6Index => _payload.UInt32(16);

    /// <summary>What it is, UTF-16.</summary>
    public ReadOnlySpan<byte> Description => _payload.Utf16Nth(TextsOffset, 0);

    /// <summary>Its addresses, UTF-16.</summary>
    public ReadOnlySpan<byte> IpAddresses => _payload.Utf16Nth(TextsOffset, 1);

    /// <summary>Its name servers, UTF-16.</summary>
    public ReadOnlySpan<byte> DnsServers => _payload.Utf16Nth(TextsOffset, 2);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out NetworkAdapterRecord record)
    {
        record = new NetworkAdapterRecord(in traceEvent);
        return record._payload.Length >= TextsOffset;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("PhysicalAddr", FieldValue.Binary(PhysicalAddr));
        fields.Field("PhysicalAddrLen", FieldValue.Unsigned(PhysicalAddrLen));
        fields.Field("Ipv4Index", FieldValue.Unsigned(Ipv4Index));
        fields.Field("Ipv6Index", FieldValue.Unsigned(Ipv6Index));
        fields.Field("Description", FieldValue.Utf16Text(Description));
        fields.Field("IpAddresses", FieldValue.Utf16Text(IpAddresses));
        fields.Field("DnsServers", FieldValue.Utf16Text(DnsServers));
    }
}
