using System.Diagnostics;
using System.Text;
using System.Text.Json.Nodes;
using Tracer.Simulator.Draws;

namespace Tracer.Bench.Fleet;

/// <summary>
/// Compares what the built <c>analyzer fleet</c> says of a planted fleet with its truth: clusters by the adjusted Rand index, contrasts
/// with what was planted; and asks it again with what tells machines apart dealt out anew, where no contrast is true.
/// </summary>
internal static class FleetCheck
{
    private const string Nothing = "nothing";

    /// <summary>Runs: <c>fleet-check FOLDER [SEEDS]</c>, where FOLDER has what <c>fleet-traces</c> made, and <c>cases.jsonl</c>.</summary>
    public static int Run(string[] args)
    {
        if (args is not [string folder, .. { Length: < 2 } rest]
            || !int.TryParse(rest is [string number] ? number : "20", NumberStyles.None, CultureInfo.InvariantCulture, out int seeds))
        {
            Console.Error.WriteLine("fleet-check FOLDER [SEEDS]");
            return 64;
        }

        string cases = Path.Combine(folder, "cases.jsonl");
        Dictionary<string, string> truth = Truth(folder);
        Dictionary<string, string> found = Clusters(Analyzer("fleet", cases, "--format", "csv", "--table", "cases"));
        JsonNode[] lines = [.. File.ReadLines(cases).Select(line => JsonNode.Parse(line)!).DistinctBy(Id)];
        string[] judged = [.. lines.Where(one => (string?)one["verdict"] is not (null or "unknown")).Select(Id)];
        string[] suffering = [.. judged.Where(id => truth[id] != Nothing)];
        JsonNode report = JsonNode.Parse(Analyzer("fleet", cases, "--format", "json", "--since", "7d"))!;
        Tell($"adjusted Rand index, all {judged.Length} judged cases", AdjustedRand.Of(judged, id => truth[id], Found));
        Tell($"adjusted Rand index, the {suffering.Length} with a planted cause", AdjustedRand.Of(suffering, id => truth[id], Found));
        foreach (JsonNode? cluster in report["clusters"]!.AsArray())
        {
            Console.WriteLine($"cluster {cluster!["id"]}: {cluster["owner"]} {cluster["mechanism"]}, {cluster["machines"]} machines, "
                + $"{cluster["cases"]} cases, since: {cluster["since"]?["state"]}");
            foreach (string contrast in Contrasts(cluster))
            {
                Console.WriteLine($"    {contrast}");
            }
        }

        int withContrast = 0;
        for (int seed = 1; seed <= seeds; seed++)
        {
            string dealt = Path.GetTempFileName();
            Deal(lines, (ulong)seed, dealt);
            JsonNode without = JsonNode.Parse(Analyzer("fleet", dealt, "--format", "json"))!;
            File.Delete(dealt);
            string[] wrong = [.. without["clusters"]!.AsArray().SelectMany(cluster => Contrasts(cluster!))];
            withContrast += wrong.Length > 0 ? 1 : 0;
            foreach (string contrast in wrong)
            {
                Console.WriteLine($"seed {seed}: {contrast}");
            }
        }

        Console.WriteLine($"fleets dealt anew in which some contrast is told: {withContrast} of {seeds}");
        return 0;

        string Found(string id) => found.GetValueOrDefault(id, Nothing);
    }

    private static void Tell(string what, double index) =>
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{what}: {index:0.0000}"));

    private static string Id(JsonNode one) => (string)one["id"]!;

    private static IEnumerable<string> Contrasts(JsonNode cluster) => cluster["contrasts"]!.AsArray().Select(one =>
        $"{cluster["owner"]}: {one!["trait"]} {one["value"]}: {one["affected"]} of {one["machines"]}, others {one["otherAffected"]} of "
            + $"{one["otherMachines"]}, chance {one["chance"]}");

    /// <summary>The planted cause of each case by its id.</summary>
    private static Dictionary<string, string> Truth(string folder)
    {
        Dictionary<string, string> causes = File.ReadLines(Path.Combine(folder, "truth.jsonl"))
            .Select(line => JsonNode.Parse(line)!)
            .ToDictionary(one => (string)one["trace"]!, one => (string?)one["cause"] ?? Nothing);
        return File.ReadLines(Path.Combine(folder, "cases.jsonl.paths"))
            .Select(line => JsonNode.Parse(line)!)
            .DistinctBy(Id)
            .ToDictionary(Id, one => causes[string.Join('/', ((string)one["path"]!).Split('/', '\\')[^2..])]);
    }

    /// <summary>The largest cluster of each case, from the table of cases.</summary>
    private static Dictionary<string, string> Clusters(string table)
    {
        string[] rows = table.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        string[] header = rows[0].TrimEnd('\r').Split(',');
        int id = Array.IndexOf(header, "id");
        int cluster = Array.IndexOf(header, "cluster");
        return id < 0 || cluster < 0
            ? throw new InvalidDataException($"The table has no column id and cluster: {rows[0]}")
            : rows.Skip(1).Select(row => row.Split(',')).DistinctBy(row => row[id]).ToDictionary(row => row[id], row => row[cluster]);
    }

    /// <summary>Gives each machine the parts and drivers of another.</summary>
    private static void Deal(JsonNode[] lines, ulong seed, string path)
    {
        string[] machines = [.. lines.Select(one => (string?)one["machine"]).OfType<string>().Distinct()];
        var random = new RandomSequence(seed, "deal");
        Dictionary<string, string> others = machines.Zip(machines.OrderBy(_ => random.NextBits()).ToArray()).ToDictionary();
        Dictionary<string, JsonNode> parts = lines.Where(one => (string?)one["machine"] is not null)
            .DistinctBy(one => (string)one["machine"]!).ToDictionary(one => (string)one["machine"]!);
        using var dealt = new StreamWriter(path);
        foreach (JsonNode line in lines)
        {
            JsonNode one = line.DeepClone();
            if ((string?)one["machine"] is { } machine)
            {
                JsonNode from = parts[others[machine]];
                one["system"] = from["system"]!.DeepClone();
                one["drivers"] = from["drivers"]!.DeepClone();
            }

            dealt.WriteLine(one.ToJsonString());
        }
    }

    private static string Analyzer(params string[] line)
    {
        string program = Path.Combine("artifacts", "bin", "analyzer", "release", "analyzer.dll");
        using var process = Process.Start(new ProcessStartInfo("dotnet", [program, .. line])
        {
            RedirectStandardOutput = true,
            StandardOutputEncoding = Encoding.UTF8,
        })!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0 ? output : throw new InvalidDataException($"analyzer {string.Join(' ', line)}: {process.ExitCode}");
    }
}
