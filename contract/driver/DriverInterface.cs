using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Tracer.Contract;

/// <summary>The device interface of the drivers: <c>kdriver/include/tracer_ioctl.h</c>.</summary>
public static class DriverInterface
{
    public const string DevicePath = @"\\.\TracerLatency";

    /// <summary>TRACER_ALL_CPUS: every logical processor together.</summary>
    public const ushort AllCpus = 0xFFFF;

    /// <summary>TRACER_HISTOGRAM_BUCKETS: 16 buckets of one nanosecond, then 16 for each of 32 powers of two.</summary>
    public const int HistogramBuckets = (1 + 32) << 4;

    /// <summary>TRACER_READ_LEAST_BYTES: what the buffer of a read must hold at least.</summary>
    public const int ReadLeastBytes = 24 + DriverAbi.MaxRecordBytes;

    /// <summary>TRACER_LONGEST_PERIOD_NS: longest period that may be asked for.</summary>
    public const long LongestPeriodNs = 10_000_000_000;
}

/// <summary>Control codes of the device: FILE_DEVICE_UNKNOWN, METHOD_BUFFERED, FILE_READ_ACCESS | FILE_WRITE_ACCESS.</summary>
public static class DriverIoctl
{
    /// <summary>TRACER_IOCTL_STATUS. In: <see cref="AbiHeader"/>; out: <see cref="DriverStatus"/>.</summary>
    public const uint Status = Base | (0x800 << 2);

    /// <summary>TRACER_IOCTL_START. In: <see cref="StartRequest"/>; out: <see cref="DriverStatus"/>.</summary>
    public const uint Start = Base | (0x801 << 2);

    /// <summary>TRACER_IOCTL_STOP. In: <see cref="AbiHeader"/>; out: <see cref="DriverStatus"/>.</summary>
    public const uint Stop = Base | (0x802 << 2);

    /// <summary>
    /// TRACER_IOCTL_READ. In: <see cref="AbiHeader"/>; out: <see cref="ReadBatch"/> and its records. Pends until there is a record.
    /// </summary>
    public const uint Read = Base | (0x803 << 2);

    /// <summary>TRACER_IOCTL_HISTOGRAM. In: <see cref="HistogramRequest"/>; out: <see cref="DriverHistogram"/>.</summary>
    public const uint Histogram = Base | (0x804 << 2);

    private const uint Base = (0x22u << 16) | (3u << 14);
}

/// <summary>enum tracer_refusal: why a start was refused.</summary>
public enum DriverRefusal : uint
{
    None = 0,

    /// <summary>A run is on already.</summary>
    Running = 1,

    /// <summary>The threshold is below twice the floor.</summary>
    Threshold = 2,

    /// <summary>The period is shorter than the timer can do, or longer than 10 s.</summary>
    Period = 3,

    /// <summary>No priorities, too many, or one outside 1 to 31.</summary>
    Priorities = 4,

    /// <summary>This driver has no APIC mode.</summary>
    NotLaboratory = 5,

    /// <summary>The system checks its interrupt table.</summary>
    PatchGuard = 6,

    /// <summary>Memory integrity is on.</summary>
    Hvci = 7,

    /// <summary>A hypervisor owns the local APIC.</summary>
    Hypervisor = 8,

    /// <summary>The local APIC is in x2APIC mode.</summary>
    X2Apic = 9,

    /// <summary>Kernel addresses are shadowed: a hook would fault.</summary>
    KvaShadow = 10,

    /// <summary>The interrupt gate is foreign, or not the same on all CPUs.</summary>
    Gate = 11,

    /// <summary>The clocks disagree.</summary>
    Calibration = 12,

    /// <summary>No memory, thread or timer was to be had.</summary>
    Resources = 13,

    /// <summary>There are more logical processors than the driver can measure.</summary>
    Cpus = 14,

    /// <summary>The clock's interrupt, to sample by, cannot be found or does not tick.</summary>
    Sampler = 15,

    /// <summary>The machine is going to sleep, or waking.</summary>
    Power = 16,

    /// <summary>There are no high-resolution timers: Windows 8.1 has them.</summary>
    NoTimer = 17,

    /// <summary>Driver Verifier would stop the machine where the interrupt table is mapped.</summary>
    Verifier = 18,

    /// <summary>The processor forbids what a hook needs.</summary>
    Protection = 19,
}

/// <summary>TRACER_START_*: what else a run is to do.</summary>
[Flags]
public enum StartOptions : ushort
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Reads get a record for every wake-up, not only for those at or above the threshold.</summary>
    AllWakeups = 0x0001,

    /// <summary>The run goes on when the handle it was started by is closed; else it ends then.</summary>
    Stay = 0x0002,
}

/// <summary>enum tracer_state: what the driver is doing.</summary>
public enum DriverState : uint
{
    Stopped = 0,

    Running = 1,
}

/// <summary>enum tracer_phase: which part of a wake-up a histogram counts (Cota-Robles &amp; Held 2.1).</summary>
public enum LatencyPhase : uint
{
    /// <summary>Due to ISR.</summary>
    Interrupt = 0,

    /// <summary>ISR, or in timer mode from when the DPC was queued, to DPC.</summary>
    Dpc = 1,

    /// <summary>DPC to thread.</summary>
    Thread = 2,

    /// <summary>Due, or in timer mode from when the DPC was queued, to thread.</summary>
    Total = 3,

    /// <summary>From queued to a second DPC that goes to the head of the queue: what the DPC phase is without queueing.</summary>
    Reference = 4,

