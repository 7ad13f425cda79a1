using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A disk of the machine.</summary>
/// <remarks>
/// Hook 0x0B0B. Source: PHYSICAL_DISK_RECORD of ntwmi.h, MOF SystemConfig_PhyDisk, real files.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        DiskNumber
/// 4     4     u32        BytesPerSector
/// 8     8     u32        SectorsPerTrack
/// 12    12    u32        TracksPerCylinder
/// 16    16    u64        Cylinders
/// 24    24    u32        ScsiPort
/// 28    28    u32        ScsiPath
/// 32    32    u32        ScsiTarget
/// 36    36    u32        ScsiLun
/// 40    40    u16[256]   Manufacturer
/// 552   552   u32        PartitionCount
/// 556   556   u8         WriteCache
/// 557   557   u8[1]      reserved
/// 558   558   u16[3]     BootDriveLetter
/// 564   564   u8[4]      reserved
/// </code>
/// </remarks>
public readonly ref struct PhysicalDiskRecord : IKernelRecord<PhysicalDiskRecord>
{
    private readonly RecordPayload _payload;

    private PhysicalDiskRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Number of the disk.</summary>
    public uint DiskNumber => _payload.UInt32(0);

    /// <summary>Bytes in a sector.</summary>
    public uint BytesPerSector => _payload.UInt32(4);

    /// <summary>Sectors in a track.</summary>
    public uint SectorsPerTrack => _payload.UInt32(8);

    /// <summary>Tracks in a cylinder.</summary>
    public uint TracksPerCylinder => _payload.UInt32(12);

    /// <summary>Cylinders of the disk.</summary>
    public ulong Cylinders => _payload.UInt64(16);

    /// <summary>SCSI port.</summary>
    public uint ScsiPort => _payload.UInt32(24);

    /// <summary>SCSI path.</summary>
    public uint ScsiPath => _payload.UInt32(28);

    /// <summary>SCSI target.</summary>
    public uint ScsiTarget => _payload.UInt32(32);

    /// <summary>SCSI logical unit.</summary>
    public uint ScsiLun => _payload.UInt32(36);

    /// <summary>Maker and model, UTF-16.</summary>
    public ReadOnlySpan<byte> Manufacturer => _payload.FixedUtf16(40, 256);

    /// <summary>Partitions on it.</summary>
    public uint PartitionCount => _payload.UInt32(552);

    /// <summary>Whether its write cache is on.</summary>
    public bool WriteCache => _payload.UInt8(556) != 0;

    /// <summary>Drive letter of the boot volume, UTF-16.</summary>
    public ReadOnlySpan<byte> BootDriveLetter => _payload.FixedUtf16(558, 3);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out PhysicalDiskRecord record)
    {
        record = new PhysicalDiskRecord(in traceEvent);
        return record._payload.Length >= 568;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("DiskNumber", FieldValue.Unsigned(DiskNumber));
        fields.Field("BytesPerSector", FieldValue.Unsigned(BytesPerSector));
        fields.Field("SectorsPerTrack", FieldValue.Unsigned(SectorsPerTrack));
        fields.Field("TracksPerCylinder", FieldValue.Unsigned(TracksPerCylinder));
        fields.Field("Cylinders", FieldValue.Unsigned(Cylinders));
        fields.Field("ScsiPort", FieldValue.Unsigned(ScsiPort));
        fields.Field("ScsiPath", FieldValue.Unsigned(ScsiPath));
        fields.Field("ScsiTarget", FieldValue.Unsigned(ScsiTarget));
        fields.Field("ScsiLun", FieldValue.Unsigned(ScsiLun));
        fields.Field("Manufacturer", FieldValue.Utf16Text(Manufacturer));
        fields.Field("PartitionCount", FieldValue.Unsigned(PartitionCount));
        fields.Field("WriteCache", FieldValue.Boolean(WriteCache));
        fields.Field("BootDriveLetter", FieldValue.Utf16Text(BootDriveLetter));
    }
}
