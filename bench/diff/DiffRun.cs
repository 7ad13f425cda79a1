using System.Diagnostics;
using System.Text;
using Tracer.Forecast;

namespace Tracer.Bench.Diffs;

/// <summary>
/// Asks how often a comparison tells a change of equal machines, and how often it finds one that was made; writes bench/diff.md. What is
/// made are the blocks that <c>analyzer diff</c> compares: numbers of episodes and histograms of latencies.
/// </summary>
internal static class DiffRun
{
    private const int Pairs = 200;
    private const int PowerPairs = 100;
    private const double Seconds = 120;
    private const int Blocks = 30;
    private const double LeastRatio = 1.1;

    private static readonly double[] Percents = [99, 99.9, 99.99];

    /// <summary>Runs with an output file, and optionally another number of pairs.</summary>
    public static int Run(string[] args)
    {
        string path = args.Length > 0 ? args[0] : Path.Combine("bench", "diff.md");
        int pairs = args.Length > 1 ? int.Parse(args[1], CultureInfo.InvariantCulture) : Pairs;
        var clock = Stopwatch.StartNew();
        MadeMachine alone = new() { Name = "disturbances come alone" };
        MadeMachine bursts = new() { Name = "in bursts of 5", BurstSize = 5 };
        MadeMachine[] equal =
        [
            alone, bursts,
            new() { Name = "rarely: one in 20 s", PerSecond = 0.05 },
            new() { Name = "load that lasts 1 s", LoadSeconds = 1 },
            new() { Name = "load that lasts 4 s (a block)", LoadSeconds = 4 },
            new() { Name = "load that lasts 30 s (8 blocks)", LoadSeconds = 30 },
        ];
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"""
            # How often a comparison is right

            Written by `dotnet run -c Release --project bench -- diff`: {pairs} pairs of equal made machines of each kind, {PowerPairs}
            of each change. What is made are the blocks that `analyzer diff` compares ({Seconds} s a side, {Blocks} blocks of
            {Seconds / Blocks} s, 250 waits and 0.5 disturbances a second of about 0.9 ms), not whole traces; the statistics
            and corrections are those of the command (`analyzer/forecast/comparison`), the questions those of its
            verdict: episodes, their time in an hour, usual length and worst; p99, p99.9 and the longest of one kind of latency.

            ## Equal machines

            Promised: a change is told in at most 5 of 100, of all questions of a verdict together (Holm); the 95 % intervals of the ratios
            of episodes, p99 and p99.9 hold 1 in 95 of 100.

            | machine | false alarms, % | 95 % interval | episodes: interval holds 1, % | p99, % | p99.9, % | culprit's list, false, % |
            |---|---|---|---|---|---|---|

            """);
        for (int i = 0; i < equal.Length; i++)
        {
            Outcome[] all = Compare(equal[i], equal[i], i, pairs);
            int alarms = all.Count(one => one.Direction != 0);
            (double low, double high) = CountInterval.Of(alarms, 1);
            text.Append(CultureInfo.InvariantCulture, $"| {equal[i].Name} | {100.0 * alarms / pairs:0.0} | {100 * low / pairs:0.0} to ")
                .Append(CultureInfo.InvariantCulture, $"{100 * high / pairs:0.0} | {Part(all, one => one.HoldsRate)} | ")
                .Append(CultureInfo.InvariantCulture, $"{Part(all, one => one.HoldsP99)} | {Part(all, one => one.HoldsP999)} | ")
                .Append(CultureInfo.InvariantCulture, $"{Part(all, one => one.FindsNew)} |\n");
            Console.Error.WriteLine($"{equal[i].Name}, {clock.Elapsed.TotalSeconds:0} s");
        }

        text.Append("""

            Where the load lasts, blocks of 4 s depend on each other. That is noticed and put into intervals and chances; before it was, the
            last three kinds gave 8, 12 and 57 alarms of 100.

            ## Known changes

            How often, in percent, the verdict is worse; in brackets, how often it is wrongly better.

            | change | come alone | in bursts of 5 |
            |---|---|---|

            """);
        (string Name, Func<MadeMachine, MadeMachine> Change)[] changes =
        [
            ("1.2 times as many", one => one with { PerSecond = 1.2 * one.PerSecond }),
            ("1.5 times as many", one => one with { PerSecond = 1.5 * one.PerSecond }),
            ("2 times as many", one => one with { PerSecond = 2 * one.PerSecond }),
            ("4 times as many", one => one with { PerSecond = 4 * one.PerSecond }),
            ("1.5 times as long", one => one with { Length = 1.5 }),
            ("2 times as long", one => one with { Length = 2 }),
            ("a new driver, one in 20 s", one => one with { NewDriver = 0.05 }),
            ("a new driver, one in 5 s", one => one with { NewDriver = 0.2 }),
        ];
        var named = new StringBuilder();
        for (int i = 0; i < changes.Length; i++)
        {
            text.Append(CultureInfo.InvariantCulture, $"| {changes[i].Name} |");
            foreach (MadeMachine machine in (MadeMachine[])[alone, bursts])
            {
                Outcome[] all = Compare(machine, changes[i].Change(machine), 100 + 2 * i + (machine == bursts ? 1 : 0), PowerPairs);
                string wrong = Part(all, one => one.Direction < 0);
                text.Append(CultureInfo.InvariantCulture, $" {Part(all, one => one.Direction > 0)} ({wrong}) |");
                if (changes[i].Name.StartsWith("a new driver", StringComparison.Ordinal) && machine == alone)
                {
                    string found = Part(all, one => one.FindsNew);
                    named.Append(CultureInfo.InvariantCulture, $"- {changes[i].Name}: named as new in {found} %.\n");
                }
            }

            text.Append('\n');
            Console.Error.WriteLine($"{changes[i].Name}, {clock.Elapsed.TotalSeconds:0} s");
        }

