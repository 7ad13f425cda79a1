using System.CommandLine;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Copies;
using Tracer.AnalyzerCommand.Common.Texts;

namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary><c>analyzer diff</c>: did an update help or harm?</summary>
internal sealed class DiffCommand
{
    /// <summary>Smaller changes, in percent, do not count unless told otherwise.</summary>
    public const int UsualLeastPercent = 10;

    private const int MostLeastPercent = 1000;

    /// <summary>
    /// Changes of less do not count unless told otherwise: who asks for waits of a threshold does not ask for a tenth of it.
    /// </summary>
    public static Duration LeastTime(Duration threshold) => new(threshold.Nanoseconds / 10);

    private readonly Argument<string[]> _traces = new("BASE NEW")
    {
        Description = "The trace before the change and the one after it; several of either: --base and --new. Either may be a text of "
            + "'xperf -a dpcisr' or a report of LatencyMon: then how long ISRs and DPCs ran is compared.",
        Arity = new ArgumentArity(0, 2),
    };

    private readonly Option<string[]> _base = Side(
        "--base", "A trace, a folder or a pattern of the time before the change; repeat it for more.");
    private readonly Option<string[]> _new = Side("--new", "The same for the time after the change.");
    private readonly Option<Duration?> _threshold = DurationOption.Create(
        "--threshold", "Latency at or above this is an episode, on both sides.", Defaults.Threshold);

    private readonly Option<long?> _minPriority = NumberOption.Create(
        "--min-priority", "0-31", "The lowest priority of a thread whose waits count.", 0, 31, Defaults.MinimumPriority);

    private readonly Option<long?> _least = NumberOption.Create(
        "--least-change", "PERCENT", "Smaller changes do not count, however sure they are.", 0, MostLeastPercent, UsualLeastPercent);

    private readonly Option<Duration?> _leastTime = DurationOption.Create(
        "--least-time", "Percentiles that change by less do not count (default: a tenth of the threshold).", null);

    private readonly Option<string?> _failIf = new("--fail-if")
    {
        Description = "For scripts: with 'worse', end with exit status 2 if it got worse, with 3 if the traces can't tell.",
        HelpName = "worse",
    };

    private readonly Option<string?> _html = new("--html")
    {
        Description = "Write the comparison also as a page.",
        HelpName = "FILE",
    };

    private readonly Option<OutputFormat> _format = OutputFormats.Option();
    private readonly Option<string?> _file = ReportOutput.Option();

    private readonly TraceAnalysis _analysis;

    private DiffCommand(TraceAnalysis analysis)
    {
        _analysis = analysis;
        _failIf.AcceptOnlyFromAmong("worse");
    }

    public static Command Create(TraceAnalysis analysis) => new DiffCommand(analysis).Make();

    private static Option<string[]> Side(string name, string description) => new(name) { Description = description, HelpName = "TRACE" };

    private ExampleCommand Make()
    {
        var command = new ExampleCommand(
            "diff",
            "Compare traces from before and after an update: whether it helped or harmed, and how sure that is.",
            "analyzer diff before.etl after.etl",
            "analyzer diff --base monday.etl --base tuesday.etl --new wednesday.etl --new thursday.etl",
            "analyzer diff before.etl after.etl --threshold 1ms --format json -o diff.json",
            "analyzer diff before.etl after.etl --fail-if worse",
            "analyzer diff customer.dpcisr.txt trace.etl")
        {
            _traces, _base, _new, _threshold, _minPriority, _least, _leastTime, _failIf, _html, _format, _file,
        };
        command.SetAction(parse =>
        {
            (string[] old, string[] now, string? problem) = Sides(parse);
            problem ??= Problem(old, now)
                ?? (parse.GetValue(_threshold) <= Duration.Zero ? "--threshold: write a duration above 0 such as 500us" : null)
                ?? ReportOutput.Problem(parse.GetValue(_file), [.. old, .. now])
                ?? OutputFile.Problem("--html", parse.GetValue(_html), [.. old, .. now])
                ?? (parse.GetValue(_html) is { } page && page == (parse.GetValue(_file) ?? OutputFile.StandardOutput)
                    ? "--html and the report can't go to the same place; name another file"
                    : null);
            return problem is null ? Run(parse, old, now) : WrongUsage.Tell("diff", problem, parse.InvocationConfiguration.Error);
        });
        return command;
    }

    private (string[] Old, string[] Now, string? Problem) Sides(ParseResult parse)
    {
        string[] given = parse.GetValue(_traces) ?? [];
        string[] old = parse.GetValue(_base) ?? [];
        string[] now = parse.GetValue(_new) ?? [];
        if (given.Length > 0 && old.Length + now.Length > 0)
        {
            return ([], [], "name the traces either as BASE NEW or with --base and --new, not both ways");
        }

        if (given.Length == 2)
        {
            (old, now) = ([given[0]], [given[1]]);
        }

        return old.Length == 0 || now.Length == 0
            ? ([], [], "two sides are compared: write 'analyzer diff BASE NEW', or --base TRACE and --new TRACE, each as often as needed")
            : ([.. old.SelectMany(TraceInputs.Of)], [.. now.SelectMany(TraceInputs.Of)], null);
    }

