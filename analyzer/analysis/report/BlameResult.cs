using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>The result of an analysis.</summary>
/// <param name="Report">The report.</param>
/// <param name="Strips">What ran on the CPUs during each episode, in the order of the episodes; empty where not asked for.</param>
public sealed record BlameResult(BlameReport Report, IReadOnlyList<EpisodeStrips> Strips)
{
    /// <summary>The time of ISRs and DPCs by module and CPU; null where not asked for.</summary>
    public LevelUsage? Usage { get; init; }

    /// <summary>What ran on the CPUs around the worst episodes; null where not asked for.</summary>
    public LanesReport? Lanes { get; init; }
}

/// <summary>What ran during one episode, CPU by CPU.</summary>
/// <param name="episodeId">The episode's <see cref="Episode.Id"/>.</param>
/// <param name="cpus">Makes <see cref="Cpus"/>.</param>
public sealed class EpisodeStrips(int episodeId, Func<IReadOnlyList<CpuStrip>> cpus)
{
    /// <summary>Keeps strips that are there already.</summary>
    /// <inheritdoc cref="EpisodeStrips(int, Func{IReadOnlyList{CpuStrip}})"/>
    public EpisodeStrips(int episodeId, IReadOnlyList<CpuStrip> cpus)
        : this(episodeId, () => cpus)
    {
    }

    /// <summary>The episode's <see cref="Episode.Id"/>.</summary>
    public int EpisodeId => episodeId;

    /// <summary>
    /// The victim's CPU first, then the others with anything to show, by number. Each call makes them anew: those of thousands of
    /// episodes would take more memory than the rest of the report.
    /// </summary>
    public IReadOnlyList<CpuStrip> Cpus => cpus();
}

/// <summary>What ran on one CPU during an episode.</summary>
/// <param name="Cpu">Logical processor.</param>
/// <param name="Spans">By time, without overlaps. What is not covered is not known.</param>
public sealed record CpuStrip(int Cpu, IReadOnlyList<StripSpan> Spans);

/// <summary>One stretch of a <see cref="CpuStrip"/>.</summary>
/// <param name="Start">Time from the start of the episode, at least 0.</param>
/// <param name="Length">Its length.</param>
/// <param name="Kind">What the CPU did.</param>
/// <param name="Label">The module or process; empty for an idle CPU.</param>
public readonly record struct StripSpan(Duration Start, Duration Length, StripKind Kind, string Label);
