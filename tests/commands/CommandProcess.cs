using System.Diagnostics;

namespace Tracer.Commands.Tests;

/// <summary>Runs a command as a user does: as a process of its own, its output piped.</summary>
internal static class CommandProcess
{
    /// <summary>Runs <c>analyzer</c> or <c>tracer</c> to its end.</summary>
    public static (int ExitCode, string Output, string Error) Run(string command, params IEnumerable<string> arguments)
    {
        // Built beside this test, because the test project references the command's project.
        string program = Path.Combine(AppContext.BaseDirectory, command + ".dll");
        using Process process = Process.Start(new ProcessStartInfo("dotnet", [program, .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        Task<string> error = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode, output, error.Result);
    }
}
