using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Report;

/// <summary>Writes a page for each of many traces into a folder, and <c>index.html</c> with a row and a link for each.</summary>
internal static class ReportFolder
{
    private const string IndexName = "index.html";

    /// <param name="wrong">Why there is none, as the user was told; null where there is one.</param>
    public delegate (int Exit, BlameReport? Report) PageWriter(string trace, string page, out string? wrong);

    /// <summary>Whether the name of an output is that of a folder: it is one, or ends as the name of one.</summary>
    public static bool IsMeant(string target) => Path.EndsInDirectorySeparator(target) || Directory.Exists(target);

    /// <returns>The exit status: that of the first trace without a page, else 0.</returns>
    /// <exception cref="IOException">The folder cannot be made, or a page cannot be written.</exception>
    public static int Write(string folder, IReadOnlyList<string> traces, TextWriter output, PageWriter write)
    {
        Directory.CreateDirectory(folder);
        List<(JudgedTrace Line, string? Page)> all = [];
        int failure = ExitCode.Done;
        HashSet<string> taken = new(StringComparer.OrdinalIgnoreCase) { IndexName };
        foreach (string trace in traces)
        {
            string page = NameOf(trace, taken);
            (int exit, BlameReport? report) = write(trace, Path.Combine(folder, page), out string? wrong);
            all.Add(report is null
                ? (JudgedTrace.Of(trace, wrong ?? "no page could be made"), null)
                : (JudgedTrace.Of(trace, report), page));
            failure = failure == ExitCode.Done ? exit : failure;
        }

        string index = Path.Combine(folder, IndexName);
        if (OutputFile.Problem("--output", index, traces) is { } problem)
        {
            throw new IOException(problem);
        }

        using (var file = new OutputFile(index))
        {
            file.Content.Write(Index(all));
            file.Keep();
        }

        output.WriteLine($"{index}: {JudgedWords.Totals([.. all.Select(one => one.Line)])}");
        return failure;
    }

    /// <summary>The trace's own name with <c>.html</c>; two of the same name from different folders get a number.</summary>
    private static string NameOf(string trace, HashSet<string> taken)
    {
        string name = trace == TraceArgument.StandardInput ? "standard-input" : Path.GetFileName(trace);
        string page = name + ".html";
        for (int number = 2; !taken.Add(page); number++)
        {
            page = $"{name}-{number}.html";
        }

        return page;
    }

    private static byte[] Index(IReadOnlyList<(JudgedTrace Line, string? Page)> all)
    {
        JudgedTrace[] lines = [.. all.Select(one => one.Line)];
        var html = new StillPage("analyzer report");
        var column = DurationColumn.For(lines.Select(one => one.Worst).OfType<Duration>());
        html.Card(Ink.Plain, null, JudgedWords.Totals(lines));
        html.Table(
            ["trace", "verdict", "to blame", "how sure", $"!worst {column.Unit}", "!episodes", "!deadlines missed", "!glitches"],
            all.Select(one => (PageCell[])
            [
                one.Page is null ? one.Line.Trace : PageCell.Link(one.Line.Trace, Uri.EscapeDataString(one.Page)),
                VerdictOf(one.Line), JudgedWords.WhoOf(one.Line), JudgedWords.ConfidenceOf(one.Line),
                PageCell.Of(one.Line.Worst, column),
                JudgedWords.CountOf(one.Line, one.Line.Episodes), JudgedWords.CountOf(one.Line, one.Line.DeadlinesMissed),
                JudgedWords.CountOf(one.Line, one.Line.Glitches),
            ]),
            kind: "sorts");
        return html.End();

        static PageCell VerdictOf(JudgedTrace line)
        {
            string kind = line.Verdict switch { null or Verdict.Unknown => "doubt", Verdict.None => "better", _ => "worse" };
            return new($"<span class=\"{kind}\">{StillPage.Escaped(JudgedWords.VerdictOf(line))}</span>");
        }
    }
}
