using System.CommandLine;
using System.Text.Json.Nodes;
using Tracer.AnalyzerCommand.Commands.Latency;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Tools;

/// <summary>All latencies of the trace.</summary>
internal sealed class LatencyTool(McpTraces traces) : McpTool
{
    private const int Usual = 30;
    private const int Columns = 100;
    private const int HeadingCharacters = 8 * 1024;

    private static readonly string[] Names = ["kind", "source", "per"];

    public override string Name => "latency";

    public override string Title => "All latencies";

    public override string Description =>
        "Measures every wait of a trace, not only those over a threshold: count, least, mean, greatest and percentiles in microseconds, by "
        + "kind of latency and what measured it, in all and told apart by CPU, priority, process or mark. Ask it how often something is "
        + "late, for percentiles such as p99.9, or what is normal for a machine; it names no culprit.";

    public override string Output =>
        "trace:string distributions:array measuredUs?:number|null missing?:array|null warnings?:array|null " + OutputFields.OfPage;

    public override IReadOnlyList<ToolArgument> Arguments { get; } =
    [
        TraceArguments.Trace,
        new("kind", ArgumentKind.Text, "Only these kinds, with commas between: "
            + string.Join(", ", Enum.GetValues<LatencyKind>().Select(KebabCase.Of)) + "."),
        new("source", ArgumentKind.Text, "Only what these measured, with commas between: "
            + string.Join(", ", Enum.GetValues<LatencySource>().Select(KebabCase.Of)) + "."),
        new("per", ArgumentKind.Text, "Told apart by these, with commas between: cpu, priority, group (of priorities), process, label "
            + "(marks); none for totals alone [default: group,label]."),
        PagedAnswer.Limit(Usual, 500),
        PagedAnswer.Cursor,
    ];

    public override async Task<ToolAnswer> AnswerAsync(ToolCall call, ToolWork work)
    {
        TraceFile file = traces.Find(call);
        var options = new LatencyOptions();
        var command = new Command("latency");
        foreach (Option option in options.All)
        {
            command.Add(option);
        }

        string[] given = call.Options(Names);
        string[] settings = call.Text("per") is null ? [.. given, "--per=group,label"] : given;
        ParseResult parse = command.Parse(settings);
        if (parse.Errors.Count > 0)
        {
            throw new ToolProblem(parse.Errors[0].Message.TrimEnd('.'));
        }

        LatencyReport report = await traces.Shelf.GetAsync(
            file,
            "latency\n" + string.Join('\n', settings),
            () =>
            {
                LatencyReport made = traces.Measure(file, options.Request(parse), work);
                return (made, 4 * ReportNode.Measure(json => ReportJson.Write(json, made, indented: false)));
            },
            work.Cancellation).ConfigureAwait(false);
        JsonObject above = ReportNode.Of(json => ReportJson.Write(
            json, report with { Distributions = [], Callbacks = [], System = [] }, indented: false));
        above = BoundedJson.Fit(ReportNode.Take(above, "measuredUs", "leftOut", "missing", "warnings"), BoundedJson.MostBytes / 3);
        above["trace"] = file.Name;
        int before = PagedAnswer.Before(call);
        return new PagedAnswer("distributions", above).Of(
            call,
            Usual,
            report.Distributions,
            one => ReportNode.Without(
                ReportNode.Of(json => ReportJson.Write(
                    json, report with { Distributions = [one], Callbacks = [], System = [] }, indented: false))
                    ["distributions"]![0]!.DeepClone().AsObject(),
                "bins",
                "histogram"),
            LineOf,
            before > 0 || report.Distributions.Count == 0 ? Heading(report) : TextOf(report));
    }

    private static string Heading(LatencyReport report) => report.Distributions.Count > 0
        ? $"{Counted.Of(report.Distributions.Count, "distribution")}:"
        : PrintableText.Of("Nothing is measured: " + string.Join(" ", report.Missing.Select(one => one.Why).Distinct()));

    private static string TextOf(LatencyReport report)
    {
        using var text = new StringWriter(CultureInfo.InvariantCulture);
        LatencyText.Write(report, hasSplits: true, Columns, PrintableWriter.Before(text));
        return BoundedJson.Fit(text.ToString(), HeadingCharacters);
    }

    private static string LineOf(LatencyDistribution one) => string.Create(
        CultureInfo.InvariantCulture,
        $"{KebabCase.Of(one.Kind)} of {KebabCase.Of(one.Source)}, {LatencyWords.Of(one.Part)}: {Counted.Of(one.Count, "wait")}, ")
        + $"mean {ReadableDuration.Of(one.Mean)}, greatest {ReadableDuration.Of(one.Maximum)}";
}
