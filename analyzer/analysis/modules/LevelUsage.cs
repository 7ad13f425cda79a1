namespace Tracer.Analysis.Modules;

/// <summary>
/// Time of ISRs and DPCs by the module of their routine, by CPU and by second. Times are gross: they include what interrupted a routine, as
/// in reports of other tools.
/// </summary>
/// <param name="Span">From the first event of the trace to the last.</param>
/// <param name="Dpcs">DPCs, sorted by module name, upper case before lower; the entry without a name comes last.</param>
/// <param name="Isrs">ISRs, sorted likewise.</param>
/// <param name="DpcSeconds">DPC time by second from the first event, then by CPU.</param>
public sealed record LevelUsage(
    Duration Span,
    int Cpus,
    IReadOnlyList<ModuleUsage> Dpcs,
    IReadOnlyList<ModuleUsage> Isrs,
    IReadOnlyList<IReadOnlyList<Duration>> DpcSeconds,
    IReadOnlyList<IReadOnlyList<Duration>> IsrSeconds)
{
    /// <summary>
    /// Number of CPUs without a column: their numbers are far above all others, or there are too many for what was recorded.
    /// </summary>
    public int CpusLeftOut { get; init; }

    /// <summary>
    /// Number of seconds at the end without a row of their own, because the trace claims to last far longer than its content shows. The
    /// last row contains their sum.
    /// </summary>
    public long SecondsLeftOut { get; init; }
}

/// <summary>The ISRs or DPCs of one module.</summary>
/// <param name="Name">File name; null for routines outside every image.</param>
/// <param name="Histogram">
/// Number of runs of up to 1 us, of more and up to 2 us, and so on in powers of two.
/// </param>
public sealed record ModuleUsage(string? Name, IReadOnlyList<Duration> Times, IReadOnlyList<long> Histogram);
