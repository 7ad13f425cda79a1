namespace Tracer.Tests;

/// <summary>What a run of fuzzing tells: in the test's output, and in the file that TRACER_FUZZ_REPORT names.</summary>
internal static class FuzzReport
{
    /// <param name="suffix">Of a file beside the one that is named, for lines about a run that goes on.</param>
    public static void Add(string line, string suffix = "")
    {
        TestContext.Current.SendDiagnosticMessage(line);
        if (Environment.GetEnvironmentVariable("TRACER_FUZZ_REPORT") is { Length: > 0 } path)
        {
            File.AppendAllText(path + suffix, line + "\n");
        }
    }

    /// <summary>What went wrong where something measured is more than it may be; null where it is not.</summary>
    public static string? Beyond(string what, double measured, double allowed) =>
        measured > allowed ? string.Create(CultureInfo.InvariantCulture, $"{what}: {measured:f2}, {allowed:f2} allowed") : null;
}
