using System.Text;
using System.Text.Json.Nodes;

namespace Tracer.Bench.Diffs;

/// <summary>
/// Simulates pairs of whole traces of which the second has another kind of culprit, or is of another machine, beside as many of one machine
/// at two times, and gives them to the built <c>analyzer diff</c>. Writes bench/diff-pairs.md.
/// </summary>
internal static class OtherCulprits
{
    private const int PairsOfOne = 20;

    private static readonly string[] Drivers = ["nic-autosense", "ndis-miniport", "dpc-flood", "kmdf-client", "storage-miniport"];
    private static readonly string[] Firmware = ["smi", "stretched-dpc-smi", "cpu-blackout-user", "beat-across"];

    public static int Run(string[] args)
    {
        string path = args.Length > 0 ? args[0] : Path.Combine("bench", "diff-pairs.md");
        return WholeTraces.WithAnalyzer("diff-pairs", (analyzer, folder) =>
        {
            var text = new StringBuilder();
            text.Append(CultureInfo.InvariantCulture, $"""
                # Comparisons where the culprit is of another kind

                Written by `dotnet build analyzer -c Release && dotnet run -c Release --project bench -- diff-pairs`: traces of
                {WholeTraces.Seconds} s by `tracer simulate`'s own machines, given to the built `analyzer diff` as they are.

                ## The same machine at two times

                {3 * PairsOfOne} pairs. Nothing may be told in more than 5 of 100.

                | machine | pairs | verdict is a change | some culprit | some driver | some routine |
                |---|---|---|---|---|---|

                """);
            string[] same = ["clean", .. Drivers];
            WholeTraces.Tell(
                text, same, 3 * PairsOfOne / same.Length, (name, seed) => WholeTraces.SamePair(analyzer, folder, name, 5_000 + seed));
            text.Append(CultureInfo.InvariantCulture, $"""

                ## Another culprit

                {PairsOfOne} pairs of each. The driver's scenario is one of {string.Join(", ", Drivers)}; that of firmware one of
                {string.Join(", ", Firmware)}; faults are `hard-faults`. *Named*: the first sentence has the culprit of the new trace.
                *Wrong*: "better" where that culprit is told as new, or a sentence that takes two machines for one, or one for two.

                | change | pairs | worse | better | same | can't tell | named | wrong |
                |---|---|---|---|---|---|---|---|

                """);
            Change(text, "driver -> firmware", analyzer, folder, i => (Drivers[i % 5], Firmware[i % 4], false));
            Change(text, "driver -> faults", analyzer, folder, i => (Drivers[i % 5], "hard-faults", false));
            Change(text, "machine -> other machine", analyzer, folder, i => (Drivers[i % 5], Drivers[(i + 1) % 5], true));
            File.WriteAllText(path, text.ToString().ReplaceLineEndings("\n"));
        });
    }

    private static void Change(
        StringBuilder text, string what, string analyzer, string folder, Func<int, (string Before, string After, bool IsOther)> pair)
    {
        Dictionary<string, int> verdicts = [];
        (int named, int wrong) = (0, 0);
        object counting = new();
        Parallel.For(0, PairsOfOne, new ParallelOptions { MaxDegreeOfParallelism = 2 }, i =>
        {
            (string from, string to, bool isOther) = pair(i);
            ulong seed = (ulong)(6_000 + i);
            string before = Path.Combine(folder, $"{i}-{from}-before.etl");
            string after = Path.Combine(folder, $"{i}-{to}-after.etl");
            WholeTraces.Run(from, seed).WriteTo(before);
            TruthReport truth = WholeTraces.Run(to, isOther ? seed + 500 : seed).WriteTo(after);
            JsonNode report = WholeTraces.Compare(analyzer, [before, after]);
            string name = truth.Culprits[0].Name;
            string verdict = (string)report["summary"]!["verdict"]!;
            string sentence = (string?)report["summary"]!["conclusion"] ?? "";
            bool isNew = report["culprits"]?.AsArray().Any(
                one => (string?)one!["name"] == name && (string?)one["state"] == "new") == true;
            bool tellsTwo = sentence.Contains("two different machines", StringComparison.Ordinal);
            lock (counting)
            {
                verdicts[verdict] = verdicts.GetValueOrDefault(verdict) + 1;
                named += sentence.Contains(name, StringComparison.Ordinal) ? 1 : 0;
                wrong += (verdict == "better" && isNew) || (sentence.Length > 0 && tellsTwo != isOther) ? 1 : 0;
            }
        });
        string[] counts = [.. new[] { "worse", "better", "same", "cant-tell" }
            .Select(verdict => verdicts.GetValueOrDefault(verdict).ToString(CultureInfo.InvariantCulture))];
        text.Append(CultureInfo.InvariantCulture, $"| {what} | {PairsOfOne} | {string.Join(" | ", counts)} | {named} | {wrong} |\n");
        Console.Error.WriteLine($"{what}: {string.Join(' ', counts)}, {named} named, {wrong} wrong");
    }
}
