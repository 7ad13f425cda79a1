using System.Text.Json.Nodes;
using Tracer.Analysis;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Commands.Episodes;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;
using Tracer.AnalyzerShared.Options;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Tools;

/// <summary>What ran on the CPUs at a moment.</summary>
internal sealed class TimelineTool(McpTraces traces) : McpTool
{
    private const int Usual = 100;
    private const int HeadingCharacters = 8 * 1024;

    /// <summary>Times are rounded where ticks are no whole nanoseconds.</summary>
    private static readonly Duration Rounding = Duration.FromMicroseconds(1);

    public override string Name => "timeline";

    public override string Title => "What ran at a moment";

    public override string Description =>
        "Shows one episode closely: the thread that waited, what the profiler's samples hit meanwhile, and what ran on every CPU, span by "
        + "span (cpu, startUs from the start of the episode, us, kind isr, dpc, thread, idle or blackout, label of the module or process; "
        + "what no span covers is not known). Name the episode by its number, as episodes lists it, or give a moment: then it is the "
        + "nearest one. For what no episode covers, use dump with from and to.";

    public override string Output =>
        "trace:string episode:object spans:array " + OutputFields.OfPage;

    public override IReadOnlyList<ToolArgument> Arguments { get; } =
    [
        TraceArguments.Trace,
        new("episode", ArgumentKind.Number, "The number of the episode, for the same settings."),
        .. TraceArguments.OfBlame,
        TraceArguments.Symbols,
        PagedAnswer.Limit(Usual, 1000),
        PagedAnswer.Cursor,
    ];

    public override async Task<ToolAnswer> AnswerAsync(ToolCall call, ToolWork work)
    {
        TraceFile file = traces.Find(call);
        int? number = call.Number("episode");
        string? at = call.Text(TraceArguments.At.Name);
        if ((number is null) == (at is null))
        {
            throw new ToolProblem("give either episode, a number that episodes lists, or at, a moment such as 1.5s");
        }

        // With all other settings: numbers are those that the tool episodes gives for them.
        ToolCall settings = call.Without(TraceArguments.At.Name);
        BlameReport report = (await traces.BlameAsync(file, settings, work).ConfigureAwait(false)).Report;
        Episode episode = number is { } id
            ? report.Episodes.FirstOrDefault(one => one.Id == id)
                ?? throw new ToolProblem($"episode: there is no episode {id} in {file.Name}; {TraceSlicing.RangeOf(report.Episodes)}")
            : Nearest(report, await TimeAsync(file, at!, work).ConfigureAwait(false));
        Strips strips = await traces.Shelf.GetAsync(
            file,
            $"timeline {episode.Id}\n{call.Key("cursor", "limit", "episode", "at")}",
            () => StripsOf(file, settings, episode, work),
            work.Cancellation).ConfigureAwait(false);
        (int Cpu, StripSpan Span)[] spans = [.. strips.Cpus.SelectMany(one => one.Spans.Select(span => (one.Cpu, span)))];
        int before = PagedAnswer.Before(call);
        JsonObject data = new()
        {
            ["trace"] = file.Name,
            ["episode"] = BoundedJson.Fit(EpisodesTool.NodeOf(episode, report), BoundedJson.MostBytes / 3),
        };
        string heading = before > 0 ? PrintableText.Of(EpisodesTool.LineOf(episode)) : Drawn(report.Trace, episode, strips);
        return new PagedAnswer("spans", data).Of(
            call,
            Usual,
            spans,
            one => new JsonObject
            {
                ["cpu"] = one.Cpu,
                ["startUs"] = one.Span.Start.Microseconds,
                ["us"] = one.Span.Length.Microseconds,
                ["kind"] = KebabCase.Of(one.Span.Kind),
                ["label"] = one.Span.Label,
            },
            one => string.Create(
                CultureInfo.InvariantCulture,
                $"CPU {one.Cpu} +{one.Span.Start.Microseconds:0.000} us {one.Span.Length.Microseconds:0.000} us "
                + $"{KebabCase.Of(one.Span.Kind)} {one.Span.Label}"),
            heading);
    }

    private static string Drawn(TraceSummary trace, Episode episode, Strips strips)
    {
        using var text = new StringWriter(CultureInfo.InvariantCulture);
        PagePrinter.Print(
            EpisodesText.PageOf(trace, episode, new EpisodeStrips(episode.Id, strips.Cpus)), PrintableWriter.Before(text));
        return BoundedJson.Fit(text.ToString(), HeadingCharacters);
    }

    private static Episode Nearest(BlameReport report, Duration at) => report.Episodes
        .OrderBy(one => Away(one, at)).ThenByDescending(one => one.Latency).FirstOrDefault()
        ?? throw new ToolProblem(report.Summary.Verdict == Verdict.Unknown
            ? $"there is no episode: {report.Summary.Conclusion}"
            : $"no latency of {ReadableDuration.Of(report.Settings.Threshold)} or more is in this trace; give a lower threshold, or look "
                + "at the events with dump, from and to");

    private static Duration Away(Episode episode, Duration at) => at < episode.Start ? episode.Start - at
        : at > episode.End ? at - episode.End
        : Duration.Zero;

    private async Task<Duration> TimeAsync(TraceFile file, string at, ToolWork work)
    {
        var options = new TimeOptions("", "");
        var command = new System.CommandLine.Command("at");
        foreach (System.CommandLine.Option option in options.All)
        {
            command.Add(option);
        }

        System.CommandLine.ParseResult parse = command.Parse([$"--at={at}"]);
        if (parse.Errors.Count > 0)
        {
            throw new ToolProblem(parse.Errors[0].Message.TrimEnd('.'));
        }

        FoundTimes found = await traces.Shelf.RunAsync(
            () =>
            {
                using EtlReader reader = traces.Open(file, work);
                return options.Find(parse, reader);
            },
            work.Cancellation).ConfigureAwait(false);
        return found.At ?? Duration.Zero;
    }

    /// <summary>Analyses the trace once more, for what begins when the episode does.</summary>
    private (Strips Strips, long Bytes) StripsOf(TraceFile file, ToolCall settings, Episode episode, ToolWork work)
    {
        BlameRequest request = McpTraces.RequestOf(settings) with { WithStrips = true };
        BlameResult close = traces.Analyze(
            file, settings, request with { Times = null, From = episode.Start - Rounding, To = episode.Start + Rounding }, work);
        Episode? same = Same(close, episode);
        if (same is null)
        {
            close = traces.Analyze(file, settings, request, work);
            same = Same(close, episode);
        }

        IReadOnlyList<CpuStrip> cpus = close.Strips.FirstOrDefault(one => one.EpisodeId == same?.Id)?.Cpus ?? [];
        return (new Strips(cpus), 64L * cpus.Sum(one => one.Spans.Count + 1));
    }

    private static Episode? Same(BlameResult result, Episode episode) => result.Report.Episodes.FirstOrDefault(one =>
        one.Start == episode.Start && one.Latency == episode.Latency && one.Cpu == episode.Cpu && one.Thread == episode.Thread);

    private sealed record Strips(IReadOnlyList<CpuStrip> Cpus);
}
