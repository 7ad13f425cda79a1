using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>What an analysis is asked for.</summary>
public sealed record BlameRequest
{
    /// <summary>Latency at or above this is an episode.</summary>
    public Duration Threshold { get; init; } = Duration.FromMicroseconds(500);

    /// <summary>Which probes are wanted.</summary>
    public ProbeChoice Probe { get; init; } = ProbeChoice.Auto;

    /// <summary>The lowest priority of a thread whose wake-ups count as probes, 0 to 31.</summary>
    public int MinPriority { get; init; } = 16;

    /// <summary>A process, by image name or id, all of whose threads are probes, whatever their priority; null for none.</summary>
    public string? Process { get; init; }

    /// <summary>The only thread whose wake-ups are probes; null for all.</summary>
    public long? Thread { get; init; }

    /// <summary>The only CPUs that are looked at for episodes; null for all.</summary>
    public IReadOnlyList<int>? Cpus { get; init; }

    /// <summary>Episodes that begin before this are left out; time from the header event. Null for none.</summary>
    public Duration? From { get; init; }

    /// <summary>Episodes that begin after this are left out; time from the header event. Null for none.</summary>
    public Duration? To { get; init; }

    /// <summary>Whether to keep, for each episode, what ran on the CPUs meanwhile (<see cref="BlameResult.Strips"/>).</summary>
    public bool WithStrips { get; init; }

    /// <summary>A name without which the episodes are played once more (<see cref="BlameReport.Without"/>); null for none.</summary>
    public string? Without { get; init; }

    /// <summary>One whose case is wanted (<see cref="BlameReport.Suspect"/>), by name; null for none.</summary>
    public string? Suspect { get; init; }

    /// <summary>Whether to count what ISRs and DPCs took by module and CPU (<see cref="BlameResult.Usage"/>).</summary>
    public bool WithUsage { get; init; }

    /// <summary>Names the functions of images; null where no symbols are at hand.</summary>
    public IFunctionNames? Names { get; init; }

    /// <summary>Limits the work on a trace of so many events.</summary>
    internal Func<long, WorkBudget> Budget { get; init; } = static events => new WorkBudget(events);
}

/// <summary>What an analysis answers.</summary>
/// <param name="Report">The report.</param>
/// <param name="Strips">What ran on the CPUs during each episode, in the order of the episodes; empty where not asked for.</param>
public sealed record BlameResult(BlameReport Report, IReadOnlyList<EpisodeStrips> Strips)
{
    /// <summary>What ISRs and DPCs took by module and CPU; null where not asked for.</summary>
    public LevelUsage? Usage { get; init; }
}

/// <summary>What ran during one episode, CPU by CPU.</summary>
/// <param name="EpisodeId">The episode's <see cref="Episode.Id"/>.</param>
/// <param name="Cpus">The victim's CPU first, then those that have something to show, by number.</param>
public sealed record EpisodeStrips(int EpisodeId, IReadOnlyList<CpuStrip> Cpus);

/// <summary>What ran on one CPU during an episode.</summary>
/// <param name="Cpu">Logical processor.</param>
/// <param name="Spans">Without overlaps, by time; what is not covered is not known.</param>
public sealed record CpuStrip(int Cpu, IReadOnlyList<StripSpan> Spans);

/// <summary>One stretch of a <see cref="CpuStrip"/>.</summary>
/// <param name="Start">From the start of the episode, at least 0.</param>
/// <param name="Length">How long.</param>
/// <param name="Kind">What the CPU did.</param>
/// <param name="Label">Whose: a module, a process; empty for idle.</param>
public sealed record StripSpan(Duration Start, Duration Length, StripKind Kind, string Label);

/// <summary>What a CPU did during a stretch.</summary>
public enum StripKind
{
    /// <summary>The idle thread ran.</summary>
    Idle,

    /// <summary>A thread ran.</summary>
    Thread,

    /// <summary>A DPC ran.</summary>
    Dpc,

    /// <summary>An interrupt service routine ran.</summary>
    Isr,

    /// <summary>Nothing was served.</summary>
    Blackout,
}
