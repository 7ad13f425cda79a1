using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// A line of <c>tracer capture --format json</c>: <c>tracer.capture/1</c> (docs/reference/capture.md). Times are in microseconds; what is
/// not known is null.
/// </summary>
/// <param name="Type">What it tells: <c>status</c>, <c>note</c>, <c>episode</c>, <c>dropped</c>.</param>
public abstract record CaptureLine([property: JsonPropertyOrder(CaptureLine.First)] string Type)
{
    /// <summary>Value of <see cref="Schema"/>.</summary>
    public const string SchemaName = "tracer.capture/1";

    private protected const int First = -1;

    [JsonPropertyOrder(First - 1)]
    public string Schema { get; init; } = SchemaName;
}

/// <summary>How a capture stands, each second.</summary>
public sealed record CaptureStatusLine() : CaptureLine("status"), IJsonRecord<CaptureStatusLine>
{
    /// <summary>What it is doing.</summary>
    public required CapturePhase Phase { get; init; }

    /// <summary>Since it began to watch; zero before.</summary>
    [JsonPropertyName("elapsedUs")]
    public required Duration Elapsed { get; init; }

    /// <summary>How long it is to watch; null for no limit.</summary>
    [JsonPropertyName("limitUs")]
    public required Duration? Limit { get; init; }

    [JsonPropertyName("thresholdUs")]
    public required Duration Threshold { get; init; }

    /// <summary>What a latency must reach to be captured now.</summary>
    [JsonPropertyName("barUs")]
    public required Duration Bar { get; init; }

    /// <summary>The longest latency of any trigger; null before the first measurement.</summary>
    [JsonPropertyName("worstUs")]
    public required Duration? Worst { get; init; }

    /// <summary>Latencies at or above the threshold so far, one per moment.</summary>
    public required long EpisodesSeen { get; init; }

    /// <summary>Episodes written so far, those that worse ones replaced included.</summary>
    public required int EpisodesCaptured { get; init; }

    /// <summary>Episodes whose files are kept.</summary>
    public required int EpisodesKept { get; init; }

    public required IReadOnlyList<TriggerStatus> Triggers { get; init; }

    /// <summary>Who is to blame in the episodes that are kept, the most blamed time first.</summary>
    public required IReadOnlyList<CaptureSuspect> Suspects { get; init; }

    /// <summary>How far back the ring reaches.</summary>
    public required RingStatus Ring { get; init; }

    /// <summary>What watching costs, rates to two decimals; null before it began.</summary>
    public required CaptureCost? Cost { get; init; }

    public required long EventsLost { get; init; }

    public required long MeasurementsLost { get; init; }

    /// <summary>Bytes of the episodes that are kept.</summary>
    public required long DiskUsedBytes { get; init; }

    /// <summary>Bytes free where they are kept; null where that is not known.</summary>
    public required long? DiskFreeBytes { get; init; }

    /// <summary>What was wanted and Windows did not grant, a phrase each.</summary>
    public required IReadOnlyList<string> NotGranted { get; init; }

    static JsonTypeInfo<CaptureStatusLine> IJsonRecord<CaptureStatusLine>.JsonType(bool indented) =>
        CaptureJson.In(indented).CaptureStatusLine;
}

/// <summary>Something that is told once.</summary>
/// <param name="Level">How much it matters.</param>
/// <param name="Text">A sentence without a full stop.</param>
public sealed record CaptureNoteLine(CaptureNoteLevel Level, string Text) : CaptureLine("note"), IJsonRecord<CaptureNoteLine>
{
    static JsonTypeInfo<CaptureNoteLine> IJsonRecord<CaptureNoteLine>.JsonType(bool indented) => CaptureJson.In(indented).CaptureNoteLine;
}

/// <summary>An episode was written, or its file deleted because a worse one took its place.</summary>
public sealed record CaptureEpisodeLine(string Type) : CaptureLine(Type), IJsonRecord<CaptureEpisodeLine>
{
    /// <summary>1 for the first of this run.</summary>
    public required int Number { get; init; }

    public required string File { get; init; }

    public required long Bytes { get; init; }

    public required TriggerKind Trigger { get; init; }

    /// <summary>When the victim should have run or the routine began, UTC.</summary>
    public required DateTime StartUtc { get; init; }

    /// <summary>How late it was, or how long it ran; null where a moment was caught.</summary>
    [JsonPropertyName("latencyUs")]
    public required Duration? Latency { get; init; }

    public required int Cpu { get; init; }

    /// <summary>How much of the time before it the trace covers on all CPUs.</summary>
    [JsonPropertyName("preCoveredUs")]
    public required Duration PreCovered { get; init; }

    /// <summary>Who or what is to blame; null without an analysis.</summary>
    public required Verdict? Verdict { get; init; }

    /// <summary>The name of the first culprit; null where there is none.</summary>
    public required string? Culprit { get; init; }

    static JsonTypeInfo<CaptureEpisodeLine> IJsonRecord<CaptureEpisodeLine>.JsonType(bool indented) =>
        CaptureJson.In(indented).CaptureEpisodeLine;
}

/// <summary>What a capture is doing.</summary>
[JsonConverter(typeof(KebabCaseConverter<CapturePhase>))]
public enum CapturePhase
{
    /// <summary>Starts its sessions and sources, and sees whether events arrive.</summary>
    Starting,

    Watching,

    /// <summary>An episode was heard of; the time after it is being recorded.</summary>
    Recording,

    /// <summary>Writes an episode: snapshot, rundown, merge, blame. Nothing triggers meanwhile.</summary>
    Writing,

    /// <summary>Stops everything and undoes what it changed.</summary>
    Stopping,
}

