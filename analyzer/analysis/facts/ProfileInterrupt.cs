namespace Tracer.Analysis;

/// <summary>
/// The interrupt that takes the profile samples. Windows 7 logs an ISR record for it, newer systems log none: every run of its routine
/// holds one sample, and together they hold nearly all samples of the trace.
/// </summary>
public sealed class ProfileInterrupt
{
    /// <summary>Fewer runs show no rule.</summary>
    private const int FewestRuns = 16;

    /// <summary>This part must follow the rule: records at the ends of buffers, and lost ones, make exceptions.</summary>
    private const double LeastPart = 0.9;

    /// <summary>So much behind the first instruction of an interrupt's routine is taken for its code, in bytes.</summary>
    private const ulong RoutineBytes = 1024;

    private ulong? _routine;

    /// <summary>Runs of its routine with their time in ticks; null where the trace has no records of it.</summary>
    public InterruptTotal? Total { get; private set; }

    /// <summary>Whether a routine takes the profile samples.</summary>
    /// <param name="routine">Its address.</param>
    public bool Is(ulong routine) => _routine == routine;

    /// <summary>Whether an instruction belongs to its routine, as far as that is known without symbols.</summary>
    /// <param name="instruction">Its address.</param>
    public bool Holds(ulong instruction) => _routine is { } routine && instruction - routine < RoutineBytes;

    /// <summary>Finds it.</summary>
    /// <param name="counts">What was counted; several of one CPU add up.</param>
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

/// <summary>What an interrupt cost over the whole trace.</summary>
/// <param name="Count">Runs of its routine.</param>
/// <param name="Ticks">Their time in ticks of the trace's clock, what interrupted them included.</param>
public readonly record struct InterruptTotal(long Count, long Ticks);
