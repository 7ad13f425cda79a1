using System.Globalization;
using Tracer.CommandLine;
using Tracer.Contract;

namespace Tracer.AnalyzerCommand;

/// <summary>
/// Prints a blame as a table: a row for each cause of each episode, the unexplained rest as a cause of its own, so that the rows of an
/// episode add up to its latency. RFC 4180, but with line feeds; texts are harmless in a spreadsheet (<see cref="CsvCell"/>).
/// </summary>
internal static class BlameCsv
{
    private const string Header =
        "trace,episode,probe,start_us,latency_us,cpu,pid,tid,process,priority,culprit,mechanism,us,routine";

    /// <summary>Prints the report as a table, one row for each cause of an episode.</summary>
    /// <param name="report">The report.</param>
    /// <param name="withHeader">Whether the names of the columns come first.</param>
    /// <param name="output">Where to.</param>
    public static void Write(BlameReport report, bool withHeader, TextWriter output)
    {
        if (withHeader)
        {
            output.Write(Header);
            output.Write('\n');
        }

        foreach (Episode episode in report.Episodes)
        {
            foreach (Cause cause in episode.Causes)
            {
                WriteRow(report.Trace.Path, episode, cause.Culprit, cause.Mechanism, cause.Time, cause.Routine, output);
            }

            if (episode.Unexplained != Duration.Zero || episode.Causes.Count == 0)
            {
                WriteRow(report.Trace.Path, episode, null, Mechanism.Unexplained, episode.Unexplained, null, output);
            }
        }
    }

    private static void WriteRow(
        string trace, Episode episode, string? culprit, Mechanism mechanism, Duration time, string? routine, TextWriter output)
    {
        string?[] cells =
        [
            CsvCell.OfText(trace),
            Number(episode.Id),
            KebabCase.Of(episode.Probe),
            Microseconds(episode.Start),
            Microseconds(episode.Latency),
            Number(episode.Cpu),
            Number(episode.Thread?.Pid),
            Number(episode.Thread?.Tid),
            CsvCell.OfText(episode.Thread?.Process),
            Number(episode.Thread?.Priority),
            CsvCell.OfText(culprit),
            KebabCase.Of(mechanism),
            Microseconds(time),
            CsvCell.OfText(routine),
        ];
        output.Write(string.Join(',', cells));
        output.Write('\n');
    }

    private static string? Number(long? number) => number?.ToString(CultureInfo.InvariantCulture);

    private static string Microseconds(Duration time) => time.Microseconds.ToString("0.###", CultureInfo.InvariantCulture);
}
