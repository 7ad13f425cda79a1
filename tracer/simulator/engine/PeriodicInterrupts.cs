using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Engine;

/// <summary>
/// What the interrupts of the clock and the profile are like beyond their plain cost: how long they take in which state of the machine,
/// and what they leave in a trace. Windows 7 records both as ISRs of hal.dll; later releases record neither.
/// </summary>
public sealed record PeriodicInterrupts
{
    /// <summary>The ISR record of the profile interrupt; null where it leaves none.</summary>
    public InterruptRecord? ProfileRecord { get; init; }

    /// <summary>The ISR record of the clock interrupt of the first CPU, which keeps the time; null where it leaves none.</summary>
    public InterruptRecord? ClockRecord { get; init; }

    /// <summary>The profile interrupt on a CPU that runs something; null for <see cref="MachineOptions.ProfileCostNs"/>.</summary>
    public Spread? ProfileOnBusyCpu { get; init; }

    /// <summary>The profile interrupt on a CPU that idles beside one that runs a thread: its caches are cold.</summary>
    public Spread? ProfileOnIdleCpu { get; init; }

    /// <summary>The profile interrupt where no CPU runs a thread: the caches that all share are cold, too.</summary>
    public Spread? ProfileOnIdleMachine { get; init; }

    /// <summary>From the first instruction of the profile interrupt to the time stamp of the sample; null for none.</summary>
    public Spread? BeforeSample { get; init; }

    /// <summary>The clock interrupt; null for <see cref="MachineOptions.ClockCostNs"/>.</summary>
    public Spread? Clock { get; init; }

    /// <summary>
    /// When the first profile interrupt of a CPU is due and how far apart they are, in nanoseconds; null for a random beginning and
    /// exactly the nominal interval.
    /// </summary>
    public Func<int, (long FirstNs, long IntervalNs)>? ProfileBeat { get; init; }

    /// <summary>
    /// The kernel's DPC that the profile interrupt queues where the stack of a thread of user mode is asked for, since that can't be read
    /// at the interrupt's level; null where the kernel needs none.
    /// </summary>
    public KernelRoutine? StackWalk { get; init; }
}

/// <summary>How an interrupt without a driver stands in ISR records.</summary>
public readonly record struct InterruptRecord(ulong Routine, ushort Vector);

/// <summary>A routine of the kernel's own.</summary>
/// <param name="Name">Its name in causes, <c>module+0x1234</c>.</param>
public sealed record KernelRoutine(ulong Routine, string Name, CodeStretch Code, Spread Length);
