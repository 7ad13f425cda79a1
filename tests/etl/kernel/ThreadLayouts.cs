namespace Tracer.Etl.Tests.Kernel;

/// <summary>Threads, scheduling and locks: ntwmi.h, MOF Thread, Geoff Chappell's pages.</summary>
internal static class ThreadLayouts
{
    /// <summary>Hook or class and opcode; version; layout; fields. The tokens are those of <see cref="RecordLayout"/>.</summary>
    public static readonly (string Event, int Version, string Layout, string Fields)[] Rows =
    [
        ("0501", 0, "01000000 02000000", "ProcessId=2 ThreadId=1"),
        (
            "0501",
            1,
            "01000000 02000000 {1} {2} {3} {4} {5} {6} 01",
            "ProcessId=1 ThreadId=2 StackBase=ptr:{1} StackLimit=ptr:{2} UserStackBase=ptr:{3} UserStackLimit=ptr:{4} "
                + "StartAddr=code:{5} Win32StartAddr=code:{6} WaitMode=User(1)"),
        ("0502", 1, "01000000 02000000", "ProcessId=1 ThreadId=2"),
        (
            "0503",
            2,
            "01000000 02000000 {1} {2} {3} {4} {5} {6} {7} 08000000",
            "ProcessId=1 ThreadId=2 StackBase=ptr:{1} StackLimit=ptr:{2} UserStackBase=ptr:{3} UserStackLimit=ptr:{4} "
                + "StartAddr=code:{5} Win32StartAddr=code:{6} TebBase=ptr:{7} SubProcessTag=8"),
        (
            "0502",
            3,
            "01000000 02000000 {1} {2} {3} {4} <5> {6} {7} 08000000 09 05 02 10",
            "ProcessId=1 ThreadId=2 StackBase=ptr:{1} StackLimit=ptr:{2} UserStackBase=ptr:{3} UserStackLimit=ptr:{4} Affinity=0x5 "
                + "Win32StartAddr=code:{6} TebBase=ptr:{7} SubProcessTag=8 BasePriority=9 PagePriority=5 IoPriority=2 Flags=0x10"),
        (
            "0504",
            4,
            "01000000 02000000 {1} {2} {3} {4} <5> {6} {7} 08000000 09 05 02 10 w:Audio",
            "ProcessId=1 ThreadId=2 StackBase=ptr:{1} StackLimit=ptr:{2} UserStackBase=ptr:{3} UserStackLimit=ptr:{4} Affinity=0x5 "
                + "Win32StartAddr=code:{6} TebBase=ptr:{7} SubProcessTag=8 BasePriority=9 PagePriority=5 IoPriority=2 Flags=0x10 "
                + "ThreadName='Audio'"),
        (
            "0524",
            1,
            "01000000 02000000 08 0a 03 fe 05 01 05 07",
            "NewThreadId=1 OldThreadId=2 NewThreadPriority=8 OldThreadPriority=10 NewThreadQuantum=3 OldThreadQuantum=-2 "
                + "OldThreadWaitReason=Suspended(5) OldThreadWaitMode=User(1) OldThreadState=Waiting(5) OldThreadIdealProcessor=7"),
        (
            "0524",
            2,
            "01000000 02000000 08 0a 03 fe 05 01 05 07 09000000 ffffffff",
            "NewThreadId=1 OldThreadId=2 NewThreadPriority=8 OldThreadPriority=10 OldThreadRank=3 NewThreadPriorityDecrement=-2 "
                + "OldThreadWaitReason=Suspended(5) OldThreadWaitMode=User(1) OldThreadState=Waiting(5) OldThreadIdealProcessor=7 "
                + "NewThreadWaitTime=9 OldThreadRemainingQuantum=-1"),
        (
            "0524",
            3,
            "01000000 02000000 08 0a 03 fe 05 05 05 07 09000000 ffffffff",
            "NewThreadId=1 OldThreadId=2 NewThreadPriority=8 OldThreadPriority=10 OldThreadRank=3 NewThreadPriorityDecrement=-2 "
                + "OldThreadWaitReason=Suspended(5) OldThreadWaitMode=User(1) BamFlags=0x2 OldThreadState=Waiting(5) "
                + "OldThreadIdealProcessor=7 NewThreadWaitTime=9 OldThreadRemainingQuantum=-1"),
        (
            "0524",
            4,
            "01000000 02000000 08 0a 03 fe 05 55 05 07 09000000 ffffffff",
            "NewThreadId=1 OldThreadId=2 NewThreadPriority=8 OldThreadPriority=10 OldThreadRank=3 NewThreadPriorityDecrement=-2 "
                + "OldThreadWaitReason=Suspended(5) OldThreadWaitMode=User(1) OldThreadQosLevel=2 NewThreadQosLevel=5 "
                + "OldThreadState=Waiting(5) OldThreadIdealProcessor=7 NewThreadWaitTime=9 OldThreadRemainingQuantum=-1"),
        (
            "0524",
            5,
            "90620000e4a00000090900001710090200000000ecbb000001000000",
            "NewThreadId=25232 OldThreadId=41188 NewThreadPriority=9 OldThreadPriority=9 OldThreadRank=0 "
                + "NewThreadPriorityDecrement=0 OldThreadWaitReason=WrProcessInSwap(23) OldThreadWaitMode=Kernel(0) OldThreadQosLevel=0 "
                + "NewThreadQosLevel=1 OldThreadState=ProcessInSwap(9) OldThreadIdealProcessor=2 NewThreadWaitTime=0 "
                + "OldThreadRemainingQuantum=48108 Unknown24=0x1"),
        (
            "0525",
            2,
            "6400000000000000 01000000 02000000 z56 08 0f z14 1400 29000000 46140b00 1b000000 f0580700",
            "FirstTimeStamp=100t Switches=[ { TimeStamp=105t OldThreadId=0 } { TimeStamp=115t OldThreadId=0 } { TimeStamp=137t "
                + "OldThreadId=2 StateWr=10 OldThreadPriority=16 } { TimeStamp=143t OldThreadId=1 StateWr=15 OldThreadPriority=22 "
                + "NewThreadWaitTime=14 } ]"),
        (
            "0529",
            2,
            "{1} {2} 0100000000000000 0200000000000000 03000000 04000000 05000000 06000000 02 01 c3 z5",
            "LockAddress=ptr:{1} Caller=code:{2} AcquireTime=1 ReleaseTime=2 WaitTimeInCycles=3 SpinCount=4 ThreadId=5 "
                + "InterruptCount=6 Irql=2 AcquireDepth=1 Flags=0xc3"),
        (
            "052B",
            2,
            "0100000000000000 0200000000000000 0300000000000000 04000000 05000000 {1} 06000000 07000000",
            "AcquireTime=1 HoldTime=2 WaitTime=3 MaxRecursion=4 ThreadId=5 Resource=ptr:{1} Action=6 ContentionDelta=7"),
        ("0530", 3, "01000000 08 09 0a 00", "ThreadId=1 Old=8 New=9 DynamicPriority=10"),
        ("0531", 3, "01000000 08 09 0a 00", "ThreadId=1 Old=8 New=9 DynamicPriority=10"),
        ("0533", 3, "01000000 08 09 0a 00", "ThreadId=1 Old=8 New=9 DynamicPriority=10"),
        ("0534", 3, "01000000 08 09 0a 00", "ThreadId=1 Old=8 New=9 DynamicPriority=10"),
        ("0532", 2, "01000000 01 02 05 00", "ThreadId=1 AdjustReason=Unwait(1) AdjustIncrement=2 Flags=0x5"),
        ("0535", 2, "<15> 01000000 0200 0000", "Mask=0xf ThreadId=1 Group=2"),
        ("0539", 2, "01000000 0200000000000000 {1}", "ThreadId=1 StartTime=2 Routine=code:{1}"),
        ("053C", 2, "01000000 0200 0f 00", "ThreadId=1 ProcessorIndex=2 OldPriority=15"),
        ("053D", 2, "01000000 0200 0300 08 01 0400", "ThreadId=1 Source=2 Target=3 Priority=8 IdealAdjust=1 OldIdeal=4"),
        ("053E", 2, "{1} 02000000", "Entry=ptr:{1} ThreadId=2"),
        ("053F", 2, "01000000 02000000 {1} {2}", "ThreadId=1 Entries=[ ptr:{1} ptr:{2} ]"),
        ("0540", 2, "{1}", "Routine=code:{1}"),
        ("0541", 2, "{1}", "Routine=code:{1}"),
        ("0542", 2, "{1} 02000000 0f 08 21 03", "Lock=ptr:{1} ThreadId=2 NewFloor=15 OldPriority=8 IoPriorities=0x21 Flags=0x3"),
        ("0543", 2, "{1} 02000000 0080 0000", "Lock=ptr:{1} ThreadId=2 Bitmap=0x8000"),
        ("0544", 2, "{1} 02000000", "Lock=ptr:{1} ThreadId=2"),
        ("0545", 2, "01000000 02000000", "Old=1 New=2"),
        ("0548", 2, "01000000 02000000 w:Audio", "ProcessId=1 ThreadId=2 Name='Audio'"),
    ];
}
