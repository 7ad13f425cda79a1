using System.CommandLine;

namespace Tracer.TracerCommand;

/// <summary>The commands of <c>tracer</c>; each appears here, and so in the help, as soon as it works.</summary>
public static class TracerCommands
{
    /// <summary>Makes them anew.</summary>
    public static RootCommand Create() => new(
        "To record what a Windows machine did when a deadline was missed, for 'analyzer' to name the driver at fault. "
        + "This version makes traces of simulated machines and of the driver's bare-metal runs; it does not record yet.")
    {
        DoctorCommand.Create(),
        DriverCommand.Create(),
        ImportCommand.Create(),
        ProbeCommand.Create(),
        SimulateCommand.Create(),
    };
}
