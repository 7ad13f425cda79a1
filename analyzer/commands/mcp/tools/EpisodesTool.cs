using System.Text.Json.Nodes;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Tools;

/// <summary>The single latencies.</summary>
internal sealed class EpisodesTool(McpTraces traces) : McpTool
{
    private const int Usual = 10;

    public override string Name => "episodes";

    public override string Title => "The single latencies";

    public override string Description =>
        "Lists the episodes of a trace, which are the single latencies at or above the threshold: number, when it began and how long it "
        + "was (startUs from the start of the trace, latencyUs), CPU, the thread that waited, and its causes, whose microseconds and "
        + "unexplainedUs add up to the latency. The worst come first. Give the number to timeline to see what ran on the CPUs.";

    public override string Output =>
        "trace:string thresholdUs:number verdict:string episodes:array " + OutputFields.OfPage;

    public override IReadOnlyList<ToolArgument> Arguments { get; } =
    [
        TraceArguments.Trace,
        new("order", ArgumentKind.Text, "By worst, the longest first, or by time [default: worst].") { Choices = ["worst", "time"] },
        new("culprit", ArgumentKind.Text, "Only episodes that this culprit has a part in, such as nic.sys, as blame names it."),
        .. TraceArguments.OfBlame,
        TraceArguments.Symbols,
        PagedAnswer.Limit(Usual, 200),
        PagedAnswer.Cursor,
    ];

    public static string LineOf(Episode episode)
    {
        string victim = episode.Thread is { } thread
            ? string.Create(CultureInfo.InvariantCulture, $"{thread.Process ?? "?"} thread {thread.Tid} priority {thread.Priority}")
            : "no thread";
        IEnumerable<string> causes = episode.Causes
            .Select(cause => $"{cause.Culprit ?? "?"} {KebabCase.Of(cause.Mechanism)} {ReadableDuration.Of(cause.Time)}");
        string rest = episode.Unexplained > Duration.Zero ? $"; unexplained {ReadableDuration.Of(episode.Unexplained)}" : "";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"#{episode.Id} at {episode.Start.Nanoseconds / 1e9m:0.000000} s: {ReadableDuration.Of(episode.Latency)}, CPU {episode.Cpu}, "
            + $"{victim}: {string.Join(", ", causes)}{rest}");
    }

    public static JsonObject NodeOf(Episode episode, BlameReport report) => ReportNode.Of(json => ReportJson.Write(
        json,
        new EpisodesReport { Trace = report.Trace, Settings = report.Settings, Episodes = [new EpisodeTimeline(episode, [])] },
        indented: false))["episodes"]![0]!["episode"]!.DeepClone().AsObject();

    public override async Task<ToolAnswer> AnswerAsync(ToolCall call, ToolWork work)
    {
        TraceFile file = traces.Find(call);
        BlameReport report = (await traces.BlameAsync(file, call, work).ConfigureAwait(false)).Report;
        IEnumerable<Episode> chosen = report.Episodes;
        if (call.Text("culprit") is { } culprit)
        {
            chosen = chosen.Where(one => one.Causes.Any(
                cause => string.Equals(cause.Culprit, culprit, StringComparison.OrdinalIgnoreCase)));
        }

        if (call.Text("order") is null or "worst")
        {
            chosen = chosen.OrderByDescending(one => one.Latency).ThenBy(one => one.Id);
        }

        Episode[] all = [.. chosen];
        string of = ReadableDuration.Of(report.Settings.Threshold);
        string heading = all.Length == 0
            ? $"No latency of {of} or more is found. {report.Summary.Conclusion}"
            : $"{Counted.Of(all.Length, "episode")} of {of} or more:";
        return new PagedAnswer("episodes", new JsonObject
        {
            ["trace"] = file.Name,
            ["thresholdUs"] = report.Settings.Threshold.Microseconds,
            ["verdict"] = KebabCase.Of(report.Summary.Verdict),
        }).Of(call, Usual, all, one => NodeOf(one, report), LineOf, PrintableText.Of(heading));
    }
}
