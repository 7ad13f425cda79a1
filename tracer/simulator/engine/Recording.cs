namespace Tracer.Simulator.Engine;

/// <summary>Which records a simulated machine writes.</summary>
[Flags]
public enum Recording
{
    None = 0,

    Isr = 1 << 0,

    Dpc = 1 << 1,

    /// <summary>DPCs entering their queue and leaving it.</summary>
    DpcQueue = 1 << 2,

    /// <summary>Calls of the driver framework to its clients.</summary>
    Wdf = 1 << 3,

    /// <summary>Threads made ready.</summary>
    ReadyThread = 1 << 4,

    ContextSwitch = 1 << 5,

    /// <summary>Samples; without them there are no profile interrupts.</summary>
    Samples = 1 << 6,

    /// <summary>Clock interrupts.</summary>
    Clock = 1 << 7,

    /// <summary>Idle states entered and left.</summary>
    Idle = 1 << 8,

    FirmwareMethods = 1 << 9,

    SampleStacks = 1 << 10,

    /// <summary>Stacks of who made a thread ready.</summary>
    ReadyStacks = 1 << 11,

    /// <summary>Stacks of where a thread goes on.</summary>
    SwitchStacks = 1 << 12,

    /// <summary>Uses of spin locks that were waited for, or long.</summary>
    SpinLocks = 1 << 16,

    /// <summary>Priorities that were set, and lifts of starving threads.</summary>
    Priorities = 1 << 17,

    /// <summary>As latency problems are usually recorded: ISRs, DPCs, threads, samples, stacks of samples and wake-ups.</summary>
    Usual = Isr | Dpc | ReadyThread | ContextSwitch | Samples | SampleStacks | ReadyStacks,

    All = ((1 << 13) - 1) | SpinLocks | Priorities,
}
