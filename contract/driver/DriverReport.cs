using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>What <c>tracer driver status</c> says of the driver on this machine.</summary>
public sealed record DriverReport
{
    /// <summary>Value of <see cref="Schema"/>.</summary>
    public const string SchemaName = "tracer.driver/1";

    /// <summary>Which record this is, and its version.</summary>
    public string Schema { get; init; } = SchemaName;

    /// <summary>How it stands with the service manager.</summary>
    public required DriverServiceState Service { get; init; }

    /// <summary>The driver's file; null where it is not installed.</summary>
    public required string? Path { get; init; }

    /// <summary>What the driver says; null where it is not loaded.</summary>
    public required DriverRunReport? Driver { get; init; }

    /// <summary>Latencies of the run by phase, all CPUs together; empty without a run.</summary>
    public required IReadOnlyList<PhaseLatencies> Latencies { get; init; }
}

/// <summary>How the driver stands with the service manager.</summary>
[JsonConverter(typeof(KebabCaseConverter<DriverServiceState>))]
public enum DriverServiceState
{
    /// <summary>Not registered.</summary>
    NotInstalled,

    /// <summary>Registered, not loaded.</summary>
    Stopped,

    /// <summary>On its way into or out of the kernel.</summary>
    Changing,

    /// <summary>Loaded.</summary>
    Loaded,
}

/// <summary>The driver's own status.</summary>
public sealed record DriverRunReport
{
    /// <summary>Whether a run is on.</summary>
    public required bool IsRunning { get; init; }

    /// <summary>What makes the interrupt: <c>apic</c> or <c>timer</c>; null where the driver names none that is known.</summary>
    public required string? Mode { get; init; }

    /// <summary>What the run's clock counts: <c>tsc</c> or <c>qpc</c>; null likewise.</summary>
    public required string? Clock { get; init; }

    /// <summary>Its rate in Hz.</summary>
    public required ulong ClockHz { get; init; }

    /// <summary>Logical processors measured.</summary>
    public required int Cpus { get; init; }

    /// <summary>What the driver can do here, by the names of TRACER_CAN_*.</summary>
    public required IReadOnlyList<string> Capabilities { get; init; }

    /// <summary>Why the last start was refused; null where it was not.</summary>
    public required string? Refusal { get; init; }

    /// <summary>Latency from which a wake-up is an episode.</summary>
    [JsonPropertyName("thresholdUs")]
    public required Duration Threshold { get; init; }

    /// <summary>From one wake-up to the next.</summary>
    [JsonPropertyName("periodUs")]
    public required Duration Period { get; init; }

    /// <summary>Latency of the idle machine; null where it is not measured.</summary>
    [JsonPropertyName("floorUs")]
    public required Duration? Floor { get; init; }

    /// <summary>Wake-ups measured.</summary>
    public required ulong Probes { get; init; }

    /// <summary>Those at or above the threshold.</summary>
    public required ulong OverThreshold { get; init; }

    /// <summary>The longest latency; null before the first wake-up.</summary>
    [JsonPropertyName("worstUs")]
    public required Duration? Worst { get; init; }

    /// <summary>Records that nobody read in time.</summary>
    public required ulong Dropped { get; init; }

    /// <summary>Events logged through ETW.</summary>
    public required ulong EventsLogged { get; init; }
}

/// <summary>Latencies of one phase of the wake-ups, by the driver's histogram: percentiles are at most 1/16 too long.</summary>
public sealed record PhaseLatencies
{
    /// <summary>The phase: <c>interrupt</c>, <c>dpc</c>, <c>thread</c>, <c>total</c>, <c>reference</c>.</summary>
    public required string Phase { get; init; }

    /// <summary>Priority of the thread; null for all.</summary>
    public required int? Priority { get; init; }

    /// <summary>How many were counted.</summary>
    public required ulong Count { get; init; }

    /// <summary>Half are at most this long.</summary>
    [JsonPropertyName("p50Us")]
    public required Duration P50 { get; init; }

    /// <summary>99 in 100 are at most this long.</summary>
    [JsonPropertyName("p99Us")]
    public required Duration P99 { get; init; }

    /// <summary>999 in 1000 are at most this long.</summary>
    [JsonPropertyName("p999Us")]
    public required Duration P999 { get; init; }

    /// <summary>The longest.</summary>
    [JsonPropertyName("maxUs")]
    public required Duration Max { get; init; }
}
