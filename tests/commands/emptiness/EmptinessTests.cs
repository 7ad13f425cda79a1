using System.Text;
using System.Text.Json;
using Tracer.Commands.Tests.Mcp;
using Tracer.Commands.Tests.Report;

namespace Tracer.Commands.Tests.Emptiness;

/// <summary>
/// Whatever of a trace is missing, no command takes the absence of evidence for innocence: each says that the trace does not tell, and why.
/// docs/generated/emptiness.md is what they say.
/// </summary>
public sealed class EmptinessTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-empty-").FullName;

    private string Whole => Written("whole.etl", EmptyTraces.Whole);

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void No_command_answers_from_nothing_and_the_document_says_what_each_says()
    {
        string whole = Written("base.etl", EmptyTraces.Other);
        Answers healthy = AnswersTo(new EmptyTrace("nothing", EmptyTraces.Whole), whole);
        Assert.Equal(new Answers("none", ExitCode.Done, "none", "1 of 1 judged", "compared", "none", "none"), healthy with { Reason = "" });
        Assert.StartsWith("Nothing to blame: the longest of ", healthy.Reason, StringComparison.Ordinal);

        var text = new StringBuilder();
        AddRow(text, "nothing (the whole trace)", healthy);
        foreach (EmptyTrace trace in EmptyTraces.All)
        {
            Answers answers = AnswersTo(trace, whole);
            bool isWindow = trace.Options.Length > 0;
            Assert.Equal(
                new Answers(
                    "unknown", ExitCode.Unknown, "unknown", "0 of 1 judged", isWindow ? "asks for no window" : answers.Diff,
                    isWindow ? "asks for no window" : "unknown", "unknown"),
                answers with { Reason = "" });
            Assert.DoesNotContain("Nothing", answers.Reason, StringComparison.Ordinal);
            AddRow(text, trace.What, answers);
        }

        GoldenText.AssertEqual("docs/generated/emptiness.md", Document(text.ToString()));
    }

    /// <summary>A short episode is no proof that none of the limit is where nothing was recorded.</summary>
    [Fact]
    public void An_episode_below_the_limit_does_not_make_up_for_what_is_missing()
    {
        string[] options = ["--threshold", "10us", "--fail-over", "1ms", "--format", "json"];
        (int whole, string output, _) = CommandRun.Analyzer(["blame", Whole, .. options]);
        using var report = JsonDocument.Parse(output);
        Assert.Equal((ExitCode.Done, true), (whole, report.RootElement.GetProperty("episodes").GetArrayLength() > 0));
        string poor = Written("poor.etl", EmptyTraces.All.Single(trace => trace.What == "no ReadyThread").File);
        (int status, output, string error) = CommandRun.Analyzer(["blame", poor, .. options]);
        using var ofPoor = JsonDocument.Parse(output);
        Assert.NotEqual("unknown", VerdictOf(ofPoor.RootElement));
        Assert.Equal(ExitCode.Unknown, status);
        Assert.Contains("whether anything was late by 1 ms is not known: ", error, StringComparison.Ordinal);
    }

    /// <summary>Of 0.4 s half is missing: what is longer than that cannot be hidden there.</summary>
    [Theory]
    [InlineData("10s", ExitCode.Done)]
    [InlineData("300ms", ExitCode.Done)]
    [InlineData("200ms", ExitCode.Unknown)]
    [InlineData("1ms", ExitCode.Unknown)]
    public void What_is_missing_matters_where_it_has_room_for_the_limit(string limit, int status)
    {
        string poor = Written("lost.etl", EmptyTraces.All.Single(trace => trace.What == "most buffers lost").File);
        (int told, string output, _) = CommandRun.Analyzer("blame", poor, "--fail-over", limit, "--format", "json");
        using var report = JsonDocument.Parse(output);
        Assert.Equal(("unknown", status), (VerdictOf(report.RootElement), told));
    }

    private static void AddRow(StringBuilder text, string what, Answers answers) => text.AppendLine(
        CultureInfo.InvariantCulture,
        $"| {what} | {answers.Blame} | {answers.FailOver} | {answers.Case} | {answers.Fleet} | {answers.Diff} | {answers.Report} | "
        + $"{answers.Mcp} | {answers.Reason} |");

    private static string Document(string rows) => $"""
        # What is said of traces that are nearly empty

        Written by a test, tests/commands/emptiness; don't edit. To write it anew:
        `UPDATE_GOLDEN=1 dotnet test --project tests/commands -c Release -- --filter-class '*EmptinessTests'`.

        A simulated machine on which nothing is late is recorded for 0.4 s, and something of its trace is taken away; in the last row a
        driver is to blame, and the buffers in which it shows are lost. `none` must be earned: it takes the records that the question needs,
        measured waits, and no stretch without records in which an episode of the threshold may be hidden on a CPU that the victims used.
        `analyzer/analysis/verdicts/EarnedNone.cs` decides it for all commands.

        Columns: the verdict of `blame`; the exit status of `blame --fail-over 1ms` (0 fine, 3 the trace does not tell); the verdict in
        `blame --format cases`; how many cases `fleet` judges; whether `diff` compares the trace with the whole one ("latencies alone": no
        episodes are compared, and the conclusion is "can't tell"); the verdict in the page of `report`; the verdict of the tool `blame` of
        `mcp`; the first sentence.

        | missing | blame | --fail-over | cases | fleet | diff | report | mcp | first sentence |
        |---|---|---|---|---|---|---|---|---|

        """ + rows;

    private string Written(string name, byte[] file)
    {
        string path = Path.Combine(_folder, name);
        File.WriteAllBytes(path, file);
        return path;
    }

    private Answers AnswersTo(EmptyTrace trace, string whole)
    {
        string path = Written("trace.etl", trace.File);
        (int status, string output, _) = CommandRun.Analyzer(
            ["blame", path, "--fail-over", "1ms", "--format", "json", .. trace.Options]);
        using var report = JsonDocument.Parse(output);
        string verdict = VerdictOf(report.RootElement);
        Assert.DoesNotContain(
            report.RootElement.GetProperty("nextSteps").EnumerateArray(),
            step => verdict == "unknown" && step.GetProperty("step").GetString()!.StartsWith("If it still", StringComparison.Ordinal));
        string cases = Path.Combine(_folder, "cases.jsonl");
        File.Delete(cases);
        _ = CommandRun.Analyzer(["blame", path, "--format", "cases", "-o", cases, .. trace.Options]);
        using var one = JsonDocument.Parse(File.ReadAllText(cases));
        (_, string fleet, _) = CommandRun.Analyzer("fleet", cases, "--format", "json");
        using var counts = JsonDocument.Parse(fleet);
        JsonElement summary = counts.RootElement.GetProperty("summary");
        bool isWindow = trace.Options.Length > 0;
        return new Answers(
            verdict,
            status,
            one.RootElement.GetProperty("verdict").GetString()!,
            $"{summary.GetProperty("judged")} of {summary.GetProperty("cases")} judged",
            isWindow ? "asks for no window" : Diff(whole, path),
            isWindow ? "asks for no window" : Report(path),
            Mcp(trace),
            report.RootElement.GetProperty("summary").GetProperty("conclusion").GetString()!);
    }

    private static string VerdictOf(JsonElement report) => report.GetProperty("summary").GetProperty("verdict").GetString()!;

    private string Diff(string whole, string path)
    {
        string other = Path.Combine(_folder, "other.etl");
        File.Copy(path, other, overwrite: true);
        (int status, string output, string error) = CommandRun.Analyzer("diff", whole, other, "--format", "json", "--fail-if", "worse");
        if (output.Length == 0)
        {
            Assert.Equal(ExitCode.Unknown, status);
            Assert.Contains("nothing can be compared", error, StringComparison.Ordinal);
            return "no comparison";
        }

        using var report = JsonDocument.Parse(output);
        return report.RootElement.GetProperty("episodes").ValueKind == JsonValueKind.Null ? "latencies alone" : "compared";
    }

    private string Report(string path)
    {
        string page = Path.Combine(_folder, "report.html");
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer("report", path, "-o", page).ExitCode);
        using var blame = JsonDocument.Parse(ReportPage.Of(page).Blame);
        return VerdictOf(blame.RootElement);
    }

    private string Mcp(EmptyTrace trace)
    {
        string window = trace.Options is ["--from", { } from, "--to", { } to] ? $", \"from\": \"{from}\", \"to\": \"{to}\"" : "";
        var answers = McpAnswers.Of(
            _folder, McpAnswers.Hello + McpAnswers.Call(1, "blame", $"{{\"trace\": \"trace.etl\"{window}}}"));
        return VerdictOf(answers.Data(1));
    }

    private sealed record Answers(
        string Blame, int FailOver, string Case, string Fleet, string Diff, string Report, string Mcp, string Reason = "");
}
