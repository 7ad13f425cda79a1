using System.CommandLine;
using Tracer.Analysis.Latencies;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Copies;
using Tracer.AnalyzerShared.Forecasts;
using Tracer.AnalyzerShared.Options;
using Tracer.Forecast;

namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary><c>analyzer latency</c>: how late what waited was served, as distributions.</summary>
internal static class LatencyCommand
{
    public static Command Create()
    {
        Argument<string[]> inputs = TraceArgument.CreateForSeveral();
        inputs.Description += " Also reports of this command (.json): all are merged. Texts of 'xperf -a dpcisr' and "
            + "reports of LatencyMon are put beside them.";
        var options = new LatencyOptions();
        var forecasts = new ForecastOptions();
        Option<LatencyFormat> format = NamedChoice.OfAll<LatencyFormat>().Option("--format", "How to print [default: text].");
        Option<string?> svg = new("--svg")
        {
            Description = "Write also the log-log histogram of each kind as a picture.",
            HelpName = "FILE",
        };
        Option<string?> graphFile = new("--graph")
        {
            Description = "Tell whether the threads in this file, with their periods, work and priorities, would be done in time on the "
                + "traced machine.",
            HelpName = "FILE",
        };
        Option<string?> file = ReportOutput.Option();
        var command = new ExampleCommand(
            "latency",
            "Measure how late interrupts, DPCs and threads are served: percentiles and histograms, merged over traces.",
            "analyzer latency trace.etl",
            "analyzer latency idle.etl game.etl --kind thread --per trace,group",
            "analyzer latency trace.etl --per cpu+priority --format csv -o latencies.csv",
            "analyzer latency trace.etl --kind thread --source ready-thread --format hgrm -o thread.hgrm",
            "analyzer latency trace.etl --kind thread --samples 64,128 --rate 48000 --usage 3h/day,7d/week",
            "analyzer latency trace.etl --graph studio.json",
            "analyzer latency monday.json tuesday.json --svg week.svg",
            "analyzer latency customer.dpcisr.txt trace.etl")
        {
            inputs,
        };
        foreach (Option option in options.All.Concat(forecasts.All).Concat([graphFile, format, svg, file]))
        {
            command.Add(option);
        }

        command.SetAction(parse =>
        {
            TextWriter error = parse.InvocationConfiguration.Error;
            string[] paths = TraceInputs.Several(parse, inputs);
            string? picture = parse.GetValue(svg);
            string? target = parse.GetValue(file);
            AudioGraph? graph = null;
            string? problem = forecasts.Read(parse, out ForecastQuestion? question)
                ?? (question is not null && parse.GetValue(format) is LatencyFormat.Hgrm or LatencyFormat.Hlog
                    ? "--format hgrm and hlog have no place for a forecast; take text, json or csv"
                    : null)
                ?? (parse.GetValue(graphFile) is { } asked ? ProblemWithGraph(asked, parse.GetValue(format), paths, out graph) : null)
                ?? LatencyInputs.Problem(paths)
                ?? ReportOutput.Problem(target, paths)
                ?? OutputFile.Problem("--svg", picture, paths)
                ?? (picture is not null && picture == (target ?? OutputFile.StandardOutput)
                    ? "--svg and the report can't go to the same place; name another file"
                    : null);
            if (problem is not null)
            {
                return WrongUsage.Tell("latency", problem, error);
            }

            LatencyRequest request = options.Request(parse);
            using var output = new ReportOutput(target, parse.InvocationConfiguration.Output);
            var series = new ForecastSeries(request);
            InterferenceRecording? interference = graph is null ? null : new InterferenceRecording(graph);
            if (LatencyInputs.Read(
                paths, request, series, question is not null, interference, error, out IReadOnlyList<InputCopy> copies) is not { } all)
            {
                return ExitCode.Failed;
            }

            LatencyReport report = all.Report();
            GraphAdmission? admitted = interference is null ? null : AdmissionTest.Of(graph!, interference);
            if (admitted is { Cpus: 0 })
            {
                string which = paths is [var one] ? one : $"the {paths.Length} inputs";
                error.WriteLine($"analyzer: {which}: --graph needs context switches, ISRs and DPCs; record with the kernel keywords "
                    + "CSWITCH, DPC, INTERRUPT and DISPATCHER");
                return ExitCode.Failed;
            }

            if ((all.IsEmpty && admitted is null) || (question is not null && !all.Wholes.Any()))
            {
                error.WriteLine($"analyzer: {WhyNothing(paths, report)}");
                return ExitCode.Failed;
            }

            if (report.RunTimes is not null && ProblemWithTexts(parse.GetValue(format), picture, question, all) is { } refused)
            {
                return WrongUsage.Tell("latency", refused, error);
            }

            if (parse.GetValue(format) == LatencyFormat.Hgrm && all.Wholes.Count() != 1)
            {
                return WrongUsage.Tell("latency", ProblemWithHgrm(all), error);
            }

            report = report with
            {
                Forecasts = series.Forecasts(question),
                Graph = admitted,
                Warnings = [.. copies.Select(copy => copy.Warning), .. report.Warnings],
            };
            Interruption.Print(() => Print(parse.GetValue(format), report, all, options.HasSplits(parse), output));
            if (picture is not null)
            {
                using var drawn = new OutputFile(picture);
                LatencySvg.Write(report, drawn.Content);
                drawn.Keep();
            }

            output.Keep();
            return ExitCode.Done;
        });
        return command;
    }

