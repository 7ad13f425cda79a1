using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>What one driver's ISRs and DPCs took in the part of the trace that was asked about, blamed or not.</summary>
public sealed record DriverActivity
{
    /// <summary>File name as in the trace.</summary>
    public required string Name { get; init; }

    /// <summary>The frameworks whose routines ran its code; empty where only its own ran.</summary>
    public IReadOnlyList<string> Through { get; init; } = [];

    /// <summary>
    /// Of a framework: the drivers that share the time of those of its runs that show no driver, by the samples of runs like them; absent
    /// where each run is one driver's, and where samples are too few.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<DriverShare>? SharedBy { get; init; }

    /// <summary>Its interrupt service routines; null when none were recorded.</summary>
    public required RoutineTimes? Isr { get; init; }

    /// <summary>Its DPCs; null when none were recorded.</summary>
    public required RoutineTimes? Dpc { get; init; }

    /// <summary>The longest wait of one of its DPCs in the queue; null where the queue was not recorded.</summary>
    [JsonPropertyName("queueDelayMaxUs")]
    public required Duration? QueueDelayMax { get; init; }
}

/// <summary>How much of a framework's time one driver stands for.</summary>
/// <param name="Name">File name as in the trace.</param>
/// <param name="Total">Its part of the framework's time, an estimate; it is in the framework's own total.</param>
/// <param name="Samples">Samples in such runs that show the driver.</param>
/// <param name="Of">All samples in such runs.</param>
public sealed record DriverShare(string Name, [property: JsonPropertyName("totalUs")] Duration Total, int Samples, int Of);

/// <summary>
/// Durations of one driver's ISRs or DPCs, net of what interrupted them. Blackouts of the machine that fell into them are taken out of the
/// total and the longest.
/// </summary>
public sealed record RoutineTimes
{
    public required long Count { get; init; }

    [JsonPropertyName("totalUs")]
    public required Duration Total { get; init; }

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

    /// <summary>
    /// How many there are of each length, the shortest first: bounds are 1 us and its doublings, those without a run are left out. Absent
    /// where the writer of the report did not count.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<DurationBucket>? Histogram { get; init; }

    /// <summary>The CPUs that they ran on; absent for a single routine, and where the writer of the report did not count.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<CpuRoutineTimes>? PerCpu { get; init; }
}

/// <summary>How many durations are longer than the next smaller bound, and at most as long as this one.</summary>
/// <param name="Count">How many there are.</param>
public sealed record DurationBucket([property: JsonPropertyName("atMostUs")] Duration AtMost, long Count);

/// <summary>What a driver's ISRs or DPCs took on one CPU.</summary>
/// <param name="Total">All of them together, without blackouts of the machine.</param>
/// <param name="Max">The longest, without blackouts of the machine.</param>
public sealed record CpuRoutineTimes(
    int Cpu,
    long Count,
    [property: JsonPropertyName("totalUs")] Duration Total,
    [property: JsonPropertyName("maxUs")] Duration Max);

/// <summary>What one routine took as an ISR or as a DPC, in the part of the trace that was asked about.</summary>
public sealed record RoutineActivity
{
    /// <summary><c>module!function</c>, <c>module+0x1234</c> without symbols, or the bare address outside every image.</summary>
    public required string Routine { get; init; }

    /// <summary>The driver that it ran for, as in the table of drivers; another's where a framework's routine ran its code.</summary>
    public required string Driver { get; init; }

    /// <summary>Its runs as an interrupt service routine; null for none.</summary>
    public required RoutineTimes? Isr { get; init; }

    /// <summary>Its runs as a DPC; null for none.</summary>
    public required RoutineTimes? Dpc { get; init; }

    /// <summary>The longest wait of it in the queue of DPCs, whatever driver it ran for; null where the queue was not recorded.</summary>
    [JsonPropertyName("queueDelayMaxUs")]
    public required Duration? QueueDelayMax { get; init; }
}

/// <summary>The hard page faults of one process in one file.</summary>
public sealed record FileFaults
{
    /// <summary>Image name of the process; null when unknown.</summary>
    public required string? Process { get; init; }

    /// <summary>Process id; null when unknown.</summary>
    public required long? Pid { get; init; }

    /// <summary>Its path, with a drive letter where the trace has the mapping; null where the trace does not name the file.</summary>
    public required string? File { get; init; }

    public required long Count { get; init; }

    /// <summary>Bytes that were read.</summary>
    public required long Bytes { get; init; }

    /// <summary>Their times from touch to read, added up.</summary>
    [JsonPropertyName("totalUs")]
    public required Duration Total { get; init; }

    [JsonPropertyName("maxUs")]
    public required Duration Max { get; init; }

    [JsonPropertyName("maxAtUs")]
    public required Duration MaxAt { get; init; }
}
