namespace Tracer.Etl.Tests.Kernel;

/// <summary>Processes and images: ntwmi.h, MOF Process and Image, real files.</summary>
internal static class ProcessLayouts
{
    /// <summary>Hook or class and opcode; version; layout; fields. The tokens are those of <see cref="RecordLayout"/>.</summary>
    public static readonly (string Event, int Version, string Layout, string Fields)[] Rows =
    [
        ("0301", 0, "<5> <6> 00000000 a:a.exe", "ProcessId=5 ParentId=6 Sid=null ImageFileName='a.exe'"),
        (
            "0301",
            1,
            "{1} 05000000 06000000 01000000 03010000 00000000 a:a.exe",
            "PageDirectoryBase=ptr:{1} ProcessId=5 ParentId=6 SessionId=1 ExitStatus=259 Sid=null ImageFileName='a.exe'"),
        (
            "0302",
            2,
            "{1} 05000000 06000000 01000000 ffffffff {2} <0> 0101000000000005 12000000 a:a.exe w:a.exe w:",
            "UniqueProcessKey=ptr:{1} ProcessId=5 ParentId=6 SessionId=1 ExitStatus=-1 Sid=S-1-5-18 ImageFileName='a.exe' "
                + "CommandLine='a.exe'"),
        (
            "0303",
            3,
            "{1} 05000000 06000000 01000000 03010000 {3} {2} <0> 0101000000000005 12000000 a:a.exe w:a.exe",
            "UniqueProcessKey=ptr:{1} ProcessId=5 ParentId=6 SessionId=1 ExitStatus=259 DirectoryTableBase=ptr:{3} Sid=S-1-5-18 "
                + "ImageFileName='a.exe' CommandLine='a.exe'"),
        (
            "0304",
            4,
            "{1} 05000000 06000000 01000000 03010000 {3} 0a000000 {2} <0> 0102000000000005 20000000 20020000 a:a.exe w:a.exe "
                + "w:Pack w:App",
            "UniqueProcessKey=ptr:{1} ProcessId=5 ParentId=6 SessionId=1 ExitStatus=259 DirectoryTableBase=ptr:{3} Flags=0xa "
                + "Sid=S-1-5-32-544 ImageFileName='a.exe' CommandLine='a.exe' PackageFullName='Pack' ApplicationId='App'"),
        (
            "0304",
            4,
            "{1} 05000000 06000000 01000000 03010000 {3} 0a000000 00000000 a:a.exe w:a.exe w: w:App",
            "UniqueProcessKey=ptr:{1} ProcessId=5 ParentId=6 SessionId=1 ExitStatus=259 DirectoryTableBase=ptr:{3} Flags=0xa "
                + "Sid=null ImageFileName='a.exe' CommandLine='a.exe' PackageFullName='' ApplicationId='App'"),
        (
            "0303",
            3,
            "{1} 05000000 06000000 01000000 03010000 {3} <0> <0> 0101000000000005 12000000 a:a.exe w:a.exe",
            "UniqueProcessKey=ptr:{1} ProcessId=5 ParentId=6 SessionId=1 ExitStatus=259 DirectoryTableBase=ptr:{3} Sid=S-1-5-18 "
                + "ImageFileName='a.exe' CommandLine='a.exe'"),
        (
            "0327",
            5,
            "{1} 05000000 06000000 01000000 00000000 {3} 00000000 00000000 a:a.exe w:a.exe w: w: 00803ed5deb19d01",
            "UniqueProcessKey=ptr:{1} ProcessId=5 ParentId=6 SessionId=1 ExitStatus=0 DirectoryTableBase=ptr:{3} Flags=0x0 "
                + "Sid=null ImageFileName='a.exe' CommandLine='a.exe' PackageFullName='' ApplicationId='' "
                + "ExitTime=1970-01-01T00:00:00.0000000Z"),
        ("030B", 2, "05000000", "ProcessId=5"),
        (
            "0320",
            2,
            "05000000 01000000 02000000 z4 <1> <2> <3> <4> <5> <6> <7> <8> <9> <10> <11>",
            "ProcessId=5 PageFaultCount=1 HandleCount=2 PeakVirtual=1 PeakWorkingSet=2 PeakPagefile=3 PeakPagedPool=4 "
                + "PeakNonPagedPool=5 Virtual=6 WorkingSet=7 Pagefile=8 PagedPool=9 NonPagedPool=10 Private=11"),
        (
            "0321",
            2,
            "05000000 01000000 02000000 z4 <1> <2> <3> <4> <5> <6> <7> <8> <9> <10> <11>",
            "ProcessId=5 PageFaultCount=1 HandleCount=2 PeakVirtual=1 PeakWorkingSet=2 PeakPagefile=3 PeakPagedPool=4 "
                + "PeakNonPagedPool=5 Virtual=6 WorkingSet=7 Pagefile=8 PagedPool=9 NonPagedPool=10 Private=11"),
        ("0323", 2, "{1} 05000000", "DirectoryTableBase=ptr:{1} ProcessId=5"),
        ("0326", 2, "05000000", "BootPhase=5"),
        ("030A", 0, @"{1} 00100000 w:\Device\a.sys", @"ImageBase=ptr:{1} ImageSize=4096 FileName='\Device\a.sys'"),
        ("140A", 1, "{1} <4096> 05000000 w:a.sys", "ImageBase=ptr:{1} ImageSize=4096 ProcessId=5 FileName='a.sys'"),
        (
            "1402",
            2,
            "{1} <4096> 05000000 06000000 07000000 z4 {2} z16 w:a.sys",
            "ImageBase=ptr:{1} ImageSize=4096 ProcessId=5 ImageChecksum=0x6 TimeDateStamp=0x7 DefaultBase=ptr:{2} FileName='a.sys'"),
        (
            "1403",
            3,
            "{1} <4096> 00000000 06000000 07000000 0c 02 z2 {2} z16 w:a.sys",
            "ImageBase=ptr:{1} ImageSize=4096 ProcessId=0 ImageChecksum=0x6 TimeDateStamp=0x7 SignatureLevel=12 SignatureType=2 "
                + "DefaultBase=ptr:{2} FileName='a.sys'"),
        (
            "1404",
            3,
            "{1} <4096> 00000000 06000000 07000000 0c 02 z2 {2} z16 w:a.sys",
            "ImageBase=ptr:{1} ImageSize=4096 ProcessId=0 ImageChecksum=0x6 TimeDateStamp=0x7 SignatureLevel=12 SignatureType=2 "
                + "DefaultBase=ptr:{2} FileName='a.sys'"),
        ("1421", 2, "{1}", "KernelBase=ptr:{1}"),
        ("1422", 2, "{1}", "HypercallPage=ptr:{1}"),
        (
            "ImageId:0",
            2,
            "{1} <4096> 05000000 06000000 w:a.dll",
            "ImageBase=ptr:{1} ImageSize=4096 ProcessId=5 TimeDateStamp=0x6 OriginalFileName='a.dll'"),
        ("ImageId:32", 2, "{1} 05000000", "ImageBase=ptr:{1} ProcessId=5"),
        (
            "ImageId:34",
            2,
            "{1} 05000000 06000000 07000000 00100000 w:a.dbg",
            "ImageBase=ptr:{1} ProcessId=5 Checksum=0x6 TimeDateStamp=0x7 ImageSize=4096 FileName='a.dbg'"),
        (
            "ImageId:36",
            2,
            "{1} 05000000 00112233445566778899aabbccddeeff 02000000 a:a.pdb",
            "ImageBase=ptr:{1} ProcessId=5 PdbGuid=33221100-5544-7766-8899-aabbccddeeff Age=2 PdbFileName='a.pdb'"),
        (
            "ImageId:37",
            2,
            "{1} 05000000 00112233445566778899aabbccddeeff 02000000 a:a.ni.pdb",
            "ImageBase=ptr:{1} ProcessId=5 PdbGuid=33221100-5544-7766-8899-aabbccddeeff Age=2 PdbFileName='a.ni.pdb'"),
        (
            "ImageId:38",
            2,
            "{1} 05000000 06000000 0100 0200",
            "ImageBase=ptr:{1} ProcessId=5 TimeDateStamp=0x6 MajorVersion=1 MinorVersion=2"),
        (
            "ImageId:39",
            1,
            "{1} 05000000 0001 0001 00112233445566778899aabbccddeeff 02000000",
            "ImageBase=ptr:{1} ProcessId=5 MajorVersion=256 MinorVersion=256 PdbGuid=33221100-5544-7766-8899-aabbccddeeff Age=2"),
        ("ImageId:40", 1, "{1} 05000000", "ImageBase=ptr:{1} ProcessId=5"),
        ("ImageId:41", 1, "w:unreadable", "Reason='unreadable'"),
        (
            "ImageId:64",
            0,
            "00100000 07000000 w:a w:b w:c w:d w:e w:f w:g w:h w:i w:j",
            "ImageSize=4096 TimeDateStamp=0x7 OrigFileName='a' FileDescription='b' FileVersion='c' BinFileVersion='d' "
                + "VerLanguage='e' ProductName='f' CompanyName='g' ProductVersion='h' FileId='i' ProgramId='j'"),
    ];
}
