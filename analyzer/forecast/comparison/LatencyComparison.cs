namespace Tracer.Forecast;

/// <summary>A percentile of both sides, or the longest, with 95 % intervals. In nanoseconds.</summary>
/// <param name="Percent">The percentile; 100 is the longest.</param>
public sealed record ComparedPercentile(
    double Percent, (long Value, long Low, long High) Old, (long Value, long Low, long High) Now, Compared Change);

/// <summary>
/// Compares the percentiles of latencies whose histograms of blocks of time are known. Intervals: blocks are drawn anew, so that what
/// depends on each other within a block stays together (Kunsch 1989). Chance: the blocks of both sides are dealt out anew; that is exact
/// where nothing changed and blocks are longer than what disturbs.
/// </summary>
public static class LatencyComparison
{
    /// <summary>So many latencies must lie beyond a percentile on each side; else it is a matter of a few and not told.</summary>
    private const double LeastBeyond = 10;

    /// <summary>Each 16 buckets of the histogram are one here: 1.6 %, far below what blocks differ by.</summary>
    private const int Joined = 16;

    /// <summary>By these percentiles a load shows best: many latencies lie on both sides of them.</summary>
    private static readonly double[] Loads = [50, 90, 99];

    /// <param name="percents">Which percentiles, the lowest first; the longest is told, too.</param>
    /// <param name="memory">How much blocks depend on the ones before.</param>
    /// <returns>Those that both sides can tell, and the longest; nothing where a side has no latency.</returns>
    public static IReadOnlyList<ComparedPercentile> Of(
        IReadOnlyList<HdrHistogram> old, IReadOnlyList<HdrHistogram> now, IReadOnlyList<double> percents, BlockMemory memory = default)
    {
        ArgumentNullException.ThrowIfNull(old);
        ArgumentNullException.ThrowIfNull(now);
        HdrHistogram oldAll = All(old);
        HdrHistogram newAll = All(now);
        if (oldAll.Count == 0 || newAll.Count == 0)
        {
            return [];
        }

        double[] asked = [.. percents.Where(one => Math.Min(oldAll.Count, newAll.Count) * (100 - one) / 100 >= LeastBeyond), 100];
        var table = new Table([.. old, .. now]);
        var random = new RandomNumbers(ComparisonRules.Seed);
        double[][] oldDrawn = Draw(table, 0, old.Count, old.Count, asked, random);
        double[][] newDrawn = Draw(table, old.Count, now.Count, now.Count, asked, random);
        (double[][] oldEqual, double[][] newEqual) = EqualTimes(table, old.Count, now.Count, asked, (oldDrawn, newDrawn), random);
        double[] chances = Deal(table, old.Count, asked, random);
        return [.. asked.Select((percent, i) =>
        {
            long oldValue = At(oldAll, percent);
            long newValue = At(newAll, percent);
            double seen = (double)Math.Max(1, newValue) / Math.Max(1, oldValue);
            double[] ratios = [.. oldEqual[i].Zip(newEqual[i], (below, above) => Math.Max(1, above) / Math.Max(1, below)).Order()];
            double ratio = percent < 100 ? seen : Quantiles.Of(ratios, 0.5);
            double inflation = memory.Inflation(table.Late(0, old.Count, percent), table.Late(old.Count, now.Count, percent));
            var depends = new Dependence(inflation, table.Blocks);
            (double low, double high) = depends.Widen(
                ratio,
                Math.Min(ratio, Quantiles.Of(ratios, ComparisonRules.Outside / 2)),
                Math.Max(ratio, Quantiles.Of(ratios, 1 - ComparisonRules.Outside / 2)));
            (long Value, long Low, long High) ofOld = Wider(Interval(oldDrawn[i], oldValue), oldAll);
            (long Value, long Low, long High) ofNew = Wider(Interval(newDrawn[i], newValue), newAll);
            return new ComparedPercentile(percent, ofOld, ofNew, new Compared
            {
                Ratio = ratio,
                Low = low,
                High = high,
                P = inflation > 1 ? Math.Max(chances[i], depends.Chance(Deviations(ratios, ratio) / Math.Sqrt(inflation))) : chances[i],
            });

            (long Value, long Low, long High) Wider((long Value, long Low, long High) interval, HdrHistogram all)
            {
                // A percentile lies within what was observed, however few blocks there are.
                (double below, double above) = depends.Widen(interval.Value, interval.Low, interval.High);
                return (
                    interval.Value,
                    Math.Min(interval.Value, Math.Max((long)below, all.Minimum)),
                    Math.Max(interval.Value, (long)Math.Min(above, all.Maximum)));
            }
        })];
    }

