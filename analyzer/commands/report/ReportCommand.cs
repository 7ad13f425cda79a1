using System.CommandLine;
using Tracer.Analysis.Latencies;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Symbols;
using Tracer.AnalyzerShared.Forecasts;
using Tracer.AnalyzerShared.Options;
using Tracer.Forecast;

namespace Tracer.AnalyzerCommand.Commands.Report;

/// <summary><c>analyzer report</c>: the blame as one page to look at and to send, which needs no network and no other file.</summary>
internal static class ReportCommand
{
    public static Command Create(TraceAnalysis analysis)
    {
        Argument<string> trace = TraceArgument.Create();
        var options = new BlameOptions();
        var symbols = new SymbolOptions();
        var culprits = new CulpritOptions();
        var forecasts = new ForecastOptions();
        Option<string?> file = new("--output", "-o")
        {
            Description = "The page to write, such as report.html; - for standard output. For a folder of traces, the folder to write a "
                + "page for each into, with an index.",
            HelpName = "FILE",
            Required = true,
        };
        var command = new ExampleCommand(
            "report",
            "Write the blame as one HTML page to look at and to send: timelines, map, histograms, and the data to read out again.",
            "analyzer report trace.etl -o report.html",
            "analyzer report trace.etl --threshold 1ms --process audiodg.exe -o audio.html",
            "analyzer report trace.etl --samples 64,128 --compute 500us --usage 3h/day,7d/week -o studio.html",
            "analyzer report traces/ -o pages/",
            "analyzer report trace.etl --from 12s --to 14s --symbols C:\\pdbs -o moment.html")
        {
            trace,
        };
        foreach (Option option in options.All.Concat(culprits.All).Concat(forecasts.All).Concat(symbols.All).Append(file))
        {
            command.Add(option);
        }

        command.SetAction(parse =>
        {
            TextWriter error = parse.InvocationConfiguration.Error;
            string given = parse.GetRequiredValue(trace);
            string[] paths = TraceInputs.Of(given);
            string target = parse.GetValue(file)!;
            string? problem = forecasts.ReadForPage(parse, out ForecastQuestion question);
            bool toFolder = (Directory.Exists(given) || paths.Length > 1) && ReportFolder.IsMeant(target);
            problem = (toFolder || paths.Length == 1 ? null
                    : $"{given} is {paths.Length} traces: name a folder for their pages, as in '-o pages/'")
                ?? options.Problem(parse)
                ?? symbols.Problem(parse)
                ?? culprits.Problem(parse)
                ?? problem
                ?? (toFolder ? null : OutputFile.Problem("--output", target, paths));
            if (problem is not null)
            {
                return WrongUsage.Tell("report", problem, error);
            }

            if (toFolder)
            {
                return ReportFolder.Write(target, paths, parse.InvocationConfiguration.Output, Page);
            }

            (int status, BlameReport? report) = Page(paths[0], target, out _);
            if (report is not null && File.Exists(target))
            {
                PrintableWriter.Before(parse.InvocationConfiguration.Output).WriteLine(
                    $"{target}: {VerdictOf(report)}, {ByteCount.Of(new FileInfo(target).Length)}; open "
                    + "it in a browser");
            }

            return status;

            (int Exit, BlameReport? Report) Page(string path, string page, out string? wrong)
            {
                using var output = new OutputFile(page);
                using SymbolSession session = symbols.Open(parse, path, error);
                BlameRequest request = culprits.Request(parse, options.Request(parse, withStrips: false)) with
                {
                    Names = session.Names,
                    WithLanes = true,
                };
                if (analysis.Run(path, request, error, out int exit, out wrong) is not { } result)
                {
                    return (exit, null);
                }

                session.TellProblems();
                HtmlReport.Write(result, LatencyOf(path, question), output.Content);
                if (OutputFile.Problem("--output", page, session.FilesRead) is { } read)
                {
                    throw new IOException(read);
                }

                output.Keep();
                return (ExitCode.Done, result.Report);
            }
        });
        return command;
    }

    private static string VerdictOf(BlameReport report) => report.Summary.Culprit is { } culprit
        ? $"{KebabCase.Of(report.Summary.Verdict)}: {culprit}"
        : KebabCase.Of(report.Summary.Verdict);

    /// <summary>
    /// All latencies of the trace, which takes a second reading; null where there is none, as of standard input. What is wrong with the
    /// trace has been told by the first.
    /// </summary>
    private static LatencyReport? LatencyOf(string path, ForecastQuestion question)
    {
        if (path == TraceArgument.StandardInput)
        {
            return null;
        }

        var request = new LatencyRequest { Splits = LatencyRequest.Each };
        var series = new ForecastSeries(request);
        return LatencyInputs.Read([path], request, series, isForecast: true, null, TextWriter.Null, out _)?.Report() is { } report
            ? report with { Forecasts = series.Forecasts(question) }
            : null;
    }
}
