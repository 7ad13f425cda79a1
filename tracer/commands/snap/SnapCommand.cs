using System.CommandLine;
using Tracer.Capture.Snap;

namespace Tracer.TracerCommand.Commands.Snap;

/// <summary><c>tracer snap</c>: has the capture that runs save what its ring holds.</summary>
internal static class SnapCommand
{
    /// <summary>Makes the command for this machine.</summary>
    public static Command Create() => Create(OperatingSystem.IsWindows() ? new WindowsSnapSignals() : null);

    /// <param name="signals">Reaches the capture; null for a machine without Windows.</param>
    public static Command Create(ISnapSignals? signals)
    {
        var command = new ExampleCommand(
            "snap",
            "Have the running 'tracer capture' save what its ring holds now, such as from a hotkey when you hear the crackle. For "
            + "administrators, and for the user who started the capture.",
            "tracer snap");
        command.SetAction(parse =>
        {
            string? problem = signals?.Signal() switch
            {
                SnapOutcome.Signalled => null,
                SnapOutcome.NoCapture => "no capture runs: 'tracer capture' starts one",
                SnapOutcome.NotAllowed => "the capture was started by another user: run this as administrator",
                _ => "'snap' needs Windows, where a 'tracer capture' runs that it can signal; traces that were saved are read everywhere "
                    + "by 'analyzer blame'",
            };
            if (problem is not null)
            {
                parse.InvocationConfiguration.Error.WriteLine($"tracer: {problem}");
                return ExitCode.Failed;
            }

            parse.InvocationConfiguration.Output.WriteLine("asked the running capture to save what its ring holds; it says where");
            return ExitCode.Done;
        });
        return command;
    }
}
