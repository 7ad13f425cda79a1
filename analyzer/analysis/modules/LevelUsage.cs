using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// What ISRs and DPCs took by the module of their routine, CPU and second: gross, what interrupted them included, for reports in the
/// style of other tools.
/// </summary>
/// <param name="Span">From the first event of the trace to the last.</param>
/// <param name="Cpus">Logical processors.</param>
/// <param name="Dpcs">DPCs, by name of module; the one without a name last.</param>
/// <param name="Isrs">ISRs.</param>
/// <param name="DpcSeconds">DPC time by second from the first event, then by CPU.</param>
/// <param name="IsrSeconds">ISR time.</param>
public sealed record LevelUsage(
    Duration Span,
    int Cpus,
    IReadOnlyList<ModuleUsage> Dpcs,
    IReadOnlyList<ModuleUsage> Isrs,
    IReadOnlyList<IReadOnlyList<Duration>> DpcSeconds,
    IReadOnlyList<IReadOnlyList<Duration>> IsrSeconds)
{
    /// <summary>CPUs whose numbers are far above those of all others, or too many for what was recorded: they have no column.</summary>
    public int CpusLeftOut { get; init; }

    /// <summary>
    /// Seconds at the end that have no row of their own, because the trace claims to last far longer than what is in it: they are summed up
    /// in the last row.
    /// </summary>
    public long SecondsLeftOut { get; init; }
}

/// <summary>The ISRs or DPCs of one module.</summary>
/// <param name="Name">File name; null for routines outside every image.</param>
/// <param name="Times">Their time by CPU.</param>
/// <param name="Histogram">
/// How many took up to 1 us, up to 2 us, and so on in powers of two up to 2048 us; the last, how many took longer.
/// </param>
public sealed record ModuleUsage(string? Name, IReadOnlyList<Duration> Times, IReadOnlyList<long> Histogram);
