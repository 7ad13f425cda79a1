using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Delays;

/// <summary>A latency at or above the threshold, as measured. Times in ticks.</summary>
internal sealed record Delay
{
    public required ProbeKind Probe { get; init; }

    /// <summary>When the victim became runnable.</summary>
    public required long FromTicks { get; init; }

    public required long ToTicks { get; init; }

    /// <summary>The CPU that the victim ran on, or the CPU that was kept at raised level.</summary>
    public required int Cpu { get; init; }

    /// <summary>The victim thread; null where the victim is a CPU.</summary>
    public uint? ThreadId { get; init; }

    public int Priority { get; init; }

    /// <summary>The CPU that made the victim ready, where it may have been in the deferred ready list; -1 for none.</summary>
    public int ReadyCpu { get; init; } = -1;

    /// <summary>The CPU that the victim last ran on, in whose ready queue it may have been; -1 for none.</summary>
    public int LastCpu { get; init; } = -1;

    /// <summary>The victim's ideal CPU; -1 where it is unknown.</summary>
    public int IdealCpu { get; init; } = -1;

    /// <summary>Whether the victim's priority is below the one asked for, and it waited for a thread that hogged the CPU.</summary>
    public bool IsOfHog { get; init; }

    /// <summary>
    /// Whether the victim was made ready late, judged by the beat of its own wake-ups: then the wait counts from when it was due.
    /// </summary>
    public bool IsLateByBeat { get; init; }

    /// <summary>
    /// Whether it is known only from when the thread ran, because no record tells when threads are made ready: then it counts only where
    /// something is seen that kept it, since a thread may as well have been made ready later.
    /// </summary>
    public bool IsByRuns { get; init; }

    /// <summary>The length of that beat, in ticks; 0 where there is none.</summary>
    public long PeriodTicks { get; init; }

    /// <summary>
    /// Whether the delay counts only if the activity of the CPU explains it, because records of other CPUs are missing during it.
    /// </summary>
    public bool MustBeExplained { get; init; }

    /// <summary>The victim's last wake-up; null where the delay is not a thread's wake-up with a record.</summary>
    public Wake? Wake { get; init; }

    /// <summary>What held the victim up after it had been served once, or while it was working; in order of time.</summary>
    public IReadOnlyList<HeldStretch> Holds { get; init; } = [];

    /// <summary>The job; null for other probes.</summary>
    public JobSpan? Job { get; init; }

    /// <summary>The measured wake-up; null for other probes.</summary>
    public MeasuredWakeup? Wakeup { get; init; }

    /// <summary>
    /// Whether it is the timer that serves all CPUs that came late, on <see cref="Cpu"/>: the measured wake-ups of all CPUs began late.
    /// </summary>
    public bool IsOfTimer { get; init; }

    public long LatencyTicks => ToTicks - FromTicks;
}

/// <summary>Receives delays as they are measured, each when it is over.</summary>
internal interface IDelaySink
{
    /// <param name="nowTicks">When the delay was noticed, in ticks: the time of the record that told of it.</param>
    void Add(Delay delay, long nowTicks);
}
