namespace Tracer.Capture.Probe;

/// <summary>What the probe process asks of the system; Windows, or a fake with a clock of its own.</summary>
internal interface IProbeMachine : IDisposable
{
    /// <summary>The performance counter. Allocates nothing.</summary>
    long Qpc { get; }

    /// <summary>Ticks of the performance counter in a second.</summary>
    long QpcHz { get; }

    /// <summary>
    /// Time that the machine has been awake, in units of 100 ns: what it slept is not in it. Allocates nothing.
    /// </summary>
    long AwakeTime { get; }

    /// <summary>
    /// Periods of the clock interrupt that the system names (coarsest, finest, now), in units of 100 ns; the search for ticks tries them.
    /// </summary>
    IReadOnlyList<uint> ClockPeriods { get; }

    /// <summary>
    /// Makes the process one that can measure: priority class, working set, power throttling, timer resolution.
    /// </summary>
    /// <returns>What the system did not grant, a phrase each.</returns>
    IReadOnlyList<string> PrepareProcess();

    /// <summary>Keeps memory from being paged out.</summary>
    /// <param name="address">Its first byte.</param>
    bool LockMemory(nint address, nuint bytes);

    /// <summary>Binds the calling thread to a CPU, gives it a priority, and makes it a timer.</summary>
    IProbeTimer OpenTimer(int cpu, int priority);

    /// <summary>CPU time that the process has used, in units of 100 ns. Allocates nothing.</summary>
    long CpuTime { get; }

    /// <summary>Waits until the parent is gone. Allocates nothing.</summary>
    bool WaitForParent(int milliseconds);

    /// <summary>Where the events of the Tracer provider go.</summary>
    IProbeEventLog Events { get; }
}

/// <summary>A timer of one thread, used by that thread only.</summary>
internal interface IProbeTimer : IDisposable
{
    /// <summary>Priority of the thread as the system says it is, 0 to 31.</summary>
    int Priority { get; }

    /// <summary>Whether it is of the kind that is finer than the clock tick.</summary>
    bool IsHighResolution { get; }

    /// <summary>Sets it. Allocates nothing.</summary>
    /// <param name="delay">From now, in units of 100 ns.</param>
    void Set(long delay);

    /// <summary>Waits for it. Allocates nothing.</summary>
    void Wait();
}

/// <summary>Takes the events of the Tracer provider.</summary>
internal interface IProbeEventLog
{
    /// <summary>Whether a session listens. Allocates nothing.</summary>
    bool IsOn { get; }

    /// <summary>Logs one. Allocates nothing.</summary>
    void Log(ProbeEvent kind, ReadOnlySpan<byte> payload);
}
