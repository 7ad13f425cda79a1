using System.CommandLine;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Commands.Blame.Cases;
using Tracer.AnalyzerCommand.Commands.Blame.Tables;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Copies;
using Tracer.AnalyzerCommand.Common.Symbols;
using Tracer.AnalyzerShared.Options;

namespace Tracer.AnalyzerCommand.Commands.Blame;

/// <summary><c>analyzer blame</c>: who made something run too late, how, and how we know.</summary>
internal static class BlameCommand
{
    /// <summary>Nobody reads the reports of as many one after the other.</summary>
    private const int ManyTraces = 5;

    public static Command Create(TraceAnalysis analysis)
    {
        Argument<string[]> traces = TraceArgument.CreateForSeveral();
        var options = new BlameOptions();
        var symbols = new SymbolOptions();
        Option<long?> top = NumberOption.Create(
            "--top", "N", "Print text with the evidence, with at most N lines in each list; JSON and CSV have all.", 0, int.MaxValue);
        var full = new Option<bool>("--full")
        {
            Description = "Print text with all evidence, episodes and drivers, not only the verdict on one screen.",
        };
        var summary = new Option<bool>("--summary")
        {
            Description = "Print one line for each trace instead of a report: verdict, culprit, worst; those that cannot be read, too.",
        };
        Option<OutputFormat> format = OutputFormats.OptionWithCases();
        Option<BlameTable?> table = BlameTables.Option();
        Option<BlameStyle> style = BlameStyles.Option();
        var culprits = new CulpritOptions();
        var cases = new CaseOptions();
        Option<string?> file = ReportOutput.Option();
        Option<Duration?> failOver = DurationOption.Create(
            "--fail-over",
            "For scripts: end with exit status 2 if a latency of the first ranking is at or above this, with 3 if the trace can't tell.");
        var command = new ExampleCommand(
            "blame",
            "Name who is to blame for latency, with the reason and the evidence.",
            "analyzer blame trace.etl",
            "analyzer blame trace.etl --full",
            "analyzer blame trace.etl --threshold 1ms --process audiodg.exe",
            "analyzer blame monday.etl.gz tuesday.zip --format json -o blame.jsonl",
            "analyzer blame trace.etl --format csv --table drivers -o drivers.csv",
            "analyzer blame trace.etl --suspect nvlddmkm.sys",
            "analyzer blame trace.etl --style xperf -o dpcisr.txt",
            "analyzer blame trace.etl --fail-over 2ms",
            "analyzer blame trace.etl --symbol-server",
            "analyzer blame traces/ --summary",
            "analyzer blame traces/ --recurse --format cases -o cases.jsonl --resume")
        {
            traces,
        };
        foreach (Option option in options.All.Concat(culprits.All).Concat(symbols.All)
            .Concat([top, full, summary, format, table, style, file, failOver]).Concat(cases.All))
        {
            command.Add(option);
        }

        command.SetAction(parse =>
        {
            TextWriter error = parse.InvocationConfiguration.Error;
            if (parse.GetValue(format) == OutputFormat.Cases)
            {
                return Cases(parse);
            }

            string[] paths = cases.Recurses(parse)
                ? [.. parse.GetRequiredValue(traces).SelectMany(TraceInputs.Below)]
                : TraceInputs.Several(parse, traces);
            Duration? limit = parse.GetValue(failOver);
            string? problem = options.Problem(parse)
                ?? symbols.Problem(parse)
                ?? culprits.Problem(parse)
                ?? ProblemWith(limit, options.Threshold(parse))
                ?? TraceArgument.ProblemWithSeveral(paths)
                ?? BlameTables.Problem(parse.GetValue(table), parse.GetValue(format))
                ?? BlameStyles.Problem(parse.GetValue(style), parse.GetValue(format))
                ?? (parse.GetValue(summary) && (parse.GetValue(table) is not null || parse.GetValue(style) != BlameStyle.Own)
                    ? "--summary is a table of its own: leave out --table and --style"
                    : null)
                ?? cases.ProblemElsewhere(parse, parse.GetValue(summary))
                ?? ReportOutput.Problem(parse.GetValue(file), paths);
            if (problem is not null)
            {
                return WrongUsage.Tell("blame", problem, error);
            }

            using var output = new ReportOutput(parse.GetValue(file), parse.InvocationConfiguration.Output);
            var printer = new BlamePrinter(
                output,
                parse.GetValue(format),
                parse.GetValue(table) ?? BlameTable.Causes,
                parse.GetValue(style),
                parse.GetValue(full) ? int.MaxValue : (int?)parse.GetValue(top),
                paths.Length > 1);
            BlameRequest request = culprits.Request(parse, options.Request(parse, withStrips: false)) with
            {
                Limit = limit,
                WithTables = parse.GetValue(format) != OutputFormat.Text,
                WithUsage = parse.GetValue(style) == BlameStyle.Xperf,
            };
            int failure = ExitCode.Done;
            bool isUnknown = false;
            bool hasPrinted = false;
            List<JudgedTrace>? lines = parse.GetValue(summary) ? [] : null;
            List<string> alsoRead = [];
            bool exceeded = false;
            (string[] counting, InputCopy[] copies) = RecordedContent.Among(paths);
            InputCopy.Tell(copies, error);
            foreach (string path in counting)
            {
                using SymbolSession session = symbols.Open(parse, path, error);
                if (analysis.Run(
                    path, request with { Names = session.Names }, error, out int exit, out string? wrong) is not { } result)
                {
                    lines?.Add(JudgedTrace.Of(path, wrong!));
                    failure = failure == ExitCode.Failed ? failure : exit;
                    continue;
                }

                session.TellProblems();
                lines?.Add(JudgedTrace.Of(path, result.Report));
                if (lines is null)
                {
                    Interruption.Print(() => printer.Print(result));
                }

                hasPrinted = true;
                alsoRead.AddRange(session.FilesRead);
                if (BlameStyles.Note(parse.GetValue(style), result) is { } note)
                {
                    error.WriteLine($"analyzer: {path}: {note}");
                }

                exceeded |= limit is { } worst && result.Report.WorstOfFirst >= worst;
                isUnknown |= limit is not null && result.Report.Summary.Verdict == Verdict.Unknown && !result.IsShownBelowLimit;
                if (result.LimitUntold is { } untold && result.Report.Summary.Verdict != Verdict.Unknown)
                {
                    error.WriteLine(
                        $"analyzer: {path}: whether anything was late by {ReadableDuration.Of(limit!.Value)} is not known: {untold}");
                    isUnknown = true;
                }

                if (result.Report.Pauses?.FirstOrDefault(pause => pause.Length >= limit) is { } pause)
                {
                    // It slept, or it hung: what nobody can tell does not pass.
                    error.WriteLine($"analyzer: {path}: the machine stood still at {ReadableDuration.At(pause.Start)} for "
                        + $"{ReadableDuration.Of(pause.Length)}, and no record tells whether it slept");
                    isUnknown = true;
                }
            }

            if (paths.Length >= ManyTraces && lines is null && parse.GetValue(format) == OutputFormat.Text)
            {
                error.WriteLine($"analyzer: {Counted.Of(paths.Length, "trace")}: --summary prints one line for each");
            }

            if (lines is not null)
            {
                Interruption.Print(() => JudgedTraces.Print(lines, parse.GetValue(format), output));
            }

            if (hasPrinted || lines is not null)
            {
                output.Keep(alsoRead);
            }

            return failure != ExitCode.Done ? failure
                : exceeded ? ExitCode.OverThreshold
                : isUnknown ? ExitCode.Unknown
                : ExitCode.Done;
        });
        return command;

        int Cases(ParseResult parse)
        {
            TextWriter error = parse.InvocationConfiguration.Error;
            string? problem = options.Problem(parse)
                ?? symbols.Problem(parse)
                ?? cases.Problem(parse)
                ?? (parse.GetValue(failOver) is null ? null : "--fail-over is for reports, not for --format cases")
                ?? (parse.GetValue(table) is null ? null : "--table is for --format csv, not for --format cases")
                ?? (parse.GetValue(summary) ? "--summary is for reports, not for --format cases" : null);
            return problem is null
                ? CaseRun.Run(parse, parse.GetRequiredValue(traces), parse.GetValue(file), cases, symbols,
                    culprits.Request(parse, options.Request(parse, withStrips: false)) with { WithTables = false }, analysis)
                : WrongUsage.Tell("blame", problem, error);
        }
    }

    /// <summary>A limit below the threshold would let through what it is to catch: what is shorter is no episode.</summary>
    private static string? ProblemWith(Duration? limit, Duration threshold) => limit < threshold
        ? $"--fail-over: '{limit}' is below the threshold of {threshold}, and nothing shorter is an episode; write --threshold {limit}, too"
        : null;
}
