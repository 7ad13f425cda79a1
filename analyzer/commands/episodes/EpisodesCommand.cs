using System.CommandLine;
using Tracer.Analysis;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Symbols;
using Tracer.AnalyzerShared.Options;

namespace Tracer.AnalyzerCommand.Commands.Episodes;

/// <summary><c>analyzer episodes</c>: what happened during each latency, sample by sample and CPU by CPU.</summary>
internal static class EpisodesCommand
{
    public static Command Create(TraceAnalysis analysis)
    {
        Argument<string> trace = TraceArgument.Create();
        Option<long?> id = NumberOption.Create("--id", "N", "Only the episode of this number.", 0, int.MaxValue);
        var options = new BlameOptions();
        var symbols = new SymbolOptions();
        Option<long?> top = NumberOption.Create(
            "--top", "N", "Only the N worst, the worst first; JSON has all [default: all, in order of time].", 0, int.MaxValue);
        Option<OutputFormat> format = OutputFormats.Option();
        Option<string?> file = ReportOutput.Option();
        var command = new ExampleCommand(
            "episodes",
            "Show each latency by itself: what the samples hit, where the time went, what ran on the CPUs.",
            "analyzer episodes trace.etl --top 3",
            "analyzer episodes trace.etl --id 0",
            "analyzer episodes trace.etl --threshold 2ms --format json")
        {
            trace, id,
        };
        foreach (Option option in options.All.Concat(symbols.All).Concat([top, format, file]))
        {
            command.Add(option);
        }

        command.SetAction(parse =>
        {
            TextWriter error = parse.InvocationConfiguration.Error;
            string path = TraceInputs.Single(parse, trace, out string? several);
            string? problem = several
                ?? options.Problem(parse)
                ?? symbols.Problem(parse)
                ?? ReportOutput.Problem(parse.GetValue(file), [path]);
            if (problem is not null)
            {
                return WrongUsage.Tell("episodes", problem, error);
            }

            using var output = new ReportOutput(parse.GetValue(file), parse.InvocationConfiguration.Output);
            using SymbolSession session = symbols.Open(parse, path, error);
            BlameRequest request = options.Request(parse, withStrips: true) with { Names = session.Names };
            if (analysis.Run(path, request, error, out int exit, out _) is not { } result)
            {
                return exit;
            }

            session.TellProblems();

            int? only = (int?)parse.GetValue(id);
            IReadOnlyList<Episode> episodes = result.Report.Episodes;
            if (only is { } number && !episodes.Any(episode => episode.Id == number))
            {
                return WrongUsage.Tell(
                    "episodes", $"--id: there is no episode {number} in {path}; {TraceSlicing.RangeOf(episodes)}", error);
            }

            if (parse.GetValue(format) == OutputFormat.Json)
            {
                EpisodesReport report = EpisodesReportOf(result, only);
                Interruption.Print(() => output.WriteJson(json => ReportJson.Write(json, report, indented: true)));
            }
            else
            {
                Interruption.Print(() => EpisodesText.Print(result, only, (int?)parse.GetValue(top), output));
            }

            output.Keep(session.FilesRead);

            return ExitCode.Done;
        });
        return command;
    }

    private static EpisodesReport EpisodesReportOf(BlameResult result, int? only)
    {
        var strips = result.Strips.ToDictionary(one => one.EpisodeId);
        return new EpisodesReport
        {
            Trace = result.Report.Trace,
            Settings = result.Report.Settings,
            Episodes =
            [
                .. from episode in result.Report.Episodes
                where only is null || episode.Id == only
                let one = strips.GetValueOrDefault(episode.Id)
                select new EpisodeTimeline(episode, one is null ? [] : [.. one.Cpus.Select(Timeline)]),
            ],
        };
    }

    private static CpuTimeline Timeline(CpuStrip strip) => new(
        strip.Cpu,
        [.. strip.Spans.Select(span => new TimelineSpan(span.Start, span.Length, KebabCase.Of(span.Kind), span.Label))]);
}
