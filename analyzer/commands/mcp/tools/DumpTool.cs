using System.CommandLine;
using System.Text.Json;
using System.Text.Json.Nodes;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Commands.Dump;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Symbols;
using Tracer.AnalyzerShared.Options;
using Tracer.Etl.Decoding;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Tools;

/// <summary>The events themselves.</summary>
internal sealed class DumpTool(McpTraces traces) : McpTool
{
    private const int Usual = 50;

    private static readonly string[] TimeNames = ["from", "to", "at"];

    public override string Name => "dump";

    public override string Title => "The events themselves";

    public override string Description =>
        "Gives the events of a trace by time, decoded: timeUs from the start of the trace, cpu, pid and tid, provider, name and "
            + "fields, with "
        + "the stack where one was recorded. Filter, or millions match: by provider (a GUID, a name, a kernel group such as PerfInfo, or "
        + "kernel), by name (CSwitch, DPC, ISR, ReadyThread; * and ? stand for any text), by time, CPU and process. With list providers "
        + "it counts the events of each provider, which are the names to filter by. Ask blame and episodes first: they read all events.";

    public override string Output =>
        "trace:string warnings:array events?:array providers?:array " + OutputFields.OfPage;

    public override IReadOnlyList<ToolArgument> Arguments { get; } =
    [
        TraceArguments.Trace,
        new("list", ArgumentKind.Text, "The events, or the providers with how many events each has [default: events].")
        {
            Choices = ["events", "providers"],
        },
        new("provider", ArgumentKind.Texts, "Only events of these providers."),
        new("name", ArgumentKind.Texts, "Only events of these names."),
        TraceArguments.From,
        TraceArguments.To,
        TraceArguments.At,
        new("cpu", ArgumentKind.Text, "Only events of these CPUs, such as 0,2-4."),
        new("pid", ArgumentKind.Text, "Only events whose header names one of these processes, such as 4,1234; most kernel events "
            + "name none."),
        TraceArguments.Symbols,
        PagedAnswer.Limit(Usual, 500),
        PagedAnswer.Cursor,
    ];

    public override Task<ToolAnswer> AnswerAsync(ToolCall call, ToolWork work)
    {
        TraceFile file = traces.Find(call);
        var times = new TimeOptions("", "");
        Option<NumberList?> cpu = NumberList.Option("--cpu", "");
        Option<NumberList?> pid = NumberList.Option("--pid", "");
        var command = new Command("dump") { cpu, pid };
        foreach (Option option in times.All)
        {
            command.Add(option);
        }

        ParseResult parse = command.Parse(call.Options([.. TimeNames, "cpu", "pid"]));
        string? problem = parse.Errors.Count > 0 ? parse.Errors[0].Message.TrimEnd('.') : times.Problem(parse);
        return problem is null
            ? traces.Shelf.RunAsync(
                () => Read(file, call, work, reader => FilterOf(call, parse, times, cpu, pid, reader)), work.Cancellation)
            : throw new ToolProblem(problem);
    }

    private static DumpFilter FilterOf(
        ToolCall call, ParseResult parse, TimeOptions times, Option<NumberList?> cpu, Option<NumberList?> pid, EtlReader reader)
    {
        if (!reader.IsClockKnown && times.Times(parse) != new RequestedTimes())
        {
            throw new ToolProblem($"times have no meaning here: {UnjudgedTrace.WhyWithoutClock(reader)}");
        }

        reader.Settle(eventTimes: false);
        FoundTimes found = times.Find(parse, reader);
        TraceClock clock = reader.Header.Clock;
        return new DumpFilter
        {
            Providers = call.Texts("provider"),
            Names = call.Texts("name"),
            Cpus = parse.GetValue(cpu),
            Processes = parse.GetValue(pid),
            FromTicks = found.From is { } first ? clock.TicksAt(first.Nanoseconds) : long.MinValue,
            ToTicks = found.To is { } last ? clock.TicksAt(last.Nanoseconds) : long.MaxValue,
        };
    }

    private ToolAnswer Read(TraceFile file, ToolCall call, ToolWork work, Func<EtlReader, DumpFilter> filterOf)
    {
        int before = PagedAnswer.Before(call);
        int most = call.Number("limit") ?? Usual;
        bool isOfProviders = call.Text("list") == "providers";
        using SymbolSession session = traces.OpenSymbols(file, call);
        using EtlReader reader = traces.Open(file, work);
        using var text = new StringWriter(CultureInfo.InvariantCulture);
        var run = new DumpRun
        {
            Reader = reader,
            Decoder = new EventDecoder(static () => null),
            Names = session.Names,
            Filter = filterOf(reader),
            Format = OutputFormat.Json,
            Stacks = DumpedStacks.Joined,
            Skip = isOfProviders ? 0 : before,
            Limit = most + 1L,
            IsEnough = () => text.GetStringBuilder().Length > 2 * BoundedJson.MostBytes,
            Output = PrintableWriter.Before(text),
        };
        if ((isOfProviders ? run.PrintProviders() : run.PrintEvents()) == 0)
        {
            throw new ToolProblem($"{file.Name}: no event could be read");
        }

        string[] lines = text.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        JsonObject above = new()
        {
            ["trace"] = file.Name,
            ["warnings"] = new JsonArray([.. run.Warnings.Take(4).Select(warning => (JsonNode)ToolCall.InWords(warning))]),
        };
        if (isOfProviders)
        {
            return new PagedAnswer("providers", above).Of(
                call, Usual, lines, NodeOf, line => LineOfProvider(NodeOf(line)), $"{Counted.Of(lines.Length, "provider")}:");
        }

        var page = new PagedAnswer("events", above);
        int given = 0;
        while (given < Math.Min(most, lines.Length) && NodeOf(lines[given]) is var one && page.TryAdd(one, LineOf(one)))
        {
            given++;
        }

        string heading = lines.Length == 0
            ? before == 0 ? "No event passes these filters." : "There are no more events."
            : $"{Counted.Of(given, "event")}, from the one after {before} on:";
        return page.Done(
            string.Join('\n', run.Warnings.Take(4).Select(ToolCall.InWords).Prepend(heading).Select(PrintableText.Of)),
            before,
            total: null,
            given < lines.Length);
    }

    private static JsonObject NodeOf(string line)
    {
        try
        {
            return JsonNode.Parse(line)!.AsObject();
        }
        catch (Exception problem) when (problem is JsonException or InvalidOperationException or ArgumentException)
        {
            return new JsonObject { ["raw"] = line };
        }
    }

    private static string LineOf(JsonObject one) =>
        $"{BoundedJson.TextOf(one["timeUs"])} us CPU {BoundedJson.TextOf(one["cpu"])} pid {BoundedJson.TextOf(one["pid"])} tid "
        + $"{BoundedJson.TextOf(one["tid"])} {(string?)(one["group"] ?? one["providerName"] ?? one["provider"])}/{(string?)one["name"]} "
        + BoundedJson.TextOf(one["fields"]);

    private static string LineOfProvider(JsonObject one) =>
        $"{BoundedJson.TextOf(one["events"])} events: {(string?)(one["group"] ?? one["providerName"]) ?? "?"} {(string?)one["provider"]}";
}
