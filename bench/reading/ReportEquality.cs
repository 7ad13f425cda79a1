using System.IO.Compression;
using System.Security.Cryptography;
using System.Text;
using Tracer.Analysis;
using Tracer.Analysis.Contents;
using Tracer.Analysis.Request;
using Tracer.Simulator.Scenarios;

namespace Tracer.Bench.Reading;

/// <summary>
/// <c>equal FILE|FOLDER... [--simulated] [--repeats N] [--hashes FILE] [-o FILE]</c>: reports of blame and info must be the same, byte for
/// byte, with 1, 2 and 7 threads, however often they are made. <c>--hashes</c> writes them as one line for each trace: two versions of
/// the analysis are compared by them.
/// </summary>
internal static class ReportEquality
{
    private static readonly int[] Threads = [1, 2, 7];

    /// <returns>0 where all were equal, 2 where not, 64 for wrong usage.</returns>
    public static int Run(string[] args)
    {
        int repeats = 1;
        bool simulated = false;
        string? hashes = null;
        string? output = null;
        List<string> places = [];
        for (int i = 0; i < args.Length; i++)
        {
            switch (args[i])
            {
                case "--simulated":
                    simulated = true;
                    break;
                case "--repeats" when i + 1 < args.Length && int.TryParse(args[i + 1], out repeats) && repeats > 0:
                    i++;
                    break;
                case "--hashes" when i + 1 < args.Length:
                    hashes = args[++i];
                    break;
                case "-o" when i + 1 < args.Length:
                    output = args[++i];
                    break;
                default:
                    places.Add(args[i]);
                    break;
            }
        }

        if (places.Exists(place => place.StartsWith('-')) || (places.Count == 0 && !simulated))
        {
            Console.Error.WriteLine("equal FILE|FOLDER... [--simulated] [--repeats N] [--hashes FILE] [-o FILE]");
            return 64;
        }

        IEnumerable<(string Name, Func<byte[]?> Bytes)> traces = places.SelectMany(Files)
            .Concat(simulated ? Simulated() : []);
        List<Compared> all = [];
        foreach ((string name, Func<byte[]?> bytes) in traces)
        {
            if (bytes() is not { } trace || Of(name, trace, repeats) is not { } compared)
            {
                continue;
            }

            all.Add(compared);
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture, $"{(compared.Different == 0 ? "same" : "DIFFERENT")} {name}: {compared.Reports} reports"));
        }

        if (hashes is not null)
        {
            File.WriteAllLines(hashes, all.Select(one => $"{one.Hash} {one.Name}"));
        }

        if (output is not null)
        {
            File.WriteAllText(output, Document(all, repeats));
        }

        return all.Exists(one => one.Different > 0) ? 2 : 0;
    }

    private static IEnumerable<(string Name, Func<byte[]?> Bytes)> Files(string place) =>
        (Directory.Exists(place) ? Directory.EnumerateFiles(place, "*", SearchOption.AllDirectories) : [place])
        .Where(path => path.EndsWith(".etl", StringComparison.Ordinal) || path.EndsWith(".etl.gz", StringComparison.Ordinal))
        .Order(StringComparer.Ordinal)
        .Select(path => (Path.GetFileName(path), (Func<byte[]?>)(() => Read(path))));

    private static byte[]? Read(string path)
    {
        if (!path.EndsWith(".gz", StringComparison.Ordinal))
        {
            return File.ReadAllBytes(path);
        }

        using var packed = new GZipStream(File.OpenRead(path), CompressionMode.Decompress);
        using var whole = new MemoryStream();
        packed.CopyTo(whole);
        return whole.ToArray();
    }

    /// <summary>A trace of each scenario of the simulator.</summary>
    private static IEnumerable<(string Name, Func<byte[]?> Bytes)> Simulated() =>
        ScenarioCatalog.All.Select(scenario => (scenario.Name, (Func<byte[]?>)(() => Simulate(scenario))));

    private static byte[]? Simulate(Scenario scenario)
    {
        using var made = new MemoryStream();
        _ = new ScenarioRun(scenario, 1).WriteTo(made);
        return made.ToArray();
    }

    private static Compared? Of(string name, byte[] trace, int repeats)
    {
        string? first = null;
        int different = 0;
        int reports = 0;
        for (int repeat = 0; repeat < repeats; repeat++)
        {
            foreach (int threads in Threads)
            {
                string hash;
                try
                {
                    hash = Convert.ToHexString(SHA256.HashData(Reports(name, trace, threads)))[..16];
                }
                catch (EtlFormatException)
                {
                    return null; // It is no trace, whoever reads it.
                }

                first ??= hash;
                different += hash == first ? 0 : 1;
                reports++;
            }
        }

        return new Compared(name, trace.Length, reports, different, first!);
    }

    private static byte[] Reports(string name, byte[] trace, int threads)
    {
        using var written = new MemoryStream();
        using (EtlReader reader = EtlReader.Open(new MemoryStream(trace, writable: false), name))
        {
            reader.Threads = threads;
            var contents = new TraceContents(() => null);
            contents.Read(reader);
            ReportJson.Write(written, InfoReportOfTrace.Make(name, reader, contents), indented: true);
        }

        using (EtlReader reader = EtlReader.Open(new MemoryStream(trace, writable: false), name))
        {
            reader.Threads = threads;
            ReportJson.Write(written, BlameAnalysis.Analyze(name, reader, new BlameRequest()).Report, indented: true);
        }

        return written.ToArray();
    }

    private static string Document(List<Compared> all, int repeats)
    {
        var text = new StringBuilder();
        text.AppendLine("# Reports by 1, 2 and 7 threads");
        text.AppendLine();
        text.AppendLine(CultureInfo.InvariantCulture,
            $"Written by `bench/equal.sh` on {DateTime.UtcNow:yyyy-MM-dd}: blame and info of each trace with 1, 2 and 7 threads, "
            + $"{repeats} times");
        text.AppendLine(CultureInfo.InvariantCulture,
            $"each, compared byte for byte. {all.Count} traces, {all.Sum(one => one.Reports)} pairs of reports,");
        text.AppendLine(CultureInfo.InvariantCulture, $"**{all.Sum(one => one.Different)} of them different**.");
        text.AppendLine();
        text.AppendLine("| trace | bytes | reports | different | first digits of their SHA-256 |");
        text.AppendLine("|---|---|---|---|---|");
        foreach (Compared one in all)
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"| {one.Name} | {one.Bytes} | {one.Reports} | {one.Different} | {one.Hash} |");
        }

        return text.ToString().ReplaceLineEndings("\n");
    }

    private sealed record Compared(string Name, long Bytes, int Reports, int Different, string Hash);
}
