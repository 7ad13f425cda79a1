using System.Diagnostics;
using System.Text;
using System.Text.Json.Nodes;
using Tracer.Simulator.Scenarios;

namespace Tracer.Bench.Diffs;

/// <summary>
/// Simulates pairs of whole traces and gives them to the built <c>analyzer diff</c>: of the same machine at two times, where nothing may be
/// told, and of the same machine without and with its culprit, where that must be. Writes bench/diff-traces.md.
/// </summary>
internal static class WholeTraces
{
    private const int EqualPairs = 200;
    private const int ChangedPairs = 5;
    internal const int Seconds = 20;

    /// <summary>A quiet machine, and seven whose culprit delays something on both sides.</summary>
    private static readonly string[] Equal =
        ["clean", "dpc-flood", "nic-autosense", "ndis-miniport", "late-timer", "input-starvation", "hard-faults", "kmdf-client"];

    /// <summary>Runs with an output file, and optionally another number of pairs of equal machines.</summary>
    public static int Run(string[] args)
    {
        string path = args.Length > 0 ? args[0] : Path.Combine("bench", "diff-traces.md");
        int pairs = args.Length > 1 ? int.Parse(args[1], CultureInfo.InvariantCulture) : EqualPairs;
        return WithAnalyzer("diff-traces", (analyzer, folder) =>
        {
            var text = new StringBuilder();
            text.Append(CultureInfo.InvariantCulture, $"""
                # Comparisons of whole simulated traces

                Written by `dotnet build analyzer -c Release && dotnet run -c Release --project bench -- diff-traces`: traces of {Seconds} s
                by `tracer simulate`'s own machines, given to the built `analyzer diff` as they are.

                ## The same machine at two times

                {pairs} pairs: each pair is another machine (names, parts, programs, how busy), of which two traces differ in the times of
                everything alone. Nothing may be told in more than 5 of 100 pairs.

                | machine | pairs | verdict is a change | some culprit | some driver | some routine |
                |---|---|---|---|---|---|

                """);
            Tell(text, Equal, pairs / Equal.Length, (name, seed) => SamePair(analyzer, folder, name, seed));
            string[] changed = [.. Scenarios().Order(StringComparer.Ordinal)];
            text.Append(CultureInfo.InvariantCulture, $"""

                ## Without and with the culprit

                {ChangedPairs} machines of each scenario whose culprit has code that can be taken away: the base is the machine on which
                that code takes no time, the new is the machine with it. Where {Seconds} s hold too few episodes, "can't tell" is the
                answer.

                | scenario | machines | worse | can't tell | better or same | names the culprit, of those that are worse |
                |---|---|---|---|---|---|

                """);
            foreach (string name in changed)
            {
                Changed(text, name, analyzer, folder);
            }

            File.WriteAllText(path, text.ToString().ReplaceLineEndings("\n"));
        });
    }

