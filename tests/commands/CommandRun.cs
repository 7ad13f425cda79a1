using Tracer.AnalyzerCommand;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests;

/// <summary>Runs <c>analyzer</c> in this process: as the program does, but for the console.</summary>
internal static class CommandRun
{
    public static (int ExitCode, string Output, string Error) Analyzer(params IEnumerable<string> arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        int exitCode = CommandProgram.Run(AnalyzerCommands.Create(), "analyzer", [.. arguments], output, error);
        return (exitCode, output.ToString(), error.ToString());
    }
}
