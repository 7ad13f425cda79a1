using MathNet.Numerics;
using MathNet.Numerics.Distributions;

namespace Tracer.Forecast;

public readonly record struct CountedBlock(double Seconds, long Count);

/// <summary>
/// Compares how often something happens. Where numbers in blocks vary no more than those of events that come alone, the interval is exact
/// (the part of all events that is new, given their sum; Clopper and Pearson 1934). Else blocks are drawn anew (Kunsch 1989), and chance
/// is that of dealing the same blocks out to the two sides.
/// </summary>
public static class RateComparison
{
    /// <summary>Numbers vary by more than this one time in ten though events come alone; then they are taken to come in bursts.</summary>
    private const double Doubt = 0.1;

    /// <summary>Blocks are joined by 1, 2 and 4 to look for bursts: those that are longer than a block show there.</summary>
    private const int LongestJoin = 4;

    /// <summary>Fewer joined blocks tell nothing of bursts.</summary>
    private const int LeastBlocks = 5;

    /// <param name="old">Blocks of the base, in order of time; those of equal machines are equally long.</param>
    /// <param name="memory">How much blocks depend on the ones before; what the counts themselves show of that is added.</param>
    /// <exception cref="ArgumentException">A side has no time.</exception>
    public static Compared Of(IReadOnlyList<CountedBlock> old, IReadOnlyList<CountedBlock> now, BlockMemory memory = default)
    {
        (double oldTime, long oldCount) = Sum(old);
        (double newTime, long newCount) = Sum(now);
        if (oldTime <= 0 || newTime <= 0)
        {
            throw new ArgumentException("Nothing was observed on one side.", nameof(old));
        }

        double share = newTime / (oldTime + newTime);
        double? ratio = oldCount > 0 ? newCount / newTime / (oldCount / oldTime) : null;
        var depends = new Dependence(memory.Inflation(Rates(old), Rates(now)), old.Count + now.Count);
        double dispersion = Dispersion(old, now, depends.Inflation);
        (double low, double high) = Ratios(oldCount / dispersion, newCount / dispersion, oldTime / newTime);
        double p = Chance(oldCount / dispersion, newCount / dispersion, share);
        if (dispersion > 1)
        {
            (double drawnLow, double drawnHigh) = Drawn(old, now);
            (drawnLow, drawnHigh) = depends.Widen(ratio, drawnLow, drawnHigh);
            (low, high) = (Math.Min(low, drawnLow), Math.Max(high, drawnHigh));
            p = Math.Max(depends.OfFew(p), Dealt(old, now));
        }

        return new Compared
        {
            Ratio = ratio,
            Low = low,
            High = high,
            P = p,
            Dispersion = dispersion,
        };
    }

    private static double[] Rates(IReadOnlyList<CountedBlock> side) =>
        [.. side.Select(block => block.Seconds > 0 ? block.Count / block.Seconds : 0)];

    /// <summary>
    /// Variance over mean of the counts of both sides, of single blocks times what they depend on each other, or of joined ones; 1 where
    /// they may come alone.
    /// </summary>
    private static double Dispersion(IReadOnlyList<CountedBlock> old, IReadOnlyList<CountedBlock> now, double inflation)
    {
        double most = 1;
        for (int join = 1; join <= LongestJoin; join *= 2)
        {
            double squares = 0;
            int free = 0;
            foreach (IReadOnlyList<CountedBlock> side in new[] { old, now })
            {
                CountedBlock[] blocks = [.. side.Chunk(join).Where(part => part.Length == join).Select(part => new CountedBlock(
                    part.Sum(one => one.Seconds), part.Sum(one => one.Count)))];
                (double time, long count) = Sum(blocks);
                if (blocks.Length < LeastBlocks || count == 0)
                {
                    continue;
                }

                squares += blocks.Where(one => one.Seconds > 0).Sum(one =>
                    Math.Pow(one.Count - count * one.Seconds / time, 2) / (count * one.Seconds / time));
                free += blocks.Length - 1;
            }

            if (free > 0 && 1 - ChiSquared.CDF(free, squares) < Doubt)
            {
                most = Math.Max(most, squares / free);
            }

            most = join == 1 && free > 0 ? Math.Max(most, squares / free * inflation) : most;
        }

        return most;
    }

