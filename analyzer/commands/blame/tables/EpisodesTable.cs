using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Blame.Tables;

/// <summary>A row for each episode, with its largest cause.</summary>
internal static class EpisodesTable
{
    /// <summary>The names of the columns.</summary>
    public const string Header =
        "trace,episode,ranking,probe,start_us,start_utc,latency_us,cpu,pid,tid,process,priority,interrupt_us,dpc_us,thread_us,"
        + "culprit,mechanism,culprit_us,routine,causes,unexplained_us,samples";

    public static IEnumerable<CsvLine> Lines(BlameReport report) => report.Episodes.Select(episode => Line(report, episode));

    private static CsvLine Line(BlameReport report, Episode episode)
    {
        Cause? main = episode.Causes.Count > 0 ? episode.Causes[0] : null;
        return new CsvLine()
            .Text(report.Trace.Path)
            .Number(episode.Id)
            .Add(episode.Secondary ? "second" : "first")
            .Add(KebabCase.Of(episode.Probe))
            .Microseconds(episode.Start)
            .Utc(episode.StartUtc)
            .Microseconds(episode.Latency)
            .Number(episode.Cpu)
            .Number(episode.Thread?.Pid)
            .Number(episode.Thread?.Tid)
            .Text(episode.Thread?.Process)
            .Number(episode.Thread?.Priority)
            .Microseconds(episode.Phases?.Interrupt)
            .Microseconds(episode.Phases?.Dpc)
            .Microseconds(episode.Phases?.Thread)
            .Text(main?.Culprit)
            .Add(main is null ? null : KebabCase.Of(main.Mechanism))
            .Microseconds(main?.Time)
            .Text(main?.Routine)
            .Number(episode.Causes.Count)
            .Microseconds(episode.Unexplained)
            .Number(episode.Samples.Total);
    }
}
