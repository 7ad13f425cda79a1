namespace Tracer.Forecast;

/// <summary>The latencies that one forecast is made of.</summary>
/// <param name="Group">The group of priorities that they are of; null for all.</param>
/// <param name="PerCpu">The series of each CPU, for the replay, without blocks; empty where no thread waited.</param>
public sealed record MeasuredLatencies(
    LatencyKind Kind, LatencySource Source, PriorityGroup? Group, MeasuredTail Tail, IReadOnlyList<LatencySeries> PerCpu)
{
    /// <summary>The periodic thread whose jobs these are; null where they are of many.</summary>
    public string? Thread { get; init; }
}

/// <summary>The latencies that one forecast is made of where nothing tells when they were.</summary>
/// <param name="Group">The group of priorities that they are of; null for all.</param>
public sealed record MergedLatencies(LatencyKind Kind, LatencySource Source, PriorityGroup? Group, HistogramTail Tail);
