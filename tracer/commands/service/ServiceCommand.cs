using System.CommandLine;
using System.CommandLine.Parsing;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.TracerCommand.Commands.Capture;

namespace Tracer.TracerCommand.Commands.Service;

/// <summary><c>tracer service</c>: a capture that nobody sits at, as a service of Windows.</summary>
internal static class ServiceCommand
{
    private const string RunName = "run";
    private static readonly CaptureOptions Default = new() { Threshold = Defaults.Threshold, OutputPath = "" };

    public static Command Create() => Create(ServiceMachine.Current);

    /// <param name="machine">The machine; null for one without Windows.</param>
    public static Command Create(ServiceMachine? machine) => new ExampleCommand(
        "service",
        "Capture as a service of Windows, which starts with the machine and is started again if it fails. Needs Windows 10 or later and an "
        + "administrator.",
        "tracer service install --threshold 1ms",
        "tracer service start",
        "tracer service status",
        "tracer service remove")
    {
        Install(machine),
        Simple(machine, "start", "Start the service.", static (service, _) => service.Start() ? "started" : "it runs already"),
        Simple(machine, "stop", "Stop the service; what it has already heard of is still written.", static (service, _) =>
            service.Stop() ? "stopped" : "it did not run"),
        Simple(machine, "remove", "Stop the service and take it out of the list of services. Its traces stay.", static (service, windows) =>
            service.Remove()
                ? $"removed; its traces stay in {windows.Folders.DefaultFolder} or where --folder said"
                : "it was not installed"),
        Status(machine),
        Run(machine),
    };

    private static ExampleCommand Install(ServiceMachine? machine)
    {
        Option<string?> folder = FolderOption();
        var values = new CaptureCommandOptions(Default);
        var command = new ExampleCommand(
            "install",
            "Register the service, to be started with Windows, as SYSTEM. It takes the options of 'tracer capture' that a service can "
            + "have, and keeps --keep-worst traces of each start, and as many of earlier ones. Nothing runs yet.",
            "tracer service install --threshold 1ms",
            "tracer service install --threshold 2ms --keep-worst 20 --trigger wakeup,event:audio-glitch")
        {
            folder,
        };
        Add(command, values);
        command.SetAction(parse => Problem(values, parse) is { } problem ? Wrong(parse, problem) : OnWindows(machine, parse, windows =>
        {
            if (TriggerEvents.Find(values.Read(parse, static () => "x.etl").Events, windows.Host.Providers, out string? unknown) is null)
            {
                return Wrong(parse, $"--trigger: {unknown}");
            }

            string path = Path.GetFullPath(parse.GetValue(folder) ?? windows.Folders.DefaultFolder);
            Of(windows).Install(path, ["service", RunName, "--folder", path, .. Given(parse, values)]);
            parse.InvocationConfiguration.Output.WriteLine(
                $"installed; it writes to {path}; 'tracer service start' starts it now, Windows at its next start");
            return ExitCode.Done;
        }));
        return command;
    }

    private static ExampleCommand Simple(
        ServiceMachine? machine, string name, string description, Func<CaptureService, ServiceMachine, string> work)
    {
        var command = new ExampleCommand(name, description, $"tracer service {name}");
        command.SetAction(parse => OnWindows(machine, parse, windows =>
        {
            parse.InvocationConfiguration.Output.WriteLine(work(Of(windows), windows));
            return ExitCode.Done;
        }));
        return command;
    }

    private static ExampleCommand Status(ServiceMachine? machine)
    {
        var command = new ExampleCommand(
            "status", "Tell whether the service is installed and running, with which options, and which traces it has.",
            "tracer service status");
        command.SetAction(parse => OnWindows(machine, parse, windows =>
        {
            TextWriter output = parse.InvocationConfiguration.Output;
            if (Of(windows).Find() is not { } found)
            {
                output.WriteLine("not installed; 'tracer service install' does that");
                return ExitCode.Done;
            }

            output.WriteLine(found.State switch
            {
                ServiceState.Running => "running",
                ServiceState.Stopped => "stopped; 'tracer service start' starts it",
                ServiceState.StartPending => "starting",
                _ => "stopping",
            });
            output.WriteLine($"command: {found.Path}");
            return ExitCode.Done;
        }));
        return command;
    }

    /// <summary>Hidden: what the service manager starts.</summary>
    private static ExampleCommand Run(ServiceMachine? machine)
    {
        Option<string?> folder = FolderOption();
        var values = new CaptureCommandOptions(Default);
        var command = new ExampleCommand(RunName, "Run as the service; the service manager does that.", "tracer service run")
        {
            folder,
        };
        command.Hidden = true;
        Add(command, values);
        command.SetAction(parse => OnWindows(machine, parse, windows =>
        {
            if (Problem(values, parse) is { } problem)
            {
                return Wrong(parse, problem);
            }

            string path = Path.GetFullPath(parse.GetValue(folder) ?? windows.Folders.DefaultFolder);
            CaptureOptions options = values.Read(parse, () => EarlierRuns.PathOf(path, DateTime.UtcNow));
            options = options with { KeepWorst = options.EpisodesKept };
            EarlierRuns.Trim(path, options.EpisodesKept);
            return ServiceRun.Run(windows.Host, options, path);
        }));
        return command;
    }

    private static Option<string?> FolderOption() => new("--folder")
    {
        Description = "Where the service writes traces and its log; only SYSTEM and administrators may write there "
            + "[default: Tracer in ProgramData].",
        HelpName = "FOLDER",
    };

    private static void Add(Command command, CaptureCommandOptions values)
    {
        foreach (Option option in values.OfService)
        {
            command.Add(option);
        }
    }

    private static string? Problem(CaptureCommandOptions values, ParseResult parse) => values.Problem(parse);

    private static int Wrong(ParseResult parse, string problem)
    {
        parse.InvocationConfiguration.Error.WriteLine($"tracer: {problem}");
        return ExitCode.WrongUsage;
    }

    /// <summary>The capture's options as the user gave them, to be given again by the service manager.</summary>
    private static IEnumerable<string> Given(ParseResult parse, CaptureCommandOptions values)
    {
        foreach (Option option in values.OfService)
        {
            if (parse.GetResult(option) is { Implicit: false } given)
            {
                if (given.Tokens.Count == 0)
                {
                    yield return option.Name;
                }

                foreach (Token token in given.Tokens)
                {
                    yield return option.Name;
                    yield return token.Value;
                }
            }
        }
    }

    private static CaptureService Of(ServiceMachine windows) => new(windows.Services, windows.Folders, windows.Patience);

    private static int OnWindows(ServiceMachine? machine, ParseResult parse, Func<ServiceMachine, int> work)
    {
        TextWriter error = parse.InvocationConfiguration.Error;
        if (machine is null)
        {
            error.WriteLine(
                "tracer: 'service' needs Windows, where it runs 'tracer capture' with the machine. Here, 'analyzer blame FILE.etl' "
                + "analyses what it wrote.");
            return ExitCode.Failed;
        }

        try
        {
            return work(machine);
        }
        catch (CaptureException refusal)
        {
            error.WriteLine($"tracer: {refusal.Message}");
            return ExitCode.Failed;
        }
    }
}
