using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>Says which routines of a driver ran on two code paths, by the two modes of their run times.</summary>
internal sealed class CodePaths(BlameFindings findings, CauseNaming naming, IReadOnlyList<NamedEpisode> episodes)
{
    /// <summary>The drivers whose routines were long because the CPU was slow.</summary>
    private readonly HashSet<string?> _slowed = new(
        episodes.SelectMany(episode => episode.Causes).Where(cause => cause.Slowdown is not null).Select(cause => cause.Waiter),
        StringComparer.OrdinalIgnoreCase);

    /// <summary>The sentences; first the routine whose longer mode took the most time.</summary>
    /// <param name="row">The driver's row; null where none of its routines ran.</param>
    public List<string> Of(DriverTable.Row? row, int most)
    {
        if (row is null || findings.Summary.Clock == Etl.TraceClockKind.SystemTime || _slowed.Contains(row.Name))
        {
            return []; // With that clock every routine has two modes, no tick or one; and slow CPUs make two of one.
        }

        return
        [
            .. row.Routines.Select(routine => (routine.Counts, Modes: TwoModes.Of(routine.Counts.Times)))
                .Where(routine => routine.Modes is not null)
                .OrderByDescending(routine => (Int128)routine.Modes!.LongRuns * routine.Modes.LongTicks)
                .ThenBy(routine => routine.Counts.Routine).Take(most)
                .Select(routine => Said(routine.Counts, routine.Modes!)),
        ];
    }

    private static string Text(InvariantText text) => text.Take();

    private string Said(RoutineCount routine, TwoModes modes)
    {
        string name = naming.Routine(routine.Client.Callback != 0 ? routine.Client.Callback : routine.Routine, routine.AtTicks);
        return Text($"Two code paths in the {(routine.IsIsr ? "ISR" : "DPC")} {name}: {Counted.Of(modes.ShortRuns, "run")} near ")
            + Text($"{Length(modes.ShortTicks)}, {modes.LongRuns:N0} near {Length(modes.LongTicks)}.");
    }

    private string Length(long ticks) => ReadableDuration.Of(findings.Length(ticks));
}
