namespace Tracer.Forecast;

/// <summary>
/// Whether what was measured is one workload: disturbances stay as many (<see cref="Kpss"/> on their number in bins of the time, and
/// <see cref="EvenTimes"/>, which finds what KPSS is known to miss) and as long (<see cref="MannKendall"/> on their lengths).
/// </summary>
internal static class Steadiness
{
    /// <summary>Most bins of the time in which disturbances are counted.</summary>
    private const int MostTimeBins = 40;

    /// <summary>Fewest bins: of fewer, no test tells a change from chance.</summary>
    private const int LeastTimeBins = 10;

    /// <summary>Most lengths that are compared with each other: the test takes the square of them.</summary>
    private const int MostSizes = 2000;

    /// <summary>Looks at disturbances.</summary>
    /// <param name="clusters">Its disturbances, in order of time.</param>
    /// <returns>Why nothing can be forecast; null where it can.</returns>
    public static Refusal? Refusal(LatencySeries series, IReadOnlyList<Cluster> clusters)
    {
        double kpss = Kpss.Statistic(Counts(series, clusters));
        if (kpss > Kpss.Critical)
        {
            return new Refusal(RefusalReason.CountsChange, string.Create(CultureInfo.InvariantCulture,
                $"disturbances became more or fewer while it was measured (KPSS {kpss:0.00}, at most {Kpss.Critical}); "
                + $"measure one steady workload"));
        }

        double uneven = EvenTimes.Statistic(series, clusters);
        if (uneven > EvenTimes.Critical)
        {
            return new Refusal(RefusalReason.CountsChange, string.Create(CultureInfo.InvariantCulture,
                $"disturbances do not come evenly over the measured time (Kolmogorov-Smirnov {uneven:0.00}, at most {EvenTimes.Critical}); "
                + $"measure one steady workload"));
        }

        int every = clusters.Count / MostSizes + 1;
        double[] sizes = [.. clusters.Where((_, i) => i % every == 0).Select(cluster => (double)cluster.Longest.LatencyNs)];
        double trend = MannKendall.Probability(sizes);
        return trend >= ExtremeRules.Alarm ? null : new Refusal(RefusalReason.SizesChange, string.Create(CultureInfo.InvariantCulture,
            $"disturbances became longer or shorter while it was measured (Mann-Kendall, p = {trend:0.0000}); "
            + $"measure one steady workload"));
    }

    /// <summary>How many disturbances each bin has for the time observed in it; bins of equal length, all sessions in a row.</summary>
    private static double[] Counts(LatencySeries series, IReadOnlyList<Cluster> clusters)
    {
        int bins = Math.Clamp(Math.Min(clusters.Count / 5, series.Blocks.Count / 4), LeastTimeBins, MostTimeBins);
        long end = Math.Max(1, series.Sessions[^1].EndNs);
        double length = Math.Max(1, end / (double)bins);
        double[] counts = new double[bins];
        foreach (Cluster cluster in clusters)
        {
            counts[BinOf(cluster.Longest.TimeNs)]++;
        }

        double[] observed = new double[bins];
        foreach (LatencyBlock block in series.Blocks)
        {
            observed[BinOf(block.StartNs + block.ObservedNs / 2)] += block.ObservedNs;
        }

        double[] rates = [.. counts.Zip(observed).Where(bin => bin.Second >= length / 2)
            .Select(bin => bin.First * length / bin.Second)];
        return rates.Length >= LeastTimeBins / 2 ? rates : counts;

        int BinOf(long time) => (int)Math.Min(bins - 1, time / length);
    }
}
