using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A disk of the machine.</summary>
/// <remarks>
/// Hook 0x0B0B. Source: kernel-events 8; status V.
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

    private PhysicalDiskRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

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

/// <summary>A volume of the machine.</summary>
/// <remarks>
/// Hook 0x0B0C. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u64        StartOffset
/// 8     8     u64        PartitionSize
/// 16    16    u32        DiskNumber
/// 20    20    u32        Size
/// 24    24    u32        DriveType
/// 28    28    u16[4]     DriveLetter
/// 36    36    u8[4]      reserved
/// 40    40    u32        PartitionNumber
/// 44    44    u32        SectorsPerCluster
/// 48    48    u32        BytesPerSector
/// 52    52    u8[4]      reserved
/// 56    56    i64        FreeClusters
/// 64    64    i64        TotalClusters
/// 72    72    u16[16]    FileSystem
/// 104   104   u32        VolumeExt
/// 108   108   u8[4]      reserved
/// </code>
/// </remarks>
public readonly ref struct LogicalDiskRecord : IKernelRecord<LogicalDiskRecord>
{
    private readonly RecordPayload _payload;

    private LogicalDiskRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Where it starts on its disk, in bytes.</summary>
    public ulong StartOffset => _payload.UInt64(0);

    /// <summary>Size of its partition in bytes.</summary>
    public ulong PartitionSize => _payload.UInt64(8);

    /// <summary>Number of the disk.</summary>
    public uint DiskNumber => _payload.UInt32(16);

    /// <summary>Size field of the record, as written.</summary>
    public uint Size => _payload.UInt32(20);

    /// <summary>Kind of drive, as the system numbers it.</summary>
    public uint DriveType => _payload.UInt32(24);

    /// <summary>Drive letter, UTF-16.</summary>
    public ReadOnlySpan<byte> DriveLetter => _payload.FixedUtf16(28, 4);

    /// <summary>Number of its partition.</summary>
    public uint PartitionNumber => _payload.UInt32(40);

    /// <summary>Sectors in a cluster.</summary>
    public uint SectorsPerCluster => _payload.UInt32(44);

    /// <summary>Bytes in a sector.</summary>
    public uint BytesPerSector => _payload.UInt32(48);

    /// <summary>Clusters that are free.</summary>
    public long FreeClusters => _payload.Int64(56);

    /// <summary>Clusters in all.</summary>
    public long TotalClusters => _payload.Int64(64);

    /// <summary>File system, UTF-16.</summary>
    public ReadOnlySpan<byte> FileSystem => _payload.FixedUtf16(72, 16);

    /// <summary>Whether the volume extends over several disks.</summary>
    public uint VolumeExt => _payload.UInt32(104);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out LogicalDiskRecord record)
    {
        record = new LogicalDiskRecord(in traceEvent);
        return record._payload.Length >= 112;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("StartOffset", FieldValue.Unsigned(StartOffset));
        fields.Field("PartitionSize", FieldValue.Unsigned(PartitionSize));
        fields.Field("DiskNumber", FieldValue.Unsigned(DiskNumber));
        fields.Field("Size", FieldValue.Unsigned(Size));
        fields.Field("DriveType", FieldValue.Unsigned(DriveType));
        fields.Field("DriveLetter", FieldValue.Utf16Text(DriveLetter));
        fields.Field("PartitionNumber", FieldValue.Unsigned(PartitionNumber));
        fields.Field("SectorsPerCluster", FieldValue.Unsigned(SectorsPerCluster));
        fields.Field("BytesPerSector", FieldValue.Unsigned(BytesPerSector));
        fields.Field("FreeClusters", FieldValue.Signed(FreeClusters));
        fields.Field("TotalClusters", FieldValue.Signed(TotalClusters));
        fields.Field("FileSystem", FieldValue.Utf16Text(FileSystem));
        fields.Field("VolumeExt", FieldValue.Unsigned(VolumeExt));
    }
}

