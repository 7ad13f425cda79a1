using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Blame.Tables;

/// <summary>
/// A row for each cause of each episode, the unexplained rest as a cause of its own, so that the rows of an episode add up to its latency.
/// </summary>
internal static class CausesTable
{
    /// <summary>The names of the columns.</summary>
    public const string Header = "trace,episode,probe,start_us,latency_us,cpu,pid,tid,process,priority,culprit,mechanism,us,routine";

    public static IEnumerable<CsvLine> Lines(BlameReport report)
    {
        foreach (Episode episode in report.Episodes)
        {
            foreach (Cause cause in episode.Causes)
            {
                yield return Line(report.Trace.Path, episode, cause.Culprit, cause.Mechanism, cause.Time, cause.Routine);
            }

            if (episode.Unexplained != Duration.Zero || episode.Causes.Count == 0)
            {
                yield return Line(report.Trace.Path, episode, null, Mechanism.Unexplained, episode.Unexplained, null);
            }
        }
    }

    private static CsvLine Line(
        string trace, Episode episode, string? culprit, Mechanism mechanism, Duration time, string? routine) => new CsvLine()
        .Text(trace)
        .Number(episode.Id)
        .Add(KebabCase.Of(episode.Probe))
        .Microseconds(episode.Start)
        .Microseconds(episode.Latency)
        .Number(episode.Cpu)
        .Number(episode.Thread?.Pid)
        .Number(episode.Thread?.Tid)
        .Text(episode.Thread?.Process)
        .Number(episode.Thread?.Priority)
        .Text(culprit)
        .Add(KebabCase.Of(mechanism))
        .Microseconds(time)
        .Text(routine);
}
