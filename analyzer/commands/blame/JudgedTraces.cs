using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Blame;

/// <summary>Prints a line for each of many traces (<c>analyzer blame --summary</c>): clean and unreadable ones have theirs, too.</summary>
internal static class JudgedTraces
{
    private const string Header =
        "trace,problem,recorded_utc,verdict,culprit,device,mechanism,share,confidence,worst_us,episodes,deadlines_missed,glitches";

    private const int FewestColumns = 12;
    private const int ColumnDistance = 2;

    public static void Print(IReadOnlyList<JudgedTrace> traces, OutputFormat format, ReportOutput output)
    {
        switch (format)
        {
            case OutputFormat.Json:
                foreach (JudgedTrace trace in traces)
                {
                    output.WriteJson(json => ReportJson.Write(json, trace));
                }

                break;
            case OutputFormat.Csv:
                CsvLine.Write(Header, traces.Select(Line), output.Writer);
                break;
            default:
                output.Print(Page(traces, output.Columns));
                break;
        }
    }

    private static CsvLine Line(JudgedTrace trace) => new CsvLine()
        .Text(trace.Trace)
        .Text(trace.Problem)
        .Utc(trace.RecordedUtc)
        .Add(trace.Verdict is { } verdict ? KebabCase.Of(verdict) : null)
        .Text(trace.Culprit)
        .Text(trace.Device)
        .Add(trace.Mechanism is { } mechanism ? KebabCase.Of(mechanism) : null)
        .Number(trace.Share)
        .Add(trace.Confidence is { } sure ? KebabCase.Of(sure) : null)
        .Microseconds(trace.Worst)
        .Number((long)trace.Episodes)
        .Number((long)trace.DeadlinesMissed)
        .Number(trace.Glitches);

    private static ReportPage Page(IReadOnlyList<JudgedTrace> traces, int columns)
    {
        int folder = FolderLength([.. traces.Select(trace => trace.Trace)]);
        bool hasGlitches = traces.Any(trace => trace.Glitches > 0);
        string[] headings = ["trace", "verdict", "how sure", "worst", "episodes", "missed", .. Glitches("glitches"), "to blame"];
        string[][] rows =
        [
            .. traces.Select(trace => (string[])
            [
                trace.Trace[folder..], JudgedWords.VerdictOf(trace), JudgedWords.ConfidenceOf(trace), JudgedWords.WorstOf(trace),
                JudgedWords.CountOf(trace, trace.Episodes), JudgedWords.CountOf(trace, trace.DeadlinesMissed),
                .. Glitches(JudgedWords.CountOf(trace, trace.Glitches)), JudgedWords.WhoOf(trace),
            ]),
        ];
        int[] widths = [.. headings.Select((heading, column) => rows.Select(row => row[column].Length).Append(heading.Length).Max())];
        int last = headings.Length - 1;
        int fixedColumns = widths[1..last].Sum() + (ColumnDistance * (headings.Length - 1));
        int left = Math.Max(2 * FewestColumns, columns - fixedColumns);
        int names = traces.Max(trace => trace.Culprit?.Length ?? 0);
        widths[0] = Math.Min(widths[0], left - Math.Clamp(names, FewestColumns, left / 2));
        widths[last] = left - widths[0];
        var page = new ReportPage(columns);
        page.Line(0, new PagePiece(Row(headings), Ink.Faint));
        foreach ((string[] row, JudgedTrace trace) in rows.Zip(traces))
        {
            // A name that is cut is none: the device goes first, and of a sentence what is behind its colon.
            row[last] = row[last].Length > widths[last] ? trace.Culprit ?? row[last].Split(": ")[0] : row[last];
            page.Line(0, new PagePiece(Row(row), trace.Verdict switch
            {
                null or Verdict.Unknown => Ink.Doubt,
                Verdict.None => Ink.Plain,
                _ => Ink.Guilty,
            }));
        }

        page.BlankLine();
        page.Line(0, JudgedWords.Totals(traces));
        page.Line(0, new PagePiece(hasGlitches
            ? "missed: jobs done after their deadline; glitches: what Windows recorded."
            : "missed: jobs done after their deadline.", Ink.Faint));
        return page;

        string[] Glitches(string cell) => hasGlitches ? [cell] : [];

        // Of a path that is too long its end tells it apart.
        string Row(string[] cells) => string.Join(new string(' ', ColumnDistance), cells.Select((cell, column) => column switch
        {
            0 => (cell.Length > widths[0] ? "..." + cell[^(widths[0] - 3)..] : cell).PadRight(widths[0]),
            _ when column == last => PageText.Fit(cell, widths[last]).TrimEnd(),
            >= 3 => cell.PadLeft(widths[column]),
            _ => cell.PadRight(widths[column]),
        }));
    }

    /// <summary>How many letters of all paths are the folder that they have in common, which says nothing.</summary>
    private static int FolderLength(string[] paths)
    {
        string first = paths.Length > 0 ? Path.GetDirectoryName(paths[0]) ?? "" : "";
        string folder = first.Length > 0 ? first + paths[0][first.Length] : "";
        return Array.TrueForAll(paths, path => path.StartsWith(folder, StringComparison.Ordinal)) ? folder.Length : 0;
    }
}