    private static string? Problem(string[] old, string[] now)
    {
        HashSet<string> seen = new(OperatingSystem.IsWindows() ? StringComparer.OrdinalIgnoreCase : StringComparer.Ordinal);
        foreach (string path in old.Concat(now))
        {
            if (path == TraceArgument.StandardInput)
            {
                return "standard input (-) can be read only once, and each trace is read several times: write it to a file";
            }

            if (!seen.Add(Path.GetFullPath(path)))
            {
                return $"{path} is given twice; each trace belongs to one side, once";
            }
        }

        return null;
    }

    /// <summary>Why two sides are the same recording, as the end of a sentence; null where none is on both.</summary>
    /// <param name="copies">The copies among the traces of both sides, the old side first.</param>
    /// <param name="old">The traces of the old side.</param>
    public static string? WhySame(IEnumerable<InputCopy> copies, IReadOnlyCollection<string> old) =>
        copies.FirstOrDefault(copy => old.Contains(copy.Path) != old.Contains(copy.Of)) is { } both
            ? $"{both.Path} of {Side(both.Path, old)} {(both.IsPart ? "is a part of the" : "holds the same")} recording "
                + $"{(both.IsPart ? "in" : "as")} {both.Of} of {Side(both.Of, old)}, and a recording is either from before the "
                + "change or from after it; leave it out on one side"
            : null;

    private static string Side(string path, IReadOnlyCollection<string> old) => old.Contains(path) ? "the base" : "the new side";

    private int Run(ParseResult parse, string[] old, string[] now)
    {
        TextWriter error = parse.InvocationConfiguration.Error;
        var request = new BlameRequest
        {
            Threshold = parse.GetValue(_threshold)!.Value,
            MinPriority = (int)parse.GetValue(_minPriority)!.Value,
        };
        try
        {
            using var output = new ReportOutput(parse.GetValue(_file), parse.InvocationConfiguration.Output);
            if (Compare(parse, old, now, request, error, out int exit) is not { } report)
            {
                return exit;
            }

            Interruption.Print(() =>
            {
                if (parse.GetValue(_format) == OutputFormat.Json)
                {
                    output.WriteJson(json => ReportJson.Write(json, report, indented: true));
                }
                else
                {
                    output.Print(DiffText.Page(report, output.Columns));
                }
            });

            if (parse.GetValue(_html) is { } html)
            {
                using var page = new OutputFile(html);
                DiffHtml.Write(report, page.Content);
                page.Keep();
            }

            output.Keep();
            return parse.GetValue(_failIf) is null ? ExitCode.Done
                : report.Summary.Verdict == DiffVerdict.Worse ? ExitCode.OverThreshold
                : report.Summary.Verdict == DiffVerdict.CantTell ? ExitCode.Unknown
                : ExitCode.Done;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            error.WriteLine($"analyzer: {failure.Message}");
            return ExitCode.Failed;
        }
    }

    /// <returns>Null where nothing can be compared, which the user has then been told.</returns>
    /// <exception cref="IOException">A trace or text cannot be read.</exception>
    private DiffReport? Compare(
        ParseResult parse, string[] old, string[] now, BlameRequest request, TextWriter error, out int exit)
    {
        exit = ExitCode.Failed;
        Duration leastTime = parse.GetValue(_leastTime) ?? LeastTime(request.Threshold);
        if (old.Concat(now).Any(TextReport.Is))
        {
            if (old.Length + now.Length > 2)
            {
                exit = WrongUsage.Tell(
                    "diff", "a text of another program is compared with one text or trace: name one on each side", error);
                return null;
            }

            var settings = new DiffSettings
            {
                Threshold = request.Threshold,
                MinPriority = request.MinPriority,
                LeastPercent = parse.GetValue(_least)!.Value,
                LeastTime = leastTime,
                Block = null,
            };
            return DiffRunTimes.Compare(old[0], now[0], settings, request, _analysis, error, out exit);
        }

        (string[] counting, InputCopy[] copies) = RecordedContent.Among([.. old, .. now]);
        if (WhySame(copies, old) is { } same)
        {
            error.WriteLine($"analyzer: nothing can be compared: {same}");
            exit = parse.GetValue(_failIf) is null ? ExitCode.Failed : ExitCode.Unknown;
            return null;
        }

        InputCopy.Tell(copies, error);
        var sides = new List<DiffTrace>[] { [], [] };
        foreach ((string path, bool isNew) in counting.Select(path => (path, !old.Contains(path))))
        {
            if (DiffTrace.Read(path, request, _analysis, error, out exit) is not { } trace)
            {
                return null;
            }

            sides[isNew ? 1 : 0].Add(trace);
        }

        var builder = new DiffBuilder(sides[0], sides[1], parse.GetValue(_least)!.Value, leastTime, copies);
        if (builder.WhyNothing() is { } why)
        {
            error.WriteLine($"analyzer: nothing can be compared: {why}");
            exit = parse.GetValue(_failIf) is null ? ExitCode.Failed : ExitCode.Unknown;
            return null;
        }

        exit = ExitCode.Done;
        return builder.Make();
    }
}
