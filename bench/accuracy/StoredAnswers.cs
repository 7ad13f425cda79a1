using Tracer.Analysis;
using Tracer.Analysis.Request;
using Tracer.Simulator.Scenarios;

namespace Tracer.Bench.Accuracy;

/// <summary>
/// Who is found guilty in each simulated trace, compared with a stored table: a change of the analysis that moves an answer is seen at
/// once. UPDATE_GOLDEN=1 writes the table anew.
/// </summary>
internal static class StoredAnswers
{
    /// <summary>A scenario's default duration holds so many beats of it.</summary>
    private const int LeastBeats = 8;

    private const string Heading =
        "# scenario, seed: verdict, culprit, mechanism, confidence, episodes; what the truth says where it differs";

    /// <summary>
    /// Runs; a scenario whose duration does not hold its beats is told. Nobody is replayed without a culprit, so one simulation for each
    /// answer is enough.
    /// </summary>
    /// <param name="path">The stored table.</param>
    /// <param name="every">Every so many of them are asked, where nothing is to be stored.</param>
    /// <param name="seeds">How many seeds each has.</param>
    /// <param name="threads">How many are simulated at once.</param>
    /// <returns>0 where every answer is the stored one, 1 where not.</returns>
    public static int Run(string path, Scenario[] all, int every, int seeds, ulong first, int threads)
    {
        bool isUpdate = Environment.GetEnvironmentVariable("UPDATE_GOLDEN") == "1";
        Scenario[] scenarios = isUpdate ? all : [.. all.Where((_, index) => index % every == 0)];
        HashSet<string> leftOut = [.. all.Except(scenarios).Select(scenario => scenario.Name)];
        string[] answers = new string[scenarios.Length * seeds];
        Parallel.For(0, answers.Length, new ParallelOptions { MaxDegreeOfParallelism = threads }, index =>
            answers[index] = Answer(scenarios[index / seeds], first + (ulong)(index % seeds)));
        string[] lines = [Heading, .. answers];
        if (isUpdate)
        {
            File.WriteAllText(path, string.Join('\n', lines) + "\n");
        }

        string[] stored = File.Exists(path) ? [.. File.ReadLines(path).Where(line => !leftOut.Contains(line.Split(',')[0]))] : [];
        string[] missing = [.. stored.Except(lines)];
        string[] unexpected = [.. lines.Except(stored)];
        IEnumerable<string> difference = missing.Select(line => "- " + line).Concat(unexpected.Select(line => "+ " + line));
        foreach (string line in difference.OrderBy(Name, StringComparer.Ordinal))
        {
            Console.WriteLine(line);
        }

        bool isSame = missing.Length + unexpected.Length == 0;
        Console.WriteLine(isSame
            ? $"{answers.Length} answers are as stored"
            : $"{unexpected.Length} answers are not as stored in {path}; UPDATE_GOLDEN=1 writes them, to be read as a diff");
        return isSame ? 0 : 1;
    }

    /// <summary>Of a line of the difference: old and new of one trace come together.</summary>
    private static string Name(string line) => line[2..].Split(':')[0];

    private static string Answer(Scenario scenario, ulong seed)
    {
        using var trace = new MemoryStream();
        ScenarioRun run = new(scenario, seed) { WithSecondRun = false };
        TruthReport truth = run.WriteTo(trace);
        bool isTooShort = truth.Culprits.Any(culprit => LeastBeats * culprit.Period?.Seconds * 1e9 > run.Duration.Nanoseconds);
        using var reader = EtlReader.Open(new MemoryStream(trace.GetBuffer(), 0, (int)trace.Length), scenario.Name);
        BlameReport report = BlameAnalysis.Analyze(scenario.Name, reader, new BlameRequest()).Report;
        Culprit? told = report.Summary.Culprit is null ? null : report.Culprits[0];
        string found = $"{report.Summary.Verdict}, {report.Summary.Culprit ?? "nobody"}, {told?.Mechanism.ToString() ?? "nothing"}";
        string right = $"{truth.Verdict}, {truth.Culprit ?? "nobody"}, {truth.Mechanism?.ToString() ?? "nothing"}";
        string confidence = report.Culprits.Count > 0 ? report.Culprits[0].Confidence.ToString() : "nobody";
        string wrong = (found == right ? "" : $"; truth: {right}") + (isTooShort ? "; too short for its beat" : "");
        return $"{scenario.Name}, {seed}: {found}, {confidence}, {report.Episodes.Count}{wrong}";
    }
}
