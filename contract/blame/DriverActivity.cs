using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>What one driver's ISRs and DPCs took in the whole trace, blamed or not.</summary>
public sealed record DriverActivity
{
    /// <summary>File name as in the trace.</summary>
    public required string Name { get; init; }

    /// <summary>Its interrupt service routines; null when none were recorded.</summary>
    public required RoutineTimes? Isr { get; init; }

    /// <summary>Its DPCs; null when none were recorded.</summary>
    public required RoutineTimes? Dpc { get; init; }

    /// <summary>The longest wait of one of its DPCs in the queue; null where the queue was not recorded.</summary>
    [JsonPropertyName("queueDelayMaxUs")]
    public required Duration? QueueDelayMax { get; init; }
}

/// <summary>Durations of one driver's ISRs or DPCs, net of what interrupted them.</summary>
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

    /// <summary>99 in 100 are at most this long.</summary>
    [JsonPropertyName("p99Us")]
    public required Duration P99 { get; init; }
}