    private static void Print(LatencyFormat format, LatencyReport report, LatencyMerge all, bool hasSplits, ReportOutput output)
    {
        using var lines = new StringWriter(CultureInfo.InvariantCulture);
        switch (format)
        {
            case LatencyFormat.Json:
                output.WriteJson(json => ReportJson.Write(json, report, indented: true));
                break;
            case LatencyFormat.Csv:
                DistributionsTable.Write(report, output.Writer);
                break;
            case LatencyFormat.Hgrm:
                const double NanosecondsPerMicrosecond = 1000;
                HdrPercentileText.Write(all.Wholes.Single().Histogram, NanosecondsPerMicrosecond, lines);
                output.Writer.WriteLines(lines.ToString());
                break;
            case LatencyFormat.Hlog:
                LatencyLog.Write(report, all, lines);
                output.Writer.WriteLines(lines.ToString());
                break;
            default:
                LatencyText.Write(report, hasSplits, output.Columns, output.Writer);
                break;
        }
    }

    /// <summary>One sentence: what the traces lack, and what to record.</summary>
    private static string WhyNothing(string[] paths, LatencyReport report)
    {
        string which = paths is [var only] ? only : $"the {paths.Length} inputs";
        if (report.LeftOut.FirstOrDefault(one => one.Why == LatencyLeftOut.OnlyLate) is { } late)
        {
            return $"{which}: {Counted.Of(late.Count, "wake-up")} measured, but only what was late by the threshold was recorded, so "
                + "nothing can be said in percent; record all with 'tracer driver start --all-wakeups --record FILE'";
        }

        string? clock = report.Warnings.Count > 0 && report.Warnings[0].Contains("nothing is measured", StringComparison.Ordinal)
            ? report.Warnings[0].TrimEnd('.')
            : null;
        MissingLatency? missing = report.Missing.FirstOrDefault(one => one.Kind is LatencyKind.Thread)
            ?? report.Missing.FirstOrDefault(one => one.Kind is LatencyKind.Dpc)
            ?? (report.Missing.Count > 0 ? report.Missing[0] : null);
        return clock ?? $"{which}: no measured wake-up, and no other record of the latencies asked for: "
            + (missing?.Why.TrimEnd('.') ?? "leave out --source, or ask for another");
    }

    /// <summary>What texts of other programs cannot be asked for; null where nothing is.</summary>
    private static string? ProblemWithTexts(LatencyFormat format, string? picture, ForecastQuestion? question, LatencyMerge all) =>
        format is LatencyFormat.Hgrm or LatencyFormat.Hlog
            ? "--format hgrm and hlog have no place for texts of other programs; take text, json or csv"
        : format == LatencyFormat.Csv && question is not null
            ? "--format csv has no place for a forecast beside texts of other programs; take text or json"
        : picture is not null && !all.Wholes.Any() ? "--svg draws latencies, and texts of other programs have none"
        : null;

    private static string? ProblemWithGraph(string path, LatencyFormat format, string[] paths, out AudioGraph? graph)
    {
        graph = null;
        return format is not (LatencyFormat.Text or LatencyFormat.Json) ? "a graph is printed with --format text or json"
            : paths.Any(LatencyInputs.IsReport) ? "--graph needs traces: reports do not tell what ran when"
            : GraphFile.Read(path, out graph) is { } problem ? $"--graph: {problem}"
            : null;
    }

    private static string ProblemWithHgrm(LatencyMerge all) =>
        "--format hgrm holds one distribution, and here are " + string.Join(", ", all.Wholes.Select(LatencyWords.Of))
        + "; choose one with --kind and --source, or take --format hlog";
}