    /// <summary>Clock tick to the timer's callback, counted for the CPU that ran it (timer mode).</summary>
    Timer = 5,
}

/// <summary>struct tracer_abi: how every structure of the interface starts.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct AbiHeader
{
    /// <summary><see cref="DriverAbi.Version"/>.</summary>
    public uint Version;

    /// <summary>Bytes of the whole structure.</summary>
    public uint Size;
}

/// <summary>struct tracer_start_request: how a run is wanted.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct StartRequest
{
    /// <summary>Version and size.</summary>
    public AbiHeader Abi;

    /// <summary>Latency from which a wake-up is an episode, in nanoseconds.</summary>
    public ulong ThresholdNs;

    /// <summary>Nanoseconds from one wake-up to the next.</summary>
    public ulong PeriodNs;

    /// <summary>Samples to keep from before an episode.</summary>
    public uint PreSamples;

    /// <summary>Samples to keep from after it.</summary>
    public uint PostSamples;

    /// <summary>Milliseconds after an episode without a new one.</summary>
    public uint CoolDownMs;

    /// <summary>What is to make the interrupt.</summary>
    public ProbeMode Mode;

    public byte PriorityCount;

    /// <summary>What else is wanted.</summary>
    public StartOptions Flags;

    /// <summary>Priorities of the threads to measure.</summary>
    public PriorityList Priorities;
}

/// <summary>struct tracer_status: what the driver can do and is doing.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct DriverStatus
{
    /// <summary>Version and size.</summary>
    public AbiHeader Abi;

    /// <summary>What it is doing.</summary>
    public DriverState State;

    /// <summary>Why the last start was refused.</summary>
    public DriverRefusal Refusal;

    public DriverCapabilities Capabilities;

    /// <summary>Logical processors measured.</summary>
    public ushort Cpus;

    /// <summary>What makes the interrupt.</summary>
    public ProbeMode Mode;

    public ProbeClock Clock;

    /// <summary>Rate of the run's clock in Hz.</summary>
    public ulong ClockHz;

    /// <summary>Threshold of the run in nanoseconds.</summary>
    public ulong ThresholdNs;

    /// <summary>Period of the run in nanoseconds.</summary>
    public ulong PeriodNs;

    /// <summary>Latency when nothing is wrong, measured at the start of the run, in nanoseconds; 0 where it is not measured yet.</summary>
    public ulong FloorNs;

    /// <summary>Wake-ups measured.</summary>
    public ulong Probes;

    /// <summary>Wake-ups at or above the threshold.</summary>
    public ulong OverThreshold;

    /// <summary>Longest latency in nanoseconds.</summary>
    public ulong WorstNs;

    /// <summary>Records that nobody read in time.</summary>
    public ulong Dropped;

    /// <summary>Events logged through ETW.</summary>
    public ulong EventsLogged;

    /// <summary>Nanoseconds from one clock tick to the next; 0 where the timer is served when it is due, or it is not known.</summary>
    public ulong TickNs;

    /// <summary>CPU time that the run's callbacks, DPCs and threads took on all CPUs, in nanoseconds; 0 where it is not measured.</summary>
    public ulong OwnNs;

    /// <summary>How long the run has been on in nanoseconds, without what it was paused for; 0 where there was none.</summary>
    public ulong RunNs;

    /// <summary>Callbacks of the timer that came at or above the threshold behind their tick.</summary>
    public ulong LateTimers;

    /// <summary>Wake-ups that a change of the power state spoilt; in no count and no histogram.</summary>
    public ulong Discarded;

    /// <summary>Longest time that a spin lock of the records was held, in nanoseconds; 0 where it is not measured.</summary>
    public ulong LongestLockNs;

    /// <summary>Logical processor that ran the timer's last callback.</summary>
    public ushort TimerCpu;

    /// <summary>Logical processors that came after the run began.</summary>
    public ushort UnmeasuredCpus;

    private readonly uint _reserved;
}

/// <summary>struct tracer_read_batch: the head of what a read gives; the records follow, one after the other.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct ReadBatch
{
    /// <summary>Version, and the size of this head and the records together.</summary>
    public AbiHeader Abi;

    /// <summary>How many records follow.</summary>
    public uint Records;

    private readonly uint _reserved;

    /// <summary>Records lost since the run began, because nobody read in time.</summary>
    public ulong Dropped;
}

/// <summary>struct tracer_histogram_request: which histogram is wanted.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct HistogramRequest
{
    /// <summary>Version and size.</summary>
    public AbiHeader Abi;

    /// <summary>Which part of the wake-ups.</summary>
    public LatencyPhase Phase;

    /// <summary>Logical processor, or <see cref="DriverInterface.AllCpus"/>.</summary>
    public ushort Cpu;

    /// <summary>Priority of the thread; 0 for all. Counts for the phases that end in a thread only.</summary>
    public byte Priority;

    private readonly byte _reserved;
}

[InlineArray(DriverInterface.HistogramBuckets)]
public struct HistogramBucketCounts
{
    private ulong _first;
}

/// <summary>struct tracer_histogram: a log-linear histogram of latencies in nanoseconds.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct DriverHistogram
{
    /// <summary>Version and size.</summary>
    public AbiHeader Abi;

    public ulong Total;

    /// <summary>Longest latency in nanoseconds.</summary>
    public ulong MaxNs;

    public HistogramBucketCounts Buckets;
}
