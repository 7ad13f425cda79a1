using MathNet.Numerics.Distributions;

namespace Tracer.Forecast;

/// <summary>Whether late waits come in bursts: how much more their number varies than that of events that come alone.</summary>
internal static class Dispersion
{
    /// <summary>So many of the longest waits tell whether they come in bursts; the late ones alone may be one burst, or none.</summary>
    private const int Least = 50;

    /// <summary>So few still tell a burst, where more of the longest waits would be equal to many that are none of it.</summary>
    private const int Few = 8;

    /// <summary>Where the high end of a 95 % interval is.</summary>
    private const double HighEnd = 0.975;

    /// <summary>How many deviations of a normal distribution that is from its mean.</summary>
    private const double HighNormal = 1.96;

    /// <summary>
    /// What so few bursts tell of their size is itself uncertain, by Student's distribution; of fewer than these nothing better is known.
    /// </summary>
    private const double LeastFree = 4;

    /// <summary>
    /// Time bins in which late waits are counted: what comes and goes within minutes shows in many, what lasts in few. Beside each
    /// the ratio that numbers in them exceed one time in forty though waits come alone (chi-squared).
    /// </summary>
    private static readonly (int Bins, double Chance)[] Scales = [(40, 1.49), (20, 1.73), (10, 2.11)];

    /// <summary>
    /// Late waits that follow each other within this, in nanoseconds, are one burst: what disturbs twice a second does so again.
    /// </summary>
    private const long BurstNs = 1_000_000_000;

    /// <summary>Bursts tell by themselves only where they take less than this part of the time; else chance puts waits together.</summary>
    private const double Rare = 0.1;

    /// <summary>Variance over mean of the number of late waits; 1 where they come alone.</summary>
    /// <param name="aboveNs">
    /// Waits above this are late. Where these are few, the longest ones stand for them; where they are too many to be kept, those that are.
    /// </param>
    public static double Of(LatencySeries series, double aboveNs)
    {
        long[] byLength = [.. series.Peaks.Select(peak => peak.LatencyNs).OrderDescending()];
        int late = byLength.Count(latency => latency > aboveNs);
        if (byLength.Length == 0 || late >= Least)
        {
            return byLength.Length == 0 ? 1 : OfThose(series, latency => latency > aboveNs);
        }

        // The last by rank, and all that are as long. These may be many, and none of a burst that the longer ones are.
        long last = byLength[Math.Min(Least, byLength.Length) - 1];
        double withEqual = OfThose(series, latency => latency >= last);
        return byLength.Count(latency => latency > last) < Few ? withEqual
            : Math.Max(withEqual, OfThose(series, latency => latency > last));
    }

    private static double OfThose(LatencySeries series, Func<long, bool> isLate)
    {
        long[] times = [.. series.Peaks.Where(peak => isLate(peak.LatencyNs)).Select(peak => peak.TimeNs)];
        double seen = Math.Max(1, Math.Max(
            Scales.Max(scale => ByTimeBins(series, times, scale.Bins, scale.Chance)), ByBursts(series, times)));
        double free = Math.Max(LeastFree, times.Length / seen - 1);
        return seen <= 1 ? 1 : seen * Math.Pow(StudentT.InvCDF(0, 1, free, HighEnd) / HighNormal, 2);
    }

    private static double ByTimeBins(LatencySeries series, long[] times, int bins, double chance)
    {
        double length = Math.Max(1, series.Sessions[^1].EndNs / (double)bins);
        double[] counts = new double[bins];
        foreach (long time in times)
        {
            counts[(int)Math.Min(bins - 1, time / length)]++;
        }

        double mean = times.Length / (double)bins;
        double ratio = counts.Sum(count => (count - mean) * (count - mean)) / ((bins - 1) * mean);
        return ratio > chance ? ratio : 1;
    }

    /// <summary>Late waits that follow each other within a second are one burst; a sum of bursts varies by their squares.</summary>
    private static double ByBursts(LatencySeries series, long[] times)
    {
        double squares = 0;
        int bursts = 0;
        int size = 0;
        for (int i = 0; i < times.Length; i++)
        {
            size++;
            if (i + 1 == times.Length || times[i + 1] - times[i] > BurstNs)
            {
                squares += (double)size * size;
                bursts++;
                size = 0;
            }
        }

        bool areRare = bursts * (double)BurstNs < Rare * series.ObservedNs;
        return areRare ? squares / times.Length : 1;
    }
}
