using System.Diagnostics;

namespace Tracer.Tests;

/// <summary>Runs programs as a user does: as processes of their own, their output piped.</summary>
internal static class ChildProcess
{
    public static (int ExitCode, string Output, string Error) Run(string program, params IEnumerable<string> arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = RepositoryFiles.Root,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        Task<string> error = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode, output, error.Result);
    }

    /// <summary>Runs a program that is expected to succeed, and gives what it prints.</summary>
    public static string Output(string program, params IEnumerable<string> arguments)
    {
        (int exitCode, string output, string error) = Run(program, arguments);
        Assert.True(exitCode == 0, $"{program} ended with {exitCode}: {error}");
        return output;
    }
}
