using System.CommandLine;
using Tracer.Analysis;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Symbols;
using Tracer.AnalyzerShared.Inputs;
using Tracer.AnalyzerShared.Options;

namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary><c>analyzer export</c>: a trace, or a part of it, as a file that other programs show.</summary>
internal sealed class ExportCommand
{
    private static readonly NamedChoice<ExportFormat> Formats = NamedChoice.OfAll<ExportFormat>();

    private readonly Argument<string> _trace = TraceArgument.Create();
    private readonly TimeOptions _times = new(
        "what happens from this time on",
        "what happens up to this time; or the format, where --format does not say it",
        isOther: static text => FormatOf(text) is not null);
    private readonly SymbolOptions _symbols = new();

    private readonly Option<Duration?> _threshold = DurationOption.Create(
        "--threshold", "Latency at or above this is an episode.", Defaults.Threshold);

    private readonly Option<ExportFormat?> _format = new("--format")
    {
        Description = "The format of the file: a trace for Perfetto, a profile for the Firefox Profiler, a file for speedscope, folded "
            + "stacks, or a database for SQLite.",
        HelpName = Formats.HelpName,
        CustomParser = result => Formats.Parse(result),
    };

    private readonly Option<string?> _culprit = new("--culprit")
    {
        Description = "Only samples in this driver or process, or called from it; for firefox-profiler, speedscope and folded.",
        HelpName = "NAME",
    };

    private readonly Option<string?> _file = new("--output", "-o")
    {
        Description = "The file to write; - for standard output.",
        HelpName = "FILE",
        Required = true,
    };

    public static Command Create() => new ExportCommand().Make();

    private ExampleCommand Make()
    {
        Formats.Complete(_format);
        var command = new ExampleCommand(
            "export",
            "Write what a trace shows as a file for another program: a timeline for Perfetto, flame graphs for speedscope and others, "
            + "tables for SQLite.",
            "analyzer export trace.etl --format perfetto -o trace.pftrace",
            "analyzer export trace.etl --format speedscope --from 12s --to 14s -o trace.speedscope.json",
            "analyzer export trace.etl --format folded --culprit nic.sys -o nic.folded",
            "analyzer export trace.etl --format sqlite -o trace.sqlite")
        {
            _trace, _format,
        };
        foreach (Option option in _times.All.Concat([_threshold, _culprit]).Concat(_symbols.All).Append(_file))
        {
            command.Add(option);
        }

        command.SetAction(parse =>
        {
            string path = TraceInputs.Single(parse, _trace, out string? several);
            string target = parse.GetValue(_file)!;
            string? problem = several
                ?? _times.Problem(parse)
                ?? _symbols.Problem(parse)
                ?? Problem(parse)
                ?? OutputFile.Problem("--output", target, [path]);
            return problem is null ? Run(parse, path, target) : WrongUsage.Tell("export", problem, parse.InvocationConfiguration.Error);
        });
        return command;
    }

    /// <summary>The format that a text names; null for none.</summary>
    private static ExportFormat? FormatOf(string text) =>
        Enum.GetValues<ExportFormat>().Cast<ExportFormat?>().FirstOrDefault(format => Formats.NameOf(format!.Value) == text);

    private ExportFormat? Format(ParseResult parse) =>
        parse.GetValue(_format) ?? (_times.Other(parse) is { } named ? FormatOf(named) : null);

    private string? Problem(ParseResult parse)
    {
        if (Format(parse) is null)
        {
            string formats = Formats.HelpName.Replace("|", ", ", StringComparison.Ordinal);
            return $"say what to write, such as --format perfetto; there are {formats}";
        }

        if (parse.GetValue(_format) is not null && _times.Other(parse) is { } other)
        {
            return $"--to: '{other}' is a format, and --format names one; write the end as a time";
        }

        if (parse.GetValue(_threshold) <= Duration.Zero)
        {
            return $"--threshold: '{parse.GetValue(_threshold)}' is not a latency; write a duration above 0 such as 500us";
        }

        return parse.GetValue(_culprit) switch
        {
            null => null,
            { } name when string.IsNullOrWhiteSpace(name) => "--culprit: the name of a driver or process such as nic.sys is expected",
            _ when Format(parse) is ExportFormat.Perfetto or ExportFormat.Sqlite =>
                "--culprit chooses samples for firefox-profiler, speedscope and folded; leave it out, or take one of them",
            _ => null,
        };
    }

