using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>A latency at or above the threshold, as it was measured. Times in ticks.</summary>
internal sealed record Delay
{
    /// <summary>What it was measured with.</summary>
    public required ProbeKind Probe { get; init; }

    /// <summary>When the victim became runnable.</summary>
    public required long FromTicks { get; init; }

    /// <summary>When it ran.</summary>
    public required long ToTicks { get; init; }

    /// <summary>The CPU it ran on, or that was kept.</summary>
    public required int Cpu { get; init; }

    /// <summary>The victim; null for a CPU.</summary>
    public uint? ThreadId { get; init; }

    /// <summary>The victim's priority when it ran.</summary>
    public int Priority { get; init; }

    /// <summary>The CPU that made it ready, where it may have been deferred; -1 for none.</summary>
    public int ReadyCpu { get; init; } = -1;

    /// <summary>The CPU it ran on last, whose queue it may have stood in; -1 for none.</summary>
    public int LastCpu { get; init; } = -1;

    /// <summary>Its ideal CPU; -1 where not known.</summary>
    public int IdealCpu { get; init; } = -1;

    /// <summary>Whether the victim is of a priority that nobody asked for, and waited for a hog.</summary>
    public bool IsOfHog { get; init; }

    /// <summary>Whether the victim was made ready late, by the beat of its own wake-ups: it waited from when it was due.</summary>
    public bool IsLateByBeat { get; init; }

    /// <summary>The length of that beat, in ticks; 0 where there is none.</summary>
    public long PeriodTicks { get; init; }

    /// <summary>Whether it counts only if what the CPU did explains it: records of other CPUs are missing meanwhile.</summary>
    public bool MustBeExplained { get; init; }

    /// <summary>How the victim was made ready at last; null for what is no thread's wake-up from a record of it.</summary>
    public Wake? Wake { get; init; }

    /// <summary>What held the victim after it had been served once, or at work: by time.</summary>
    public IReadOnlyList<HeldStretch> Holds { get; init; } = [];

    /// <summary>The measured wake-up; null for other probes.</summary>
    public MeasuredWakeup? Wakeup { get; init; }

    /// <summary>Latency in ticks.</summary>
    public long LatencyTicks => ToTicks - FromTicks;
}

/// <summary>Takes delays as they are measured; one is over when it comes.</summary>
internal interface IDelaySink
{
    /// <summary>Takes one.</summary>
    void Add(Delay delay);
}
