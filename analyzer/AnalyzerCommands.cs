using System.CommandLine;

namespace Tracer.AnalyzerCommand;

/// <summary>The commands of <c>analyzer</c>; each appears here, and so in the help, as soon as it works.</summary>
public static class AnalyzerCommands
{
    /// <summary>Makes them anew.</summary>
    public static RootCommand Create() => new(
        "To name the driver that a Windows trace (.etl) shows to be at fault for late audio, input or control. "
        + "This version reads traces and tells what they hold; it does not blame yet.")
    {
        InfoCommand.Create(),
        DumpCommand.Create(),
    };
}