    private int Run(ParseResult parse, string path, string target)
    {
        TextWriter error = parse.InvocationConfiguration.Error;
        try
        {
            using SymbolSession session = _symbols.Open(parse, path, error);
            using EtlReader reader = TraceArgument.Open(path);
            if (UnjudgedTrace.WhyWithoutClock(reader) is { } unknown)
            {
                error.WriteLine($"analyzer: {path}: nothing can be put on a timeline: {unknown}");
                return ExitCode.Failed;
            }

            ExportFormat format = Format(parse)!.Value;
            using var output = new OutputFile(target);
            string? nothing = ReadingProgress.Show(
                path, () => reader.Progress, () => Write(Read(parse, path, reader, session), format, output, error));
            DamageWarning.Write(path, reader, error);
            session.TellProblems();
            if (nothing is not null)
            {
                error.WriteLine($"analyzer: {path}: {nothing}");
                return ExitCode.Failed;
            }

            if (OutputFile.Problem("--output", target, session.FilesRead) is { } problem)
            {
                throw new IOException(problem);
            }

            output.Keep();
            if (output.IsFile)
            {
                PrintableWriter.Before(parse.InvocationConfiguration.Output).WriteLine(
                    $"{target}: {ByteCount.Of(new FileInfo(target).Length)}; open it {WhereOf(format)}");
            }

            return ExitCode.Done;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            error.WriteLine($"analyzer: {failure.Message}");
            return ExitCode.Failed;
        }
        catch (MeaninglessRequestException problem)
        {
            error.WriteLine($"analyzer: {path}: {problem.Message}");
            return ExitCode.WrongUsage;
        }
    }

    private static string WhereOf(ExportFormat format) => format switch
    {
        ExportFormat.Perfetto => "in ui.perfetto.dev",
        ExportFormat.Speedscope => "in www.speedscope.app",
        ExportFormat.FirefoxProfiler => "in profiler.firefox.com",
        ExportFormat.Folded => "with flamegraph.pl or www.speedscope.app",
        _ => "with sqlite3; docs/use/export.md has queries",
    };

    /// <summary>Reads what must be known before anything is written: the analysis tells the episodes and checks the times.</summary>
    private ExportedTrace Read(ParseResult parse, string path, EtlReader reader, SymbolSession session)
    {
        reader.MakeRereadable();
        BlameRequest request = _times.Request(parse, new BlameRequest
        {
            Threshold = parse.GetValue(_threshold)!.Value,
            Names = session.Names,
            WithTables = false,
        });
        request = request.Times is { } times ? request with { Times = EventTimes.In(times, reader) } : request;
        BlameReport report = BlameAnalysis.Analyze(path, reader, request).Report;
        var facts = TraceFacts.Read(reader);
        TraceClock clock = reader.Header.Clock;
        long zero = (report.Settings.Zero ?? Duration.Zero).Nanoseconds;
        return new ExportedTrace
        {
            Path = path,
            Reader = reader,
            Facts = facts,
            Report = report,
            Names = new ExportNames(facts, session.Names),
            Window = new ExportWindow(
                report.Settings.From is { } from ? clock.TicksAt(from.Nanoseconds + zero) : long.MinValue,
                report.Settings.To is { } to ? clock.TicksAt(to.Nanoseconds + zero) : long.MaxValue),
            Clock = TraceTimes.CountedFrom(clock, report.Settings.Zero),
            Culprit = parse.GetValue(_culprit),
        };
    }

    /// <returns>Why there is nothing to write; null where something was written.</returns>
    private static string? Write(ExportedTrace trace, ExportFormat format, OutputFile output, TextWriter error)
    {
        string? nothing = format switch
        {
            ExportFormat.Speedscope when SpeedscopeFile.Write(trace, output.Content) == 0 =>
                WhyNothing(trace, trace.Culprit is null ? "context switch, ISR, DPC or " : ""),
            ExportFormat.FirefoxProfiler when FirefoxProfile.Write(trace, output.Content) == 0 =>
                WhyNothing(trace, trace.Culprit is null ? "ISR, DPC or " : ""),
            ExportFormat.Folded when WriteFolded(trace, output) == 0 => WhyNothing(trace, ""),
            ExportFormat.Speedscope or ExportFormat.FirefoxProfiler or ExportFormat.Folded => null,
            ExportFormat.Sqlite => WriteAll(trace, output, SqliteDatabase.Write),
            _ => WriteAll(trace, output, PerfettoTrace.Write),
        };
        foreach (string warning in trace.Warnings)
        {
            error.WriteLine($"analyzer: warning: {trace.Path}: {warning}");
        }

        return nothing;
    }

    private static string? WriteAll(ExportedTrace trace, OutputFile output, Action<ExportedTrace, Stream> write)
    {
        write(trace, output.Content);
        return trace.Report.Trace.Events > 0 ? null : "no event could be read";
    }

    private static long WriteFolded(ExportedTrace trace, OutputFile output)
    {
        using var lines = new StreamWriter(output.Content, leaveOpen: true) { NewLine = "\n" };
        using var writer = new PrintableWriter(lines);
        long samples = FoldedStacks.Write(trace, writer);
        writer.Flush();
        return samples;
    }

    private static string WhyNothing(ExportedTrace trace, string alsoMissing)
    {
        string culprit = trace.Culprit is { } name ? $" of {name}" : "";
        return $"no {alsoMissing}profile sample{culprit} lies in the part that was asked for; "
            + (trace.Culprit is null
                ? "record with the PROFILE flag (xperf) or CPU usage (wpr), or ask for a longer time"
                : "'analyzer blame' lists the names that it has");
    }
}
