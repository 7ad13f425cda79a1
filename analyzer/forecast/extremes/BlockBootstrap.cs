namespace Tracer.Forecast;

/// <summary>
/// How much a return level varies when the observed time is put together anew from whole blocks of itself, drawn at random (Kunsch 1989):
/// what depends on each other within a block stays together.
/// </summary>
internal static class BlockBootstrap
{
    /// <summary>All random numbers have a fixed seed: a trace gives the same bytes each time.</summary>
    private const ulong Seed = 0x626C_6F63_6B73;

    /// <summary>Blocks of the observed time; few enough that a block is long beside a burst.</summary>
    private const int Blocks = 40;

    /// <summary>
    /// Samples of the observed time by blocks: enough for the ends of a 95 % interval, of which 5 lie beyond on each side.
    /// </summary>
    private const int Samples = 200;

    /// <summary>Puts the time together anew.</summary>
    /// <returns>For each sample, how many clusters it has and the distribution that is most likely for them.</returns>
    public static (int Clusters, GeneralizedPareto Fitted)[] Draw(LatencySeries series, Tail tail)
    {
        List<double>[] blocks = BlocksOf(series, tail);
        var random = new RandomNumbers(Seed);
        var drawn = new List<(int Clusters, GeneralizedPareto Fitted)>(Samples);
        var sample = new List<double>();
        for (int i = 0; i < Samples; i++)
        {
            sample.Clear();
            for (int block = 0; block < Blocks; block++)
            {
                sample.AddRange(blocks[random.Below(Blocks)]);
            }

            if (sample.Count >= ExtremeRules.LeastClusters / 2)
            {
                sample.Sort();
                drawn.Add((sample.Count, ParetoFit.MostLikely([.. sample])));
            }
        }

        return [.. drawn];
    }

    /// <summary>The interval that 95 of 100 samples lie in, as excesses over the threshold.</summary>
    public static (double Low, double High) Interval((int Clusters, GeneralizedPareto Fitted)[] drawn, double times)
    {
        double[] levels = [.. drawn.Select(sample =>
            sample.Fitted.Exceeded(1 / Math.Max(times * sample.Clusters, Horizons.LeastOnce))).Order()];
        return levels.Length < Samples / 2
            ? (0, double.PositiveInfinity)
            : (Quantiles.Of(levels, ExtremeRules.Outside / 2), Quantiles.Of(levels, 1 - ExtremeRules.Outside / 2));
    }

    private static List<double>[] BlocksOf(LatencySeries series, Tail tail)
    {
        List<double>[] blocks = [.. Enumerable.Range(0, Blocks).Select(_ => new List<double>())];
        double length = Math.Max(1, series.Sessions[^1].EndNs / (double)Blocks);
        foreach (Cluster cluster in tail.Clusters)
        {
            int block = (int)Math.Min(Blocks - 1, cluster.Longest.TimeNs / length);
            blocks[block].Add(cluster.Longest.LatencyNs - tail.ThresholdNs);
        }

        return blocks;
    }
}
