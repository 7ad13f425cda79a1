using System.CommandLine;
using System.Text;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.TracerCommand.Common;
using Tracer.TracerCommand.Common.Screen;

namespace Tracer.TracerCommand.Commands.Monitor;

/// <summary><c>tracer monitor</c>: a live table of what drivers, page faults and the probe do, without keeping a trace.</summary>
internal static class MonitorCommand
{
    private static readonly NamedChoice<MonitorSort> Sorts = NamedChoice.OfAll<MonitorSort>();

    public static Command Create() => Create(OperatingSystem.IsWindows() ? WindowsMonitorMachine.Of : null);

    /// <param name="machine">Gives the machine, with or without the probe; null where there is no Windows.</param>
    public static Command Create(Func<bool, MonitorMachine>? machine)
    {
        Option<Duration?> duration = DurationOption.Create("--duration", "How long to watch [default: until Q or Ctrl+C].");
        Option<MonitorSort> sort = Sorts.Option(
            "--sort", "What drivers are sorted by, the largest first; on a terminal, keys change it [default: total].");
        Option<TextOrJson> format = ScreenFormat.Option("How to print: text, or one JSON object a line [default: text].");
        Option<string?> output = new("--output", "-o")
        {
            Description = "Save the summary at the end, for a later --compare.",
            HelpName = "FILE.json",
        };
        Option<string?> compare = new("--compare")
        {
            Description = "Compare with an earlier summary at the end.",
            HelpName = "FILE.json",
        };
        Option<bool> noProbe = new("--no-probe") { Description = "Measure no wake-ups: no thread at real-time priority." };
        Option<string[]> processes = new("--process")
        {
            Description = "Count jobs of this process as well, and how many miss their deadline; may be repeated.",
            HelpName = "NAME|PID",
        };
        var command = new ExampleCommand(
            "monitor",
            "Show live how long each driver's ISRs and DPCs take, whose pages are read from disk, and how late threads wake up; nothing is "
            + "recorded. Needs Windows 10 or later and an administrator.",
            "tracer monitor",
            "tracer monitor --process audiodg.exe --duration 5min",
            "tracer monitor --sort max --duration 5min -o before.json",
            "tracer monitor --duration 5min --compare before.json",
            "tracer monitor --duration 1min --format json")
        {
            duration, sort, format, output, compare, noProbe, processes,
        };
        command.SetAction(parse =>
        {
            TextWriter error = parse.InvocationConfiguration.Error;
            Duration? length = parse.GetValue(duration);
            string? file = parse.GetValue(output);
            string? problem = length < Duration.FromSeconds(1) ? $"--duration: {length} is less than 1s"
                : file is not null && ProblemOf(file) is { } wrong ? wrong
                : null;
            if (problem is not null)
            {
                error.WriteLine($"tracer: {problem}");
                error.WriteLine("See 'tracer monitor --help'.");
                return ExitCode.WrongUsage;
            }

            if (machine is null)
            {
                error.WriteLine(
                    "tracer: 'monitor' needs Windows. Here, 'analyzer blame FILE.etl' shows the same table of a trace that was recorded "
                    + "there.");
                return ExitCode.Failed;
            }

            return Run(
                machine(!parse.GetValue(noProbe)),
                new Request(length, parse.GetValue(sort), parse.GetValue(format) == TextOrJson.Json, file, parse.GetValue(compare))
                {
                    Processes = parse.GetValue(processes) ?? [],
                },
                parse.InvocationConfiguration.Output,
                error);
        });
        return command;
    }

    private static string? ProblemOf(string file)
    {
        if (string.IsNullOrWhiteSpace(file) || Path.GetFileName(file).Length == 0)
        {
            return "--output: the name of a file is expected";
        }

        string folder = Path.GetDirectoryName(Path.GetFullPath(file)) ?? "";
        return Directory.Exists(folder) ? null : $"--output: there is no folder {folder}";
    }

    private static int Run(MonitorMachine machine, Request request, TextWriter output, TextWriter error)
    {
        try
        {
            // What it is compared with is read before anything begins: it would be a pity to find it missing after an hour.
            MonitorCounts? before = request.Compare is { } path ? MonitorJson.Read(path) : null;
            MonitorSort sort = request.Sort;
            MonitorCounts counts;
            using (var signals = new CaptureSignals())
            using (var end = CancellationTokenSource.CreateLinkedTokenSource(signals.Finish, signals.Abandon))
            using (IMonitorScreen screen = MonitorScreens.For(
                request.IsJson, sort, ConsoleKeys.OfPerson(), end.Cancel, output, error))
            {
                counts = new MonitorRun(machine, screen, request.Processes).Run(request.Duration, end.Token);
                sort = screen is LiveMonitor live ? live.Sort : sort;
            }

            Print(counts, before, request, sort, output);
            Save(counts, request.Output, sort);
            return ExitCode.Done;
        }
        catch (Exception refusal) when (refusal is CaptureException or EtwException or IOException)
        {
            error.WriteLine($"tracer: {refusal.Message}");
            return ExitCode.Failed;
        }
    }

    private static void Print(MonitorCounts counts, MonitorCounts? before, Request request, MonitorSort sort, TextWriter output)
    {
        if (request.IsJson)
        {
            output.WriteLine(MonitorJson.Line(MonitorCounts.Summary, counts, sort));
            return;
        }

        PagePrinter.Print(MonitorView.Of(counts, sort), output);
        if (before is not null)
        {
            output.WriteLine();
            PagePrinter.Print(MonitorComparison.Of(before, counts, request.Compare!), output);
        }
    }

    private static void Save(MonitorCounts counts, string? path, MonitorSort sort)
    {
        if (path is not null)
        {
            using var file = new OutputFile(path);
            file.Content.Write(Encoding.UTF8.GetBytes(MonitorJson.Line(MonitorCounts.Summary, counts, sort) + "\n"));
            file.Keep();
        }
    }

    private sealed record Request(Duration? Duration, MonitorSort Sort, bool IsJson, string? Output, string? Compare)
    {
        public required IReadOnlyList<string> Processes { get; init; }
    }
}