    /// <summary>How long the load of a machine stays alike, as far as its latencies tell.</summary>
    public static BlockMemory Memory(IReadOnlyList<HdrHistogram> old, IReadOnlyList<HdrHistogram> now)
    {
        ArgumentNullException.ThrowIfNull(old);
        ArgumentNullException.ThrowIfNull(now);
        var table = new Table([.. old, .. now]);
        return Loads
            .Select(percent => BlockMemory.Of(table.Late(0, old.Count, percent), table.Late(old.Count, now.Count, percent)))
            .Aggregate(BlockMemory.None, (longest, one) => longest.Or(one));
    }

    /// <summary>How many deviations the logarithm of a ratio is from 0, by how much it varies where blocks are drawn anew.</summary>
    private static double Deviations(double[] ratios, double ratio)
    {
        double mean = ratios.Average(Math.Log);
        double variance = ratios.Sum(one => Math.Pow(Math.Log(one) - mean, 2)) / ratios.Length;
        return variance > 0 ? Math.Log(ratio) / Math.Sqrt(variance) : ratio > 1 ? double.MaxValue : ratio < 1 ? double.MinValue : 0;
    }

    private static HdrHistogram All(IReadOnlyList<HdrHistogram> blocks)
    {
        var all = new HdrHistogram(HdrLayout.Latencies);
        foreach (HdrHistogram block in blocks)
        {
            all.Add(block);
        }

        return all;
    }

    private static long At(HdrHistogram all, double percent) =>
        percent < 100 ? Math.Min(all.AtPercentile(percent), all.Maximum) : all.Maximum;

    private static (long Value, long Low, long High) Interval(double[] drawn, long value)
    {
        double[] sorted = [.. drawn.Order()];
        return (
            value,
            Math.Min(value, (long)Quantiles.Of(sorted, ComparisonRules.Outside / 2)),
            Math.Max(value, (long)Quantiles.Of(sorted, 1 - ComparisonRules.Outside / 2)));
    }

    /// <summary>Of the longest, only those of equal times compare.</summary>
    private static (double[][] Old, double[][] Now) EqualTimes(
        Table table, int old, int now, double[] asked, (double[][] Old, double[][] Now) drawn, RandomNumbers random)
    {
        if (old == now)
        {
            return drawn;
        }

        int least = Math.Min(old, now);
        double[][] shorter = old > now ? Draw(table, 0, old, least, [100], random) : Draw(table, old, now, least, [100], random);
        int last = asked.Length - 1;
        return old > now
            ? ([.. drawn.Old[..last], shorter[0]], drawn.Now)
            : (drawn.Old, [.. drawn.Now[..last], shorter[0]]);
    }

    private static double[][] Draw(Table table, int from, int count, int drawn, double[] asked, RandomNumbers random)
    {
        double[][] values = [.. asked.Select(_ => new double[ComparisonRules.Draws])];
        int[] weights = new int[table.Blocks];
        double[] at = new double[asked.Length];
        for (int draw = 0; draw < ComparisonRules.Draws; draw++)
        {
            Array.Clear(weights);
            for (int i = 0; i < drawn; i++)
            {
                weights[from + random.Below(count)]++;
            }

            table.Percentiles(weights, asked, at);
            for (int i = 0; i < at.Length; i++)
            {
                values[i][draw] = at[i];
            }
        }

        return values;
    }

