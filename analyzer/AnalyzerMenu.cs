using System.ComponentModel;
using System.Diagnostics;

namespace Tracer.AnalyzerCommand;

/// <summary>What <c>analyzer</c> offers to who double-clicks it.</summary>
internal static class AnalyzerMenu
{
    private const string Drag = "Drag the trace (.etl) into this window and press Enter:";

    /// <param name="run">Runs a command line, and gives its exit status.</param>
    /// <param name="open">Shows a page.</param>
    public static StartMenu Create(Func<string[], int> run, Action<string> open) => new(
        "Tracer's analyzer names the driver to blame for late audio, input or control.",
        [
            new("open a trace as a page", Drag, trace => Page(trace, run, open)),
            new("read a trace here", Drag, trace => run(["blame", trace])),
            new("try a sample", null, _ => Page(Path.Combine(AppContext.BaseDirectory, "samples", "first.etl"), run, open)),
            new("all commands", null, _ => run(["--help"])),
        ]);

    /// <summary>Opens a page in the browser; what cannot be opened is told.</summary>
    public static void Open(string page, TextWriter error)
    {
        try
        {
            using Process? browser = Process.Start(new ProcessStartInfo(page) { UseShellExecute = true });
        }
        catch (Exception fault) when (fault is Win32Exception or InvalidOperationException)
        {
            error.WriteLine($"analyzer: {page} is there, but could not be opened: {fault.Message}");
        }
    }

    /// <summary>The page stands beside the trace, or where temporary files are if nothing can be written there.</summary>
    private static void Page(string trace, Func<string[], int> run, Action<string> open)
    {
        string page = trace + ".html";
        if (run(["report", trace, "-o", page]) != ExitCode.Done)
        {
            page = Path.Combine(Path.GetTempPath(), Path.GetFileName(page));
            if (!File.Exists(trace) || run(["report", trace, "-o", page]) != ExitCode.Done)
            {
                return;
            }
        }

        open(page);
    }
}
