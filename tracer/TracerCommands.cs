using System.CommandLine;

namespace Tracer.TracerCommand;

/// <summary>The commands of <c>tracer</c>; each appears here, and so in the help, as soon as it works.</summary>
public static class TracerCommands
{
    /// <summary>Makes them anew.</summary>
    public static RootCommand Create() => new(
        "To record what a Windows machine did when a deadline was missed, for 'analyzer' to name the driver at fault; and to make traces "
        + "of simulated machines to try that on.")
    {
        CaptureCommand.Create(),
        DoctorCommand.Create(),
        DriverCommand.Create(),
        ImportCommand.Create(),
        MeasureCommand.Create(),
        MonitorCommand.Create(),
        ProbeCommand.Create(),
        ServiceCommand.Create(),
        SimulateCommand.Create(),
        SnapCommand.Create(),
    };
}
