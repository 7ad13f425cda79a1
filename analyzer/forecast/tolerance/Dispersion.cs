namespace Tracer.Forecast;

/// <summary>Whether late waits come in bursts: how much more their number varies than that of events that come alone.</summary>
internal static class Dispersion
{
    /// <summary>Slices of the time in which late waits are counted.</summary>
    private const int TimeBins = 40;

    /// <summary>So many of the longest waits tell whether they come in bursts; the late ones alone may be one burst, or none.</summary>
    private const int Least = 50;

    /// <summary>Numbers in bins vary by more than this one time in forty though waits come alone.</summary>
    private const double Chance = 1.45;

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
        double above = aboveNs;
        if (series.Peaks.Count(peak => peak.LatencyNs > aboveNs) < Least)
        {
            long[] byLength = [.. series.Peaks.Select(peak => peak.LatencyNs).OrderDescending()];
            above = byLength.Length > Least ? byLength[Least] : double.NegativeInfinity;
        }

        long[] times = [.. series.Peaks.Where(peak => peak.LatencyNs > above).Select(peak => peak.TimeNs)];
        return times.Length < Least ? 1 : Math.Max(1, Math.Max(ByTimeBins(series, times), ByBursts(series, times)));
    }

    private static double ByTimeBins(LatencySeries series, long[] times)
    {
        double length = Math.Max(1, series.Sessions[^1].EndNs / (double)TimeBins);
        double[] counts = new double[TimeBins];
        foreach (long time in times)
        {
            counts[(int)Math.Min(TimeBins - 1, time / length)]++;
        }

        double mean = times.Length / (double)TimeBins;
        double ratio = counts.Sum(count => (count - mean) * (count - mean)) / ((TimeBins - 1) * mean);
        return ratio > Chance ? ratio : 1;
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
