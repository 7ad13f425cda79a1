using Tracer.Analysis.Causes;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Request;

namespace Tracer.Analysis.Report;

/// <param name="Strips">What ran on the CPUs during each episode, in the order of the episodes; empty where not asked for.</param>
public sealed record BlameResult(BlameReport Report, IReadOnlyList<EpisodeStrips> Strips)
{
    /// <summary>
    /// Why so little of the trace is there that nothing in it can be compared with another one, as the rest of a sentence; null where
    /// enough is.
    /// </summary>
    public string? NothingJudged { get; init; }

    /// <summary>
    /// Why it is not known whether a latency reached <see cref="BlameRequest.Limit"/>, as the rest of a sentence; null where it is known,
    /// or not asked.
    /// </summary>
    public string? LimitUntold { get; init; }

    /// <summary>
    /// Whether the verdict is unknown only because of stretches without records, none of which has room for a latency of
    /// <see cref="BlameRequest.Limit"/>: then none reached it.
    /// </summary>
    public bool IsShownBelowLimit { get; init; }

    /// <summary>The time of ISRs and DPCs by module and CPU; null where not asked for.</summary>
    public LevelUsage? Usage { get; init; }

    /// <summary>The time of each driver's ISRs and DPCs, and of each routine's, by bins of time; null where not asked for.</summary>
    public IReadOnlyList<ActivityTimeBins>? TimeBins { get; init; }

    /// <summary>What ran on the CPUs around the worst episodes; null where not asked for.</summary>
    public LanesReport? Lanes { get; init; }

    /// <summary>What tells the machine from others; null where not asked for.</summary>
    public TracedMachine? Machine { get; init; }
}

/// <param name="Computer">The computer's name; null where not recorded.</param>
/// <param name="Drivers">The images of its kernel, by name.</param>
public sealed record TracedMachine(string? Computer, IReadOnlyList<DriverFile> Drivers);

/// <summary>The time of a driver's or a routine's ISRs or DPCs, by bins of the time from the trace's first event on.</summary>
/// <param name="IsRoutine">Whether a routine, else a driver.</param>
/// <param name="IsIsr">Whether its ISRs, else its DPCs.</param>
/// <param name="LengthNs">How long a bin is, in nanoseconds: an eighth of a second, doubled some times.</param>
/// <param name="Nanoseconds">The net time of each bin; later ones have none.</param>
public sealed record ActivityTimeBins(string Name, bool IsRoutine, bool IsIsr, long LengthNs, IReadOnlyList<long> Nanoseconds);

/// <summary>What ran during one episode, CPU by CPU.</summary>
public sealed class EpisodeStrips(int episodeId, Func<IReadOnlyList<CpuStrip>> cpus)
{
    /// <summary>Keeps strips that are there already.</summary>
    public EpisodeStrips(int episodeId, IReadOnlyList<CpuStrip> cpus)
        : this(episodeId, () => cpus)
    {
    }

    public int EpisodeId => episodeId;

    /// <summary>
    /// The victim's CPU first, then the others with anything to show, by number. Each call makes them anew: those of thousands of
    /// episodes would take more memory than the rest of the report.
    /// </summary>
    public IReadOnlyList<CpuStrip> Cpus => cpus();
}

/// <summary>What ran on one CPU during an episode.</summary>
/// <param name="Spans">By time, without overlaps. What is not covered is not known.</param>
public sealed record CpuStrip(int Cpu, IReadOnlyList<StripSpan> Spans);

/// <summary>One stretch of a <see cref="CpuStrip"/>.</summary>
/// <param name="Start">Time from the start of the episode, at least 0.</param>
/// <param name="Label">The module or process; empty for an idle CPU.</param>
public readonly record struct StripSpan(Duration Start, Duration Length, StripKind Kind, string Label);
