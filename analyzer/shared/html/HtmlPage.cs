using System.Net;
using System.Text;
using Tracer.Analysis.Report;

namespace Tracer.AnalyzerShared.Html;

/// <summary>
/// Writes the page: its program and its look, which viewer/ builds, and the data of one trace. Nothing of the trace stands in it as HTML
/// but its title and the text for readers without scripts, both escaped; the rest is base64. The page may load nothing and run nothing
/// but its own program, by its hash (Content Security Policy).
/// </summary>
internal static class HtmlPage
{
    /// <summary>More episodes than this are not read one by one.</summary>
    public const int MostEpisodes = 2_000;

    /// <summary>The largest page: mail and chat programs take such a file.</summary>
    public const int MostBytes = 2_000_000;

    /// <summary>Below this the page keeps its episodes and lanes, however large they are.</summary>
    private const int FewestKept = 16;

    /// <summary>The latencies take at most this part of the page; else they are told of each kind alone.</summary>
    private const int PartOfLatencies = 4;

    /// <summary>Lines of each list of the text for readers without scripts.</summary>
    private const int TextTop = 5;

    /// <summary>
    /// What a page says until its program has run. The program stands at the end: of a file that was cut this is what is seen.
    /// </summary>
    private const string NotDrawn = "This report is not shown: the file was cut, or the browser runs no scripts in it. "
        + "Get the whole file again, packed as a .zip, and open it in a browser itself.";

    /// <summary>Writes the page as UTF-8.</summary>
    /// <param name="latency">All latencies of the trace; null where that is not known.</param>
    public static byte[] Of(BlameResult result, PageBundle bundle, LatencyReport? latency = null) =>
        Of(result, bundle, latency, MostEpisodes, MostBytes);

    /// <summary>The page with at most so many episodes, and fewer where it would be too large.</summary>
    public static byte[] Of(BlameResult result, PageBundle bundle, LatencyReport? latency, int mostEpisodes, int mostBytes)
    {
        string? packed = latency is null ? null : PackedJson.Of(latency);
        if (packed is { Length: var length } && length > mostBytes / PartOfLatencies)
        {
            packed = PackedJson.Of(WithoutParts(latency!));
        }

        int mostLanes = Math.Max(FewestKept, result.Lanes?.Episodes.Count ?? 0);
        while (true)
        {
            BlameReport report = Shown(result, mostEpisodes, mostLanes, out LanesReport lanes);
            byte[] page = Page(report, lanes, packed, bundle);
            if (page.Length <= mostBytes || (mostLanes <= FewestKept && mostEpisodes <= FewestKept))
            {
                return page;
            }

            mostEpisodes = mostLanes > FewestKept ? mostEpisodes : Math.Max(FewestKept, Math.Min(mostEpisodes, report.Episodes.Count) / 2);
            mostLanes = Math.Max(FewestKept, mostLanes / 2);
        }
    }

    /// <param name="mostEpisodes">How many episodes the page may have.</param>
    /// <param name="mostLanes">How many of them may have timelines.</param>
    /// <param name="lanes">The timelines, and the places of the episodes that are left out.</param>
    public static BlameReport Shown(BlameResult result, int mostEpisodes, int mostLanes, out LanesReport lanes)
    {
        BlameReport report = EpisodeChoice.Of(result.Report, mostEpisodes, out LeftOutEpisodes? leftOut);
        LanesReport all = result.Lanes ?? new LanesReport { Works = [], Code = new LaneCode([], []), Episodes = [] };
        HashSet<int> listed = [.. report.Episodes.Select(episode => episode.Id)];
        lanes = all with
        {
            Episodes = [.. all.Episodes.Where(episode => listed.Contains(episode.Id)).Take(mostLanes)],
            LeftOut = leftOut,
        };
        return report;
    }

    /// <summary>The distributions of everything of each kind, without those of CPUs, processes and so on.</summary>
    private static LatencyReport WithoutParts(LatencyReport report) => report with
    {
        Distributions = [.. report.Distributions.Where(one => one.Part == LatencyPart.All)],
        Warnings =
        [
            .. report.Warnings,
            "This page has only the distribution of each kind; 'analyzer latency' gives those of CPUs, priorities and processes.",
        ],
    };

    private static byte[] Page(BlameReport report, LanesReport lanes, string? latency, PageBundle bundle)
    {
        (string program, string style) = (bundle.Program, bundle.Style);
        var page = new StringBuilder();
        page.Append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.Append("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; ")
            .Append($"font-src data:; script-src '{StillPage.HashOf(program)}'; style-src '{StillPage.HashOf(style)}'\">\n");
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
        if (latency is not null)
        {
            Data(page, "latency", latency);
        }

        page.Append("<script type=\"text/plain\" id=\"licences\">").Append(bundle.Licences).Append("</script>\n");
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
            BlameText.PageOf(report, TextTop).Write(writer);
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
}
