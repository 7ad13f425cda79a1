using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Tracer.Contract;

/// <summary>Numbers that both sides of the driver interface must agree on: <c>kdriver/include/tracer_records.h</c>.</summary>
public static class DriverAbi
{
    /// <summary>TRACER_ABI_VERSION: version of the records and the device interface.</summary>
    public const uint Version = 2;

    /// <summary>Bytes of <see cref="WakeupRecord"/> in version 1, which ended before <see cref="WakeupRecord.Tick"/>.</summary>
    public const int WakeupBytesVersion1 = 64;

    /// <summary>TRACER_MAX_PRIORITIES: most thread priorities that one run measures.</summary>
    public const int MaxPriorities = 8;

    /// <summary>TRACER_MAX_CALLERS: most callers that one sample keeps.</summary>
    public const int MaxCallers = 16;

    /// <summary>TRACER_NAME_BYTES: bytes of a name, its NUL included.</summary>
    public const int NameBytes = 64;

    /// <summary>TRACER_MAX_RECORD_BYTES: no record is longer.</summary>
    public const int MaxRecordBytes = 176;

    /// <summary>TRACER_SMI_NOT_READ: an SMI count that was not read.</summary>
    public const uint SmiNotRead = 0xFFFFFFFF;
}

/// <summary>enum tracer_record_type: what a record is.</summary>
public enum DriverRecordType : ushort
{
    Start = 1,

    ClockSync = 2,

    Wakeup = 3,

    EpisodeBegin = 4,

    PitSample = 5,

    EpisodeEnd = 6,

    Stop = 7,

    Module = 8,

    TimerState = 9,
}

/// <summary>enum tracer_mode: what makes the interrupt that is measured.</summary>
public enum ProbeMode : byte
{
    /// <summary>The local APIC's timer, on a vector of our own (laboratory driver).</summary>
    Apic = 0,

    /// <summary>A timer of the operating system.</summary>
    Timer = 1,

    /// <summary>The probe process, without a driver.</summary>
    Wakeup = 2,
}

/// <summary>enum tracer_clock: what all clock fields of a run count.</summary>
public enum ProbeClock : byte
{
    /// <summary>The CPU's time stamp counter.</summary>
    Tsc = 0,

    /// <summary>The performance counter.</summary>
    Qpc = 1,
}

/// <summary>enum tracer_sample_source: which interrupt took a sample.</summary>
public enum SampleSource : byte
{
    Pit = 0,

    /// <summary>A non-maskable one: it sees code with interrupts masked as well.</summary>
    Nmi = 1,

    /// <summary>The latency ISR itself, when it came late: where interrupts were let through again.</summary>
    LatencyIsr = 2,
}

/// <summary>TRACER_CAN_*: what this build of the driver on this machine can do.</summary>
[Flags]
public enum DriverCapabilities : uint
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>High-resolution timers, which the timer mode needs (Windows 8.1).</summary>
    TimerHighResolution = 0x01,

    /// <summary>Events through ETW.</summary>
    LogEvents = 0x02,

    /// <summary>The SMI counter of the CPU.</summary>
    CountSmi = 0x04,

    /// <summary>The local APIC's timer.</summary>
    Apic = 0x08,

    /// <summary>Samples from the PIT's hooked vector.</summary>
    SamplePit = 0x10,

    /// <summary>Samples from NMIs.</summary>
    SampleNmi = 0x20,
}

/// <summary>struct tracer_record_header: how every record starts.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct DriverRecordHeader
{
    /// <summary>What the record is; skip by size what you do not know.</summary>
    public DriverRecordType Type;

    /// <summary>Bytes of the whole record, a multiple of 8.</summary>
    public ushort Size;

    /// <summary>Logical processor it happened on.</summary>
    public ushort Cpu;

    private readonly ushort _reserved;
}

/// <summary>Thread priorities of a run, 1 to 31 each.</summary>
[InlineArray(DriverAbi.MaxPriorities)]
public struct PriorityList
{
    private byte _first;
}

/// <summary>Return addresses of a sample, innermost first.</summary>
[InlineArray(DriverAbi.MaxCallers)]
public struct CallerList
{
    private ulong _first;
}

/// <summary>A name in UTF-8 that ends in a NUL.</summary>
[InlineArray(DriverAbi.NameBytes)]
public struct NameBytes
{
    private byte _first;
}

/// <summary>struct tracer_start: a run begins.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct StartRecord
{
    public DriverRecordHeader Header;

    /// <summary>Rate of the run's clock in Hz.</summary>
    public ulong ClockHz;

    /// <summary>Latency from which a wake-up is an episode, in nanoseconds.</summary>
    public ulong ThresholdNs;

    /// <summary>Nanoseconds from one wake-up to the next.</summary>
    public ulong PeriodNs;

    /// <summary>Latency measured at the start of the run, in nanoseconds; 0 where it is not known.</summary>
    public ulong FloorNs;

    public DriverCapabilities Capabilities;

    /// <summary>What makes the interrupt.</summary>
    public ProbeMode Mode;

    public ProbeClock Clock;

    public byte PriorityCount;

    private readonly byte _reserved;

    /// <summary>Priorities of the measured threads.</summary>
    public PriorityList Priorities;
}

/// <summary>struct tracer_clock_sync: one moment in both clocks.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct ClockSyncRecord
{
    public DriverRecordHeader Header;

    public ulong Clock;

    /// <summary>The same moment in the performance counter.</summary>
    public ulong Qpc;
}

