using System.CommandLine;
using Tracer.TracerCommand.Commands.Capture;
using Tracer.TracerCommand.Commands.Doctor;
using Tracer.TracerCommand.Commands.Driver;
using Tracer.TracerCommand.Commands.Import;
using Tracer.TracerCommand.Commands.Measure;
using Tracer.TracerCommand.Commands.Monitor;
using Tracer.TracerCommand.Commands.Probe;
using Tracer.TracerCommand.Commands.Service;
using Tracer.TracerCommand.Commands.Simulate;
using Tracer.TracerCommand.Commands.Snap;

namespace Tracer.TracerCommand;

/// <summary>The commands of <c>tracer</c>; each appears here, and so in the help, as soon as it works.</summary>
public static class TracerCommands
{
    private static readonly CommandTable Table = new(
    [
        ("capture", CaptureCommand.Create),
        ("doctor", DoctorCommand.Create),
        ("driver", DriverCommand.Create),
        ("import", ImportCommand.Create),
        ("measure", MeasureCommand.Create),
        ("monitor", MonitorCommand.Create),
        ("probe", ProbeCommand.Create),
        ("service", ServiceCommand.Create),
        ("simulate", SimulateCommand.Create),
        ("snap", SnapCommand.Create),
    ]);

    public static RootCommand Create() => Table.AddTo(Root());

    /// <summary>Makes those that a command line needs.</summary>
    public static RootCommand For(IReadOnlyList<string> arguments) => Table.AddTo(Root(), arguments);

    private static RootCommand Root() => new(
        "Record what a Windows machine did when a deadline was missed, so that 'analyzer' can name the driver at fault; and make traces "
        + "of simulated machines to try that on.");
}
