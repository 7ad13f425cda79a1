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
    /// Runs; <c>accuracy [--seeds N] [--from SEED] [--scenario NAME] [--cpus N] [--threads N] [--replays N] [-o FILE] [--expect FILE]</c>;
    /// <c>--every N</c> compares every Nth machine with the stored ones, <c>--replays N</c> simulates the first N seeds once more without
    /// their culprits (four fifths of the time), and after
    /// <c>--minutes N</c> no further seed is begun: what has begun ends, and counts.
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
        int replays = int.MaxValue;
        int minutes = int.MaxValue;
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
                case "--minutes" when int.TryParse(args[i + 1], out minutes) && minutes > 0:
                case "--replays" when int.TryParse(args[i + 1], out replays) && replays >= 0:
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

        Scenario[] scenarios = [.. Chosen(only, cpus)];
        List<ScenarioScore> scores = [.. scenarios.Select(scenario => new ScenarioScore(scenario))];
        seeds = CheckAll(scores, seeds, first, replays, threads, minutes);
        foreach (ScenarioScore score in scores)
        {
            Console.Error.WriteLine(score.Line());
            foreach (string complaint in score.Complaints())
            {
                Console.Error.WriteLine("    " + complaint);
            }
        }

        foreach (AccuracyGoal goal in AccuracyGoal.Of([.. scores.SelectMany(score => score.Checks)]))
        {
            Console.Error.WriteLine(goal.Text);
        }

        string document = AccuracyDocument.Of(
            scores, seeds, first, Math.Min(replays, seeds), only, only is null ? WordsTable.OfStrangers(
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

    /// <summary>One seed of all scenarios after the other, so that every scenario has as many whenever the time is over.</summary>
    /// <returns>How many seeds there were.</returns>
    private static int CheckAll(List<ScenarioScore> scores, int seeds, ulong first, int replays, int threads, int minutes)
    {
        long began = Environment.TickCount64;
        int done = 0;
        for (; done < seeds && (Environment.TickCount64 - began) / 60_000 < minutes; done += threads)
        {
            int from = done;
            int count = Math.Min(threads, seeds - done);
            Parallel.For(0, count * scores.Count, new ParallelOptions { MaxDegreeOfParallelism = threads }, i =>
            {
                int seed = from + (i % count);
                ScenarioScore score = scores[i / count];
                AnswerCheck check = Check(score.Scenario, first + (ulong)seed, seed < replays);
                lock (score)
                {
                    score.Add(check);
                }
            });
            Console.Error.WriteLine($"{from + count} seeds after {(Environment.TickCount64 - began) / 1000} s");
        }

        return Math.Min(done, seeds);
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

    private static AnswerCheck Check(Scenario scenario, ulong seed, bool isReplayed)
    {
        using var trace = new MemoryStream();
        TruthReport whole = new ScenarioRun(scenario, seed) { WithSecondRun = isReplayed, RunsByChance = RunsByChance }.WriteTo(trace);
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