    /// <summary>Runs with a copy of the built analyzer, and a folder for traces.</summary>
    internal static int WithAnalyzer(string command, Action<string, string> run)
    {
        string built = Path.Combine("artifacts", "bin", "analyzer", "release");
        if (!File.Exists(Path.Combine(built, "analyzer.dll")))
        {
            Console.Error.WriteLine($"{command}: build the analyzer first: dotnet build analyzer -c Release");
            return 1;
        }

        string folder = Directory.CreateTempSubdirectory($"tracer-{command}-").FullName;
        try
        {
            run(Path.Combine(Copy(built, Path.Combine(folder, "analyzer")), "analyzer.dll"), folder);
            return 0;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>A build beside the run must not change what is measured.</summary>
    private static string Copy(string from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (string file in Directory.EnumerateFiles(from))
        {
            File.Copy(file, Path.Combine(to, Path.GetFileName(file)));
        }

        return to;
    }

    private static IEnumerable<string> Scenarios() => ScenarioCatalog.All
        .Where(scenario => scenario.Verdict is Verdict.Driver or Verdict.Process)
        .Select(scenario => scenario.Name);

    internal static void Tell(StringBuilder text, string[] names, int each, Func<string, ulong, JsonNode> compare)
    {
        int[] sums = new int[4];
        foreach (string name in names)
        {
            int[] alarms = new int[4];
            Parallel.For(0, each, new ParallelOptions { MaxDegreeOfParallelism = 2 }, i =>
            {
                JsonNode report = compare(name, (ulong)(1000 + i));
                bool[] told =
                [
                    (string?)report["summary"]!["verdict"] is "worse" or "better",
                    report["culprits"]!.AsArray().Any(one => (string?)one!["state"] != "not-shown"),
                    report["drivers"]!.AsArray().Any(one => one!["change"] is { } change && (string?)change["direction"] != "not-shown"),
                    report["routines"]!.AsArray().Any(one => (string?)one!["change"]!["direction"] != "not-shown"),
                ];
                for (int kind = 0; kind < told.Length; kind++)
                {
                    Interlocked.Add(ref alarms[kind], told[kind] ? 1 : 0);
                }
            });
            text.Append(CultureInfo.InvariantCulture, $"| {name} | {each} | {string.Join(" | ", alarms)} |\n");
            sums = [.. sums.Zip(alarms, (sum, one) => sum + one)];
            Console.Error.WriteLine($"{name}: {string.Join(' ', alarms)}");
        }

        double all = each * names.Length;
        string parts = string.Join(
            " | ", sums.Select(sum => string.Create(CultureInfo.InvariantCulture, $"{sum} ({100 * sum / all:0.#} %)")));
        text.Append(CultureInfo.InvariantCulture, $"| all | {all} | {parts} |\n");
    }

    internal static JsonNode SamePair(string analyzer, string folder, string name, ulong seed)
    {
        string[] paths = [.. new[] { 1UL, 2UL }.Select(chance =>
        {
            string path = Path.Combine(folder, $"{name}-{seed}-{chance}.etl");
            (Run(name, seed) with { Chance = 77_000 + 2 * seed + chance }).WriteTo(path);
            return path;
        })];
        return Compare(analyzer, paths);
    }

    private static void Changed(StringBuilder text, string name, string analyzer, string folder)
    {
        (int machines, int worse, int cannot, int wrong, int named) = (0, 0, 0, 0, 0);
        object counting = new();
        Parallel.For(0, ChangedPairs, new ParallelOptions { MaxDegreeOfParallelism = 2 }, i =>
        {
            ulong seed = (ulong)(2000 + i);
            string after = Path.Combine(folder, $"{name}-{seed}-after.etl");
            TruthReport truth = Run(name, seed).WriteTo(after);
            if (truth.Culprits.Count == 0 || truth.Culprits[0] is not { Kind: CulpritKind.Driver or CulpritKind.Process } guilty)
            {
                File.Delete(after);
                return;
            }

            string before = Path.Combine(folder, $"{name}-{seed}-before.etl");
            (Run(name, seed) with { Muted = (guilty.Kind, guilty.Name), Chance = 99_000 + seed }).WriteTo(before);
            JsonNode summary = Compare(analyzer, [before, after])["summary"]!;
            lock (counting)
            {
                machines++;
                bool isWorse = (string?)summary["verdict"] == "worse";
                worse += isWorse ? 1 : 0;
                cannot += (string?)summary["verdict"] == "cant-tell" ? 1 : 0;
                wrong += (string?)summary["verdict"] is "better" or "same" ? 1 : 0;
                named += isWorse && (string?)summary["culprit"] == guilty.Name ? 1 : 0;
            }
        });
        if (machines > 0)
        {
            text.Append(CultureInfo.InvariantCulture, $"| {name} | {machines} | {worse} | {cannot} | {wrong} | {named} |\n");
        }

        Console.Error.WriteLine($"{name}: {machines} machines, {worse} worse, {cannot} can't tell, {wrong} wrong, {named} named");
    }

    internal static ScenarioRun Run(string name, ulong seed) => new(ScenarioCatalog.Find(name)!, seed)
    {
        Duration = Duration.FromSeconds(Seconds),
        HasFewPrograms = true,
    };

    internal static JsonNode Compare(string analyzer, string[] paths)
    {
        using var process = Process.Start(new ProcessStartInfo("dotnet", [analyzer, "diff", .. paths, "--format", "json"])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        var said = new StringBuilder();
        process.ErrorDataReceived += (_, line) => said.AppendLine(line.Data);
        process.BeginErrorReadLine();
        string json = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        foreach (string path in paths)
        {
            File.Delete(path);
        }

        return process.ExitCode == 0 ? JsonNode.Parse(json)!
            : !said.ToString().Contains("nothing can be compared", StringComparison.Ordinal)
                ? throw new InvalidDataException($"{string.Join(' ', paths)}: {said}")
            : new JsonObject { ["summary"] = new JsonObject { ["verdict"] = "cant-tell", ["culprit"] = null } };
    }
}
