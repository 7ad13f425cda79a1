using static Tracer.Etl.Kernel.KernelField;

namespace Tracer.Etl.Kernel;

/// <summary>Records of the machine's configuration, and what merging adds about the system, that are only shown or written.</summary>
/// <remarks>
/// Sources: the classes SystemConfig of the kernel trace's MOF (Microsoft Learn), the structures of ntwmi.h (phnt) that the rows name, and
/// the real files of the corpus, which have nearly all of them. Sizes are in bytes.
/// </remarks>
public static class MachineLayouts
{
    /// <summary>A volume of the machine (LOGICAL_DISK_EXTENTS, MOF SystemConfig_LogDisk); Size is as written.</summary>
    public static KernelLayout LogicalDisk { get; } = new(
        U64("StartOffset"), U64("PartitionSize"), U32("DiskNumber"), U32("Size"), U32("DriveType"), Wide("DriveLetter", 4), Reserved(4),
        U32("PartitionNumber"), U32("SectorsPerCluster"), U32("BytesPerSector"), Reserved(4), I64("FreeClusters"), I64("TotalClusters"),
        Wide("FileSystem", 16), U32("VolumeExt"), Reserved(4));

    /// <summary>Sleep states that the machine supports; AoAc is modern standby (WMI_POWER_RECORD, MOF SystemConfig_Power).</summary>
    public static KernelLayout PowerCapability { get; } = new(
        Flag("S1"), Flag("S2"), Flag("S3"), Flag("S4"), Flag("S5"), Flag("AoAc"), Reserved(2));

    /// <summary>Parameters of the TCP/IP stack; TcpTimedWaitDelay is in seconds.</summary>
    public static KernelLayout NetworkParameters { get; } = new(
        U32("TcbTablePartitions"), U32("MaxHashTableSize"), U32("MaxUserPort"), U32("TcpTimedWaitDelay"));

    /// <summary>
    /// Which interrupt a device has: the text is the device id of its <see cref="PnpDeviceRecord"/> (WMI_IRQ_RECORD, MOF
    /// SystemConfig_IRQ).
    /// </summary>
    /// <remarks>
    /// IRQNum is negative for a message-signalled interrupt, and not the vector of the ISR record. DescriptionLen is in characters, the NUL
    /// included. Do not rely on IRQGroup: real files of machines with one group have 1 for message-signalled interrupts and 0 for lines.
    /// </remarks>
    public static KernelLayout InterruptLine { get; } = new(
        Hex64("IRQAffinity"), U16("IRQGroup").From(3), Reserved(2).From(3), I32("IRQNum"), U32("DescriptionLen"), Wide("Description"));

    /// <summary>
    /// Which processors each NUMA node has (MOF SystemConfig_V2_NumaNode, which shows the masks only; real files have the groups too).
    /// </summary>
    public static KernelLayout NumaNode { get; } = new(List("Nodes", Hex64("Mask"), U16("Group"), Reserved(6)));

    /// <summary>Who made the machine and its firmware.</summary>
    public static KernelLayout Platform { get; } = new(Wide("Manufacturer"), Wide("Product"), Wide("BiosDate"), Wide("BiosVersion"));

    /// <summary>The active processors of each processor group.</summary>
    public static KernelLayout ProcessorGroup { get; } = new(List("Affinities", HexSize("")));

    /// <summary>Which Windows was traced; added when a trace is merged.</summary>
    public static KernelLayout SystemBuild { get; } = new(FileTime("InstallDate"), Wide("BuildLab"), Wide("ProductName"));

    /// <summary>Directories of the system; added when a trace is merged.</summary>
    public static KernelLayout SystemPaths { get; } = new(Wide("SystemDirectory"), Wide("SystemWindowsDirectory"));

    /// <summary>NT path of a volume without a drive letter; added when a trace is merged.</summary>
    internal static KernelLayout UnmappedVolume { get; } = new(Wide("VolumePath"));

    /// <summary>
    /// A service that runs in a process (MOF SystemConfig_Services): its state, the tag that threads carry while they work for it, the
    /// group in which it is started and the group of services that share its process.
    /// </summary>
    internal static KernelLayout Service { get; } = new(
        U32("ProcessId"), Named<ServiceState>("ServiceState"), U32("SubProcessTag"), Wide("ServiceName"), Wide("DisplayName"),
        Wide("ProcessName"), Wide("LoadOrderGroup").From(3), Wide("SvchostGroup").From(3));

    /// <summary>An optical drive of the machine (OPTICAL_MEDIA_RECORD, MOF SystemConfig_V2_OpticalMedia).</summary>
    internal static KernelLayout OpticalDisk { get; } = new(
        U16("DiskNumber"), U16("BusType"), U16("DeviceType"), U16("MediaType"), U64("StartingOffset"), U64("Size"), U64("FreeBlocks"),
        U64("TotalBlocks"), U64("NextWritableAddress"), U32("NumberOfSessions"), U32("NumberOfTracks"), U32("BytesPerSector"),
        U16("DiscStatus"), U16("LastSessionStatus"), Wide("DriveLetter"), Wide("FileSystemName"), Narrow("DeviceName"),
        Narrow("ManufacturerName"));

    /// <summary>
    /// A device on an IDE channel (WMI_IDE_CHANNEL_RECORD, MOF SystemConfig_IDEChannel); real files have it from writers of both pointer
    /// widths. LocationLen is in characters, the NUL included.
    /// </summary>
    internal static KernelLayout IdeChannel { get; } = new(
        U32("TargetId"), U32("DeviceType"), U32("TimingMode"), U32("LocationLen"), Wide("Location"));

    /// <summary>Scaling of the display in dots per inch (WMI_DPI_RECORD).</summary>
    internal static KernelLayout Dpi { get; } = new(U32("MachineDpi"), U32("UserDpi"));

    /// <summary>State of code integrity checks, in the system's flags.</summary>
    internal static KernelLayout CodeIntegrity { get; } = new(Hex32("CodeIntegrityInfo"));

    /// <summary>Identity of the machine for telemetry.</summary>
    internal static KernelLayout MachineId { get; } = new(Guid("MachineId"));

    /// <summary>Family and form of the device; UapInfo is the version of the platform, packed.</summary>
    internal static KernelLayout DeviceFamily { get; } = new(Hex64("UapInfo"), U32("DeviceFamily"), U32("DeviceForm"));

    internal static KernelLayout FlightIds { get; } = new(Wide("UpdateId"), Wide("FlightIdList"));
}
