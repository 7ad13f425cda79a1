using Tracer.Analysis;
using Tracer.Analysis.Request;
using Tracer.Simulator.Scenarios;

namespace Tracer.Bench.Accuracy;

/// <summary>
/// Simulates every scenario with many seeds, analyses each trace and compares the answer with the truth. Writes the table of
/// docs/generated/accuracy.md.
/// </summary>
internal static class AccuracyRun
{
    /// <summary>Second simulations beside the first second one: they show how much of what is left is chance.</summary>
    private const int RunsByChance = 2;

    /// <summary>
    /// Runs; <c>accuracy [--seeds N] [--from SEED] [--scenario NAME] [--cpus N] [--threads N] [-o FILE] [--expect FILE]</c>;
    /// <c>--every N</c> compares every Nth machine with the stored ones.
    /// </summary>
    /// <returns>0 where every answer was right, 2 where not; with <c>--expect</c> 0 where every answer is the stored one.</returns>
    public static int Run(string[] args)
    {
        int seeds = 20;
        ulong first = 1;
        string? only = null;
        string? output = null;
        string? expected = null;
        int? cpus = null;
        int every = 1;
        int threads = Environment.ProcessorCount;
        for (int i = 0; i < args.Length; i += 2)
        {
            if (i + 1 >= args.Length)
            {
                return Usage(args[i]);
            }

            switch (args[i])
            {
                case "--seeds" when int.TryParse(args[i + 1], out seeds) && seeds > 0:
                case "--from" when ulong.TryParse(args[i + 1], out first):
                case "--every" when int.TryParse(args[i + 1], out every) && every > 0:
                case "--threads" when int.TryParse(args[i + 1], out threads) && threads > 0:
                    break;
                case "--cpus" when int.TryParse(args[i + 1], out int wanted) && wanted is > 0 and <= 64:
                    cpus = wanted;
                    break;
                case "--scenario":
                    only = args[i + 1];
                    break;
                case "-o":
                    output = args[i + 1];
                    break;
                case "--expect":
                    expected = args[i + 1];
                    break;
                default:
                    return Usage(args[i]);
            }
        }

        if (only is not null && Array.Find(only.Split('+'), name => ScenarioCatalog.Find(name) is null) is string unknown)
        {
            Console.Error.WriteLine($"accuracy: there is no scenario '{unknown}' (tracer simulate --list)");
            return 64;
        }

        if (expected is not null)
        {
            return StoredAnswers.Run(expected, [.. Chosen(only, cpus)], every, seeds, first, threads);
        }

        List<ScenarioScore> scores = [];
        foreach (Scenario scenario in Chosen(only, cpus))
        {
            var score = new ScenarioScore(scenario);
            Parallel.For(0, seeds, new ParallelOptions { MaxDegreeOfParallelism = threads }, i =>
            {
                AnswerCheck check = Check(scenario, first + (ulong)i);
                lock (score)
                {
                    score.Add(check);
                }
            });
            Console.Error.WriteLine(score.Line());
            foreach (string complaint in score.Complaints())
            {
                Console.Error.WriteLine("    " + complaint);
            }

            scores.Add(score);
        }

        foreach (AccuracyGoal goal in AccuracyGoal.Of([.. scores.SelectMany(score => score.Checks)]))
        {
            Console.Error.WriteLine(goal.Text);
        }

        string document = AccuracyDocument.Of(
            scores, seeds, first, only, only is null ? WordsTable.OfStrangers(
                Environment.GetEnvironmentVariable("TRACER_CORPUS") ?? Path.Combine("..", "shared", "corpus")) : []);
        if (output is null)
        {
            Console.WriteLine(document);
        }
        else
        {
            File.WriteAllText(output, document);
        }

        return scores.TrueForAll(score => score.IsPerfect) ? 0 : 2;
    }

    private static IEnumerable<Scenario> Chosen(string? names, int? cpus) =>
        Chosen(names).Select(scenario => cpus is { } count ? scenario with { Cpus = count } : scenario);

    /// <summary>All; or one by name; or several as one machine (<c>nic-autosense+smi</c>), whose answers are those of the first.</summary>
    private static IEnumerable<Scenario> Chosen(string? names)
    {
        if (names is null)
        {
            return ScenarioCatalog.All;
        }

        Scenario[] parts = [.. names.Split('+').Select(ScenarioCatalog.Find).OfType<Scenario>()];
        return parts.Length <= 1 ? parts : [parts[0] with
        {
            Name = names,
            Duration = new Duration(parts.Max(part => part.Duration.Nanoseconds)),
            Cpus = parts.Max(part => part.Cpus),
            NeedsBusyCpus = parts.Any(part => part.NeedsBusyCpus),
            MustBeModern = parts.Any(part => part.MustBeModern),
            Build = machine => parts.Select(part => part.Build(machine)).ToArray()[0],
        }];
    }

    private static int Usage(string word)
    {
        Console.Error.WriteLine($"accuracy: '{word}' is no option, or its value is wrong");
        return 64;
    }

    private static AnswerCheck Check(Scenario scenario, ulong seed)
    {
        using var trace = new MemoryStream();
        TruthReport whole = new ScenarioRun(scenario, seed) { WithSecondRun = true, RunsByChance = RunsByChance }.WriteTo(trace);
        trace.Position = 0;
        NaiveAnswer naive = NaiveAnswer.Of(new MemoryStream(trace.GetBuffer(), 0, (int)trace.Length));
        using var reader = EtlReader.Open(new MemoryStream(trace.GetBuffer(), 0, (int)trace.Length), scenario.Name);
        BlameReport report = BlameAnalysis.Analyze(scenario.Name, reader, new BlameRequest()).Report;
        TruthReport truth = scenario.IsCircular ? KeptOf(whole, naive.CompleteFrom) : whole;
        return new AnswerCheck(seed, truth, scenario.Surest, report, naive);
    }

    /// <summary>The truth of what a circular file has kept; what a second simulation leaves is not known of that.</summary>
    private static TruthReport KeptOf(TruthReport truth, Duration from) => truth with
    {
        Episodes = [.. truth.Episodes.Where(episode => episode.Start >= from)],
        Culprits = [.. truth.Culprits.Select(culprit => culprit with { Without = null })],
    };
}