/// <summary>
/// struct tracer_wakeup: one measured wake-up. Times are in the run's clock. In timer mode one timer serves all CPUs: what lies between
/// <see cref="Tick"/> and <see cref="Callback"/> is <see cref="TimerCpu"/>'s, and the latency of the record's CPU counts from
/// <see cref="Queued"/>. Where there was no callback it counts from <see cref="Expected"/>.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
public struct WakeupRecord
{
    public DriverRecordHeader Header;

    /// <summary>Counts all wake-ups of the run, recorded or not.</summary>
    public ulong Sequence;

    /// <summary>When the interrupt, or the timer, was due.</summary>
    public ulong Expected;

    /// <summary>First instruction of the ISR; 0 where it can't be measured.</summary>
    public ulong Isr;

    /// <summary>First instruction of the DPC.</summary>
    public ulong Dpc;

    /// <summary>First instruction of the thread.</summary>
    public ulong Thread;

    /// <summary>Instruction that the interrupt came before.</summary>
    public ulong InterruptedIp;

    /// <summary>Code segment of that instruction: its low two bits are the privilege level.</summary>
    public ushort InterruptedCs;

    /// <summary>What made the interrupt.</summary>
    public ProbeMode Mode;

    public byte Priority;

    /// <summary>Logical processor that ran the timer's callback; 0 where there was none. Since version 2, as what follows.</summary>
    public ushort TimerCpu;

    private readonly ushort _reserved;

    /// <summary>The clock tick that should have served the timer; 0 where it is not known.</summary>
    public ulong Tick;

    /// <summary>First instruction of the timer's callback; 0 where there was none.</summary>
    public ulong Callback;

    /// <summary>Right before the callback queued this CPU's DPC; 0 where there was none.</summary>
    public ulong Queued;
}

/// <summary>struct tracer_episode_begin: a latency at or above the threshold; its samples follow.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct EpisodeBeginRecord
{
    /// <summary>How every record starts; its CPU is the one that was late.</summary>
    public DriverRecordHeader Header;

    public ulong LatencyNs;

    /// <summary>Number of the episode in this run.</summary>
    public uint Episode;

    private readonly uint _reserved;
}

/// <summary>
/// struct tracer_pit_sample: what a CPU executed when the sampling interrupt came. The record ends behind the last caller.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
public struct PitSampleRecord
{
    /// <summary>How every record starts; its CPU is the one that was sampled.</summary>
    public DriverRecordHeader Header;

    /// <summary>Interrupted instruction.</summary>
    public ulong Ip;

    public ulong Clock;

    /// <summary>RFLAGS of the interrupted code.</summary>
    public ulong Flags;

    public uint Episode;

    /// <summary>Its number in the episode, oldest first.</summary>
    public uint Index;

    /// <summary>Code segment of the interrupted code.</summary>
    public ushort Cs;

    /// <summary>Which interrupt took it.</summary>
    public SampleSource Source;

    public byte CallerCount;

    private readonly uint _reserved;

    /// <summary>Return addresses of the interrupted code.</summary>
    public CallerList Callers;
}

/// <summary>struct tracer_episode_end: all samples of an episode have been written.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct EpisodeEndRecord
{
    public DriverRecordHeader Header;

    /// <summary>Samples of the episode that the ring had lost already.</summary>
    public ulong Overwritten;

    public uint Episode;

    public uint Samples;

    /// <summary>System management interrupts during the episode, or <see cref="DriverAbi.SmiNotRead"/>.</summary>
    public uint SmiCount;

    private readonly uint _reserved;
}

/// <summary>struct tracer_stop: the run is over.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct StopRecord
{
    public DriverRecordHeader Header;

    /// <summary>Wake-ups measured.</summary>
    public ulong Probes;

    /// <summary>Records that nobody read in time.</summary>
    public ulong Dropped;
}

/// <summary>Three numbers that mean nothing yet.</summary>
[InlineArray(3)]
public struct ReservedWords
{
    private ushort _first;
}

/// <summary>struct tracer_timer_state: how the timer of all CPUs is doing. Its header's CPU ran the last callback.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct TimerStateRecord
{
    public DriverRecordHeader Header;

    public ulong Clock;

    /// <summary>Latency when nothing is wrong, in nanoseconds; 0 where it is not known.</summary>
    public ulong FloorNs;

    /// <summary>Nanoseconds from one clock tick to the next; 0 where the timer is served when it is due, or it is not known.</summary>
    public ulong TickNs;

    /// <summary>CPU time of the run's callbacks, DPCs and threads on all CPUs so far, in nanoseconds.</summary>
    public ulong OwnNs;

    /// <summary>How long the run has been on, in nanoseconds, without what it was paused for.</summary>
    public ulong RunNs;

    /// <summary>Callbacks at or above the threshold behind their tick.</summary>
    public ulong LateTimers;

    /// <summary>Wake-ups that a change of the power state spoilt; in no count and no histogram.</summary>
    public ulong Discarded;

    /// <summary>Logical processors that came after the run began.</summary>
    public ushort UnmeasuredCpus;

    private readonly ReservedWords _reserved;
}

/// <summary>struct tracer_module: an image that the kernel had loaded; in recordings only.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct ModuleRecord
{
    public DriverRecordHeader Header;

    /// <summary>Its first address.</summary>
    public ulong Base;

    /// <summary>Bytes it takes in memory.</summary>
    public uint ImageBytes;

    /// <summary>TimeDateStamp of its header.</summary>
    public uint Timestamp;

    /// <summary>CheckSum of its header.</summary>
    public uint Checksum;

    public uint PdbAge;

    /// <summary>GUID of its PDB; empty when it has none.</summary>
    public Guid PdbGuid;

    public NameBytes Name;

    public NameBytes PdbName;
}
