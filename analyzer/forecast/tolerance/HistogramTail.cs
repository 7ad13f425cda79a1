namespace Tracer.Forecast;

/// <summary>
/// Waits of which only the histogram is known, as reports that were merged have it: how many were how long, and not when they were.
/// </summary>
public sealed class HistogramTail : ICountedTail
{
    private readonly HdrHistogram _histogram;

    /// <param name="histogram">All latencies, in nanoseconds.</param>
    public HistogramTail(HdrHistogram histogram, long observedNs)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        _histogram = histogram;
        ObservedNs = observedNs;
    }

    public long Waits => _histogram.Count;

    public long ObservedNs { get; }

    /// <summary>The longest wait in nanoseconds; null where none was measured.</summary>
    public long? LongestNs => Waits == 0 ? null : _histogram.Maximum;

    public double Above(double latencyNs) => Waits == 0 ? 0 : (double)CountAbove(latencyNs) / Waits;

    /// <remarks>
    /// A bucket counts as a whole, and is above where its highest value is: rather too many than too few. Above the longest wait, which is
    /// known exactly, is none.
    /// </remarks>
    public long CountAbove(double latencyNs)
    {
        if (Waits == 0 || latencyNs >= _histogram.Maximum)
        {
            return 0;
        }

        long count = 0;
        HdrLayout layout = _histogram.Layout;
        for (int i = _histogram.NextCounted(0); i >= 0; i = _histogram.NextCounted(i + 1))
        {
            count += layout.HighestAt(i) > latencyNs ? _histogram.CountAt(i) : 0;
        }

        return count;
    }

    public double? DispersionAbove(double latencyNs) => null;
}
