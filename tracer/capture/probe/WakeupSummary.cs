using Tracer.Capture.Ground;

namespace Tracer.Capture.Probe;

/// <summary>Counts wake-ups for a summary in a few lines.</summary>
public sealed class WakeupSummary : ITriggerSink
{
    /// <summary>Half an hour of one CPU; what comes later is counted, and makes no difference to the percentiles.</summary>
    private const int MostKept = 1_000_000;

    private readonly List<long> _latencies = [];
    private long _count;
    private long _lost;

    public Duration Worst { get; private set; }

    /// <summary>Wake-ups seen.</summary>
    public long Count => _count;

    public void OnMeasurement(in TriggerMeasurement measurement)
    {
        _count++;
        Worst = measurement.LatencyNs > Worst.Nanoseconds ? new Duration(measurement.LatencyNs) : Worst;
        if (_latencies.Count < MostKept)
        {
            _latencies.Add(measurement.LatencyNs);
        }
    }

    public void OnLost(TriggerKind kind, long count) => _lost += count;

    /// <summary>Prints how late the wake-ups were.</summary>
    public void Print(TextWriter output, Duration threshold)
    {
        ArgumentNullException.ThrowIfNull(output);
        long[] sorted = [.. _latencies.Order()];
        int over = sorted.Length - Array.FindLastIndex(sorted, latency => latency < threshold.Nanoseconds) - 1;
        output.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{_count:#,0} wake-ups, {_lost:#,0} lost, {over:#,0} at {threshold} or above"));
        output.WriteLine(
            $"median {Part(sorted, 500)}, 99 % {Part(sorted, 990)}, 99.9 % {Part(sorted, 999)}, worst {ReadableDuration.Of(Worst)}");
    }

    private static string Part(long[] sorted, int perMille) => sorted.Length == 0 ? "?"
        : ReadableDuration.Of(new Duration(sorted[Math.Min(sorted.Length - 1, (int)((long)sorted.Length * perMille / 1000))]));
}
