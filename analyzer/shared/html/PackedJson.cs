using System.IO.Compression;
using System.Text;

namespace Tracer.AnalyzerShared.Html;

/// <summary>JSON as the commands print it, also compressed with gzip and written in letters that no HTML can be made of (base64).</summary>
internal static class PackedJson
{
    /// <summary>The report, byte for byte what <c>analyzer blame --format json</c> prints, its last line end included.</summary>
    public static string Of(BlameReport report) => Pack(stream => Print(report, stream));

    public static string Of(LanesReport lanes) => Pack(stream => Print(lanes, stream));

    /// <summary>The latencies, byte for byte what <c>analyzer latency --format json</c> prints.</summary>
    public static string Of(LatencyReport report) => Pack(stream => Print(report, stream));

    /// <summary>Prints the report, byte for byte what <c>analyzer blame --format json</c> prints, its last line end included.</summary>
    public static void Print(BlameReport report, Stream output) => Print(output, json => ReportJson.Write(json, report, indented: true));

    public static void Print(LanesReport lanes, Stream output) => Print(output, json => ReportJson.Write(json, lanes));

    public static void Print(LatencyReport report, Stream output) => Print(output, json => ReportJson.Write(json, report, indented: true));

    private static string Pack(Action<Stream> print)
    {
        using var packed = new MemoryStream();
        using (var zip = new GZipStream(packed, CompressionLevel.SmallestSize, leaveOpen: true))
        {
            print(zip);
        }

        return Convert.ToBase64String(packed.GetBuffer(), 0, (int)packed.Length);
    }

    private static void Print(Stream output, Action<Stream> write)
    {
        var text = new StreamWriter(output, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), leaveOpen: true);
        using var writer = new PrintableWriter(text);
        using (var lines = new LinesStream(writer))
        {
            write(lines);
        }

        writer.WriteLine();
        writer.Flush();
    }
}
