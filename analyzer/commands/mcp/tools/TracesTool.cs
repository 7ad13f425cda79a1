using System.Text.Json.Nodes;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Tools;

internal sealed class TracesTool(McpTraces traces) : McpTool
{
    private const int Usual = 100;

    public override string Name => "traces";

    public override string Title => "List the traces";

    public override string Description =>
        "Lists the Windows traces (.etl, also packed) in the folders that this server was given, with their sizes in bytes and when they "
        + "were written (UTC). Begin here unless you know the trace's name.";

    public override string Output =>
        "isCut:boolean traces:array " + OutputFields.OfPage;

    public override IReadOnlyList<ToolArgument> Arguments { get; } = [PagedAnswer.Limit(Usual, 1000), PagedAnswer.Cursor];

    public override Task<ToolAnswer> AnswerAsync(ToolCall call, ToolWork work)
    {
        IReadOnlyList<TraceFile> all = traces.Folders.List(out bool isCut);
        string heading = all.Count == 0 ? "There is no trace: no file ends in .etl, .gz, .zst or .zip."
            : $"{Counted.Of(all.Count, "trace")}{(isCut ? ", and more that are not listed" : "")}:";
        return Task.FromResult(new PagedAnswer("traces", new JsonObject { ["isCut"] = isCut }).Of(
            call,
            Usual,
            all,
            file => new JsonObject
            {
                ["trace"] = file.Name,
                ["bytes"] = file.Length,
                ["writtenUtc"] = new DateTime(file.Written, DateTimeKind.Utc),
            },
            file => string.Create(CultureInfo.InvariantCulture, $"{file.Name}  {file.Length} bytes"),
            heading));
    }
}
