using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>A delay while its causes are looked for. Times in ticks.</summary>
/// <param name="delay">The delay.</param>
/// <param name="gap">The blackout that it is, where it was measured by gaps in the sampling; null for other probes.</param>
internal sealed class EpisodeCandidate(Delay delay, Blackout? gap = null)
{
    /// <summary>What was measured.</summary>
    public Delay Delay { get; } = delay;

    /// <summary>The blackout, of a gap; null for other probes.</summary>
    public Blackout? Gap { get; } = gap;

    /// <summary>When the victim became runnable; later than measured where that rested on a guess.</summary>
    public long FromTicks { get; set; } = delay.FromTicks;

    /// <summary>When it ran.</summary>
    public long ToTicks => Delay.ToTicks;

    /// <summary>The CPU that it waited for.</summary>
    public int Cpu { get; set; } = delay.Cpu;

    /// <summary>What it was measured with.</summary>
    public ProbeKind Probe => Delay.Probe;

    /// <summary>The victim; null for a CPU.</summary>
    public uint? ThreadId => Delay.ThreadId;

    /// <summary>The victim's priority when it ran.</summary>
    public int Priority => Delay.Priority;

    /// <summary>Whether the victim is of a priority that nobody asked for, and waited for a hog.</summary>
    public bool IsOfHog => Delay.IsOfHog;

    /// <summary>Whether the victim was made ready late, by the beat of its own wake-ups.</summary>
    public bool IsLateByBeat => Delay.IsLateByBeat;

    /// <summary>Whether a thread that is late by its own beat waited for the same.</summary>
    public bool HasLateThread { get; set; }

    /// <summary>The way from the interrupt to the thread, where the DPC's queue was recorded; else null.</summary>
    public WakeupTrail? Trail { get; set; }

    /// <summary>What kept the victim until it was ready at last.</summary>
    public IReadOnlyList<CauseShare> Before { get; set; } = [];

    /// <summary>When it was ready at last, in ticks; from then on it waits for a CPU.</summary>
    public long ReadyTicks => Delay.Wake is { } wake ? Math.Clamp(wake.ReadyTicks, FromTicks, ToTicks) : FromTicks;

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
    public EpisodeCandidate At(long fromTicks, long toTicks) => new(
        new Delay
        {
            Probe = Probe,
            FromTicks = fromTicks,
            ToTicks = toTicks,
            Cpu = Cpu,
            ThreadId = ThreadId,
            Priority = Priority,
            IsOfHog = IsOfHog,
            IsLateByBeat = IsLateByBeat,
        },
        Gap);
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
