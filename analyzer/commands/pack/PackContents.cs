using System.IO.Compression;
using System.Reflection;
using System.Security.Cryptography;
using System.Text;
using Tracer.Analysis;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Latencies;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.Analysis.Slicing;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerShared.Redact;

namespace Tracer.AnalyzerCommand.Commands.Pack;

/// <summary>What a pack is made of.</summary>
/// <param name="Whole">Blame of the whole recording, in the names of the pack.</param>
/// <param name="Asked">What is asked of the slice, in the names of the pack.</param>
/// <param name="Redaction">Takes the names out; null where they are kept.</param>
internal sealed record PackContents(byte[] Trace, SliceResult Slice, PackedVerdict Whole, BlameRequest Asked, Redaction? Redaction)
{
    public const string TraceName = "trace.etl";

    private const string SumsName = "SHA256SUMS";

    /// <summary>All files have the same time: the same trace gives the same bytes.</summary>
    private static readonly DateTimeOffset Then = new(1980, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>Makes the pack. What it says is drawn from the slice alone, so that no name can come by another way.</summary>
    /// <returns>The bytes of the .zip, and how many files it holds.</returns>
    public (byte[] Bytes, int Files) Zip()
    {
        BlameResult result = BlameAnalysis.Analyze(TraceName, Open(), Asked with { WithLanes = true, WithTables = true });
        PackReport versions = Versions(result.Report);
        List<(string Name, byte[] Bytes)> files =
        [
            (TraceName, Trace),
            ("report.html", Written(output => HtmlReport.Write(result, Latency(), output))),
            ("report.json", Written(output => ReportJson.Write(output, result.Report, indented: true), endsLine: true)),
            ("versions.json", Written(output => ReportJson.Write(output, versions, indented: true), endsLine: true)),
            ("README.txt", Encoding.UTF8.GetBytes(PackReadme.Of(result.Report, versions, Asked))),
        ];
        files.Add((SumsName, Encoding.UTF8.GetBytes(Sums(files))));
        using var zip = new MemoryStream();
        using (var archive = new ZipArchive(zip, ZipArchiveMode.Create, leaveOpen: true))
        {
            foreach ((string name, byte[] bytes) in files)
            {
                ZipArchiveEntry entry = archive.CreateEntry(name, CompressionLevel.SmallestSize);
                entry.LastWriteTime = Then;
                using Stream output = entry.Open();
                output.Write(bytes);
            }
        }

        return (zip.ToArray(), files.Count);
    }

    private static byte[] Written(Action<Stream> write, bool endsLine = false)
    {
        using var output = new MemoryStream();
        write(output);
        if (endsLine)
        {
            output.WriteByte((byte)'\n');
        }

        return output.ToArray();
    }

    /// <summary>The lines that <c>sha256sum -c</c> reads.</summary>
    private static string Sums(IEnumerable<(string Name, byte[] Bytes)> files) =>
        string.Concat(files.Select(file => $"{Convert.ToHexStringLower(SHA256.HashData(file.Bytes))}  {file.Name}\n"));

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