        text.Append("\nThe new driver in the list of culprits, among ten others that did not change (Benjamini and Hochberg):\n\n")
            .Append(named);
        File.WriteAllText(path, text.ToString().ReplaceLineEndings("\n"));
        return 0;
    }

    private static string Part(Outcome[] all, Func<Outcome, bool> isSo) =>
        (100.0 * all.Count(isSo) / all.Length).ToString("0.#", CultureInfo.InvariantCulture);

    private static Outcome[] Compare(MadeMachine before, MadeMachine after, int number, int pairs)
    {
        var outcomes = new Outcome[pairs];
        Parallel.For(0, pairs, pair =>
        {
            var random = new RandomNumbers((ulong)(1_000_003 * number + 7919 * pair + 1));
            (LateBlock[] oldEpisodes, CountedBlock[] oldOfNew, HdrHistogram[] old) = before.Record(random, Seconds, Blocks);
            (LateBlock[] newEpisodes, CountedBlock[] newOfNew, HdrHistogram[] now) = after.Record(random, Seconds, Blocks);
            BlockMemory memory = LatencyComparison.Memory(old, now);
            outcomes[pair] = Ask(
                [
                    RateComparison.Of(Counted(oldEpisodes), Counted(newEpisodes), memory),
                    EpisodeComparison.Time(oldEpisodes, newEpisodes, memory)?.Change,
                    EpisodeComparison.Length(oldEpisodes, newEpisodes, memory)?.Change,
                    EpisodeComparison.Worst(oldEpisodes, newEpisodes, memory)?.Change,
                ],
                LatencyComparison.Of(old, now, Percents, memory),
                Culprits(oldOfNew, newOfNew, random));
        });
        return outcomes;
    }

    private static CountedBlock[] Counted(LateBlock[] late) =>
        [.. late.Select(one => new CountedBlock(one.Seconds, one.LatenciesNs.Count))];

    /// <summary>The driver that is new, and ten others whose episodes come alone and did not change.</summary>
    private static Compared[] Culprits(CountedBlock[] old, CountedBlock[] now, RandomNumbers random) =>
    [
        RateComparison.Of(old, now),
        .. Enumerable.Range(0, 10).Select(_ => RateComparison.Of(Unchanged(random), Unchanged(random))),
    ];

    private static CountedBlock[] Unchanged(RandomNumbers random) =>
        [.. Enumerable.Range(0, Blocks).Select(_ => new CountedBlock(Seconds / Blocks, random.Poisson(0.3)))];

    private static Outcome Ask(Compared?[] episodes, IReadOnlyList<ComparedPercentile> latencies, Compared[] culprits)
    {
        Compared[] asked = [.. episodes.OfType<Compared>(), .. latencies.Where(one => one.Percent >= 99).Select(one => one.Change)];
        double[] corrected = Corrections.Holm([.. asked.Select(one => one.P)]);
        bool isWorse = Shown(one => one >= LeastRatio);
        bool isBetter = Shown(one => one <= 1 / LeastRatio);
        double[] ofCulprits = Corrections.BenjaminiHochberg([.. culprits.Select(one => one.P)]);
        bool hasNew = culprits[0].P < 1;
        return new Outcome(
            isWorse ? 1 : isBetter ? -1 : 0,
            Holds(episodes[0]),
            Holds(latencies.FirstOrDefault(one => one.Percent is 99)?.Change),
            Holds(latencies.FirstOrDefault(one => one.Percent is 99.9)?.Change),
            hasNew ? ofCulprits[0] < ComparisonAlarms.Part : ofCulprits.Any(one => one < ComparisonAlarms.Part));

        bool Shown(Func<double, bool> isSo) =>
            asked.Where((one, i) => corrected[i] < ComparisonAlarms.Part && isSo(one.Ratio ?? double.PositiveInfinity)).Any();

        static bool Holds(Compared? one) => one is null || (one.Low <= 1 && one.High >= 1);
    }

    /// <summary>What a comparison told.</summary>
    /// <param name="Direction">1 worse, -1 better, 0 no change.</param>
    /// <param name="HoldsRate">Whether the interval of the ratio of episodes holds 1.</param>
    /// <param name="HoldsP999">The same of p99.9.</param>
    /// <param name="FindsNew">Whether the new driver is named; of equal machines, whether any culprit is told to have changed.</param>
    private readonly record struct Outcome(int Direction, bool HoldsRate, bool HoldsP99, bool HoldsP999, bool FindsNew);
}
