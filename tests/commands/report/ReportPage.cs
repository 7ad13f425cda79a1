using System.IO.Compression;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace Tracer.Commands.Tests.Report;

/// <summary>Reads a page of <c>analyzer report</c> as somebody would who knows docs/reference/report-data.md only.</summary>
internal sealed partial class ReportPage(string html)
{
    public string Html => html;

    public byte[] Blame => Unpacked("blame");

    public JsonNode BlameJson => JsonNode.Parse(Blame)!;

    public JsonNode Lanes => JsonNode.Parse(Unpacked("lanes"))!;

    public byte[] Latency => Unpacked("latency");

    public JsonNode LatencyJson => JsonNode.Parse(Latency)!;

    public static ReportPage Of(string path) => new(File.ReadAllText(path));

    /// <summary>What stands between the tags of an element whose content is no HTML.</summary>
    public string Raw(string opening)
    {
        int start = html.IndexOf(opening, StringComparison.Ordinal) + opening.Length;
        Assert.True(start >= opening.Length, $"the page has no {opening}");
        return html[start..html.IndexOf("</", start, StringComparison.Ordinal)];
    }

    private byte[] Unpacked(string id)
    {
        Match data = Data().Matches(html).Single(match => match.Groups["id"].Value == id);
        using var zip = new GZipStream(new MemoryStream(Convert.FromBase64String(data.Groups["text"].Value)), CompressionMode.Decompress);
        using var bytes = new MemoryStream();
        zip.CopyTo(bytes);
        return bytes.ToArray();
    }

    [GeneratedRegex("<script type=\"application/gzip;base64\" id=\"(?<id>\\w+)\">(?<text>[^<]*)</script>")]
    private static partial Regex Data();
}
