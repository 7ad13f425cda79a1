namespace Tracer.Commands.Tests;

/// <summary>The commands as they were built beside this test, because the test project references theirs.</summary>
internal static class BuiltCommand
{
    /// <summary>The program to be tried in the place of <c>analyzer</c>, or null.</summary>
    public static string? OtherAnalyzer { get; } =
        Environment.GetEnvironmentVariable("TRACER_ANALYZER") is { Length: > 0 } program ? program : null;

    /// <summary>Runs <c>analyzer</c> or <c>tracer</c> to its end.</summary>
    public static (int ExitCode, string Output, string Error) Run(string command, params IEnumerable<string> arguments) =>
        command == "analyzer" && OtherAnalyzer is { } program
            ? ChildProcess.Run(program, arguments)
            : ChildProcess.Run("dotnet", [Path.Combine(AppContext.BaseDirectory, command + ".dll"), .. arguments]);
}
