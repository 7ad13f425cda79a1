using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>
/// The way of one wake-up, where the queues of DPCs were recorded: an interrupt queued a DPC, the DPC ran and made the thread ready, the
/// thread ran. Times are from the episode's start, which is the enqueue; what came before is negative.
/// </summary>
public sealed record WakeupChain
{
    /// <summary>When the ISR began that queued the DPC; null where none was seen around the enqueue.</summary>
    [JsonPropertyName("interruptUs")]
    public required Duration? Interrupt { get; init; }

    /// <summary>The ISR, as module and offset or function; null as above.</summary>
    public required string? InterruptRoutine { get; init; }

    /// <summary>The processor that it ran on, and that queued the DPC.</summary>
    public required int InterruptCpu { get; init; }

    /// <summary>When the DPC was put into the queue.</summary>
    [JsonPropertyName("enqueueUs")]
    public required Duration Enqueue { get; init; }

    /// <summary>Length of the queue at that time, as the record tells it.</summary>
    public required int QueueDepth { get; init; }

    /// <summary>Importance of the DPC: <c>low</c>, <c>medium</c>, <c>high</c> or <c>medium-high</c>.</summary>
    public required string Importance { get; init; }

    /// <summary>The processor whose queue it was, and that ran the DPC.</summary>
    public required int TargetCpu { get; init; }

    [JsonPropertyName("dpcStartUs")]
    public required Duration DpcStart { get; init; }

    public required string DpcRoutine { get; init; }

    /// <summary>When it made the thread ready.</summary>
    [JsonPropertyName("readyUs")]
    public required Duration Ready { get; init; }

    [JsonPropertyName("runUs")]
    public required Duration Run { get; init; }
}
