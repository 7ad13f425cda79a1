using System.Runtime.InteropServices.JavaScript;
using System.Runtime.Versioning;
using System.Text;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerShared.Html;
using Tracer.AnalyzerShared.Viewer;
using Tracer.Contract;

namespace Tracer.Browser;

/// <summary>What the worker's script calls. The trace that was analysed last stays until another one has been.</summary>
[SupportedOSPlatform("browser")]
internal static partial class Program
{
    private const long ProgressMilliseconds = 80;

    private static ViewerSession? _session;
    private static ViewerSession? _read;
    private static int _set = -1;
    private static long _told;

    /// <summary>Nothing to do until the script calls.</summary>
    public static void Main()
    {
    }

    /// <summary>
    /// Analyses what the user gave, and hands over <c>judged</c>, a line of a list, and for a page <c>blame</c>, <c>page</c>, <c>lanes</c>,
    /// <c>latency</c> and <c>notes</c>.
    /// </summary>
    /// <param name="set">The number of the files that were given at once.</param>
    /// <param name="sizes">How many bytes they have.</param>
    /// <param name="isWhole">Whether a page is to be shown of it.</param>
    /// <returns>What is wrong, as a sentence; empty where nothing is.</returns>
    [JSExport]
    public static string Analyse(int set, string[] names, double[] sizes, string[] arguments, bool isWhole)
    {
        ViewerSession? fresh = null;
        try
        {
            if (set != _set)
            {
                fresh = new ViewerSession(
                    [.. names.Select((name, file) => new DroppedFile(
                        name, () => new GivenFile(name, set, file, (long)sizes[file], TellProgress)))],
                    () => new UnpackedCopy(set, TellProgress));
            }

            _read = fresh ?? _session!;
            BlameResult result = _read.Analyse(arguments, out IReadOnlyList<string> notes);
            using (var line = new MemoryStream())
            {
                ReportJson.Write(line, JudgedTrace.Of(result.Report.Trace.Path, result.Report));
                Hand("judged", line);
            }

            if (isWhole)
            {
                Give(result, notes, _read.Latencies());
            }

            if (fresh is not null)
            {
                _session?.Dispose();
                (_session, _set, fresh) = (fresh, set, null);
            }

            return "";
        }
        catch (Exception failure) when (failure is IOException or MeaninglessRequestException)
        {
            return failure.Message;
        }
        catch (OutOfMemoryException)
        {
            return "this trace needs more memory than a browser gives a page: look at a part of it (--from, --to), or use "
                + "'analyzer report' on the command line";
        }
        finally
        {
            _read = null;
            fresh?.Dispose();
        }
    }

    /// <summary>Hands over <c>report</c>: the page of <c>analyzer report</c> for the last analysis.</summary>
    [JSExport]
    public static void Report(string program, string style, string licences) =>
        PageFiles.Give("report", _session!.Page(new PageBundle(program, style, licences)));

    private static void Give(BlameResult result, IReadOnlyList<string> notes, LatencyReport latencies)
    {
        BlameReport shown = HtmlPage.Shown(result, HtmlPage.MostEpisodes, int.MaxValue, out LanesReport lanes);
        using var bytes = new MemoryStream();
        PackedJson.Print(result.Report, bytes);
        Hand("blame", bytes);
        if (!ReferenceEquals(shown, result.Report))
        {
            PackedJson.Print(shown, bytes);
        }

        Hand("page", bytes);
        PackedJson.Print(lanes, bytes);
        Hand("lanes", bytes);
        PackedJson.Print(latencies, bytes);
        Hand("latency", bytes);
        bytes.Write(Encoding.UTF8.GetBytes(string.Join('\n', notes.Select(CommandLine.PrintableText.Of))));
        Hand("notes", bytes);
    }

    private static void Hand(string name, MemoryStream bytes)
    {
        PageFiles.Give(name, bytes.GetBuffer().AsSpan(0, (int)bytes.Length));
        bytes.SetLength(0);
    }

    private static void TellProgress()
    {
        long now = Environment.TickCount64;
        if (now - _told >= ProgressMilliseconds)
        {
            _told = now;
            PageFiles.Progress(_read?.Progress ?? -1);
        }
    }
}
