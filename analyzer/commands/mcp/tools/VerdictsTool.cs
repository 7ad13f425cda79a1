using System.Text.Json.Nodes;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Tools;

/// <summary>Who is to blame in each of many traces.</summary>
internal sealed class VerdictsTool(McpTraces traces) : McpTool
{
    /// <summary>Traces of a page: each is read whole.</summary>
    private const int Usual = 8;
    private const int Most = 50;

    private static readonly string[] SettingNames = ["threshold", "process", "min_priority", "probe"];

    public override string Name => "verdicts";

    public override string Title => "Who is to blame in many traces";

    public override string Description =>
        "Judges many traces by the same settings: for each the verdict, the one who is to blame with mechanism, how many episodes and the "
        + "worst, or why it cannot be judged. Ask it to see whether one cause runs through the traces of a folder; blame tells the "
        + "evidence of one. Durations are in microseconds. Each trace is read whole, so a page has few of them.";

    public override string Output => "verdicts:array " + OutputFields.OfPage;

    public override IReadOnlyList<ToolArgument> Arguments { get; } =
    [
        new("traces", ArgumentKind.Texts, "The traces, as the tool traces lists them [default: all of them]."),
        .. TraceArguments.OfBlame.Where(argument => SettingNames.Contains(argument.Name)),
        PagedAnswer.Limit(Usual, Most),
        PagedAnswer.Cursor,
    ];

    public override async Task<ToolAnswer> AnswerAsync(ToolCall call, ToolWork work)
    {
        _ = McpTraces.RequestOf(call); // A wrong setting is wrong for all.
        string[] named = call.Texts("traces");
        IReadOnlyList<TraceFile> all = named.Length > 0
            ? [.. named.Select(traces.Folders.Find).DistinctBy(file => file.Path)]
            : traces.Folders.List(out _);
        int before = Math.Min(PagedAnswer.Before(call), all.Count);
        int end = (int)Math.Min((long)before + (call.Number("limit") ?? Usual), all.Count);
        var page = new PagedAnswer("verdicts", []);
        int at = before;
        while (at < end)
        {
            (JsonObject item, string line) = await JudgedAsync(all[at], call, work).ConfigureAwait(false);
            if (!page.TryAdd(item, line))
            {
                break;
            }

            at++;
        }

        return page.Done($"{Counted.Of(all.Count, "trace")}:", before, all.Count, at < all.Count);
    }

    private async Task<(JsonObject Item, string Line)> JudgedAsync(TraceFile file, ToolCall call, ToolWork work)
    {
        try
        {
            BlameReport report = (await traces.BlameAsync(file, call, work).ConfigureAwait(false)).Report;
            BlameSummary summary = report.Summary;
            Culprit? culprit = report.Culprits.FirstOrDefault(one => one.Name == summary.Culprit);
            return (
                new JsonObject
                {
                    ["trace"] = file.Name,
                    ["verdict"] = KebabCase.Of(summary.Verdict),
                    ["culprit"] = summary.Culprit,
                    ["mechanism"] = culprit is null ? null : KebabCase.Of(culprit.Mechanism),
                    ["share"] = culprit?.Share,
                    ["episodes"] = summary.Episodes,
                    ["worstUs"] = summary.Worst?.Microseconds,
                    ["conclusion"] = summary.Conclusion,
                },
                $"{file.Name}  {Counted.Of(summary.Episodes, "episode")}; {summary.Conclusion}");
        }
        catch (Exception problem) when (problem is ToolProblem or IOException or UnauthorizedAccessException or MeaninglessRequestException)
        {
            string why = ToolCall.InWords(problem.Message);
            return (new JsonObject { ["trace"] = file.Name, ["problem"] = why }, $"{file.Name}  not judged: {why}");
        }
    }
}
