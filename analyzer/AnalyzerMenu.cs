namespace Tracer.AnalyzerCommand;

/// <summary>What <c>analyzer</c> offers to who double-clicks it.</summary>
internal static class AnalyzerMenu
{
    private const string Drag = "Drag the trace (.etl) into this window and press Enter:";

    /// <param name="run">Runs a command line, and gives its exit status.</param>
    /// <param name="open">Shows a page, and says why it could not.</param>
    public static StartMenu Create(Func<string[], int> run, Func<string, string?> open, TextWriter error) => new(
        "Tracer's analyzer names the driver to blame for late audio, input or control.",
        [
            new("open a trace as a page", Drag, trace => Page(trace, run, open, error)),
            new("read a trace here", Drag, trace => run(["blame", trace])),
            new("try a sample", null, _ => Page(Path.Combine(AppContext.BaseDirectory, "samples", "first.etl"), run, open, error)),
            new("all commands", null, _ => run(["--help"])),
        ]);

    /// <summary>The page stands beside the trace, or where temporary files are if nothing can be written there.</summary>
    private static void Page(string trace, Func<string[], int> run, Func<string, string?> open, TextWriter error)
    {
        string page = CanStand(trace + ".html") ? trace + ".html" : Path.Combine(Path.GetTempPath(), Path.GetFileName(trace) + ".html");
        if (run(["report", trace, "-o", page]) == ExitCode.Done && open(page) is { } problem)
        {
            error.WriteLine($"analyzer: {page} is there, but could not be opened: {problem}");
        }
    }

    private static bool CanStand(string page)
    {
        try
        {
            using var draft = new OutputFile(page); // Gone again where it is not kept.
            return true;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}