    private static double[] Deal(Table table, int old, double[] asked, RandomNumbers random)
    {
        int[] order = [.. Enumerable.Range(0, table.Blocks)];
        double[] seen = new double[asked.Length];
        double[] dealt = new double[asked.Length];
        int[] atLeast = new int[asked.Length];
        int[] atMost = new int[asked.Length];
        Ratios(seen);
        for (int deal = 0; deal < ComparisonRules.Deals; deal++)
        {
            random.Shuffle<int>(order);
            Ratios(dealt);
            for (int i = 0; i < asked.Length; i++)
            {
                atLeast[i] += dealt[i] >= seen[i] ? 1 : 0;
                atMost[i] += dealt[i] <= seen[i] ? 1 : 0;
            }
        }

        return [.. asked.Select((_, i) => ComparisonRules.TwoSided(atLeast[i], atMost[i]))];

        void Ratios(double[] into)
        {
            int[] weights = new int[table.Blocks];
            double[] below = new double[asked.Length];
            for (int i = 0; i < old; i++)
            {
                weights[order[i]] = 1;
            }

            table.Percentiles(weights, asked, below);
            for (int i = 0; i < weights.Length; i++)
            {
                weights[i] = 1 - weights[i];
            }

            table.Percentiles(weights, asked, into);
            for (int i = 0; i < into.Length; i++)
            {
                into[i] = Math.Max(1, into[i]) / Math.Max(1, below[i]);
            }
        }
    }

    /// <summary>The counts of all blocks, by bucket, the longest latencies first.</summary>
    private sealed class Table
    {
        private readonly List<(double Value, List<(int Block, long Count)> Counts)> _buckets = [];
        private readonly long[] _totals;
        private readonly double[] _maxima;

        public Table(HdrHistogram[] blocks)
        {
            _totals = [.. blocks.Select(block => block.Count)];
            _maxima = [.. blocks.Select(block => (double)block.Maximum)];
            SortedDictionary<int, List<(int Block, long Count)>> buckets = [];
            for (int block = 0; block < blocks.Length; block++)
            {
                HdrHistogram one = blocks[block];
                for (int index = one.NextCounted(0); index >= 0; index = one.NextCounted(index + 1))
                {
                    if (!buckets.TryGetValue(index / Joined, out List<(int Block, long Count)>? counts))
                    {
                        buckets.Add(index / Joined, counts = []);
                    }

                    long count = one.CountAt(index);
                    if (counts.Count > 0 && counts[^1].Block == block)
                    {
                        counts[^1] = (block, counts[^1].Count + count);
                    }
                    else
                    {
                        counts.Add((block, count));
                    }
                }
            }

            _buckets.AddRange(buckets.Reverse().Select(one => (
                (double)HdrLayout.Latencies.HighestAt(Math.Min(HdrLayout.Latencies.Counters - 1, one.Key * Joined + Joined - 1)),
                one.Value)));
        }

        public int Blocks => _totals.Length;

        /// <summary>
        /// By block of one side: how many latencies are longer than its percentile, beyond the part of them that must be; of the longest,
        /// the logarithm of the block's.
        /// </summary>
        public double[] Late(int from, int count, double percent)
        {
            if (percent >= 100)
            {
                return [.. _maxima.Skip(from).Take(count).Select(most => Math.Log(1 + most))];
            }

            double total = 0;
            double[] late = new double[count];
            for (int i = 0; i < count; i++)
            {
                total += _totals[from + i];
                late[i] = -_totals[from + i] * (100 - percent) / 100;
            }

            double beyond = 0;
            for (int bucket = 0; bucket < _buckets.Count && beyond <= total * (100 - percent) / 100; bucket++)
            {
                foreach ((int block, long number) in _buckets[bucket].Counts)
                {
                    if (block >= from && block < from + count)
                    {
                        beyond += number;
                        late[block - from] += number;
                    }
                }
            }

            return late;
        }

        /// <summary>The percentiles of blocks that count so many times each; 0 where they have no latency.</summary>
        public void Percentiles(int[] weights, double[] asked, double[] into)
        {
            long total = 0;
            double most = 0;
            for (int block = 0; block < weights.Length; block++)
            {
                total += weights[block] * _totals[block];
                most = weights[block] > 0 ? Math.Max(most, _maxima[block]) : most;
            }

            Array.Clear(into);
            int next = asked.Length - 1;
            if (total > 0 && asked[next] >= 100)
            {
                into[next--] = most;
            }

            long beyond = 0;
            for (int bucket = 0; bucket < _buckets.Count && next >= 0 && total > 0; bucket++)
            {
                foreach ((int block, long count) in _buckets[bucket].Counts)
                {
                    beyond += weights[block] * count;
                }

                for (; next >= 0 && beyond > total * (100 - asked[next]) / 100; next--)
                {
                    into[next] = Math.Min(most, _buckets[bucket].Value);
                }
            }
        }
    }
}
