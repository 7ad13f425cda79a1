using System.Text.Json.Nodes;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Tools;

internal sealed class BlameTool(McpTraces traces) : McpTool
{
    private const int Top = 3;

    public override string Name => "blame";

    public override string Title => "Who is to blame for latency";

    public override string Description =>
        "Names who made threads, audio or input run late in a trace: the verdict in one sentence (driver, process, kernel, "
            + "hardware, power, "
        + "none, or unknown where the trace lacks what is needed), the culprits by their share of all latency over the threshold with "
        + "mechanism, proof and evidence, who is cleared and why, what to do next, and what the trace cannot tell. Durations are in "
        + "microseconds, shares from 0 to 1. This is the first question to ask of a latency problem; episodes, timeline and drivers show "
        + "what it rests on. The verdict unknown is an answer: do not guess beyond it.";

    public override string Output =>
        "schema:string trace:object settings:object summary:object culprits:array cleared:array nextSteps:array warnings:array "
        + "suspect?:object|null without?:object|null askFor:object resources:array";

    public override IReadOnlyList<ToolArgument> Arguments { get; } =
        [TraceArguments.Trace, .. TraceArguments.OfBlame, TraceArguments.Symbols];

    public static string TextOf(BlameReport report, int top)
    {
        using var text = new StringWriter(CultureInfo.InvariantCulture);
        PagePrinter.Print(BlameText.PageOf(report, top), PrintableWriter.Before(text));
        return text.ToString();
    }

    public override async Task<ToolAnswer> AnswerAsync(ToolCall call, ToolWork work)
    {
        TraceFile file = traces.Find(call);
        BlameReport report = (await traces.BlameAsync(file, call, work).ConfigureAwait(false)).Report;
        BlameReport told = report with { Episodes = [], Drivers = [], Routines = null, Faults = null };
        JsonObject data = ReportNode.Of(json => ReportJson.Write(json, told, indented: false));
        data.Remove("episodes");
        data.Remove("drivers");
        data["askFor"] = new JsonObject
        {
            ["episodes"] = report.Episodes.Count,
            ["drivers"] = report.Drivers.Count,
        };
        data["resources"] = new JsonArray([.. ReportAddresses.Of(file.Name).Select(uri => (JsonNode)uri)]);
        return new ToolAnswer(BoundedJson.Fit(TextOf(report, Top)), BoundedJson.Fit(data));
    }
}
