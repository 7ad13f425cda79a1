namespace Tracer.Etl.Tests.Kernel;

/// <summary>Samples, counters, system calls and stacks: ntwmi.h, MOF PerfInfo and StackWalk, real files.</summary>
internal static class SampleLayouts
{
    /// <summary>Hook or class and opcode; version; layout; fields. The tokens are those of <see cref="RecordLayout"/>.</summary>
    public static readonly (string Event, int Version, string Layout, string Fields)[] Rows =
    [
        ("0F2E", 1, "{1} 02000000 0300", "InstructionPointer=code:{1} ThreadId=2 Count=3"),
        ("0F2E", 2, "{1} 02000000 0300 83 05", "InstructionPointer=code:{1} ThreadId=2 Count=3 Flags=0x83 Rank=5"),
        ("0F47", 2, "{1} 02000000 0300 83 05", "InstructionPointer=code:{1} ThreadId=2 Count=3 Flags=0x83 Rank=5"),
        ("0F22", 0, "5770725F496E697469617465645F52756E646F776E00", "Mark='Wpr_Initiated_Rundown'"),
        ("0F2F", 2, "{1} 02000000 0300 0000", "InstructionPointer=code:{1} ThreadId=2 ProfileSource=3"),
        ("0F30", 2, "02000000 w:Timer w:CacheMisses", "CounterNames=[ 'Timer' 'CacheMisses' ]"),
        (
            "0F31",
            2,
            "07000000 02000000 01000000 0500000000000000 03000000 0600000000000000",
            "ProcessorNumber=7 Counters=[ { ProfileSource=1 LastGoodTime=5t } { ProfileSource=3 LastGoodTime=6t } ]"),
        (
            "0F37",
            2,
            "02000000 {1} 02000000 0300 83 05 {2} 04000000 0500 01 06",
            "Samples=[ { InstructionPointer=code:{1} ThreadId=2 Count=3 Flags=0x83 Rank=5 } { InstructionPointer=code:{2} "
                + "ThreadId=4 Count=5 Flags=0x1 Rank=6 } ]"),
        ("0F48", 2, "00000000 10270000 20270000", "Source=0 NewInterval=10000 OldInterval=10016"),
        ("0F49", 2, "00000000 10270000 20270000", "Source=0 NewInterval=10000 OldInterval=10016"),
        ("0F49", 3, "00000000 10270000 10270000 w:Timer", "Source=0 NewInterval=10000 OldInterval=10000 SourceName='Timer'"),
        ("0F4A", 3, "00000000 10270000 10270000 w:Timer", "Source=0 NewInterval=10000 OldInterval=10000 SourceName='Timer'"),
        ("0F4B", 2, "01000000 02000000 03000000", "SpinThreshold=1 ContentionSampleRate=2 AcquireSampleRate=3"),
        ("0F4C", 3, "01000000 02000000 03000000 04000000", "SpinThreshold=1 ContentionSampleRate=2 AcquireSampleRate=3 HoldThreshold=4"),
        ("0F33", 2, "{1}", "SysCallAddress=code:{1}"),
        ("0F34", 2, "220000c0", "NtStatus=0xc0000022"),
        (
            "1820",
            2,
            "0500000000000000 06000000 07000000 {1} {2} {3}",
            "EventTimeStamp=5t ProcessId=6 ThreadId=7 Frames=[ code:{1} code:{2} code:{3} ]"),
        ("1822", 2, "{1} {2} {3}", "Key=ptr:{1} Frames=[ code:{2} code:{3} ]"),
        ("1823", 2, "{1} {2} {3}", "Key=ptr:{1} Frames=[ code:{2} code:{3} ]"),
        ("1824", 2, "{1}", "Key=ptr:{1} Frames=[ ]"),
        ("1825", 2, "0500000000000000 06000000 07000000 {1}", "EventTimeStamp=5t ProcessId=6 ThreadId=7 Key=ptr:{1}"),
        ("1826", 2, "0500000000000000 06000000 07000000 {1}", "EventTimeStamp=5t ProcessId=6 ThreadId=7 Key=ptr:{1}"),
    ];
}
