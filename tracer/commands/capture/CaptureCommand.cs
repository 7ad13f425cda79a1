using System.CommandLine;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers.Events;
using Tracer.TracerCommand.Common;
using Tracer.TracerCommand.Common.Screen;

namespace Tracer.TracerCommand.Commands.Capture;

/// <summary><c>tracer capture</c>: watches a machine, and keeps a trace of the moments at which something was late.</summary>
internal static class CaptureCommand
{
    private static readonly CaptureOptions Default = new() { Threshold = Defaults.Threshold, OutputPath = "" };

    /// <summary>Makes the command for this machine.</summary>
    public static Command Create() => Create(OperatingSystem.IsWindows() ? new WindowsCaptureHost() : null);

    /// <param name="host">The machine; null for one without Windows.</param>
    public static Command Create(ICaptureHost? host)
    {
        var values = new CaptureCommandOptions(Default);
        var command = new ExampleCommand(
            "capture",
            "Wait until something is late by --threshold, and keep a trace of that moment: what ran before, during and after it, "
            + "for 'analyzer blame', which is also run at once. Needs Windows 10 or later and an administrator.",
            "tracer capture --threshold 500us",
            "tracer capture --threshold 1ms --trigger dpc,isr -o crackle.etl",
            "tracer capture --threshold 2ms --duration 8h --keep-worst 3 --format json",
            "tracer capture --trigger event:audio-glitch --process audiodg.exe --latency 3ms --pre 5s",
            "tracer capture --threshold 1ms --max-episodes 5 --on-episode \"copy %TRACER_FILE% Z:\\traces\"");
        foreach (Option option in values.All)
        {
            command.Add(option);
        }

        command.SetAction(parse =>
        {
            TextWriter error = parse.InvocationConfiguration.Error;
            if (values.Problem(parse) is { } problem)
            {
                error.WriteLine($"tracer: {problem}");
                error.WriteLine("See 'tracer capture --help'.");
                return ExitCode.WrongUsage;
            }

            if (host is null)
            {
                error.WriteLine(
                    "tracer: 'capture' needs Windows. Here, 'analyzer blame FILE.etl' analyses traces that were recorded there, and "
                    + "'tracer simulate' makes some to try it on.");
                return ExitCode.Failed;
            }

            CaptureOptions options = values.Read(parse, () => DefaultPath(".", DateTime.Now));
            if (TriggerEvents.Find(options.Events, host.Providers, out string? unknown) is not { } events)
            {
                error.WriteLine($"tracer: --trigger: {unknown}");
                return ExitCode.WrongUsage;
            }

            return Run(host, options, events, values.IsJson(parse), values.Opens(parse), parse.InvocationConfiguration.Output, error);
        });
        return command;
    }

    /// <summary>A name by the time of the day, which comes again when the clock is set back: never that of a trace that is there.</summary>
    internal static string DefaultPath(string folder, DateTime now)
    {
        while (Directory.EnumerateFiles(folder, Name() + "*").Any())
        {
            now = now.AddSeconds(1);
        }

        return Name() + ".etl";

        string Name() => FormattableString.Invariant($"tracer-{now:yyyyMMdd-HHmmss}");
    }

    private static int Run(
        ICaptureHost host,
        CaptureOptions options,
        IReadOnlyList<EventRule> events,
        bool isJson,
        bool opens,
        TextWriter output,
        TextWriter error)
    {
        CaptureResult result;
        var blame = CaptureBlame.For(options);
        using (var signals = new CaptureSignals())
        {
            try
            {
                CaptureMachine machine = host.Machine();
                IKeySource? keys = ConsoleKeys.OfPerson();
                using ICaptureScreen screen = CaptureScreens.For(isJson, output, error, keys is not null);
                using SaveAsking asking = SaveAsking.Begin(host.Snap, machine.Clock, screen is LiveScreen ? keys : null, screen);
                var engine = new CaptureEngine(
                    options, machine, host.Triggers(options, events, machine), blame.WhileCapturing, screen)
                {
                    Requests = asking.Requests,
                };
                result = engine.Run(signals.Finish, signals.Abandon);
            }
            catch (Exception refusal) when (refusal is CaptureException or EtwException)
            {
                error.WriteLine($"tracer: {refusal.Message}");
                return ExitCode.Failed;
            }
        }

        CaptureEnding.Print(result, blame, isJson, output);
        IReadOnlyList<string> pages = host.Analyzer is { } analyzer
            ? EpisodePages.Write(analyzer, result.Status.Episodes.OrderByDescending(static episode => episode.Latency), error)
            : [];
        foreach (string page in isJson ? [] : pages)
        {
            output.WriteLine($"{page}: the same as a page; open it in a browser");
        }

        if (opens && pages.Count > 0 && host.Open(pages[0]) is { } problem)
        {
            error.WriteLine($"tracer: {pages[0]} could not be opened: {problem}");
        }

        return result.IsHit ? ExitCode.OverThreshold : ExitCode.Done;
    }
}
