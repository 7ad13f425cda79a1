namespace Tracer.Forecast;

/// <summary>
/// Whether disturbances come evenly over the observed time (Kolmogorov 1933, Smirnov 1948, against the uniform distribution).
/// </summary>
internal static class EvenTimes
{
    /// <summary>
    /// A statistic, times the root of the number, that one in a thousand even sequences is above: strict, because disturbances may still
    /// come in company after clusters were joined.
    /// </summary>
    public const double Critical = 1.95;

    /// <summary>The statistic times the root of the number of disturbances; 0 where there is none.</summary>
    /// <param name="series">The series; what was not observed does not count.</param>
    /// <param name="clusters">The disturbances, in order of time.</param>
    public static double Statistic(LatencySeries series, IReadOnlyList<Cluster> clusters)
    {
        double observed = series.Blocks.Sum(block => (double)block.ObservedNs);
        double before = 0;
        double widest = 0;
        int block = 0;
        for (int i = 0; i < clusters.Count && observed > 0; i++)
        {
            long time = clusters[i].Longest.TimeNs;
            while (block + 1 < series.Blocks.Count && series.Blocks[block + 1].StartNs <= time)
            {
                before += series.Blocks[block++].ObservedNs;
            }

            LatencyBlock here = series.Blocks[block];
            double part = (before + Math.Min(time - here.StartNs, here.ObservedNs)) / observed;
            widest = Math.Max(widest, Math.Max(part - (double)i / clusters.Count, (i + 1.0) / clusters.Count - part));
        }

        return widest * Math.Sqrt(clusters.Count);
    }
}
