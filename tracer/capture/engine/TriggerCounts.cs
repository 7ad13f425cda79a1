namespace Tracer.Capture.Engine;

/// <summary>What one kind of trigger measured so far.</summary>
public sealed class TriggerCounts(TriggerKind kind)
{
    public LatencyCounts Latencies { get; } = new();

    /// <summary>Whether the source counts its latencies itself, and hands over only those that are late.</summary>
    public bool AreCountedElsewhere { get; set; }

    /// <summary>Moments, which have no latency.</summary>
    public long Times { get; set; }

    /// <summary>Those at or above the threshold, and moments.</summary>
    public long OverThreshold { get; set; }

    /// <summary>Measurements lost on the way.</summary>
    public long Lost { get; set; }

    /// <summary>Latency of the idle machine in nanoseconds; 0 where it is not measured.</summary>
    public long FloorNs { get; set; }

    /// <summary>A copy for a screen.</summary>
    public TriggerStatus Status() => new()
    {
        Kind = kind,
        Count = Latencies.Count + Times,
        OverThreshold = OverThreshold,
        Lost = Lost,
        Worst = Latencies.Count == 0 ? null : new Duration(Latencies.WorstNs),
        Median = Latencies.Percentile(0.5),
        P99 = Latencies.Percentile(0.99),
        P999 = Latencies.Percentile(0.999),
        Floor = FloorNs == 0 ? null : new Duration(FloorNs),
        Buckets = Latencies.Buckets(),
    };
}
