namespace Tracer.Etl.Tests.Kernel;

/// <summary>Disks, files, memory, network and registry: ntwmi.h and the MOF classes on Microsoft Learn.</summary>
internal static class IoLayouts
{
    /// <summary>Hook or class and opcode; version; layout; fields. The tokens are those of <see cref="RecordLayout"/>.</summary>
    public static readonly (string Event, int Version, string Layout, string Fields)[] Rows =
    [
        (
            "010A",
            0,
            "01000000 02000000 03000000 04000000 0500000000000000 {1}",
            "DiskNumber=1 IrpFlags=0x2 TransferSize=3 ResponseTime=4 ByteOffset=5 FileObject=ptr:{1}"),
        (
            "010A",
            1,
            "01000000 02000000 03000000 04000000 0500000000000000 {1} 0600000000000000",
            "DiskNumber=1 IrpFlags=0x2 TransferSize=3 ResponseTime=4 ByteOffset=5 FileObject=ptr:{1} HighResResponseTime=6"),
        (
            "010B",
            2,
            "01000000 02000000 03000000 04000000 0500000000000000 {1} {2} 0600000000000000",
            "DiskNumber=1 IrpFlags=0x2 TransferSize=3 ResponseTime=4 ByteOffset=5 FileObject=ptr:{1} Irp=ptr:{2} "
                + "HighResResponseTime=6"),
        (
            "010A",
            3,
            "01000000 02000000 03000000 04000000 0500000000000000 {1} {2} 0600000000000000 07000000",
            "DiskNumber=1 IrpFlags=0x2 TransferSize=3 ResponseTime=4 ByteOffset=5 FileObject=ptr:{1} Irp=ptr:{2} "
                + "HighResResponseTime=6 IssuingThreadId=7"),
        (
            "010B",
            3,
            "01000000 02000000 03000000 04000000 0500000000000000 {1} {2} 0600000000000000 07000000",
            "DiskNumber=1 IrpFlags=0x2 TransferSize=3 ResponseTime=4 ByteOffset=5 FileObject=ptr:{1} Irp=ptr:{2} "
                + "HighResResponseTime=6 IssuingThreadId=7"),
        ("010C", 2, "{1}", "Irp=ptr:{1}"),
        ("010C", 3, "{1} 07000000", "Irp=ptr:{1} IssuingThreadId=7"),
        ("010D", 3, "{1} 07000000", "Irp=ptr:{1} IssuingThreadId=7"),
        ("010F", 3, "{1} 07000000", "Irp=ptr:{1} IssuingThreadId=7"),
        ("010E", 2, "01000000 02000000 0600000000000000 {1}", "DiskNumber=1 IrpFlags=0x2 HighResResponseTime=6 Irp=ptr:{1}"),
        (
            "010E",
            3,
            "01000000 02000000 0600000000000000 {1} 07000000",
            "DiskNumber=1 IrpFlags=0x2 HighResResponseTime=6 Irp=ptr:{1} IssuingThreadId=7"),
        (
            "0122",
            2,
            "1b000000 02000000 {1} {2} {3} 04000000",
            "MajorFunction=Pnp(27) MinorFunction=2 Routine=code:{1} FileObject=ptr:{2} Irp=ptr:{3} UniqMatchId=4"),
        ("0123", 2, "{1} 04000000", "Irp=ptr:{1} UniqMatchId=4"),
        ("0135", 2, "{1} 04000000", "Irp=ptr:{1} UniqMatchId=4"),
        ("0125", 2, "{1} {2} 04000000", "Routine=code:{1} Irp=ptr:{2} UniqMatchId=4"),
        ("0134", 2, "{1} {2} 04000000", "Routine=code:{1} Irp=ptr:{2} UniqMatchId=4"),
        (
            "0220",
            2,
            "0500000000000000 0600000000000000 {1} {2} 07000000 00100000",
            "InitialTime=5t ReadOffset=6 VirtualAddress=ptr:{1} FileObject=ptr:{2} ThreadId=7 ByteCount=4096"),
        ("020A", 2, "{1} {2}", "VirtualAddress=ptr:{1} ProgramCounter=code:{2}"),
        ("020B", 2, "{1} {2}", "VirtualAddress=ptr:{1} ProgramCounter=code:{2}"),
        ("020C", 2, "{1} {2}", "VirtualAddress=ptr:{1} ProgramCounter=code:{2}"),
        ("020D", 2, "{1} {2}", "VirtualAddress=ptr:{1} ProgramCounter=code:{2}"),
        ("020E", 2, "{1} {2}", "VirtualAddress=ptr:{1} ProgramCounter=code:{2}"),
        ("020F", 2, "{1} {2}", "VirtualAddress=ptr:{1} ProgramCounter=code:{2}"),
        ("0262", 2, "{1} <4096> 05000000 00300000", "Base=ptr:{1} Size=4096 ProcessId=5 Flags=0x3000"),
        ("0263", 2, "{1} <4096> 05000000 00800000", "Base=ptr:{1} Size=4096 ProcessId=5 Flags=0x8000"),
        ("0400", 2, "{1} w:a.txt", "FileObject=ptr:{1} FileName='a.txt'"),
        ("0420", 2, "{1} w:a.txt", "FileObject=ptr:{1} FileName='a.txt'"),
        ("0423", 2, "{1} w:a.txt", "FileObject=ptr:{1} FileName='a.txt'"),
        ("0424", 2, "{1} w:a.txt", "FileObject=ptr:{1} FileName='a.txt'"),
        (
            "0440",
            2,
            "{1} {2} {3} 01000000 02000000 03000000 w:a.txt",
            "Irp=ptr:{1} Thread=ptr:{2} FileObject=ptr:{3} Options=0x1 Attributes=0x2 Share=0x3 OpenPath='a.txt'"),
        (
            "0440",
            3,
            "{1} {2} 07000000 01000000 02000000 03000000 w:a.txt",
            "Irp=ptr:{1} FileObject=ptr:{2} ThreadId=7 Options=0x1 Attributes=0x2 Share=0x3 OpenPath='a.txt'"),
        (
            "0443",
            2,
            "0500000000000000 {1} {2} {3} {4} 00100000 06000000",
            "Offset=5 Irp=ptr:{1} Thread=ptr:{2} FileObject=ptr:{3} FileKey=ptr:{4} IoSize=4096 IoFlags=0x6"),
        (
            "0444",
            3,
            "0500000000000000 {1} {2} {3} 07000000 00100000 06000000",
            "Offset=5 Irp=ptr:{1} FileObject=ptr:{2} FileKey=ptr:{3} ThreadId=7 IoSize=4096 IoFlags=0x6"),
        ("044C", 2, "{1} <5> 220000c0", "Irp=ptr:{1} ExtraInfo=0x5 NtStatus=0xc0000022"),
        (
            "0460",
            3,
            "{1} {2} {3} {4} {5} 04000000",
            "Routine=code:{1} FileObject=ptr:{2} FileContext=ptr:{3} Irp=ptr:{4} CallbackData=ptr:{5} MajorFunction=Write(4)"),
        (
            "0461",
            3,
            "{1} {2} {3} {4} {5} 04000000",
            "Routine=code:{1} FileObject=ptr:{2} FileContext=ptr:{3} Irp=ptr:{4} CallbackData=ptr:{5} MajorFunction=Write(4)"),
        (
            "0464",
            3,
            "{1} {2} {3} {4} {5} 04000000 220000c0",
            "Routine=code:{1} FileObject=ptr:{2} FileContext=ptr:{3} Irp=ptr:{4} CallbackData=ptr:{5} MajorFunction=Write(4) "
                + "Status=0xc0000022"),
        (
            "0465",
            3,
            "{1} {2} {3} {4} {5} 04000000 220000c0",
            "Routine=code:{1} FileObject=ptr:{2} FileContext=ptr:{3} Irp=ptr:{4} CallbackData=ptr:{5} MajorFunction=Write(4) "
                + "Status=0xc0000022"),
        (
            "060A",
            2,
            "05000000 64000000 0a000001 0a000002 01bb 1f90 01000000 02000000 07000000 {1}",
            "PID=5 Size=100 Daddr=10.0.0.1 Saddr=10.0.0.2 Dport=port:443 Sport=port:8080 Start=1 End=2 Seq=7 Connid=ptr:{1}"),
        (
            "061A",
            2,
            "05000000 64000000 20010db8000000000000000000000001 20010db8000000000000000000000002 01bb 1f90 01000000 02000000 "
                + "07000000 {1}",
            "PID=5 Size=100 Daddr=2001:db8::1 Saddr=2001:db8::2 Dport=port:443 Sport=port:8080 Start=1 End=2 Seq=7 Connid=ptr:{1}"),
        (
            "060B",
            2,
            "05000000 64000000 0a000001 0a000002 01bb 1f90 07000000 {1}",
            "PID=5 Size=100 Daddr=10.0.0.1 Saddr=10.0.0.2 Dport=port:443 Sport=port:8080 Seq=7 Connid=ptr:{1}"),
        (
            "060D",
            2,
            "05000000 64000000 0a000001 0a000002 01bb 1f90 07000000 {1}",
            "PID=5 Size=100 Daddr=10.0.0.1 Saddr=10.0.0.2 Dport=port:443 Sport=port:8080 Seq=7 Connid=ptr:{1}"),
        (
            "060E",
            2,
            "05000000 64000000 0a000001 0a000002 01bb 1f90 07000000 {1}",
            "PID=5 Size=100 Daddr=10.0.0.1 Saddr=10.0.0.2 Dport=port:443 Sport=port:8080 Seq=7 Connid=ptr:{1}"),
        (
            "0610",
            2,
            "05000000 64000000 0a000001 0a000002 01bb 1f90 07000000 {1}",
            "PID=5 Size=100 Daddr=10.0.0.1 Saddr=10.0.0.2 Dport=port:443 Sport=port:8080 Seq=7 Connid=ptr:{1}"),
        (
            "080A",
            2,
            "05000000 64000000 0a000001 0a000002 01bb 1f90 07000000 {1}",
            "PID=5 Size=100 Daddr=10.0.0.1 Saddr=10.0.0.2 Dport=port:443 Sport=port:8080 Seq=7 Connid=ptr:{1}"),
        (
            "080B",
            2,
            "05000000 64000000 0a000001 0a000002 01bb 1f90 07000000 {1}",
            "PID=5 Size=100 Daddr=10.0.0.1 Saddr=10.0.0.2 Dport=port:443 Sport=port:8080 Seq=7 Connid=ptr:{1}"),
        (
            "061B",
            2,
            "05000000 64000000 20010db8000000000000000000000001 20010db8000000000000000000000002 01bb 1f90 07000000 {1}",
            "PID=5 Size=100 Daddr=2001:db8::1 Saddr=2001:db8::2 Dport=port:443 Sport=port:8080 Seq=7 Connid=ptr:{1}"),
        (
            "081A",
            2,
            "05000000 64000000 20010db8000000000000000000000001 20010db8000000000000000000000002 01bb 1f90 07000000 {1}",
            "PID=5 Size=100 Daddr=2001:db8::1 Saddr=2001:db8::2 Dport=port:443 Sport=port:8080 Seq=7 Connid=ptr:{1}"),
        (
            "081B",
            2,
            "05000000 64000000 20010db8000000000000000000000001 20010db8000000000000000000000002 01bb 1f90 07000000 {1}",
            "PID=5 Size=100 Daddr=2001:db8::1 Saddr=2001:db8::2 Dport=port:443 Sport=port:8080 Seq=7 Connid=ptr:{1}"),
        (
            "060C",
            2,
            "05000000 64000000 0a000001 0a000002 01bb 1f90 b405 0100 0200 0300 00000100 0400 0500 07000000 {1}",
            "PID=5 Size=100 Daddr=10.0.0.1 Saddr=10.0.0.2 Dport=port:443 Sport=port:8080 Mss=1460 Sack=1 Ts=2 Ws=3 RcvWin=65536 "
                + "RcvScale=4 SndScale=5 Seq=7 Connid=ptr:{1}"),
        (
            "060F",
            2,
            "05000000 64000000 0a000001 0a000002 01bb 1f90 b405 0100 0200 0300 00000100 0400 0500 07000000 {1}",
            "PID=5 Size=100 Daddr=10.0.0.1 Saddr=10.0.0.2 Dport=port:443 Sport=port:8080 Mss=1460 Sack=1 Ts=2 Ws=3 RcvWin=65536 "
                + "RcvScale=4 SndScale=5 Seq=7 Connid=ptr:{1}"),
        ("0611", 2, "0200 0300", "Proto=2 Code=3"),
        ("090A", 0, "<34> {1} 0500000000000000 w:Key", "Status=0x22 KeyHandle=ptr:{1} ElapsedTime=5 KeyName='Key'"),
        ("090A", 1, "<34> {1} 0500000000000000 03000000 w:Key", "Status=0x22 KeyHandle=ptr:{1} ElapsedTime=5 Index=3 KeyName='Key'"),
        (
            "090A",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "090B",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "090C",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "090D",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "090E",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "090F",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "0910",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "0911",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "0912",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "0913",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "0914",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "0915",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "0916",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "0917",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "0918",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "0919",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "091A",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
        (
            "091B",
            2,
            "0500000000000000 220000c0 03000000 {1} w:Key",
            "InitialTime=5t Status=0xc0000022 Index=3 KeyHandle=ptr:{1} KeyName='Key'"),
    ];
}
