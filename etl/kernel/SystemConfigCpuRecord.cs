using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>The machine: processors, memory, name.</summary>
/// <remarks>
/// Hook 0x0B0A. Source: CPU_CONFIG_RECORD of ntwmi.h, MOF SystemConfig_CPU; versions 2 and 3 were confirmed on real files. Version 0 has a
/// domain name of 132 characters, and what follows it stands 4 bytes earlier. Versions 0 to 2 end at HyperThreadingFlag.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        MHz
/// 4     4     u32        NumberOfProcessors
/// 8     8     u32        MemSize
/// 12    12    u32        PageSize
/// 16    16    u32        AllocationGranularity
/// 20    20    u16[256]   ComputerName
/// 532   532   u16[134]   DomainName
/// 800   800   ptr        HyperThreadingFlag
/// 808   804   ptr        HighestUserAddress (version 3 on, as all below)
/// 816   808   u16        Architecture
/// 818   810   u16        Level
/// 820   812   u16        Revision
/// 822   814   u8[2]      PaeEnabled and NxEnabled, order uncertain
/// 824   816   u32        MemorySpeed
/// </code>
/// </remarks>
public readonly ref struct SystemConfigCpuRecord : IKernelRecord<SystemConfigCpuRecord>
{
    private const int DomainNameOffset = 532;

    private readonly RecordPayload _payload;
    private readonly int _version;

    private SystemConfigCpuRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _version = traceEvent.Version;
    }

    /// <summary>Nominal speed in MHz.</summary>
    public uint MHz => _payload.UInt32(0);

    /// <summary>Logical processors.</summary>
    public uint NumberOfProcessors => _payload.UInt32(4);

    /// <summary>Memory in MiB.</summary>
    public uint MemSize => _payload.UInt32(8);

    /// <summary>Size of a page in bytes.</summary>
    public uint PageSize => _payload.UInt32(12);

    /// <summary>Granularity of address space in bytes.</summary>
    public uint AllocationGranularity => _payload.UInt32(16);

    /// <summary>Name of the computer, UTF-16.</summary>
    public ReadOnlySpan<byte> ComputerName => _payload.FixedUtf16(20, 256);

    /// <summary>Name of its domain, UTF-16.</summary>
    public ReadOnlySpan<byte> DomainName => _payload.FixedUtf16(DomainNameOffset, DomainNameCharacters);

    /// <summary>Mask that tells which processors share a core.</summary>
    public ulong HyperThreadingFlag => _payload.Pointer(HyperThreadingOffset);

    /// <summary>Highest address of user mode; null before version 3.</summary>
    public ulong? HighestUserAddress => _version >= 3 ? _payload.Pointer(_payload.At(808, 804)) : null;

    /// <summary>Architecture of the machine; null before version 3.</summary>
    public ProcessorArchitecture? Architecture => _version >= 3 ? (ProcessorArchitecture)_payload.UInt16(_payload.At(816, 808)) : null;

    /// <summary>Family of the processor; null before version 3.</summary>
    public ushort? Level => _version >= 3 ? _payload.UInt16(_payload.At(818, 810)) : null;

    /// <summary>Model and stepping of the processor; null before version 3.</summary>
    public ushort? Revision => _version >= 3 ? _payload.UInt16(_payload.At(820, 812)) : null;

    /// <summary>
    /// Two flags of one byte each, whether pages can be made non-executable and whether addresses are extended; sources disagree about
    /// their order; null before version 3.
    /// </summary>
    public ushort? NxAndPaeFlags => _version >= 3 ? _payload.UInt16(_payload.At(822, 814)) : null;

    /// <summary>Speed of the memory in MHz; null before version 3.</summary>
    public uint? MemorySpeed => _version >= 3 ? _payload.UInt32(_payload.At(824, 816)) : null;

    private int DomainNameCharacters => _version == 0 ? 132 : 134;

    private int HyperThreadingOffset => DomainNameOffset + (2 * DomainNameCharacters);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out SystemConfigCpuRecord record)
    {
        record = new SystemConfigCpuRecord(in traceEvent);
        RecordPayload payload = record._payload;
        return payload.Length >= (record._version >= 3 ? payload.At(828, 820) : record.HyperThreadingOffset + payload.PointerBytes);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("MHz", FieldValue.Unsigned(MHz));
        fields.Field("NumberOfProcessors", FieldValue.Unsigned(NumberOfProcessors));
        fields.Field("MemSize", FieldValue.Unsigned(MemSize));
        fields.Field("PageSize", FieldValue.Unsigned(PageSize));
        fields.Field("AllocationGranularity", FieldValue.Unsigned(AllocationGranularity));
        fields.Field("ComputerName", FieldValue.Utf16Text(ComputerName));
        fields.Field("DomainName", FieldValue.Utf16Text(DomainName));
        fields.Field("HyperThreadingFlag", FieldValue.Hexadecimal(HyperThreadingFlag));
        if (_version >= 3)
        {
            fields.Field("HighestUserAddress", FieldValue.Pointer(HighestUserAddress.GetValueOrDefault()));
            fields.Field("Architecture", NamedNumber<ProcessorArchitecture>.Of((ulong)Architecture.GetValueOrDefault()));
            fields.Field("Level", FieldValue.Unsigned(Level.GetValueOrDefault()));
            fields.Field("Revision", FieldValue.Hexadecimal(Revision.GetValueOrDefault()));
            fields.Field("NxAndPaeFlags", FieldValue.Hexadecimal(NxAndPaeFlags.GetValueOrDefault()));
            fields.Field("MemorySpeed", FieldValue.Unsigned(MemorySpeed.GetValueOrDefault()));
        }
    }
}
