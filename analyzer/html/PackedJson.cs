using System.IO.Compression;
using System.Text;
using Tracer.CommandLine;
using Tracer.Contract;

namespace Tracer.AnalyzerCommand;

/// <summary>JSON as the commands print it, compressed with gzip and written in letters that no HTML can be made of (base64).</summary>
internal static class PackedJson
{
    /// <summary>The report, byte for byte what <c>analyzer blame --format json</c> prints, its last line end included.</summary>
    public static string Of(BlameReport report) => Pack(stream => ReportJson.Write(stream, report, indented: true));

    /// <summary>The lanes.</summary>
    public static string Of(LanesReport lanes) => Pack(stream => ReportJson.Write(stream, lanes));

    private static string Pack(Action<Stream> write)
    {
        using var packed = new MemoryStream();
        using (var zip = new GZipStream(packed, CompressionLevel.SmallestSize, leaveOpen: true))
        using (var writer = new PrintableWriter(new StreamWriter(zip, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false))))
        {
            using (var lines = new LinesStream(writer))
            {
                write(lines);
            }

            writer.WriteLine();
            writer.Flush();
        }

        return Convert.ToBase64String(packed.GetBuffer(), 0, (int)packed.Length);
    }
}
