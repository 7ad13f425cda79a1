using System.ComponentModel;
using System.Diagnostics;
using Tracer.Capture.Ground;

namespace Tracer.TracerCommand.Commands.Capture;

/// <summary>
/// Writes the page of each captured episode beside its trace, by the <c>analyzer</c> that stands beside this program, once the capture is
/// over: while it runs, nothing else may load the machine.
/// </summary>
internal static class EpisodePages
{
    /// <summary>A page takes some seconds.</summary>
    private static readonly TimeSpan LongestWait = TimeSpan.FromMinutes(5);

    /// <summary>The <c>analyzer</c> beside this program; null where there is none.</summary>
    public static string? Beside()
    {
        string path = Path.Combine(AppContext.BaseDirectory, OperatingSystem.IsWindows() ? "analyzer.exe" : "analyzer");
        return File.Exists(path) ? path : null;
    }

    /// <returns>The pages that were written.</returns>
    public static IReadOnlyList<string> Write(string analyzer, IEnumerable<CapturedEpisode> episodes, TextWriter error)
    {
        List<string> pages = [];
        foreach (CapturedEpisode episode in episodes)
        {
            string page = Path.ChangeExtension(episode.File, ".html");
            if (ProblemWith(analyzer, episode.File, page) is { } problem)
            {
                error.WriteLine($"tracer: {page} was not written: {problem}; 'analyzer report {episode.File} -o {page}' tries again");
            }
            else
            {
                pages.Add(page);
            }
        }

        return pages;
    }

    private static string? ProblemWith(string analyzer, string trace, string page)
    {
        var start = new ProcessStartInfo(analyzer, ["report", trace, "-o", page])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        try
        {
            using Process process = Process.Start(start)!;
            process.StandardOutput.ReadToEndAsync();
            Task<string> said = process.StandardError.ReadToEndAsync();
            if (!process.WaitForExit(LongestWait))
            {
                process.Kill(entireProcessTree: true);
                return "it took too long";
            }

            return process.ExitCode == 0 ? null
                : said.Result.Split('\n')[0].Trim() is { Length: > 0 } first ? first : "no reason was given";
        }
        catch (Exception fault) when (fault is Win32Exception or InvalidOperationException)
        {
            return fault.Message;
        }
    }
}
