using System.Text;
using Tracer.Analysis.Report;
using Tracer.AnalyzerShared.Html;

namespace Tracer.AnalyzerCommand.Common;

/// <summary>The page of <c>analyzer report</c>, with the program that this command carries.</summary>
internal static class HtmlReport
{
    private static readonly Lazy<PageBundle> Bundle =
        new(() => new PageBundle(Resource("report.js"), StillPage.Style, Resource("licences.txt")));

    /// <summary>Writes the page as UTF-8.</summary>
    /// <param name="latency">All latencies of the trace; null where that is not known.</param>
    public static void Write(BlameResult result, LatencyReport? latency, Stream output) =>
        output.Write(HtmlPage.Of(result, Bundle.Value, latency));

    /// <summary>The page with at most so many episodes, and fewer where it would be too large.</summary>
    internal static byte[] Page(BlameResult result, LatencyReport? latency, int mostEpisodes, int mostBytes) =>
        HtmlPage.Of(result, Bundle.Value, latency, mostEpisodes, mostBytes);

    private static string Resource(string name)
    {
        using Stream stream = typeof(HtmlReport).Assembly.GetManifestResourceStream(name)
            ?? throw new InvalidOperationException($"The program lacks its resource {name}.");
        using var reader = new StreamReader(stream, Encoding.UTF8);
        return reader.ReadToEnd();
    }
}
