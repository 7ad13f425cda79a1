using System.IO.Compression;
using System.Reflection;
using System.Security.Cryptography;
using System.Text;
using Tracer.Analysis;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Latencies;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerShared.Redact;

namespace Tracer.AnalyzerCommand.Commands.Pack;

/// <param name="Redaction">Takes the names out; null where they are kept.</param>
internal sealed record PackContents(byte[] Trace, SliceResult Slice, PackedVerdict Whole, BlameRequest Asked, Redaction? Redaction)
{
    public const string TraceName = "trace.etl";

    private const string SumsName = "SHA256SUMS";
    private const int BufferBytes = 1 << 16;

    /// <summary>All files have the same time: the same trace gives the same bytes.</summary>
    private static readonly DateTimeOffset Then = new(1980, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>Makes the pack. What it says is drawn from the slice alone, so that no name can come by another way.</summary>
    /// <returns>The bytes of the .zip, and how many files it holds.</returns>
    public (byte[] Bytes, int Files) Zip()
    {
        BlameResult result = BlameAnalysis.Analyze(TraceName, Open(), Asked with { WithLanes = true, WithTables = true });
        PackReport versions = Versions(result.Report);
        (string Name, Action<Stream> Write)[] files =
        [
            (TraceName, output => output.Write(Trace)),
            ("report.html", output => HtmlReport.Write(result, Latency(), output)),
            ("report.json", output => WriteLines(output, result.Report)),
            ("versions.json", output => WriteLines(output, versions)),
            ("README.txt", output => output.Write(Encoding.UTF8.GetBytes(PackReadme.Of(result.Report, versions, Asked)))),
        ];

        // Each file goes right into the archive: a report of many episodes is far larger than what it becomes there.
        using var zip = new MemoryStream();
        using (var archive = new ZipArchive(zip, ZipArchiveMode.Create, leaveOpen: true))
        {
            var sums = new StringBuilder(); // The lines that sha256sum -c reads.
            foreach ((string name, Action<Stream> write) in files)
            {
                sums.Append(Add(archive, name, write)).Append("  ").Append(name).Append('\n');
            }

            Add(archive, SumsName, output => output.Write(Encoding.UTF8.GetBytes(sums.ToString())));
        }

        return (zip.ToArray(), files.Length + 1);
    }

    /// <returns>The SHA-256 of what was written, in hexadecimal.</returns>
    private static string Add(ZipArchive archive, string name, Action<Stream> write)
    {
        ZipArchiveEntry entry = archive.CreateEntry(name, CompressionLevel.SmallestSize);
        entry.LastWriteTime = Then;
        using Stream output = entry.Open();
        using var sum = SHA256.Create();
        using (var both = new CryptoStream(output, sum, CryptoStreamMode.Write, leaveOpen: true))
        using (var buffer = new BufferedStream(both, BufferBytes))
        {
            write(buffer);
        }

        return Convert.ToHexStringLower(sum.Hash!);
    }

    private static void WriteLines<TRecord>(Stream output, TRecord report)
        where TRecord : class, IJsonRecord<TRecord>
    {
        ReportJson.Write(output, report, indented: true);
        output.WriteByte((byte)'\n');
    }

    private EtlReader Open() => EtlReader.Open(new MemoryStream(Trace, writable: false), TraceName);

    private LatencyReport Latency()
    {
        var request = new LatencyRequest { Splits = LatencyRequest.Each };
        var all = new LatencyMerge(request);
        using EtlReader reader = Open();
        all.Add(LatencyAnalysis.Measure(TraceName, reader, request));
        return all.Report();
    }

    private PackReport Versions(BlameReport part)
    {
        using EtlReader reader = Open();
        return new PackReport
        {
            TracerVersion =
                typeof(PackContents).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "",
            Trace = part.Trace,
            Whole = Whole,
            Part = VerdictOf(part, static name => name),
            Compared = new PackedLaw(Slice.Differences.Episodes, Slice.Differences.Different, Slice.Differences.LessSure),
            Redaction = Redaction is null ? null : new PackedRedaction(
                PackText.Numbers(Redaction.Names),
                Redaction.Counts.Texts,
                Redaction.Counts.Emptied,
                Redaction.Counts.LeftOut),
            Drivers = DriverInventory.Read(reader),
        };
    }

    public static PackedVerdict VerdictOf(BlameReport report, Func<string, string> nameOf) => new(
        report.Summary.Verdict,
        report.Summary.Culprit is { } culprit ? nameOf(culprit) : null,
        report.Summary.Episodes,
        report.Summary.Worst);
}
