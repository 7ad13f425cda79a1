using Tracer.Tests;

namespace Tracer.Commands.Tests;

/// <summary>The commands as they were built beside this test, because the test project references theirs.</summary>
internal static class BuiltCommand
{
    /// <summary>Runs <c>analyzer</c> or <c>tracer</c> to its end.</summary>
    public static (int ExitCode, string Output, string Error) Run(string command, params IEnumerable<string> arguments) =>
        ChildProcess.Run("dotnet", [Path.Combine(AppContext.BaseDirectory, command + ".dll"), .. arguments]);
}
