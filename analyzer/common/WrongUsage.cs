namespace Tracer.AnalyzerCommand.Common;

/// <summary>Tells the user of values that do not fit each other, or the trace, as other wrong usage is told.</summary>
internal static class WrongUsage
{
    /// <param name="problem">What is wrong, and what to write instead.</param>
    public static int Tell(string command, string problem, TextWriter error)
    {
        error.WriteLine($"analyzer: {problem}");
        error.WriteLine($"See 'analyzer {command} --help'.");
        return ExitCode.WrongUsage;
    }
}
