using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Texts;

namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary>
/// Compares how long ISRs and DPCs ran where a side is a text of another program. A text has no waits and no bins of time, so that no
/// verdict follows and no chance can be told: both sides stand beside each other.
/// </summary>
internal static class DiffRunTimes
{
    private const int MostRows = 20;
    private const int Indent = 8;

    /// <returns>Null where a side cannot be read or has nothing to compare, which the user has then been told.</returns>
    /// <exception cref="IOException">A text is none, or cannot be read.</exception>
    public static DiffReport? Compare(
        string old, string now, DiffSettings settings, BlameRequest request, TraceAnalysis analysis, TextWriter error, out int exit)
    {
        exit = ExitCode.Failed;
        if (Side(old, request, analysis, error, ref exit) is not { } before
            || Side(now, request, analysis, error, ref exit) is not { } after)
        {
            return null;
        }

        Dictionary<(bool, string), ToldRunTimes> olds = ByDriver(before.RunTimes);
        Dictionary<(bool, string), ToldRunTimes> news = ByDriver(after.RunTimes);
        return new DiffReport
        {
            Base = before.Side,
            New = after.Side,
            Settings = settings,
            Summary = new DiffSummary
            {
                Verdict = DiffVerdict.CantTell,
                Conclusion = "A text report holds no waits, so there is no verdict: what follows is how long ISRs and DPCs ran on "
                    + "each side.",
                Culprit = null,
                DetectablePercent = null,
            },
            Episodes = null,
            Latencies = [],
            Culprits = [],
            Beats = [],
            Drivers = [],
            Routines = [],
            RunTimes =
            [
                .. olds.Keys.Union(news.Keys)
                    .Select(key => (Key: key, Old: olds.GetValueOrDefault(key), New: news.GetValueOrDefault(key)))
                    .Select(row => new ComparedRunTimes(row.Key.Item1, (row.Old ?? row.New)!.Driver, row.Old, row.New))
                    .OrderBy(row => row.Driver is not null)
                    .ThenByDescending(row => Math.Abs(
                        (row.New?.TimePerSecond?.Nanoseconds ?? 0) - (row.Base?.TimePerSecond?.Nanoseconds ?? 0)))
                    .ThenBy(row => row.Driver, StringComparer.OrdinalIgnoreCase).ThenBy(row => row.Isr),
            ],
            Machine = [],
            Files = [],
            NotRecorded = ["power plan"],
            Warnings =
            [
                .. before.Notes,
                .. after.Notes,
                "What runs took is gross and by the module of the routine, as those programs count; from a trace, 'analyzer blame' tells "
                    + "for whom a framework ran, and who waited for it.",
            ],
        };
    }

    /// <summary>Prints both sides.</summary>
    public static void Write(IReadOnlyList<ComparedRunTimes> rows, ReportPage page)
    {
        page.Heading("How long ISRs and DPCs ran, by the module of the routine; percentiles and longest are upper bounds");
        bool hasAllBefore = HasAll(rows.Select(row => row.Base));
        bool hasAllAfter = HasAll(rows.Select(row => row.New));
        foreach (ComparedRunTimes row in rows.Take(MostRows))
        {
            page.Line(
                Indent,
                "  ",
                new PagePiece(row.Driver ?? "all", Ink.Name),
                $" {(row.Isr ? "ISR" : "DPC")}: {Words(row.Base, hasAllBefore)} -> {Words(row.New, hasAllAfter)}{Longer(row)}");
        }

        if (rows.Count > MostRows)
        {
            page.Line(Indent, $"and {rows.Count - MostRows} more; --format json has all");
        }
    }

    private static (DiffSide Side, IReadOnlyList<ToldRunTimes> RunTimes, IReadOnlyList<string> Notes)? Side(
        string path, BlameRequest request, TraceAnalysis analysis, TextWriter error, ref int exit)
    {
        if (TextReport.Is(path))
        {
            TextReport text = TextReport.Read(path);
            return (new DiffSide { Traces = [], Text = path, Measured = text.Measured, Blocks = 0 }, text.RunTimes, text.Notes);
        }

        if (analysis.Run(path, request with { WithUsage = true, WithTables = false }, error, out exit, out _) is not { } result)
        {
            return null;
        }

        if (result is not { Usage: { } usage, Report.Trace.Has.IsrDpc: true })
        {
            error.WriteLine($"analyzer: nothing can be compared: {path} has no records of ISRs and DPCs: record DPC and INTERRUPT");
            exit = ExitCode.Failed;
            return null;
        }

        return (new DiffSide { Traces = [result.Report.Trace], Measured = usage.Span, Blocks = 0 }, TraceRunTimes.Of(path, usage), []);
    }

    /// <summary>Routines of no image are of nobody that the other side could have, too.</summary>
    private static Dictionary<(bool, string), ToldRunTimes> ByDriver(IReadOnlyList<ToldRunTimes> runTimes) => runTimes
        .Where(one => one.Driver != TextReport.Unknown)
        .GroupBy(one => (one.Isr, one.Driver?.ToUpperInvariant() ?? ""))
        .ToDictionary(same => same.Key, same => same.First());

    /// <summary>Whether a side names each driver that ran, so that one that it does not name did not run.</summary>
    private static bool HasAll(IEnumerable<ToldRunTimes?> side) =>
        side.OfType<ToldRunTimes>().All(one => one.Source != RunTimeSource.LatencyMon);

    private static string Words(ToldRunTimes? one, bool hasAll)
    {
        if (one is null || one.Count == 0)
        {
            return hasAll || one is not null ? "none" : "not known";
        }

        List<string> words = [];
        if (one.PerSecond is { } rate)
        {
            words.Add($"{RoundedNumber.Of(rate)} a second" + (one.Mean is { } mean ? $" of mean {ReadableDuration.Of(mean)}" : ""));
        }
        else if (one.TimePerSecond is { } time)
        {
            words.Add($"{ReadableDuration.Of(time)} a second");
        }

        words.AddRange(one.Percentiles.Where(percentile => percentile.Percent is 50 or 99 or 99.9m && percentile.Value is not null)
            .Select(percentile => $"{Percent(percentile.Percent)} {ReadableDuration.Of(percentile.Value!.Value)}"));
        if (one.Longest is { } longest)
        {
            words.Add($"longest {ReadableDuration.Of(longest)}");
        }

        return words.Count == 0 ? "not known" : string.Join(", ", words);
    }

    private static string Percent(decimal percent) => percent.ToString(CultureInfo.InvariantCulture) + " %";

    /// <summary>Where the buckets of a percentile on the two sides do not touch, one is longer, whatever stands inside them.</summary>
    private static string Longer(ComparedRunTimes row)
    {
        foreach (decimal percent in (decimal[])[99.9m, 99, 50])
        {
            if (Bucket(row.Base, percent) is { } before && Bucket(row.New, percent) is { } after)
            {
                return after.Over >= before.AtMost ? $"; {Percent(percent)} longer"
                    : before.Over >= after.AtMost ? $"; {Percent(percent)} shorter"
                    : "";
            }
        }

        return "";

        static RunTimeBucket? Bucket(ToldRunTimes? one, decimal percent) => one is { Source: not RunTimeSource.LatencyMon }
            && one.Percentiles.FirstOrDefault(percentile => percentile.Percent == percent)?.Value is { } bound
                ? one.Buckets.FirstOrDefault(bucket => bucket.AtMost == bound)
                : null;
    }
}