/// <summary>An optical drive of the machine.</summary>
/// <remarks>
/// Hook 0x0B12. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u16        DiskNumber
/// 2     2     u16        BusType
/// 4     4     u16        DeviceType
/// 6     6     u16        MediaType
/// 8     8     u64        StartingOffset
/// 16    16    u64        Size
/// 24    24    u64        FreeBlocks
/// 32    32    u64        TotalBlocks
/// 40    40    u64        NextWritableAddress
/// 48    48    u32        NumberOfSessions
/// 52    52    u32        NumberOfTracks
/// 56    56    u32        BytesPerSector
/// 60    60    u16        DiscStatus
/// 62    62    u16        LastSessionStatus
/// 64    64    wz         DriveLetter
/// +     +     wz         FileSystemName
/// +     +     az         DeviceName
/// +     +     az         ManufacturerName
/// </code>
/// </remarks>
public readonly ref struct OpticalDiskRecord : IKernelRecord<OpticalDiskRecord>
{
    private readonly RecordPayload _payload;

    private OpticalDiskRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Number of the disk.</summary>
    public ushort DiskNumber => _payload.UInt16(0);

    /// <summary>Kind of bus, as the system numbers it.</summary>
    public ushort BusType => _payload.UInt16(2);

    /// <summary>Kind of device, as the system numbers it.</summary>
    public ushort DeviceType => _payload.UInt16(4);

    /// <summary>Kind of medium, as the system numbers it.</summary>
    public ushort MediaType => _payload.UInt16(6);

    /// <summary>Where the volume starts, in bytes.</summary>
    public ulong StartingOffset => _payload.UInt64(8);

    /// <summary>Size in bytes.</summary>
    public ulong Size => _payload.UInt64(16);

    /// <summary>Blocks that are free.</summary>
    public ulong FreeBlocks => _payload.UInt64(24);

    /// <summary>Blocks in all.</summary>
    public ulong TotalBlocks => _payload.UInt64(32);

    /// <summary>Next block that can be written.</summary>
    public ulong NextWritableAddress => _payload.UInt64(40);

    /// <summary>Sessions on the medium.</summary>
    public uint NumberOfSessions => _payload.UInt32(48);

    /// <summary>Tracks on the medium.</summary>
    public uint NumberOfTracks => _payload.UInt32(52);

    /// <summary>Bytes in a sector.</summary>
    public uint BytesPerSector => _payload.UInt32(56);

    /// <summary>Status of the medium.</summary>
    public ushort DiscStatus => _payload.UInt16(60);

    /// <summary>Status of its last session.</summary>
    public ushort LastSessionStatus => _payload.UInt16(62);

    /// <summary>Drive letter, UTF-16.</summary>
    public ReadOnlySpan<byte> DriveLetter => _payload.Utf16(64, out _);

    /// <summary>File system, UTF-16.</summary>
    public ReadOnlySpan<byte> FileSystemName => _payload.Utf16Nth(64, 1);

    /// <summary>Name of the device, 8-bit.</summary>
    public ReadOnlySpan<byte> DeviceName => _payload.Text8Nth(_payload.Utf16End(64, 2), 0);

    /// <summary>Maker, 8-bit.</summary>
    public ReadOnlySpan<byte> ManufacturerName => _payload.Text8Nth(_payload.Utf16End(64, 2), 1);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out OpticalDiskRecord record)
    {
        record = new OpticalDiskRecord(in traceEvent);
        return record._payload.Length >= 64;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("DiskNumber", FieldValue.Unsigned(DiskNumber));
        fields.Field("BusType", FieldValue.Unsigned(BusType));
        fields.Field("DeviceType", FieldValue.Unsigned(DeviceType));
        fields.Field("MediaType", FieldValue.Unsigned(MediaType));
        fields.Field("StartingOffset", FieldValue.Unsigned(StartingOffset));
        fields.Field("Size", FieldValue.Unsigned(Size));
        fields.Field("FreeBlocks", FieldValue.Unsigned(FreeBlocks));
        fields.Field("TotalBlocks", FieldValue.Unsigned(TotalBlocks));
        fields.Field("NextWritableAddress", FieldValue.Unsigned(NextWritableAddress));
        fields.Field("NumberOfSessions", FieldValue.Unsigned(NumberOfSessions));
        fields.Field("NumberOfTracks", FieldValue.Unsigned(NumberOfTracks));
        fields.Field("BytesPerSector", FieldValue.Unsigned(BytesPerSector));
        fields.Field("DiscStatus", FieldValue.Unsigned(DiscStatus));
        fields.Field("LastSessionStatus", FieldValue.Unsigned(LastSessionStatus));
        fields.Field("DriveLetter", FieldValue.Utf16Text(DriveLetter));
        fields.Field("FileSystemName", FieldValue.Utf16Text(FileSystemName));
        fields.Field("DeviceName", FieldValue.Text8(DeviceName));
        fields.Field("ManufacturerName", FieldValue.Text8(ManufacturerName));
    }
}

/// <summary>A device on an IDE channel.</summary>
/// <remarks>
/// Hook 0x0B17; written with 4-byte pointers too. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        TargetId
/// 4     4     u32        DeviceType
/// 8     8     u32        TimingMode
/// 12    12    u32        LocationLen
/// 16    16    wz         Location
/// </code>
/// </remarks>
public readonly ref struct IdeChannelRecord : IKernelRecord<IdeChannelRecord>
{
    private readonly RecordPayload _payload;

    private IdeChannelRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Number of the device on its channel.</summary>
    public uint TargetId => _payload.UInt32(0);

    /// <summary>Kind of device, as the system numbers it.</summary>
    public uint DeviceType => _payload.UInt32(4);

    /// <summary>Transfer mode, as the system numbers it.</summary>
    public uint TimingMode => _payload.UInt32(8);

    /// <summary>Length of the text in characters, its NUL included.</summary>
    public uint LocationLen => _payload.UInt32(12);

    /// <summary>Where the channel is, UTF-16.</summary>
    public ReadOnlySpan<byte> Location => _payload.Utf16(16, out _);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out IdeChannelRecord record)
    {
        record = new IdeChannelRecord(in traceEvent);
        return record._payload.Length >= 16;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("TargetId", FieldValue.Unsigned(TargetId));
        fields.Field("DeviceType", FieldValue.Unsigned(DeviceType));
        fields.Field("TimingMode", FieldValue.Unsigned(TimingMode));
        fields.Field("LocationLen", FieldValue.Unsigned(LocationLen));
        fields.Field("Location", FieldValue.Utf16Text(Location));
    }
}
