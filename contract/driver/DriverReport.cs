using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>What <c>tracer driver status</c> says of the driver on this machine.</summary>
public sealed record DriverReport : IReport<DriverReport>
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

    static string IReport<DriverReport>.SchemaName => SchemaName;

    static JsonTypeInfo<DriverReport> IJsonRecord<DriverReport>.JsonType(bool indented) => DriverJson.In(indented).DriverReport;
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

    Loaded,
}

/// <summary>The driver's own status.</summary>
public sealed record DriverRunReport
{
    public required bool IsRunning { get; init; }

    /// <summary>What makes the interrupt: <c>apic</c> or <c>timer</c>; null where the driver names none that is known.</summary>
    public required string? Mode { get; init; }

    /// <summary>What the run's clock counts: <c>tsc</c> or <c>qpc</c>; null likewise.</summary>
    public required string? Clock { get; init; }

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

    /// <summary>Latency of a wake-up that nothing delays, measured at the start of the run; null where it is not measured.</summary>
    [JsonPropertyName("floorUs")]
    public required Duration? Floor { get; init; }

    /// <summary>From one clock tick to the next; null where the timer is served when it is due, or that is not known.</summary>
    [JsonPropertyName("tickUs")]
    public required Duration? Tick { get; init; }

    /// <summary>CPU time that the run's own callbacks, DPCs and threads took on all CPUs; null where it is not measured.</summary>
    [JsonPropertyName("ownUs")]
    public required Duration? Own { get; init; }

    /// <summary>How long the run has been on, without what it was paused for; null where there was none.</summary>
    [JsonPropertyName("runUs")]
    public required Duration? Run { get; init; }

    /// <summary>Own CPU time as a part of the measured CPUs' time, 0 to 1; null where it is not known.</summary>
    public required double? OwnShare { get; init; }

    /// <summary>CPU that ran the last callback of the timer of all CPUs; null before the first, and in other modes.</summary>
    public required int? TimerCpu { get; init; }

    /// <summary>How often that timer was at or above the threshold behind its clock tick.</summary>
    public required ulong LateTimers { get; init; }

    /// <summary>Wake-ups that a change of the power state spoilt; in no count and no histogram.</summary>
    public required ulong Discarded { get; init; }

    /// <summary>Logical processors that came after the run began, and are not measured.</summary>
    public required int UnmeasuredCpus { get; init; }

    /// <summary>Longest time that a spin lock of the records was held; null where it is not measured.</summary>
    [JsonPropertyName("longestLockUs")]
    public required Duration? LongestLock { get; init; }

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
    /// <summary>The phase: <c>interrupt</c>, <c>dpc</c>, <c>thread</c>, <c>total</c>, <c>reference</c>, <c>timer</c>.</summary>
    public required string Phase { get; init; }

    /// <summary>Priority of the thread; null for all.</summary>
    public required int? Priority { get; init; }

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

    [JsonPropertyName("maxUs")]
    public required Duration Max { get; init; }
}
