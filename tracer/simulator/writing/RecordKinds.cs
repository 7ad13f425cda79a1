namespace Tracer.Simulator.Writing;

/// <summary>What a session records; whatever is logged of other kinds is dropped, as a kernel does whose switch for it is off.</summary>
[Flags]
public enum RecordKinds
{
    /// <summary>Nothing but the rundowns.</summary>
    None = 0,

    /// <summary>Interrupt service routines.</summary>
    Interrupts = 1 << 0,

    /// <summary>Deferred procedure calls.</summary>
    Dpcs = 1 << 1,

    /// <summary>DPCs put into a queue and taken from it; Windows 10 and later.</summary>
    DpcQueue = 1 << 2,

    /// <summary>Callbacks of the driver framework; Windows 10 and later.</summary>
    Wdf = 1 << 3,

    /// <summary>Threads made ready.</summary>
    ReadyThreads = 1 << 4,

    ContextSwitches = 1 << 5,

    /// <summary>Profile samples.</summary>
    Samples = 1 << 6,

    /// <summary>Clock interrupts; Windows 10 and later.</summary>
    ClockInterrupts = 1 << 7,

    /// <summary>Idle states entered and left.</summary>
    IdleStates = 1 << 8,

    /// <summary>Hard page faults.</summary>
    HardFaults = 1 << 9,

    DiskTransfers = 1 << 10,

    /// <summary>Events of Microsoft-Windows-Kernel-Acpi about firmware methods; Windows 10 and later.</summary>
    FirmwareMethods = 1 << 11,

    /// <summary>Uses of spin locks; Windows 10 and later.</summary>
    SpinLocks = 1 << 12,

    /// <summary>Priorities that were set, and lifts of starving threads; Windows 10 and later.</summary>
    Priorities = 1 << 13,

    /// <summary>How long exits from idle states took.</summary>
    ExitLatencies = 1 << 16,

    /// <summary>Changes of the processors' speed.</summary>
    SpeedChanges = 1 << 17,

    /// <summary>Events of Microsoft-Windows-Kernel-Processor-Power about parked processors; Windows 10 and later.</summary>
    CoreParking = 1 << 18,

    /// <summary>Events of the .NET runtime about garbage collections.</summary>
    GarbageCollections = 1 << 19,

    /// <summary>Events of our own recorder about the wake-ups that it measured.</summary>
    MeasuredWakeups = 1 << 20,

    /// <summary>Events of Microsoft-Windows-Audio about deadlines and glitches.</summary>
    Glitches = 1 << 21,

    /// <summary>Events of Microsoft-Windows-Kernel-Power about Modern Standby; Windows 10 and later.</summary>
    Standby = 1 << 22,

    /// <summary>What the usual tools record to look into latencies.</summary>
    Usual = Interrupts | Dpcs | ReadyThreads | ContextSwitches | Samples | HardFaults | DiskTransfers,

    /// <summary>What Windows before 10 does not record.</summary>
    OnlyModern = DpcQueue | Wdf | ClockInterrupts | FirmwareMethods | SpinLocks | Priorities | CoreParking | Standby,

    All = Usual | DpcQueue | Wdf | ClockInterrupts | IdleStates | FirmwareMethods | SpinLocks | Priorities | ExitLatencies | SpeedChanges
        | CoreParking | GarbageCollections | MeasuredWakeups | Glitches | Standby,
}

[Flags]
public enum StackedKinds
{
    None = 0,

    /// <summary>Profile samples.</summary>
    Samples = 1 << 0,

    /// <summary>Threads made ready: the stack of who made it ready.</summary>
    ReadyThreads = 1 << 1,

    /// <summary>Context switches: where the new thread resumes.</summary>
    ContextSwitches = 1 << 2,

    All = Samples | ReadyThreads | ContextSwitches,
}

/// <summary>When a session lists the processes, threads and images that there are.</summary>
[Flags]
public enum Rundowns
{
    /// <summary>Never: as when the buffers with it were overwritten.</summary>
    None = 0,

    Start = 1,

    /// <summary>At its end, as most recorders do.</summary>
    End = 2,

    Both = Start | End,
}
