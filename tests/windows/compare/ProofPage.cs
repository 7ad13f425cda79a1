using System.Text;

namespace Tracer.WindowsProof;

/// <summary>docs/generated/windows-confirmed.md: each statement with what Windows said to it.</summary>
public static class ProofPage
{
    private const string Head =
        """
        # What Windows has confirmed

        No Windows was at hand when Tracer was written; what it believes of Windows rests on headers, documentation and traces of others.
        Each row below is such a belief. `.github/workflows/windows.yml` tries them on real machines: it runs the tests, `tracer doctor
        --self-test --bundle`, a capture under load, and `wpr` with our profile and `xperf` in the same seconds, and uploads all of it.
        Whoever has a Windows at hand needs only ten minutes: [a proof from your Windows](../use/windows-proof.md). This reads a bundle on
        any system, says line by line what Windows said, and writes this page:

        ```
        dotnet run -c Release --project tests/windows/compare -- proof.zip --keep
        ```

        *Confirmed* and *refuted* are what the run showed; *not shown* is what it could not, with the reason; *not yet* stands where no
        bundle has been read.


        """;

    private static readonly Finding NotYet = new(Answer.NotYet, "");

    public static string Of(IReadOnlyList<RunAnswers> runs)
    {
        ArgumentNullException.ThrowIfNull(runs);
        var page = new StringBuilder(Head);
        IReadOnlyList<string> columns = runs.Count == 0 ? ["any Windows"] : [.. runs.Select(static one => one.Run)];
        page.Append("## What the program tries by itself\n\n");
        Table(page, runs, columns, Statements.All.Where(static one => one.IsOfProgram));
        page.Append("\n## What needs more: a build, PowerShell 7, wpr, xperf\n\n");
        Table(page, runs, columns, Statements.All.Where(static one => !one.IsOfProgram));
        return page.ToString();
    }

    /// <summary>The answers of one run, a line each, for a terminal.</summary>
    public static string Lines(RunAnswers run)
    {
        ArgumentNullException.ThrowIfNull(run);
        var text = new StringBuilder();
        foreach (Statement one in Statements.All)
        {
            Finding finding = AnswerOf(run, one);
            text.Append(Name(finding.Answer).PadRight(10)).Append(' ').Append(one.Text);
            text.Append(finding.Detail.Length > 0 ? $" {finding.Detail}\n" : "\n");
        }

        return text.ToString();
    }

    private static void Table(
        StringBuilder page, IReadOnlyList<RunAnswers> runs, IReadOnlyList<string> columns, IEnumerable<Statement> statements)
    {
        page.Append("| what is believed | shown by | tried in | ").AppendJoin(" | ", columns.Select(Cell)).Append(" |\n");
        page.Append("|---|---|---|").Insert(page.Length, "---|", columns.Count).Append('\n');
        foreach (Statement one in statements)
        {
            IEnumerable<string> answers = runs.Count == 0 ? [Word(NotYet)] : runs.Select(run => Word(AnswerOf(run, one)));
            page.Append("| ").Append(Cell(one.Text)).Append(" | ").Append(one.Line is { } line ? Cell(line) : $"`{one.Evidence}`")
                .Append(" | `").Append(one.Code).Append("` | ").AppendJoin(" | ", answers).Append(" |\n");
        }
    }

    /// <summary>A statement that is newer than the run has no answer of it.</summary>
    private static Finding AnswerOf(RunAnswers run, Statement statement) => run.Answers.GetValueOrDefault(statement.Id, NotYet);

    private static string Word(Finding finding) =>
        finding.Detail.Length > 0 ? $"{Name(finding.Answer)}: {Cell(finding.Detail)}" : Name(finding.Answer);

    private static string Name(Answer answer) => answer switch
    {
        Answer.Confirmed => "confirmed",
        Answer.Refuted => "REFUTED",
        Answer.NotShown => "not shown",
        _ => "not yet",
    };

    /// <summary>What a bundle says goes into one cell, whatever it says.</summary>
    private static string Cell(string text)
    {
        var cell = new StringBuilder(text.Length);
        foreach (char one in text)
        {
            cell.Append(one switch
            {
                '|' => "\\|",
                '<' => "&lt;",
                _ when char.IsControl(one) => " ",
                _ => one.ToString(),
            });
        }

        return cell.ToString();
    }
}
