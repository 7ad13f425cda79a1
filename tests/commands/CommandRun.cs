using System.CommandLine;
using Tracer.AnalyzerCommand;
using Tracer.CommandLine;
using Tracer.TracerCommand;

namespace Tracer.Commands.Tests;

/// <summary>
/// Runs the commands in this process: as the programs do, but for the console. A process of its own, as <see cref="BuiltCommand"/> starts
/// one, takes most of a second. Where <c>TRACER_ANALYZER</c> names a program, that one is run in the place of <c>analyzer</c>:
/// tests/aot/run.sh tries the native one so.
/// </summary>
internal static class CommandRun
{
    public static (int ExitCode, string Output, string Error) Analyzer(params IEnumerable<string> arguments) =>
        BuiltCommand.OtherAnalyzer is { } program
            ? ChildProcess.Run(program, arguments)
            : Run(AnalyzerCommands.For, "analyzer", [.. arguments]);

    public static (int ExitCode, string Output, string Error) Tracer(params IEnumerable<string> arguments) =>
        Run(TracerCommands.For, "tracer", [.. arguments]);

    public static (int ExitCode, string Output, string Error) Named(string command, IEnumerable<string> arguments) =>
        command == "tracer" ? Tracer(arguments) : Analyzer(arguments);

    private static (int ExitCode, string Output, string Error) Run(
        Func<IReadOnlyList<string>, RootCommand> commands, string name, string[] arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        int exitCode = CommandProgram.Run(commands(arguments), name, arguments, output, error);
        return (exitCode, output.ToString(), error.ToString());
    }
}
