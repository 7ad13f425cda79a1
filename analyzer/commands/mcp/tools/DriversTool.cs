using System.Text.Json.Nodes;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Tools;

internal sealed class DriversTool(McpTraces traces) : McpTool
{
    private const int Usual = 20;

    public override string Name => "drivers";

    public override string Title => "What the drivers took";

    public override string Description =>
        "Lists the drivers of a trace with the count and the microseconds of their ISRs and DPCs: total, longest and when (maxAtUs), and "
        + "percentiles; queueDelayMaxUs is the longest that a DPC waited in its queue. The driver with the longest single run comes first. "
        + "A large number here is not a verdict: ask blame who made others late.";

    public override string Output =>
        "trace:string drivers:array " + OutputFields.OfPage;

    public override IReadOnlyList<ToolArgument> Arguments { get; } =
    [
        TraceArguments.Trace,
        new("order", ArgumentKind.Text, "By the longest single run, by total time, or by count [default: longest].")
        {
            Choices = ["longest", "total", "count"],
        },
        TraceArguments.From,
        TraceArguments.To,
        TraceArguments.Symbols,
        PagedAnswer.Limit(Usual, 200),
        PagedAnswer.Cursor,
    ];

    public override async Task<ToolAnswer> AnswerAsync(ToolCall call, ToolWork work)
    {
        TraceFile file = traces.Find(call);
        BlameReport report = (await traces.BlameAsync(file, call, work).ConfigureAwait(false)).Report;
        DriverActivity[] all = [.. report.Drivers
            .OrderByDescending(driver => call.Text("order") switch
            {
                "total" => (driver.Isr?.Total.Nanoseconds ?? 0) + (driver.Dpc?.Total.Nanoseconds ?? 0),
                "count" => (driver.Isr?.Count ?? 0) + (driver.Dpc?.Count ?? 0),
                _ => Math.Max(driver.Isr?.Max.Nanoseconds ?? 0, driver.Dpc?.Max.Nanoseconds ?? 0),
            })
            .ThenBy(driver => driver.Name, StringComparer.Ordinal)];
        string heading = all.Length == 0
            ? report.Trace.Has.IsrDpc
                ? "No driver ran an ISR or DPC."
                : "The trace has no records of ISRs and DPCs: record INTERRUPT and DPC."
            : $"{Counted.Of(all.Length, "driver")}:";
        return new PagedAnswer("drivers", new JsonObject { ["trace"] = file.Name }).Of(
            call,
            Usual,
            all,
            driver => ReportNode.Without(
                ReportNode.Of(json => ReportJson.Write(json, Only(report, driver), indented: false))["drivers"]![0]!.DeepClone().AsObject(),
                "perCpu",
                "histogram"),
            driver => $"{driver.Name}: ISR {Of(driver.Isr)}; DPC {Of(driver.Dpc)}"
                + (driver.QueueDelayMax is { } queued ? $"; queued at most {ReadableDuration.Of(queued)}" : ""),
            heading);
    }

    /// <summary>A report of one driver and nothing else.</summary>
    private static BlameReport Only(BlameReport report, DriverActivity driver) =>
        report with { Episodes = [], Routines = null, Faults = null, Culprits = [], Drivers = [driver] };

    private static string Of(RoutineTimes? times) => times is null
        ? "not recorded"
        : $"{Counted.Of(times.Count, "run")}, total {ReadableDuration.Of(times.Total)}, longest {ReadableDuration.Of(times.Max)}, "
            + $"99 % within {ReadableDuration.Of(times.P99)}";
}
