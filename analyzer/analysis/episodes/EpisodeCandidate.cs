using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>A latency at or above the threshold, while it is being looked into. Times in ticks.</summary>
internal sealed class EpisodeCandidate
{
    /// <summary>What it was measured with.</summary>
    public required ProbeKind Probe { get; init; }

    /// <summary>When the victim became runnable.</summary>
    public required long FromTicks { get; set; }

    /// <summary>When it ran.</summary>
    public required long ToTicks { get; init; }

    /// <summary>The CPU it ran on, or that was kept.</summary>
    public required int Cpu { get; set; }

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

    /// <summary>
    /// Whether the next wake-up of such a thread was back on the beat: then it was late, and had not chosen to sleep longer.
    /// </summary>
    public bool IsBackOnBeat { get; set; }

    /// <summary>Whether a thread that is late by its own beat waited for the same.</summary>
    public bool HasLateThread { get; set; }

    /// <summary>Whether it counts only if what the CPU did explains it: records of other CPUs are missing meanwhile.</summary>
    public bool MustBeExplained { get; init; }

    /// <summary>How the victim was made ready at last; null for what is no thread's wake-up from a record of it.</summary>
    public Wake? Wake { get; init; }

    /// <summary>The way from the interrupt to the thread, where the DPC's queue was recorded; else null.</summary>
    public WakeupTrail? Trail { get; set; }

    /// <summary>What held the victim after it had been served once, or at work: by time.</summary>
    public IReadOnlyList<HeldStretch> Holds { get; init; } = [];

    /// <summary>What kept the victim until it was ready at last.</summary>
    public IReadOnlyList<CauseShare> Before { get; set; } = [];

    /// <summary>When it was ready at last, in ticks; from then on it waits for a CPU.</summary>
    public long ReadyTicks => Wake is { } wake ? Math.Clamp(wake.ReadyTicks, FromTicks, ToTicks) : FromTicks;

    /// <summary>The measured wake-up; null for other probes.</summary>
    public MeasuredWakeup? Wakeup { get; init; }

    /// <summary>The blackout, of a gap; null for other probes.</summary>
    public Blackout? Gap { get; init; }

    /// <summary>What took the time.</summary>
    public IReadOnlyList<CauseShare> Causes { get; set; } = [];

    /// <summary>For how long the CPU idled although the victim was ready, and nothing tells why, in ticks.</summary>
    public long UnansweredTicks { get; set; }

    /// <summary>What the samples of its CPU hit, most first.</summary>
    public IReadOnlyList<SampleHits> Samples { get; set; } = [];

    /// <summary>What ran meanwhile; empty where not asked for.</summary>
    public IReadOnlyList<RawStrip> Strips { get; set; } = [];

    /// <summary>Latency in ticks.</summary>
    public long LatencyTicks => ToTicks - FromTicks;

    /// <summary>The same victim or CPU at another time, without what was found out about it.</summary>
    /// <param name="fromTicks">When it became runnable.</param>
    /// <param name="toTicks">When it ran.</param>
    public EpisodeCandidate At(long fromTicks, long toTicks) => new()
    {
        Probe = Probe,
        FromTicks = fromTicks,
        ToTicks = toTicks,
        Cpu = Cpu,
        ThreadId = ThreadId,
        Priority = Priority,
        IsOfHog = IsOfHog,
        IsLateByBeat = IsLateByBeat,
        Gap = Gap,
    };
}

/// <summary>Samples of an episode that hit the same instruction.</summary>
/// <param name="Address">The instruction.</param>
/// <param name="Count">How many.</param>
/// <param name="ThreadId">The thread that the first of them hit.</param>
internal readonly record struct SampleHits(ulong Address, int Count, uint ThreadId);

/// <summary>What ran on one CPU during an episode; times in ticks.</summary>
/// <param name="Cpu">Logical processor.</param>
/// <param name="Spans">By time, without overlaps.</param>
internal sealed record RawStrip(int Cpu, IReadOnlyList<RawStripSpan> Spans);

/// <summary>One stretch of a strip.</summary>
/// <param name="FromTicks">Its start.</param>
/// <param name="ToTicks">Its end.</param>
/// <param name="Kind">What the CPU did.</param>
/// <param name="Routine">The routine of an ISR or DPC; else 0.</param>
/// <param name="Owner">Whose code an ISR or DPC ran, as far as that run shows it; else null.</param>
/// <param name="ThreadId">The thread of a thread's stretch; else 0.</param>
internal readonly record struct RawStripSpan(
    long FromTicks, long ToTicks, StripKind Kind, ulong Routine, OwnerFinding? Owner, uint ThreadId);
