namespace Tracer.Etl.Tests.Kernel;

/// <summary>Log-file header, header group and system configuration: evntrace.h, ntwmi.h, MOF SystemConfig, real files.</summary>
internal static class MachineLayouts
{
    /// <summary>Hook or class and opcode; version; layout; fields. The tokens are those of <see cref="RecordLayout"/>.</summary>
    public static readonly (string Event, int Version, string Layout, string Fields)[] Rows =
    [
        (
            "0000",
            2,
            "00000100 0a000105 ee420000 08000000 00803ed5deb19d01 5a620200 64000000 01000000 09000000 01000000 08000000 02000000 "
                + "b80b0000 <5> <6> c4ffffff w32:Std 0000 0a00 0000 0500 0300 0000 0000 0000 00000000 w32:Day 0000 0300 0000 0500 0200 "
                + "0000 0000 0000 c4ffffff z4 00803ed5deb19d01 8096980000000000 00803ed5deb19d01 01000000 04000000 w:Relogger w:a.etl",
            "BufferSize=65536 MajorVersion=10 MinorVersion=0 SubVersion=1 SubMinorVersion=5 ProviderVersion=17134 "
                + "NumberOfProcessors=8 EndTime=1970-01-01T00:00:00.0000000Z TimerResolution=156250 MaximumFileSize=100 LogFileMode=0x1 "
                + "BuffersWritten=9 StartBuffers=1 PointerSize=8 EventsLost=2 CpuSpeedInMHz=3000 LoggerName=ptr:0x5 LogFileName=ptr:0x6 "
                + "Bias=-60 StandardName='Std' StandardDate=0000-10-05T03:00:00.000 StandardBias=0 DaylightName='Day' "
                + "DaylightDate=0000-03-05T02:00:00.000 DaylightBias=-60 BootTime=1970-01-01T00:00:00.0000000Z PerfFreq=10000000 "
                + "StartTime=1970-01-01T00:00:00.0000000Z ReservedFlags=Qpc(1) BuffersLost=4 SessionName='Relogger' FileName='a.etl'"),
        (
            "0005",
            2,
            "01000000 80000020 03000000 04000000 05000000 06000000 07000000 08000000 46000000",
            "GroupMasks=[ 0x1 0x20000080 0x3 0x4 0x5 0x6 0x7 0x8 ] KernelEventVersion=70"),
        (
            "0020",
            2,
            "01000000 80000020 03000000 04000000 05000000 06000000 07000000 08000000 46000000",
            "GroupMasks=[ 0x1 0x20000080 0x3 0x4 0x5 0x6 0x7 0x8 ] KernelEventVersion=70"),
        ("0008", 2, "", ""),
        (
            "0040",
            2,
            "00112233445566778899aabbccddeeff 01000000 a:a.pdb",
            "PdbGuid=33221100-5544-7766-8899-aabbccddeeff Age=1 PdbName='a.pdb'"),
        ("0042", 2, "a:9200.win8_rtm", "BuildLab='9200.win8_rtm'"),
        (
            "0043",
            2,
            "02000000 00112233445566778899aabbccddeeff 00112233445566778899aabbccddeeff w:a.exe",
            "Guids=[ 33221100-5544-7766-8899-aabbccddeeff 33221100-5544-7766-8899-aabbccddeeff ] BinaryPath='a.exe'"),
        (
            "0050",
            2,
            "0100 0000 02000000 fbffffffffffffff 00112233445566778899aabbccddeeff z16",
            "EventVersion=1 PartitionType=2 QpcOffsetFromRoot=-5 PartitionId=33221100-5544-7766-8899-aabbccddeeff "
                + "ParentId=00000000-0000-0000-0000-000000000000"),
        ("0052", 2, "08000000 z164", "NumberOfProcessors=8"),
        (
            "0B0A",
            0,
            "01000000 02000000 03000000 04000000 05000000 w256:PC w132:DOM <3>",
            "MHz=1 NumberOfProcessors=2 MemSize=3 PageSize=4 AllocationGranularity=5 ComputerName='PC' DomainName='DOM' "
                + "HyperThreadingFlag=0x3"),
        (
            "0B0A",
            2,
            "01000000 02000000 03000000 04000000 05000000 w256:PC w134:DOM <3>",
            "MHz=1 NumberOfProcessors=2 MemSize=3 PageSize=4 AllocationGranularity=5 ComputerName='PC' DomainName='DOM' "
                + "HyperThreadingFlag=0x3"),
        (
            "0B0A",
            3,
            "01000000 02000000 03000000 04000000 05000000 w256:PC w134:DOM <3> {1} 0900 0600 0a9e 01 01 800c0000",
            "MHz=1 NumberOfProcessors=2 MemSize=3 PageSize=4 AllocationGranularity=5 ComputerName='PC' DomainName='DOM' "
                + "HyperThreadingFlag=0x3 HighestUserAddress=ptr:{1} Architecture=X64(9) Level=6 Revision=0x9e0a NxAndPaeFlags=0x101 "
                + "MemorySpeed=3200"),
        (
            "0B0B",
            2,
            "01000000 00020000 3f000000 ff000000 0400000000000000 05000000 06000000 07000000 08000000 w256:Maker 02000000 01 00 "
                + "w3:C: z4",
            "DiskNumber=1 BytesPerSector=512 SectorsPerTrack=63 TracksPerCylinder=255 Cylinders=4 ScsiPort=5 ScsiPath=6 "
                + "ScsiTarget=7 ScsiLun=8 Manufacturer='Maker' PartitionCount=2 WriteCache=true BootDriveLetter='C:'"),
        (
            "0B0C",
            2,
            "0100000000000000 0200000000000000 03000000 04000000 05000000 w4:C: z4 06000000 08000000 00020000 z4 0900000000000000 "
                + "0a00000000000000 w16:NTFS 01000000 z4",
            "StartOffset=1 PartitionSize=2 DiskNumber=3 Size=4 DriveType=5 DriveLetter='C:' PartitionNumber=6 SectorsPerCluster=8 "
                + "BytesPerSector=512 FreeClusters=9 TotalClusters=10 FileSystem='NTFS' VolumeExt=1"),
        (
            "0B0D",
            2,
            "0102030405060000 06000000 02000000 03000000 w:Nic w:10.0.0.1 w:10.0.0.2",
            "PhysicalAddr=bytes:010203040506 PhysicalAddrLen=6 Ipv4Index=2 Ipv6Index=3 Description='Nic' IpAddresses='10.0.0.1' "
                + "DnsServers='10.0.0.2'"),
        (
            "0B0E",
            2,
            "01000000 80070000 38040000 20000000 3c000000 w256:Chip w256:Dac w256:Card w256:Bios w256:Id 05000000",
            "MemorySize=1 XRes=1920 YRes=1080 BitsPerPixel=32 VRefresh=60 ChipType='Chip' DACType='Dac' AdapterString='Card' "
                + "BiosString='Bios' DeviceId='Id' StateFlags=0x5"),
        (
            "0B0F",
            2,
            "05000000 04000000 06000000 w:Audiosrv w:Audio w:svchost.exe",
            "ProcessId=5 ServiceState=Running(4) SubProcessTag=6 ServiceName='Audiosrv' DisplayName='Audio' ProcessName='svchost.exe'"),
        (
            "0B0F",
            3,
            "05000000 04000000 06000000 w:Audiosrv w:Audio w:svchost.exe w:AudioGroup w:Local",
            "ProcessId=5 ServiceState=Running(4) SubProcessTag=6 ServiceName='Audiosrv' DisplayName='Audio' "
                + "ProcessName='svchost.exe' LoadOrderGroup='AudioGroup' SvchostGroup='Local'"),
        ("0B10", 2, "00 00 01 01 00 01 z2", "S1=false S2=false S3=true S4=true S5=false AoAc=true"),
        ("0B11", 2, "01000000 02000000 03000000 04000000", "TcbTablePartitions=1 MaxHashTableSize=2 MaxUserPort=3 TcpTimedWaitDelay=4"),
        (
            "0B12",
            2,
            "0100 0200 0300 0400 0500000000000000 0600000000000000 0700000000000000 0800000000000000 0900000000000000 0a000000 "
                + "0b000000 00080000 0c00 0d00 w:D: w:UDF a:Drive a:Maker",
            "DiskNumber=1 BusType=2 DeviceType=3 MediaType=4 StartingOffset=5 Size=6 FreeBlocks=7 TotalBlocks=8 "
                + "NextWritableAddress=9 NumberOfSessions=10 NumberOfTracks=11 BytesPerSector=2048 DiscStatus=12 LastSessionStatus=13 "
                + "DriveLetter='D:' FileSystemName='UDF' DeviceName='Drive' ManufacturerName='Maker'"),
        ("0B15", 2, "0f00000000000000 10000000 04000000 w:PCI", "IRQAffinity=0xf IRQNum=16 DescriptionLen=4 Description='PCI'"),
        (
            "0B15",
            3,
            "0f00000000000000 0100 0000 feffffff 04000000 w:PCI",
            "IRQAffinity=0xf IRQGroup=1 IRQNum=-2 DescriptionLen=4 Description='PCI'"),
        (
            "0B16",
            2,
            "03000000 04000000 05000000 w:PCI w:Desc w:Friend",
            "IDLength=3 DescriptionLength=4 FriendlyNameLength=5 DeviceID='PCI' DeviceDescription='Desc' FriendlyName='Friend'"),
        (
            "0B16",
            3,
            "03000000 04000000 05000000 w:PCI w:Desc w:Friend w:Pdo",
            "IDLength=3 DescriptionLength=4 FriendlyNameLength=5 DeviceID='PCI' DeviceDescription='Desc' FriendlyName='Friend' "
                + "PdoName='Pdo'"),
        (
            "0B16",
            4,
            "00112233445566778899aabbccddeeff 01000000 02000000 w:PCI w:Desc w:Friend w:Pdo w:Svc w:up w:low1 w:low2",
            "ClassGuid=33221100-5544-7766-8899-aabbccddeeff UpperFilterCount=1 LowerFilterCount=2 DeviceID='PCI' "
                + "DeviceDescription='Desc' FriendlyName='Friend' PdoName='Pdo' ServiceName='Svc' UpperFilters=[ 'up' ] LowerFilters=[ "
                + "'low1' 'low2' ]"),
        (
            "0B16",
            5,
            "00112233445566778899aabbccddeeff 01000000 01000000 0a008001 1c000000 w:PCI w:Desc w:Friend w:Pdo w:Svc w:up w:low",
            "ClassGuid=33221100-5544-7766-8899-aabbccddeeff UpperFilterCount=1 LowerFilterCount=1 DevStatus=0x180000a "
                + "DevProblem=28 DeviceID='PCI' DeviceDescription='Desc' FriendlyName='Friend' PdoName='Pdo' ServiceName='Svc' "
                + "UpperFilters=[ 'up' ] LowerFilters=[ 'low' ]"),
        ("0B17", 2, "01000000 02000000 03000000 04000000 w:Bus", "TargetId=1 DeviceType=2 TimingMode=3 LocationLen=4 Location='Bus'"),
        ("0B18", 2, "02000000 0f00000000000000 0000 z6 f000000000000000 0100 z6", "Nodes=[ { Mask=0xf Group=0 } { Mask=0xf0 Group=1 } ]"),
        ("0B19", 2, "w:Maker w:Model w:2020 w:1.0", "Manufacturer='Maker' Product='Model' BiosDate='2020' BiosVersion='1.0'"),
        ("0B1A", 2, "02000000 <15> <3>", "Affinities=[ 0xf 0x3 ]"),
        ("0B1B", 2, "02000000 0000 01 00 0100 02 00", "Processors=[ { Group=0 Number=1 } { Group=1 Number=2 } ]"),
        ("0B1C", 2, "60000000 90000000", "MachineDpi=96 UserDpi=144"),
        ("0B1D", 2, "05000000", "CodeIntegrityInfo=0x5"),
        ("0B1E", 2, "00112233445566778899aabbccddeeff", "MachineId=33221100-5544-7766-8899-aabbccddeeff"),
        ("0B21", 2, "0100000000000080 03000000 04000000", "UapInfo=0x8000000000000001 DeviceFamily=3 DeviceForm=4"),
        ("0B22", 2, "w:Up w:FX1", "UpdateId='Up' FlightIdList='FX1'"),
        (
            "0B23",
            2,
            "01000000 3f000000 800c0000 w64:Core w128:Fam w16:Intel",
            "ProcessorIndex=1 FeatureSet=0x3f MHz=3200 Name='Core' Identifier='Fam' Vendor='Intel'"),
        (
            "SystemConfigEx:32",
            0,
            "00803ed5deb19d01 w:lab w:Windows",
            "InstallDate=1970-01-01T00:00:00.0000000Z BuildLab='lab' ProductName='Windows'"),
        ("SystemConfigEx:33", 0, @"w:C:\W\System32 w:C:\W", @"SystemDirectory='C:\W\System32' SystemWindowsDirectory='C:\W'"),
        ("SystemConfigEx:34", 0, @"w:\Device\HarddiskVolume1", @"VolumePath='\Device\HarddiskVolume1'"),
        ("SystemConfigEx:35", 0, @"w:\??\ w:", @"NtPath='\??\' DosPath=''"),
    ];
}
