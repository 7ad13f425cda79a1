namespace Tracer.Forecast;

/// <summary>The waits that were measured: each of the longest, and the others by the buckets of their histogram.</summary>
public sealed class MeasuredTail : ICountedTail
{
    private readonly long[] _peaks;
    private readonly HistogramTail _others;

    /// <param name="histogram">All of its latencies, in nanoseconds.</param>
    public MeasuredTail(LatencySeries series, HdrHistogram histogram)
    {
        ArgumentNullException.ThrowIfNull(series);
        ArgumentNullException.ThrowIfNull(histogram);
        Series = series;
        _others = new HistogramTail(histogram, series.ObservedNs);
        _peaks = [.. series.Peaks.Select(peak => peak.LatencyNs).Order()];
    }

    public LatencySeries Series { get; }

    public long Waits => Series.Waits;

    public long ObservedNs => Series.ObservedNs;

    public double? DispersionAbove(double latencyNs) => Dispersion.Of(Series, latencyNs);

    public double Above(double latencyNs) => Series.Waits == 0 ? 0 : (double)CountAbove(latencyNs) / Series.Waits;

    /// <summary>
    /// How many waits take longer; below the longest ones a bucket counts as a whole, and is above where its highest value is: rather too
    /// many than too few.
    /// </summary>
    public long CountAbove(double latencyNs)
    {
        if (latencyNs >= Series.PeaksAboveNs)
        {
            int atMost = Array.BinarySearch(_peaks, (long)Math.Min(Math.Floor(latencyNs), long.MaxValue - 1) + 1);
            atMost = atMost < 0 ? ~atMost : atMost;
            while (atMost > 0 && _peaks[atMost - 1] > latencyNs)
            {
                atMost--;
            }

            return _peaks.Length - atMost;
        }

        return Math.Min(_others.CountAbove(latencyNs), Series.Waits);
    }
}
