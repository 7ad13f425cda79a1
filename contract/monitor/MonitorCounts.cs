using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// What a monitor has counted up to a moment; a copy. A line of <c>tracer monitor --format json</c>, and what it saves:
/// <c>tracer.monitor/1</c> (docs/use/monitor.md).
/// </summary>
public sealed record MonitorCounts : IReport<MonitorCounts>
{
    /// <summary>Value of <see cref="Schema"/>.</summary>
    public const string SchemaName = "tracer.monitor/1";

    /// <summary>Type of the last line, and of a saved file.</summary>
    public const string Summary = "summary";

    public string Schema { get; init; } = SchemaName;

    /// <summary><c>status</c>, or <see cref="Summary"/>.</summary>
    public string Type { get; init; } = Summary;

    [JsonPropertyName("elapsedUs")]
    public required Duration Elapsed { get; init; }

    public required long Events { get; init; }

    public required long EventsLost { get; init; }

    /// <summary>Records of a negative or absurd length, which are not counted.</summary>
    public required long Damaged { get; init; }

    /// <summary>The drivers, the longest total time first.</summary>
    public required IReadOnlyList<MonitorDriver> Drivers { get; init; }

    /// <summary>The processes with hard faults, the longest total time first.</summary>
    public required IReadOnlyList<MonitorProcess> Processes { get; init; }

    public required IReadOnlyList<MonitorCpu> Cpus { get; init; }

    /// <summary>How late the probe's threads woke up; null where no probe measures.</summary>
    public required MonitorWakeups? Wakeups { get; init; }

    /// <summary>What Windows recorded as heard or seen.</summary>
    public MonitorGlitches Glitches { get; init; }

    /// <summary>What the threads of the processes that were asked about did; absent where none were.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public MonitorJobs? Jobs { get; init; }

    /// <summary>What the monitor costs; null where it is not known.</summary>
    public MonitorCost? Cost { get; init; }

    static string IReport<MonitorCounts>.SchemaName => SchemaName;

    static JsonTypeInfo<MonitorCounts> IJsonRecord<MonitorCounts>.JsonType(bool indented) => MonitorJson.In(indented).MonitorCounts;

    static string? IReport<MonitorCounts>.Problem(MonitorCounts report)
    {
        IEnumerable<object?> entries = [.. report.Drivers, .. report.Processes, .. report.Cpus];
        return report.Type != Summary || report.Elapsed <= Duration.Zero ? "The summary of a monitor is expected."
            : entries.Contains(null) ? "A list holds null."
            : null;
    }
}

/// <summary>How often something happened, and how long it took.</summary>
/// <param name="Total">All of it together.</param>
/// <param name="P99">99 of 100 are not longer; to a quarter of a power of two, upward.</param>
public readonly record struct MonitorTimes(
    long Count,
    [property: JsonPropertyName("totalUs")] Duration Total,
    [property: JsonPropertyName("maxUs")] Duration Max,
    [property: JsonPropertyName("p99Us")] Duration P99);

public sealed record MonitorDriver(string Name, MonitorTimes Isr, MonitorTimes Dpc)
{
    /// <summary>Time of both.</summary>
    [JsonIgnore]
    public Duration Total => Isr.Total + Dpc.Total;

    [JsonIgnore]
    public Duration Max => Isr.Max > Dpc.Max ? Isr.Max : Dpc.Max;

    /// <summary>The larger of both.</summary>
    [JsonIgnore]
    public Duration P99 => Isr.P99 > Dpc.P99 ? Isr.P99 : Dpc.P99;

    /// <summary>How many of both.</summary>
    [JsonIgnore]
    public long Count => Isr.Count + Dpc.Count;
}

/// <summary>A process that waited for pages to be read from disk.</summary>
/// <param name="Bytes">Bytes that were read for it.</param>
public sealed record MonitorProcess(string Name, [property: JsonPropertyName("hardFaults")] MonitorTimes Faults, long Bytes);

/// <param name="WorstWakeup">The longest that the probe's thread on it was late; null where none is.</param>
public sealed record MonitorCpu(
    int Cpu, MonitorTimes Isr, MonitorTimes Dpc, [property: JsonPropertyName("worstWakeupUs")] Duration? WorstWakeup);

/// <summary>Wake-ups of the probe.</summary>
/// <param name="Median">Half of them are not later.</param>
/// <param name="P99">99 of 100 are not later.</param>
/// <param name="Lost">Measurements lost on the way.</param>
public sealed record MonitorWakeups(
    long Count,
    [property: JsonPropertyName("medianUs")] Duration Median,
    [property: JsonPropertyName("p99Us")] Duration P99,
    [property: JsonPropertyName("worstUs")] Duration Worst,
    int Cpu,
    long Lost);

/// <summary>Windows' own records that something was late, counted as <c>analyzer info</c> counts them.</summary>
/// <param name="Audio">Glitches that were heard.</param>
/// <param name="Frames">Frames that the compositor missed.</param>
/// <param name="DeadlinesMissed">Deadlines of its own that the audio engine missed.</param>
public readonly record struct MonitorGlitches(long Audio, long Frames, long DeadlinesMissed);

/// <summary>Jobs of the processes that were asked about.</summary>
/// <param name="Count">How many were done.</param>
/// <param name="DeadlinesMissed">How many of them after their deadline, which is the next beat of their thread.</param>
/// <param name="WorstResponse">The longest response of those; null where none was late.</param>
/// <param name="WorstLost">The longest stretch that one of the others lost; null where none did.</param>
public sealed record MonitorJobs(
    long Count,
    long DeadlinesMissed,
    [property: JsonPropertyName("worstResponseUs")] Duration? WorstResponse,
    [property: JsonPropertyName("worstLostUs")] Duration? WorstLost);

/// <summary>What a monitor costs. What Windows spends on logging is not in it.</summary>
/// <param name="Monitor">CPU time of this program since it began to count.</param>
/// <param name="ProbeShare">Part of one CPU that the probe uses; null where none runs, or it is not known yet.</param>
public sealed record MonitorCost([property: JsonPropertyName("monitorUs")] Duration Monitor, double? ProbeShare);

/// <summary>Something that a monitor tells once, in the same schema.</summary>
/// <param name="Level">How much it matters.</param>
/// <param name="Text">A sentence without a full stop.</param>
public sealed record MonitorNote(string Schema, string Type, CaptureNoteLevel Level, string Text) : IJsonRecord<MonitorNote>
{
    static JsonTypeInfo<MonitorNote> IJsonRecord<MonitorNote>.JsonType(bool indented) => MonitorJson.In(indented).MonitorNote;
}

internal static class MonitorJson
{
    private static readonly JsonForms<MonitorJsonContext> Forms = new(options => new MonitorJsonContext(options));

    public static MonitorJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates for the schema.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(MonitorCounts))]
[JsonSerializable(typeof(MonitorNote))]
internal sealed partial class MonitorJsonContext : JsonSerializerContext;
