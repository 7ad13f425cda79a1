namespace Tracer.Forecast;

/// <param name="LatenciesNs">How late each was, in nanoseconds.</param>
public sealed record LateBlock(double Seconds, IReadOnlyList<double> LatenciesNs);

/// <summary>A value of the episodes of both sides, with 95 % intervals. In nanoseconds.</summary>
public sealed record ComparedEpisodes((long Value, long Low, long High) Old, (long Value, long Low, long High) Now, Compared Change);

/// <summary>
/// Compares how long episodes are: all of their time in an hour, their usual length, and the worst of them. Blocks are drawn anew for
/// intervals, so that what depends on each other within a block stays together (Kunsch 1989), and dealt out to the two sides for chance.
/// </summary>
public static class EpisodeComparison
{
    /// <summary>With fewer episodes on a side no usual length is told.</summary>
    private const int LeastEpisodes = 5;

    /// <summary>An hour in seconds.</summary>
    private const double HourSeconds = 3600;

    /// <summary>The time of all episodes in an hour; null where no side has one.</summary>
    public static ComparedEpisodes? Time(IReadOnlyList<LateBlock> old, IReadOnlyList<LateBlock> now, BlockMemory memory = default) =>
        Count(old) + Count(now) == 0 ? null : Of(old, now, SumOf, memory);

    /// <summary>The usual length, as geometric mean; null where a side has too few.</summary>
    public static ComparedEpisodes? Length(IReadOnlyList<LateBlock> old, IReadOnlyList<LateBlock> now, BlockMemory memory = default) =>
        Math.Min(Count(old), Count(now)) < LeastEpisodes ? null : Of(old, now, LengthOf, memory);

    /// <summary>The worst, of equally much time; null where no side has one.</summary>
    public static ComparedEpisodes? Worst(IReadOnlyList<LateBlock> old, IReadOnlyList<LateBlock> now, BlockMemory memory = default) =>
        Count(old) + Count(now) == 0 ? null : Of(old, now, WorstOf, memory);

    private static int Count(IReadOnlyList<LateBlock> side) => side.Sum(block => block.LatenciesNs.Count);

    private static double SumOf(IReadOnlyList<LateBlock> blocks)
    {
        double seconds = blocks.Sum(block => block.Seconds);
        return seconds > 0 ? blocks.Sum(block => block.LatenciesNs.Sum()) * HourSeconds / seconds : 0;
    }

    private static double LengthOf(IReadOnlyList<LateBlock> blocks)
    {
        (double sum, int count) = (0, 0);
        foreach (LateBlock block in blocks)
        {
            foreach (double latency in block.LatenciesNs)
            {
                (sum, count) = (sum + Math.Log(Math.Max(1, latency)), count + 1);
            }
        }

        return count > 0 ? Math.Exp(sum / count) : 0;
    }

    private static double WorstOf(IReadOnlyList<LateBlock> blocks) =>
        blocks.Max(block => block.LatenciesNs.Count > 0 ? block.LatenciesNs.Max() : 0);

    private static ComparedEpisodes Of(
        IReadOnlyList<LateBlock> old, IReadOnlyList<LateBlock> now, Func<IReadOnlyList<LateBlock>, double> valueOf, BlockMemory memory)
    {
        var random = new RandomNumbers(ComparisonRules.Seed);
        (double before, double after) = (valueOf(old), valueOf(now));
        double[] oldDrawn = Drawn(old, valueOf, random);
        double[] newDrawn = Drawn(now, valueOf, random);
        double[] ratios = [.. oldDrawn.Zip(newDrawn, (one, other) => one > 0 ? other / one : double.PositiveInfinity).Order()];
        double? ratio = before > 0 ? after / before : null;
        var depends = new Dependence(memory.Inflation(Sums(old), Sums(now)), old.Count + now.Count);
        (double low, double high) = depends.Widen(
            ratio, Quantiles.Of(ratios, ComparisonRules.Outside / 2), Quantiles.Of(ratios, 1 - ComparisonRules.Outside / 2));
        return new ComparedEpisodes(
            Interval(before, oldDrawn),
            Interval(after, newDrawn),
            new Compared
            {
                Ratio = ratio,
                Low = Math.Min(low, ratio ?? low),
                High = Math.Max(high, ratio ?? high),
                P = depends.OfFew(Dealt([.. old, .. now], old.Count, valueOf, random)),
            });
    }

    private static double[] Sums(IReadOnlyList<LateBlock> side) => [.. side.Select(block => block.LatenciesNs.Sum())];

    private static (long Value, long Low, long High) Interval(double value, double[] drawn)
    {
        double[] sorted = [.. drawn.Order()];
        return (
            (long)value,
            (long)Math.Min(value, Quantiles.Of(sorted, ComparisonRules.Outside / 2)),
            (long)Math.Max(value, Quantiles.Of(sorted, 1 - ComparisonRules.Outside / 2)));
    }

    private static double[] Drawn(
        IReadOnlyList<LateBlock> side, Func<IReadOnlyList<LateBlock>, double> valueOf, RandomNumbers random)
    {
        var blocks = new LateBlock[side.Count];
        double[] values = new double[ComparisonRules.Draws];
        for (int draw = 0; draw < values.Length; draw++)
        {
            for (int i = 0; i < blocks.Length; i++)
            {
                blocks[i] = side[random.Below(side.Count)];
            }

            values[draw] = valueOf(blocks);
        }

        return values;
    }

    /// <summary>How often chance makes as large a difference: of the longer side's worst, more is to be expected by chance, too.</summary>
    private static double Dealt(LateBlock[] all, int first, Func<IReadOnlyList<LateBlock>, double> valueOf, RandomNumbers random)
    {
        double seen = Difference();
        (int atLeast, int atMost) = (0, 0);
        for (int deal = 0; deal < ComparisonRules.Deals; deal++)
        {
            random.Shuffle<LateBlock>(all);
            double dealt = Difference();
            atLeast += dealt >= seen ? 1 : 0;
            atMost += dealt <= seen ? 1 : 0;
        }

        return ComparisonRules.TwoSided(atLeast, atMost);

        double Difference() => Math.Log(1 + valueOf(new ArraySegment<LateBlock>(all, first, all.Length - first)))
            - Math.Log(1 + valueOf(new ArraySegment<LateBlock>(all, 0, first)));
    }
}
