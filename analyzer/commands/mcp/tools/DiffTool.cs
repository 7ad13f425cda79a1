using System.Text.Json.Nodes;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Commands.Diff;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;
using Tracer.AnalyzerCommand.Common.Copies;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Tools;

/// <summary>Whether an update helped or harmed.</summary>
internal sealed class DiffTool(McpTraces traces) : McpTool
{
    private const int MostTraces = 12;
    private const int MostRows = 20;
    private const int Columns = 100;

    public override string Name => "diff";

    public override string Title => "Did an update help or harm?";

    public override string Description =>
        "Compares traces from before a change with traces from after it: episodes an hour, percentiles of latency, culprits, files of "
        + "drivers and the machine. Tells worse, better, same or cant-tell, which driver is behind it, and how small a change (percent) "
        + "the data would have shown; cant-tell says what to record. Ask it after an update of a driver, Windows or firmware.";

    public override string Output => "schema:string base:object new:object settings:object summary:object "
        + "episodes?:object|null latencies:array culprits:array drivers:array "
        + "routines:array machine:array files:array warnings:array filesInAll:integer";

    public override IReadOnlyList<ToolArgument> Arguments { get; } =
    [
        new("base", ArgumentKind.Texts, "The traces from before the change, as the tool traces lists them.") { IsRequired = true },
        new("new", ArgumentKind.Texts, "The traces from after it.") { IsRequired = true },
        new("threshold", ArgumentKind.Text, "Latency at or above this is an episode, with its unit, such as 1ms [default: "
            + $"{Defaults.Threshold}]."),
    ];

    public override async Task<ToolAnswer> AnswerAsync(ToolCall call, ToolWork work)
    {
        TraceFile[] old = [.. call.Texts("base").Select(traces.Folders.Find)];
        TraceFile[] now = [.. call.Texts("new").Select(traces.Folders.Find)];
        if (old.Length == 0 || now.Length == 0 || old.Length > MostTraces || now.Length > MostTraces)
        {
            throw new ToolProblem($"base and new each name 1 to {MostTraces} traces");
        }

        if (old.Concat(now).DistinctBy(file => file.Path).Count() < old.Length + now.Length)
        {
            throw new ToolProblem("a trace is named twice; each belongs to base or new, once");
        }

        Duration threshold = Defaults.Threshold;
        if (call.Text("threshold") is { } text && (!Duration.TryParse(text, out threshold, out _) || threshold <= Duration.Zero))
        {
            throw new ToolProblem("threshold: a duration above 0 such as 500us is expected");
        }

        DiffReport report = await traces.Shelf.GetAsync(
            old[0],
            "diff\n" + string.Join('\n', old.Skip(1).Select(Key)) + "\nnew\n" + string.Join('\n', now.Select(Key)) + $"\n{threshold}",
            () =>
            {
                DiffReport made = Compare(old, now, new BlameRequest { Threshold = threshold }, work);
                return (made, 4 * ReportNode.Measure(json => ReportJson.Write(json, made, indented: false)));
            },
            work.Cancellation).ConfigureAwait(false);
        using var page = new StringWriter(CultureInfo.InvariantCulture);
        DiffText.Page(report, Columns).Write(PrintableWriter.Before(page));
        JsonObject data = ReportNode.Of(json => ReportJson.Write(
            json,
            report with
            {
                Culprits = [.. report.Culprits.Take(MostRows)],
                Drivers = [.. report.Drivers.Take(MostRows)],
                Routines = [.. report.Routines.Take(MostRows)],
                Files = [.. report.Files.Take(MostRows)],
            },
            indented: false));
        data["filesInAll"] = report.Files.Count;
        return new ToolAnswer(BoundedJson.Fit(page.ToString()), BoundedJson.Fit(data));
    }

    private static string Key(TraceFile file) => string.Create(CultureInfo.InvariantCulture, $"{file.Path}\r{file}");

    private DiffReport Compare(TraceFile[] old, TraceFile[] now, BlameRequest request, ToolWork work)
    {
        var files = old.Concat(now).ToDictionary(file => file.Name);
        string[] before = [.. old.Select(file => file.Name)];
        (string[] counting, InputCopy[] copies) = RecordedContent.Among(
            [.. files.Keys], name => files[name].Length, name => McpTraces.OpenContent(files[name], work));
        if (DiffCommand.WhySame(copies, before) is { } same)
        {
            throw new ToolProblem($"nothing can be compared: {same}");
        }

        DiffTrace Read(string name) => DiffTrace.Of(name, () => traces.Open(files[name], work), request);

        var builder = new DiffBuilder(
            [.. before.Intersect(counting).Select(Read)], [.. counting.Except(before).Select(Read)], DiffCommand.UsualLeastPercent,
            DiffCommand.LeastTime(request.Threshold), copies);
        return builder.WhyNothing() is { } why ? throw new ToolProblem($"nothing can be compared: {why}") : builder.Make();
    }
}
