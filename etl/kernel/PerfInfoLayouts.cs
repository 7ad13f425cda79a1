using static Tracer.Etl.Kernel.KernelField;

namespace Tracer.Etl.Kernel;

/// <summary>Records of interrupts, samples, system calls, timers and power that are only shown or written.</summary>
/// <remarks>
/// Sources: the structures of ntwmi.h (phnt) that the rows name, and Geoff Chappell's pages about the events of the PerfInfo and power
/// groups. InterruptTime and DueTime are interrupt time in units of 100 ns, not the trace's clock.
/// </remarks>
public static class PerfInfoLayouts
{
    /// <summary>
    /// A clock interrupt (PERFINFO_CLOCK_INTERRUPT_INFORMATION); records may be longer. Flags: 1 this processor owns the system clock, 8 a
    /// timer has run out and waits for its DPC.
    /// </summary>
    public static KernelLayout ClockInterrupt { get; } = new(U64("InterruptTime"), Hex16("Flags"));

    /// <summary>A mark that a person or a tool put into the trace (PERFINFO_MARK_INFORMATION).</summary>
    /// <remarks>Real files have it as a classic event of version 0.</remarks>
    internal static KernelLayout Mark { get; } = new(Narrow("Mark"));

    /// <summary>An interrupt that nobody had registered for: its vector in the interrupt descriptor table.</summary>
    internal static KernelLayout UnexpectedInterrupt { get; } = new(U16("Vector"));

    /// <summary>
    /// An interrupt that one processor sent to another (PERFINFO_IPI_INFORMATION). The width of the flags is not public, the two known ones
    /// are in the lowest byte: 1 asks for an APC, 2 for a DPC.
    /// </summary>
    internal static KernelLayout InterprocessorInterrupt { get; } = new(Hex8("Flags"));

    /// <summary>
    /// A long DPC asked whether it should give way (PERFINFO_YIELD_PROCESSOR_INFORMATION): clock ticks that the DPC watchdog has counted
    /// over all DPCs, and those that this one has taken.
    /// </summary>
    internal static KernelLayout ShouldYield { get; } = new(U32("YieldReason"), U32("DpcWatchdogCount"), U32("DpcTimeCount"));

    /// <summary>Names of the performance counters that a session samples.</summary>
    /// <remarks>Confirmed on bytes that the unit tests of the project snail-server print.</remarks>
    internal static KernelLayout PmcConfig { get; } = new(List("CounterNames", Wide("")));

    /// <summary>Performance counters of a processor that somebody else changed, and when each was last seen in order.</summary>
    /// <remarks>Confirmed on bytes that the unit tests of the project snail-server print.</remarks>
    internal static KernelLayout PmcCorruption { get; } = new(
        U32("ProcessorNumber"), List("Counters", U32("ProfileSource"), Ticks("LastGoodTime")));

    /// <summary>
    /// Samples that the kernel put aside and logs together, at most twenty (PERFINFO_SAMPLED_PROFILE_CACHE); each is as a
    /// <see cref="SampledProfileRecord"/> of version 2.
    /// </summary>
    internal static KernelLayout SampleCache { get; } = new(
        List("Samples", Code("InstructionPointer"), U32("ThreadId"), U16("Count"), Hex8("Flags"), U8("Rank")));

    /// <summary>
    /// How spin-lock events are thinned out (PERFINFO_SPINLOCK_CONFIG): spins from which on an acquisition is logged, one in how many
    /// contended and other acquisitions is logged, and the hold time from which on a lock is.
    /// </summary>
    internal static KernelLayout SpinLockConfig { get; } = new(
        U32("SpinThreshold"), U32("ContentionSampleRate"), U32("AcquireSampleRate"), U32("HoldThreshold").From(3));

    /// <summary>
    /// A system call begins (PERFINFO_SYSCALL_ENTER_DATA, MOF SysCallEnter); its thread is the one that runs on the processor.
    /// </summary>
    internal static KernelLayout SysCallEnter { get; } = new(Code("SysCallAddress"));

    /// <summary>
    /// A system call ends (PERFINFO_SYSCALL_EXIT_DATA, MOF SysCallExit); pair it with the enter of the same thread, not of the same
    /// processor.
    /// </summary>
    internal static KernelLayout SysCallExit { get; } = new(Hex32("NtStatus"));

    /// <summary>The kernel begins to run expired timers (ETW_TIMER_EXPIRATION_START_EVENT).</summary>
    internal static KernelLayout TimerExpirationStart { get; } = new(U64("InterruptTime"));

    /// <summary>
    /// A timer ran out (ETW_TIMER_EXPIRATION_EVENT); DpcRoutine is 0 where it starts no DPC, EncodedDelay is its tolerable delay in the
    /// kernel's encoding.
    /// </summary>
    internal static KernelLayout TimerExpiration { get; } = new(
        U64("DueTime"), Pointer("Timer"), Code("DpcRoutine"), U8("EncodedDelay"));

    /// <summary>
    /// A timer that repeats was set (ETW_SET_TIMER_EVENT): the processor in whose table it is, its period in milliseconds, and its
    /// tolerable delay in the kernel's encoding.
    /// </summary>
    internal static KernelLayout PeriodicTimerSet { get; } = new(
        U64("DueTime"), Pointer("Timer"), U16("TargetGroup"), U8("TargetIndex"), Hex8("Flags"), U32("Period"), U8("EncodedDelay"),
        Reserved(3));

    /// <summary>A timer that strikes once was set (ETW_SET_TIMER_EVENT).</summary>
    internal static KernelLayout OneShotTimerSet { get; } = new(
        U64("DueTime"), Pointer("Timer"), U16("TargetGroup"), U8("TargetIndex"), Hex8("Flags"), U8("EncodedDelay"), Reserved(3));

    /// <summary>A timer was cancelled (ETW_CANCEL_TIMER_EVENT).</summary>
    internal static KernelLayout TimerCancel { get; } = new(Pointer("Timer"));

    /// <summary>The system time was advanced, by which processor (ETW_CLOCK_TIME_UPDATE).</summary>
    internal static KernelLayout ClockTimeUpdate { get; } = new(U64("InterruptTime"), U32("ClockOwner"));

    /// <summary>
    /// A timer of the newer kind (KTIMER2) was set or ran out (ETW_SET_KTIMER2_EVENT, ETW_KTIMER2_EXPIRATION_EVENT): due times and period
    /// in units of 100 ns, and the routine that it calls.
    /// </summary>
    internal static KernelLayout ExtendedTimer { get; } = new(
        U64("DueTime"), U64("MaximumDueTime"), U64("Period"), Pointer("Timer"), Code("Callback"), Pointer("Context"), Hex8("Flags"));

    /// <summary>The idle state that processors may use changed (PERFINFO_PPM_IDLE_STATE_CHANGE).</summary>
    internal static KernelLayout IdleStateChange { get; } = new(U32("New"), U32("Old"), Hex64("Processors"));

    /// <summary>Heat limits the speed of processors (PERFINFO_PPM_THERMAL_CONSTRAINT).</summary>
    internal static KernelLayout ThermalConstraint { get; } = new(U32("Constraint"), Reserved(4), Hex64("Processors"));
}
