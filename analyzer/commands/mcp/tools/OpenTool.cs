using System.Text.Json.Nodes;
using Tracer.Analysis.Contents;
using Tracer.AnalyzerCommand.Commands.Info;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;
using Tracer.AnalyzerShared.Inputs;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Tools;

internal sealed class OpenTool(McpTraces traces) : McpTool
{
    private const int ClassesTold = 12;

    public override string Name => "open";

    public override string Title => "Open a trace";

    public override string Description =>
        "Tells what a trace holds before anything is concluded from it: machine, length, losses, load a second, the most frequent kinds of "
        + "events, and which questions it can answer, with what was not recorded for the others. Durations are in microseconds.";

    public override string Output =>
        "schema:string trace:object losses:object classes:array rates?:object|null questions:array classesInAll:integer resources:array";

    public override IReadOnlyList<ToolArgument> Arguments { get; } = [TraceArguments.Trace];

    public override async Task<ToolAnswer> AnswerAsync(ToolCall call, ToolWork work)
    {
        TraceFile file = traces.Find(call);
        Contents contents = await traces.Shelf.GetAsync(file, "open", () => Read(file, work), work.Cancellation).ConfigureAwait(false);
        InfoReport told = contents.Report with
        {
            Classes = [.. contents.Report.Classes.OrderByDescending(one => one.Count).Take(ClassesTold)],
        };
        JsonObject data = ReportNode.Of(json => ReportJson.Write(json, told, indented: false));
        data["classesInAll"] = contents.Report.Classes.Count;
        data["resources"] = new JsonArray([.. ReportAddresses.Of(file.Name).Select(uri => (JsonNode)uri)]);
        return new ToolAnswer(contents.Text, BoundedJson.Fit(data));
    }

    private (Contents Contents, long Bytes) Read(TraceFile file, ToolWork work)
    {
        using EtlReader reader = traces.Open(file, work);
        reader.MakeRereadable(); // Where events are missing is looked for when all were read.
        var contents = new TraceContents(static () => null);
        contents.Read(reader);
        if (contents.Events == 0)
        {
            throw new ToolProblem($"{file.Name}: no event could be read");
        }

        InfoReport report = InfoReportOfTrace.Make(file.Name, reader, contents);
        using var text = new StringWriter(CultureInfo.InvariantCulture);
        InfoText.Write(report, reader, ClassesTold, PrintableWriter.Before(text));
        foreach (string warning in DamageWarning.Of(reader))
        {
            PrintableWriter.Before(text).WriteLine($"warning: {warning}");
        }

        return (new Contents(report, BoundedJson.Fit(text.ToString())),
            ReportNode.Measure(json => ReportJson.Write(json, report, indented: false)));
    }

    private sealed record Contents(InfoReport Report, string Text);
}
