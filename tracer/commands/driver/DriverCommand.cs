using System.CommandLine;
using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;

namespace Tracer.TracerCommand.Commands.Driver;

/// <summary><c>tracer driver</c>: the kernel driver on this machine.</summary>
internal static class DriverCommand
{
    public static Command Create() => Create(DriverMachine.Current);

    /// <param name="machine">The machine; null for one without Windows.</param>
    public static Command Create(DriverMachine? machine) => new ExampleCommand(
        "driver",
        "Install, run and query the kernel driver, which measures how late interrupts, DPCs and threads come. Needs Windows and an "
        + "administrator.",
        "tracer driver install",
        "tracer driver start --threshold 500us --record wakeups.bin --duration 1min",
        "tracer driver uninstall")
    {
        Install(machine),
        DriverCommandStart.Create(machine),
        Stop(machine),
        Uninstall(machine),
        DriverCommandStatus.Create(machine),
    };

    /// <summary>Runs what needs Windows, or says what can be done instead.</summary>
    /// <param name="machine">The machine; null for one without Windows.</param>
    /// <param name="work">What is to be done; returns the exit status.</param>
    internal static int OnWindows(DriverMachine? machine, ParseResult parse, Func<DriverMachine, TextWriter, int> work)
    {
        if (machine is not null)
        {
            return work(machine, parse.InvocationConfiguration.Output);
        }

        parse.InvocationConfiguration.Error.WriteLine(
            "tracer: 'driver' needs Windows. Here, kdriver/baremetal/run.sh runs the driver's core on a machine of its own under QEMU, "
            + "and 'tracer simulate' makes traces without it.");
        return ExitCode.Failed;
    }

    private static ExampleCommand Install(DriverMachine? machine)
    {
        Argument<string?> path = new("PATH")
        {
            Description = $"The driver [default: {DriverService.FileName} beside this program].",
            Arity = ArgumentArity.ZeroOrOne,
        };
        Option<bool> laboratory = new("--lab")
        {
            Description = $"The laboratory driver ({DriverService.LaboratoryFileName}): for 32-bit or test machines only.",
        };
        var command = new ExampleCommand(
            "install",
            "Copy the driver to where only administrators write, note its SHA-256, and register it with the service manager, to be started "
            + "on demand. Nothing is loaded yet.",
            "tracer driver install",
            @"tracer driver install C:\drivers\TracerLatency.sys")
        {
            path, laboratory,
        };
        command.SetAction(parse => OnWindows(machine, parse, (windows, output) =>
        {
            string file = parse.GetValue(path) ?? Path.Combine(
                windows.ProgramFolder, parse.GetValue(laboratory) ? DriverService.LaboratoryFileName : DriverService.FileName);
            DriverInstallation installation = windows.Driver().Install(file);
            string how = installation.Kind switch
            {
                DriverInstallationKind.New => "installed",
                DriverInstallationKind.AlreadyThere => "was installed already",
                DriverInstallationKind.Replaced => "installed instead of another version",
                _ => $"installed; it was registered as {installation.Before}, where others than administrators may have written",
            };
            output.WriteLine($"{installation.Path}: {how}; 'tracer driver start' loads it");
            string? remark = installation.Signature switch
            {
                DriverSignature.NotTrusted =>
                    "this machine does not trust who signed it: it loads with 'bcdedit /set testsigning on', Secure Boot off and a restart",
                DriverSignature.NotChecked => "its signature is not checked: this is Wine",
                _ => null,
            };
            if (remark is not null)
            {
                output.WriteLine(remark);
            }

            return ExitCode.Done;
        }));
        return command;
    }

    private static ExampleCommand Stop(DriverMachine? machine)
    {
        var command = new ExampleCommand("stop", "End the run and unload the driver.", "tracer driver stop");
        command.SetAction(parse => OnWindows(machine, parse, (windows, output) =>
        {
            DriverService service = windows.Driver();
            if (service.Find()?.State == ServiceState.Running)
            {
                using DriverClient client = windows.OpenClient();
                if (client.Stop() is { } status)
                {
                    output.WriteLine("run ended: " + DriverCommandStatus.Counts(DriverReporting.Of(in status)));
                }
            }

            output.WriteLine(service.Unload() ? "driver unloaded" : "driver was not loaded");
            return ExitCode.Done;
        }));
        return command;
    }

    private static ExampleCommand Uninstall(DriverMachine? machine)
    {
        var command = new ExampleCommand(
            "uninstall",
            "Unload the driver if it is loaded, take it out of the service manager's list, and remove the copy that 'install' made.",
            "tracer driver uninstall");
        command.SetAction(parse => OnWindows(machine, parse, (windows, output) =>
        {
            output.WriteLine(windows.Driver().Uninstall() is { } path ? $"{path}: uninstalled" : "driver was not installed");
            return ExitCode.Done;
        }));
        return command;
    }
}
