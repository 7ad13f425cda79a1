using System.Net;
using System.Security.Cryptography;
using System.Text;
using Tracer.Analysis;
using Tracer.CommandLine;
using Tracer.Contract;

namespace Tracer.AnalyzerCommand;

/// <summary>
/// Writes the page: its program and its look, which viewer/ builds, and the data of one trace. Nothing of the trace stands in it as HTML
/// but its title and the text for readers without scripts, both escaped; the rest is base64. The page may load nothing and run nothing
/// but its own program, by its hash (Content Security Policy).
/// </summary>
internal static class HtmlReport
{
    /// <summary>More episodes than this are not read one by one.</summary>
    public const int MostEpisodes = 2_000;

    /// <summary>The largest page: mail and chat programs take such a file.</summary>
    public const int MostBytes = 2_000_000;

    /// <summary>Below this the page keeps its episodes and lanes, however large they are.</summary>
    private const int FewestKept = 16;

    /// <summary>Lines of each list of the text for readers without scripts.</summary>
    private const int TextTop = 5;

    /// <summary>
    /// What a page says until its program has run. The program stands at the end: of a file that was cut this is what is seen.
    /// </summary>
    private const string NotDrawn = "This report is not shown: the file was cut, or the browser runs no scripts in it. "
        + "Get the whole file once more, packed as a .zip, and open it in a browser itself.";

    /// <summary>Writes the page as UTF-8.</summary>
    /// <param name="result">What was found, with lanes.</param>
    /// <param name="output">Where to.</param>
    public static void Write(BlameResult result, Stream output) => output.Write(Page(result, MostEpisodes, MostBytes));

    /// <summary>The page with at most so many episodes, and fewer where it would be too large.</summary>
    internal static byte[] Page(BlameResult result, int mostEpisodes, int mostBytes)
    {
        LanesReport lanes = result.Lanes ?? new LanesReport { Works = [], Code = new LaneCode([], []), Episodes = [] };
        int mostLanes = Math.Max(FewestKept, lanes.Episodes.Count);
        while (true)
        {
            BlameReport report = EpisodeChoice.Of(result.Report, mostEpisodes, out LeftOutEpisodes? leftOut);
            HashSet<int> listed = [.. report.Episodes.Select(episode => episode.Id)];
            EpisodeLanes[] drawn = [.. lanes.Episodes.Where(episode => listed.Contains(episode.Id)).Take(mostLanes)];
            byte[] page = Page(report, lanes with { Episodes = drawn, LeftOut = leftOut });
            if (page.Length <= mostBytes || (mostLanes <= FewestKept && mostEpisodes <= FewestKept))
            {
                return page;
            }

            mostEpisodes = mostLanes > FewestKept ? mostEpisodes : Math.Max(FewestKept, Math.Min(mostEpisodes, listed.Count) / 2);
            mostLanes = Math.Max(FewestKept, mostLanes / 2);
        }
    }

    private static byte[] Page(BlameReport report, LanesReport lanes)
    {
        string program = Resource("report.js");
        string style = Resource("report.css");
        var page = new StringBuilder();
        page.Append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.Append("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; ")
            .Append($"font-src data:; script-src '{HashOf(program)}'; style-src '{HashOf(style)}'\">\n");
        page.Append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        page.Append("<meta name=\"color-scheme\" content=\"light dark\">\n");
        page.Append("<meta name=\"generator\" content=\"analyzer report\">\n");
        page.Append($"<title>{Escaped(TitleOf(report))}</title>\n");
        page.Append("<style>").Append(style).Append("</style>\n</head>\n<body>\n<div id=\"page\"><p class=\"not-drawn\">")
            .Append(NotDrawn).Append("</p></div>\n");
        page.Append("<noscript>\n<p>The pictures of this report need JavaScript. This is its text.</p>\n<pre>")
            .Append(WebUtility.HtmlEncode(TextOf(report))).Append("</pre>\n</noscript>\n");
        Data(page, "blame", PackedJson.Of(report));
        Data(page, "lanes", PackedJson.Of(lanes));
        page.Append("<script type=\"text/plain\" id=\"licences\">").Append(Resource("licences.txt")).Append("</script>\n");
        page.Append("<script>").Append(program).Append("</script>\n</body>\n</html>\n");
        return Encoding.UTF8.GetBytes(page.ToString());
    }

    private static void Data(StringBuilder page, string id, string packed) =>
        page.Append($"<script type=\"application/gzip;base64\" id=\"{id}\">").Append(packed).Append("</script>\n");

    private static string TitleOf(BlameReport report)
    {
        string path = report.Trace.Path;
        string file = path[(path.LastIndexOfAny(['/', '\\']) + 1)..];
        return $"{report.Summary.Culprit ?? KebabCase.Of(report.Summary.Verdict)}: latency report of {file}";
    }

    private static string TextOf(BlameReport report)
    {
        var text = new StringWriter();
        using (var writer = PrintableWriter.Before(text))
        {
            PagePrinter.Print(BlameText.PageOf(report, TextTop), writer);
        }

        return text.ToString();
    }

    /// <summary>Text in HTML. What is not printable, and what turns the direction of writing, is escaped as in the other reports.</summary>
    private static string Escaped(string text)
    {
        var printed = new StringWriter();
        using (var writer = PrintableWriter.Before(printed))
        {
            writer.Write(text);
        }

        return WebUtility.HtmlEncode(printed.ToString());
    }

    private static string HashOf(string inline) => "sha256-" + Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(inline)));

    private static string Resource(string name)
    {
        using Stream stream = typeof(HtmlReport).Assembly.GetManifestResourceStream(name)
            ?? throw new InvalidOperationException($"The program lacks its resource {name}.");
        using var reader = new StreamReader(stream, Encoding.UTF8);
        return reader.ReadToEnd();
    }
}