/// <summary>How much a note matters.</summary>
[JsonConverter(typeof(KebabCaseConverter<CaptureNoteLevel>))]
public enum CaptureNoteLevel
{
    /// <summary>What is being done.</summary>
    Info,

    /// <summary>Something is not as asked for; the capture goes on.</summary>
    Warning,
}

/// <summary>What can trigger a snapshot; <c>--trigger</c>. The numbers stand in traces (docs/generated/provider-events.md).</summary>
[JsonConverter(typeof(KebabCaseConverter<TriggerKind>))]
public enum TriggerKind
{
    /// <summary>A wake-up that the driver measured.</summary>
    Driver,

    /// <summary>A wake-up that the probe process measured.</summary>
    Wakeup,

    /// <summary>A DPC, as the trigger session tells it.</summary>
    Dpc,

    /// <summary>An ISR, likewise.</summary>
    Isr,

    /// <summary>An event of a provider that the user named: a moment, without a latency.</summary>
    Event,

    /// <summary>How long a thread of a process that the user named was ready before it ran.</summary>
    Process,

    /// <summary>Nothing: the user asked for what the ring holds.</summary>
    AskedFor,

    /// <summary>A job of a thread of a process that the user named: its deadline was missed, or one stretch of it was lost.</summary>
    Job,
}

/// <summary>What one trigger measured.</summary>
public sealed record TriggerStatus
{
    public required TriggerKind Kind { get; init; }

    public required long Count { get; init; }

    /// <summary>Measurements at or above the user's threshold.</summary>
    public required long OverThreshold { get; init; }

    /// <summary>Measurements lost on the way.</summary>
    public required long Lost { get; init; }

    /// <summary>The longest; null before the first measurement.</summary>
    [JsonPropertyName("worstUs")]
    public required Duration? Worst { get; init; }

    /// <summary>The median, to a quarter of a power of two, upward; null before the first measurement.</summary>
    [JsonPropertyName("medianUs")]
    public required Duration? Median { get; init; }

    /// <summary>99 of 100 are not longer, likewise.</summary>
    [JsonPropertyName("p99Us")]
    public required Duration? P99 { get; init; }

    /// <summary>999 of 1,000 are not longer, likewise.</summary>
    [JsonPropertyName("p999Us")]
    public required Duration? P999 { get; init; }

    /// <summary>Latency of the idle machine; null where it is not measured.</summary>
    [JsonPropertyName("floorUs")]
    public required Duration? Floor { get; init; }

    /// <summary>How many measurements lie in each power of two, from the first bucket used to the last.</summary>
    public required IReadOnlyList<LatencyBucket> Buckets { get; init; }
}

/// <summary>Measurements from one latency up to, not including, another.</summary>
/// <param name="From">The shortest of the bucket.</param>
public readonly record struct LatencyBucket(
    [property: JsonPropertyName("fromUs")] Duration From, [property: JsonPropertyName("toUs")] Duration To, long Count);

/// <summary>How far back the recorder's ring reaches.</summary>
public sealed record RingStatus
{
    public required long Bytes { get; init; }

    /// <summary>What it has to cover: time before, time after and what a trigger takes to be heard.</summary>
    [JsonPropertyName("wantedUs")]
    public required Duration Wanted { get; init; }

    /// <summary>What the last snapshot covered on all CPUs; null before the first that was full.</summary>
    [JsonPropertyName("measuredUs")]
    public required Duration? Measured { get; init; }

    /// <summary>What it covers now by the rate at which buffers fill; null where that is not known yet.</summary>
    [JsonPropertyName("estimatedUs")]
    public required Duration? Estimated { get; init; }
}

/// <summary>One who is to blame in captured episodes.</summary>
/// <param name="Blamed">Blamed time in the episodes that are kept.</param>
/// <param name="Episodes">How many of them have it as first culprit.</param>
public sealed record CaptureSuspect(string Name, [property: JsonPropertyName("blamedUs")] Duration Blamed, int Episodes);

/// <summary>What watching costs the machine that is watched. Null stands for what the system does not tell.</summary>
public sealed record CaptureCost
{
    /// <summary>CPU time of our processes since the capture began, the probe's among it.</summary>
    [JsonPropertyName("ownCpuUs")]
    public required Duration OwnCpu { get; init; }

    /// <summary>The same in percent of one CPU.</summary>
    public required double? OwnCpuPercent { get; init; }

    /// <summary>Events that the recorder took in its first second, stacks included.</summary>
    public required double? EventsPerSecond { get; init; }

    /// <summary>Stacks among them: the dearest.</summary>
    public required double? StacksPerSecond { get; init; }

    /// <summary>Period of the clock interrupt before the capture began.</summary>
    [JsonPropertyName("clockPeriodBeforeUs")]
    public required Duration? ClockPeriodBefore { get; init; }

    /// <summary>The shortest that was seen since: each of its ticks wakes a CPU, and timers of others get finer.</summary>
    [JsonPropertyName("clockPeriodUs")]
    public required Duration? ClockPeriod { get; init; }

    /// <summary>Distance of samples.</summary>
    [JsonPropertyName("sampleIntervalUs")]
    public required Duration? SampleInterval { get; init; }
}

/// <summary>How <see cref="CaptureLine"/>s are written.</summary>
internal static class CaptureJson
{
    private static readonly JsonForms<CaptureJsonContext> Forms = new(options => new CaptureJsonContext(options));

    public static CaptureJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates for the schema.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(CaptureStatusLine))]
[JsonSerializable(typeof(CaptureNoteLine))]
[JsonSerializable(typeof(CaptureEpisodeLine))]
internal sealed partial class CaptureJsonContext : JsonSerializerContext;
