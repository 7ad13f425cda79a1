namespace Tracer.Analysis.Facts;

/// <summary>
/// The interrupt that takes the profile samples. Windows 7 logs ISR records for it, newer systems log none. It is recognised by its
/// routine: each run holds one sample, and together its runs hold nearly all samples of the trace.
/// </summary>
public sealed class ProfileInterrupt
{
    /// <summary>Fewest runs of a routine by which it may be recognised: fewer prove nothing.</summary>
    private const int FewestRuns = 16;

    /// <summary>
    /// Least part of runs and samples that must follow the rule: records at the ends of buffers, and lost ones, are exceptions.
    /// </summary>
    private const double LeastPart = 0.9;

    /// <summary>This many bytes from the start of the interrupt's routine are taken for its code.</summary>
    private const ulong RoutineBytes = 1024;

    private ulong? _routine;

    /// <summary>Number and total time of the runs of its routine, in ticks; null where the trace has no records of it.</summary>
    public InterruptTotal? Total { get; private set; }

    /// <summary>Whether a routine takes the profile samples.</summary>
    public bool Is(ulong routine) => _routine == routine;

    /// <summary>Whether an instruction belongs to the routine of the profile interrupt, as far as that is known without symbols.</summary>
    public bool Holds(ulong instruction) => _routine is { } routine && instruction - routine < RoutineBytes;

    /// <param name="counts">The counts of ISRs; several counts of one CPU are added up.</param>
    internal void Find(IReadOnlyCollection<InterruptCounts> counts)
    {
        Dictionary<ulong, InterruptCount> routines = [];
        foreach ((ulong routine, InterruptCount count) in counts.SelectMany(count => count.Counts))
        {
            InterruptCount sum = routines.GetValueOrDefault(routine);
            sum.Runs += count.Runs;
            sum.RunsWithSample += count.RunsWithSample;
            sum.Ticks += count.Ticks;
            routines[routine] = sum;
        }

        long samples = counts.Sum(count => count.Samples);
        foreach ((ulong routine, InterruptCount count) in routines)
        {
            if (count.Runs >= FewestRuns && count.RunsWithSample >= LeastPart * count.Runs && count.RunsWithSample >= LeastPart * samples)
            {
                (_routine, Total) = (routine, new InterruptTotal(count.Runs, count.Ticks));
            }
        }
    }
}

/// <summary>The cost of an interrupt over the whole trace.</summary>
/// <param name="Ticks">Total time of the runs in ticks of the trace's clock, including what interrupted them.</param>
public readonly record struct InterruptTotal(long Count, long Ticks);
