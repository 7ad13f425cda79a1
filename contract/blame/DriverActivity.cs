using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>What one driver's ISRs and DPCs took in the whole trace, blamed or not.</summary>
public sealed record DriverActivity
{
    /// <summary>File name as in the trace.</summary>
    public required string Name { get; init; }

    /// <summary>The frameworks whose routines ran its code; empty where only its own ran.</summary>
    public IReadOnlyList<string> Through { get; init; } = [];

    /// <summary>Its interrupt service routines; null when none were recorded.</summary>
    public required RoutineTimes? Isr { get; init; }

    /// <summary>Its DPCs; null when none were recorded.</summary>
    public required RoutineTimes? Dpc { get; init; }

    /// <summary>The longest wait of one of its DPCs in the queue; null where the queue was not recorded.</summary>
    [JsonPropertyName("queueDelayMaxUs")]
    public required Duration? QueueDelayMax { get; init; }
}

/// <summary>
/// Durations of one driver's ISRs or DPCs, net of what interrupted them. Stops of the machine that fell into them are taken out of the
/// total and the longest.
/// </summary>
public sealed record RoutineTimes
{
    /// <summary>How many ran.</summary>
    public required long Count { get; init; }

    /// <summary>All of them together.</summary>
    [JsonPropertyName("totalUs")]
    public required Duration Total { get; init; }

    /// <summary>The longest.</summary>
    [JsonPropertyName("maxUs")]
    public required Duration Max { get; init; }

    /// <summary>When the longest began; null where that is not known.</summary>
    [JsonPropertyName("maxAtUs")]
    public Duration? MaxAt { get; init; }

    /// <summary>Half of them are at most this long.</summary>
    [JsonPropertyName("p50Us")]
    public Duration P50 { get; init; }

    /// <summary>9 in 10 are at most this long.</summary>
    [JsonPropertyName("p90Us")]
    public Duration P90 { get; init; }

    /// <summary>99 in 100 are at most this long.</summary>
    [JsonPropertyName("p99Us")]
    public required Duration P99 { get; init; }

    /// <summary>999 in 1,000 are at most this long.</summary>
    [JsonPropertyName("p999Us")]
    public Duration P999 { get; init; }
}
