using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Tracer.Etl;

namespace Tracer.Contract;

/// <summary>What <c>analyzer info</c> finds in a trace: <c>tracer.info/1</c>.</summary>
public sealed record InfoReport : IReport<InfoReport>
{
    /// <summary>Value of <see cref="Schema"/>.</summary>
    public const string SchemaName = "tracer.info/1";

    public string Schema { get; init; } = SchemaName;

    public required TraceSummary Trace { get; init; }

    /// <summary>What is missing from the trace, or odd about it.</summary>
    public required TraceLosses Losses { get; init; }

    /// <summary>Kinds of events, the most frequent first.</summary>
    public required IReadOnlyList<EventClass> Classes { get; init; }

    /// <summary>What Windows itself recorded as glitches; absent where it recorded none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public RecordedGlitches? Glitches { get; init; }

    /// <summary>What the machine did per second.</summary>
    public required WorkloadRates Rates { get; init; }

    /// <summary>What this trace can answer, and what would have to be recorded for what it can't.</summary>
    public required IReadOnlyList<TraceQuestion> Questions { get; init; }

    /// <summary>The drivers, by name; absent where they were not asked for.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<DriverFile>? Drivers { get; init; }

    static string IReport<InfoReport>.SchemaName => SchemaName;

    static JsonTypeInfo<InfoReport> IJsonRecord<InfoReport>.JsonType(bool indented) => InfoJson.In(indented).InfoReport;
}

/// <summary>How many glitches Windows itself recorded.</summary>
/// <param name="Audio">Those that were heard.</param>
/// <param name="Frames">Those that were seen: frames that the compositor missed.</param>
/// <param name="Doubtful">Records with the ids of glitches that make no sense.</param>
public sealed record RecordedGlitches(long Audio, long Frames, long Doubtful)
{
    /// <summary>Records beyond those that are kept; absent where there are none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public long More { get; init; }

    /// <summary>How many the audio engine counted itself; absent where it did not tell.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public long CountedByEngine { get; init; }

    /// <summary>How often the audio engine told that there were too many; absent for 0.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public long TooMany { get; init; }
}

/// <summary>What is missing from a trace, or odd about it.</summary>
public sealed record TraceLosses
{
    /// <summary>Events that the writing system says it lost.</summary>
    public required long EventsLost { get; init; }

    /// <summary>Buffers that the writing system says it lost.</summary>
    public required long BuffersLost { get; init; }

    /// <summary>Buffers that could not be read whole, at most a thousand of them; the counter "damagedBuffers" counts all.</summary>
    public required IReadOnlyList<DamagedBufferPlace> DamagedBuffers { get; init; }

    /// <summary>Where in time events may be missing on a CPU, by time, at most a thousand places.</summary>
    public required IReadOnlyList<LossPlace> Places { get; init; }

    /// <summary>Everything odd, by name; what did not occur is left out.</summary>
    public required IReadOnlyDictionary<string, long> Counters { get; init; }
}

/// <summary>One buffer that could not be read whole.</summary>
/// <param name="Offset">Where it starts in the file, in bytes.</param>
/// <param name="Reason">What is wrong with it.</param>
public sealed record DamagedBufferPlace(long Offset, string Reason);

/// <summary>
/// A stretch of time in which events of a CPU may be missing. When a buffer is, each CPU that may have filled it has a place.
/// </summary>
/// <param name="Cpu">Logical processor; null for all of them.</param>
/// <param name="From">Not before this, from the header event; null where nothing limits it or the clock is not known.</param>
/// <param name="To">Not behind this; null likewise.</param>
public sealed record LossPlace(
    int? Cpu,
    [property: JsonPropertyName("fromUs")] Duration? From,
    [property: JsonPropertyName("toUs")] Duration? To,
    [property: JsonConverter(typeof(KebabCaseConverter<LossKind>))] LossKind Kind);

/// <summary>One kind of event: one provider, opcode or id, and version.</summary>
public sealed record EventClass
{
    /// <summary>GUID of the provider; kernel events carry their class GUID whatever header they were written with.</summary>
    public required Guid Provider { get; init; }

    /// <summary>Name of the provider; null where the trace does not tell it, and for kernel events, which have a group.</summary>
    public required string? ProviderName { get; init; }

    /// <summary>Group of a kernel event; null for others.</summary>
    public required string? Group { get; init; }

    /// <summary>Name of the event; where nothing names it, its opcode or id as text.</summary>
    public required string Name { get; init; }

    /// <summary>Opcode of a kernel or classic event; null for others.</summary>
    public required int? Opcode { get; init; }

    /// <summary>Id of a manifest event, number of a WPP message; null for others.</summary>
    public required int? Id { get; init; }

    public required int Version { get; init; }

    public required long Count { get; init; }

    /// <summary>How many bytes they have, headers included.</summary>
    public required long Bytes { get; init; }

    /// <summary>Whether its layout rests on sources alone: no real bytes have confirmed how its fields are read.</summary>
    public required bool Unconfirmed { get; init; }
}

/// <summary>What the machine did per second over the whole trace; null means not recorded, never that nothing happened.</summary>
public sealed record WorkloadRates
{
    public required double? EventsPerSecond { get; init; }

    /// <summary>Share of CPU time that was not idle, over all CPUs, in percent.</summary>
    public required double? CpuPercent { get; init; }

    [JsonConverter(typeof(KebabCaseConverter<CpuLoadSource>))]
    public required CpuLoadSource? CpuPercentFrom { get; init; }

    /// <summary>Interrupt service routines run.</summary>
    public required double? InterruptsPerSecond { get; init; }

    /// <summary>Time in interrupt service routines, in percent of all CPU time; what nests in them counts.</summary>
    public required double? InterruptPercent { get; init; }

    public required double? DpcsPerSecond { get; init; }

    /// <summary>Time in deferred procedure calls, in percent of all CPU time; what nests in them counts.</summary>
    public required double? DpcPercent { get; init; }

    public required double? ContextSwitchesPerSecond { get; init; }

    public required double? ReadyThreadsPerSecond { get; init; }

    /// <summary>Timer-driven profile samples.</summary>
    public required double? SamplesPerSecond { get; init; }

    public required double? HardFaultsPerSecond { get; init; }

    /// <summary>Disk reads, writes and flushes.</summary>
    public required double? DiskOperationsPerSecond { get; init; }
}

/// <summary>What a CPU load was computed from.</summary>
public enum CpuLoadSource
{
    /// <summary>Context switches to and from the idle threads: exact.</summary>
    ContextSwitches,

    /// <summary>Samples that did not hit an idle thread: an estimate.</summary>
    Samples,
}

/// <summary>A question that a person may have, and whether the trace can answer it.</summary>
/// <param name="Answerable">Whether the trace holds what is needed.</param>
/// <param name="Missing">What would have to be recorded in addition, as keywords of a capture tool; empty where it can be answered.</param>
public sealed record TraceQuestion(string Question, bool Answerable, IReadOnlyList<string> Missing);
