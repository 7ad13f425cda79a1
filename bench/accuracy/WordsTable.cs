using System.IO.Compression;
using System.Text.Json;
using Tracer.Analysis;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;

namespace Tracer.Bench.Accuracy;

/// <param name="Word">How sure the report is of it.</param>
/// <param name="IsRight">Whether it has a part in a true episode, or in what nobody measured waited for.</param>
internal readonly record struct ToldCulprit(Confidence Word, bool IsRight);

/// <summary>
/// What "certain", "likely" and "possible" were worth: how many of the culprits that each word was said of are right, beside what it
/// promises.
/// </summary>
internal static class WordsTable
{
    private static readonly (Confidence Word, double Least, double Most)[] Promises =
    [
        (Confidence.Certain, 0.99, 1),
        (Confidence.Likely, 0.85, 0.97),
        (Confidence.Possible, 0.5, 0.85),
    ];

    /// <summary>The culprits of a report, each beside the names that have a part.</summary>
    public static IReadOnlyList<ToldCulprit> Of(BlameReport report, IReadOnlyCollection<string> guilty) =>
        [.. report.Culprits.Concat(report.Secondary ?? [])
            .Where(told => !CulpritName.IsPeriodicInterrupt(told.Name))
            .Select(told => new ToldCulprit(told.Confidence, guilty.Contains(told.Name, StringComparer.OrdinalIgnoreCase)))];

    /// <summary>What was told of the traces in the corpus that other authors made and put a truth beside; nothing without it.</summary>
    public static IReadOnlyList<ToldCulprit> OfStrangers(string corpus)
    {
        List<ToldCulprit> told = [];
        foreach (string truth in new[] { "synthetic", "third", "calibrated" }.Select(folder => Path.Combine(corpus, folder))
            .Where(Directory.Exists).SelectMany(folder => Directory.EnumerateFiles(folder, "*.truth.json")).Order(StringComparer.Ordinal))
        {
            using JsonDocument document = JsonDocument.Parse(File.ReadAllText(truth));
            HashSet<string> guilty = new(StringComparer.OrdinalIgnoreCase);
            Collect(document.RootElement, guilty);
            bool tellsEpisodes = document.RootElement.GetProperty("episodes").GetArrayLength() > 0;
            bool isNone = document.RootElement.GetProperty("verdict").GetString() == "none";
            using Stream packed = File.OpenRead(truth.Replace(".truth.json", ".etl.gz", StringComparison.Ordinal));
            using var trace = new MemoryStream();
            using (var unpacked = new GZipStream(packed, CompressionMode.Decompress))
            {
                unpacked.CopyTo(trace);
            }

            trace.Position = 0;
            using EtlReader reader = EtlReader.Open(trace, truth);
            IReadOnlyList<ToldCulprit> all = Of(BlameAnalysis.Analyze(truth, reader, new BlameRequest()).Report, guilty);
            // A truth that names somebody but tells no episode does not say who had a smaller part.
            told.AddRange(tellsEpisodes || isNone ? all : all.Take(1));
        }

        return told;
    }

    public static IEnumerable<string> Rows(string traces, IReadOnlyCollection<ToldCulprit> told)
    {
        foreach ((Confidence word, double least, double most) in Promises)
        {
            int all = told.Count(one => one.Word == word);
            int right = told.Count(one => one.Word == word && one.IsRight);
            string share = all == 0 ? "-" : Percent((double)right / all);
            (double low, double high) = all == 0 ? (0, 1) : ShareInterval.Of(right, all);
            string kept = all == 0 ? "nothing told" : high < least ? "too bold" : low > most ? "too shy" : "kept";
            yield return $"| {traces} | {word.ToString().ToLowerInvariant()} | {Percent(least)} to {Percent(most)} | {right} of {all} "
                + $"| {share} | {(all == 0 ? "-" : $"{Percent(low)} to {Percent(high)}")} | {kept} |";
        }
    }

    /// <summary>All names that some object of a truth calls a culprit.</summary>
    private static void Collect(JsonElement element, HashSet<string> names)
    {
        if (element.ValueKind == JsonValueKind.Array)
        {
            foreach (JsonElement one in element.EnumerateArray())
            {
                Collect(one, names);
            }
        }
        else if (element.ValueKind == JsonValueKind.Object)
        {
            foreach (JsonProperty property in element.EnumerateObject())
            {
                if (property is { Name: "culprit", Value.ValueKind: JsonValueKind.String })
                {
                    names.Add(property.Value.GetString()!);
                }

                Collect(property.Value, names);
            }
        }
    }

    private static string Percent(double share) => (100 * share).ToString("0.0", CultureInfo.InvariantCulture) + " %";
}