    /// <summary>The exact interval of the ratio of two rates, of which so many events, or bursts, were seen.</summary>
    private static (double Low, double High) Ratios(double old, double now, double timeRatio)
    {
        double low = now > 0 ? Beta.InvCDF(now, old + 1, ComparisonRules.Outside / 2) : 0;
        double high = old > 0 ? Beta.InvCDF(now + 1, old, 1 - ComparisonRules.Outside / 2) : 1;
        return (low / (1 - low) * timeRatio, high < 1 ? high / (1 - high) * timeRatio : double.PositiveInfinity);
    }

    /// <summary>How often chance gives as many new events of their sum, or more; or as few.</summary>
    private static double Chance(double old, double now, double share)
    {
        double atLeast = now > 0 ? SpecialFunctions.BetaRegularized(now, old + 1, share) : 1;
        double atMost = old > 0 ? 1 - SpecialFunctions.BetaRegularized(now + 1, old, share) : 1;
        return Math.Min(1, 2 * Math.Min(atLeast, atMost));
    }

    private static (double Low, double High) Drawn(IReadOnlyList<CountedBlock> old, IReadOnlyList<CountedBlock> now)
    {
        var random = new RandomNumbers(ComparisonRules.Seed);
        double[] ratios = new double[ComparisonRules.Draws];
        for (int draw = 0; draw < ratios.Length; draw++)
        {
            double below = Draw(old, random);
            double above = Draw(now, random);
            ratios[draw] = below > 0 ? above / below : double.PositiveInfinity;
        }

        Array.Sort(ratios);
        int outside = (int)(ComparisonRules.Outside / 2 * ratios.Length);
        return (ratios[outside], ratios[^(outside + 1)]);
    }

    private static double Draw(IReadOnlyList<CountedBlock> blocks, RandomNumbers random)
    {
        double time = 0;
        long count = 0;
        for (int i = 0; i < blocks.Count; i++)
        {
            CountedBlock one = blocks[random.Below(blocks.Count)];
            (time, count) = (time + one.Seconds, count + one.Count);
        }

        return time > 0 ? count / time : 0;
    }

    private static double Dealt(IReadOnlyList<CountedBlock> old, IReadOnlyList<CountedBlock> now)
    {
        CountedBlock[] all = [.. old, .. now];
        double seen = Difference(all, old.Count);
        var random = new RandomNumbers(ComparisonRules.Seed);
        (int atLeast, int atMost) = (0, 0);
        for (int deal = 0; deal < ComparisonRules.Deals; deal++)
        {
            random.Shuffle<CountedBlock>(all);
            double dealt = Difference(all, old.Count);
            atLeast += dealt >= seen ? 1 : 0;
            atMost += dealt <= seen ? 1 : 0;
        }

        return ComparisonRules.TwoSided(atLeast, atMost);
    }

    private static double Difference(CountedBlock[] all, int first)
    {
        (double oldTime, long oldCount) = Sum(new ArraySegment<CountedBlock>(all, 0, first));
        (double newTime, long newCount) = Sum(new ArraySegment<CountedBlock>(all, first, all.Length - first));
        return Math.Log((newCount + 0.5) / newTime) - Math.Log((oldCount + 0.5) / oldTime);
    }

    private static (double Seconds, long Count) Sum(IReadOnlyList<CountedBlock> blocks)
    {
        double seconds = 0;
        long count = 0;
        for (int i = 0; i < blocks.Count; i++)
        {
            (seconds, count) = (seconds + blocks[i].Seconds, count + blocks[i].Count);
        }

        return (seconds, count);
    }
}
