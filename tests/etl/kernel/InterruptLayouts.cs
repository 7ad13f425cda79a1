namespace Tracer.Etl.Tests.Kernel;

/// <summary>Interrupts, DPCs, timers and power: ntwmi.h, MOF PerfInfo, Geoff Chappell's pages.</summary>
internal static class InterruptLayouts
{
    /// <summary>Hook or class and opcode; version; layout; fields. The tokens are those of <see cref="RecordLayout"/>.</summary>
    public static readonly (string Event, int Version, string Layout, string Fields)[] Rows =
    [
        ("0F44", 1, "0500000000000000 {1}", "InitialTime=5t Routine=code:{1}"),
        ("0F44", 2, "0500000000000000 {1}", "InitialTime=5t Routine=code:{1}"),
        ("0F42", 2, "0500000000000000 {1}", "InitialTime=5t Routine=code:{1}"),
        ("0F45", 1, "0500000000000000 {1}", "InitialTime=5t Routine=code:{1}"),
        ("0F46", 2, "0500000000000000 {1}", "InitialTime=5t Routine=code:{1}"),
        ("0F43", 1, "0500000000000000 {1} 01000000", "InitialTime=5t Routine=code:{1} ReturnValue=1"),
        ("0F43", 2, "0500000000000000 {1} 01 6103 00", "InitialTime=5t Routine=code:{1} ReturnValue=1 Vector=0x361"),
        ("0F5F", 1, "0500000000000000 {1} 00010000", "InitialTime=5t Routine=code:{1} ReturnValue=256"),
        ("0F5F", 2, "0500000000000000 {1} 00 6100 ff", "InitialTime=5t Routine=code:{1} ReturnValue=0 Vector=0x61"),
        (
            "0F32",
            2,
            "0500000000000000 {1} 01 9100 00 03000000",
            "InitialTime=5t Routine=code:{1} ReturnValue=1 Vector=0x91 MessageNumber=3"),
        ("0F5C", 2, "6201", "Vector=354"),
        ("0F60", 2, "{1}", "Routine=code:{1}"),
        ("0F61", 2, "{1}", "Routine=code:{1}"),
        ("0F62", 2, "{1}", "Routine=code:{1}"),
        ("0F67", 2, "{1}", "Routine=code:{1}"),
        ("0F62", 2, "0500000000000000 {1}", "InitialTime=5t Routine=code:{1}"),
        ("0F4F", 2, "0102000000000000 0900", "InterruptTime=513 Flags=0x9"),
        ("0F5B", 2, "02", "Flags=0x2"),
        ("0F5B", 2, "01000000", "Flags=0x1"),
        ("0F64", 2, "{1} feffffff 10000000 03000000 02 z3", "Key=ptr:{1} QueueDepth=-2 DpcCount=16 TargetProcessorIndex=3 Importance=2"),
        ("0F65", 2, "{1} {2}", "DpcRoutine=code:{1} Key=ptr:{2}"),
        ("0F6D", 2, "01000000 02000000 03000000", "YieldReason=1 DpcWatchdogCount=2 DpcTimeCount=3"),
        ("0F50", 2, "0102000000000000", "InterruptTime=513"),
        ("0F51", 2, "0102000000000000 {1} {2} 09", "DueTime=513 Timer=ptr:{1} DpcRoutine=code:{2} EncodedDelay=9"),
        (
            "0F52",
            2,
            "0102000000000000 {1} 0100 07 03 e8030000 09 z3",
            "DueTime=513 Timer=ptr:{1} TargetGroup=1 TargetIndex=7 Flags=0x3 Period=1000 EncodedDelay=9"),
        (
            "0F53",
            2,
            "0102000000000000 {1} 0100 07 03 09 z3",
            "DueTime=513 Timer=ptr:{1} TargetGroup=1 TargetIndex=7 Flags=0x3 EncodedDelay=9"),
        ("0F55", 2, "{1}", "Timer=ptr:{1}"),
        ("0F58", 2, "0102000000000000 05000000", "InterruptTime=513 ClockOwner=5"),
        (
            "0F68",
            2,
            "0100000000000000 0200000000000000 0300000000000000 {1} {2} {3} 04",
            "DueTime=1 MaximumDueTime=2 Period=3 Timer=ptr:{1} Callback=code:{2} Context=ptr:{3} Flags=0x4"),
        (
            "0F69",
            2,
            "0100000000000000 0200000000000000 0300000000000000 {1} {2} {3} 04",
            "DueTime=1 MaximumDueTime=2 Period=3 Timer=ptr:{1} Callback=code:{2} Context=ptr:{3} Flags=0x4"),
        (
            "1233",
            2,
            "01000000 02000000 03000000 04000000 ff00000000000080",
            "Type=Frequency(1) New=2 Old=3 Result=4 Processors=0x80000000000000ff"),
        ("1235", 2, "02000000 03000000 0f00000000000000", "New=2 Old=3 Processors=0xf"),
        ("1236", 2, "02000000 z4 0f00000000000000", "Constraint=2 Processors=0xf"),
        ("1239", 2, "02000000 03000000 0f01000000000000", "State=2 Flags=0x3 ExpectedDuration=271"),
        ("123A", 2, "02000000 03000000", "State=2 Status=0x3"),
        (
            "123C",
            2,
            "01000000 02000000 03000000 04000000 05000000",
            "Flags=0x1 PlatformState=2 ProcessorState=3 ReturnLatency=4 TotalLatency=5"),
    ];
}
