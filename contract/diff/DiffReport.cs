using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// What <c>analyzer diff --format json</c> prints: schema <c>tracer.diff/1</c>. Whether latency became worse or better from the traces of a
/// base to those of something new. Times in microseconds; unknown is null; the same traces give the same bytes.
/// </summary>
public sealed record DiffReport : IReport<DiffReport>
{
    /// <summary>Value of <see cref="Schema"/>.</summary>
    public const string SchemaName = "tracer.diff/1";

    [JsonRequired]
    public string Schema { get; init; } = SchemaName;

    /// <summary>The traces before the change.</summary>
    public required DiffSide Base { get; init; }

    /// <summary>The traces after it.</summary>
    public required DiffSide New { get; init; }

    public required DiffSettings Settings { get; init; }

    public required DiffSummary Summary { get; init; }

    /// <summary>Episodes an hour; null where the two sides do not find them by the same records.</summary>
    public required ComparedRate? Episodes { get; init; }

    /// <summary>
    /// Jobs done after their deadline, an hour; absent where there is none on either side, or null above.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public ComparedRate? DeadlinesMissed { get; init; }

    /// <summary>
    /// How long episodes are: <c>late time an hour</c>, <c>length of an episode</c> (geometric mean, of five or more on each side) and
    /// <c>worst episode</c>; empty where episodes are not compared, or there is none.
    /// </summary>
    public IReadOnlyList<ComparedValue> EpisodeTimes { get; init; } = [];

    /// <summary>Glitches that Windows recorded, an hour; as missed deadlines, but not part of the verdict.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public ComparedRate? Glitches { get; init; }

    /// <summary>Latencies by kind and source, of those that both sides have.</summary>
    public required IReadOnlyList<ComparedLatency> Latencies { get; init; }

    /// <summary>Who is to blame on either side, the largest change of blamed time first.</summary>
    public required IReadOnlyList<ComparedCulprit> Culprits { get; init; }

    /// <summary>Beats of culprits that are on one side alone, or of another length.</summary>
    public required IReadOnlyList<ComparedBeat> Beats { get; init; }

    /// <summary>What drivers' ISRs and DPCs took, the largest change of time first.</summary>
    public required IReadOnlyList<ComparedActivity> Drivers { get; init; }

    /// <summary>The same for routines that can be told to be the same on both sides.</summary>
    public required IReadOnlyList<ComparedActivity> Routines { get; init; }

    /// <summary>
    /// How long ISRs and DPCs ran on both sides, all together first, then the largest change of time; absent where both sides are traces.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<ComparedRunTimes>? RunTimes { get; init; }

    public required IReadOnlyList<MachineChange> Machine { get; init; }

    /// <summary>
    /// Drivers, and other images of the kernel, that are not the same file on both sides: updated, rebuilt, other, added, removed.
    /// </summary>
    public required IReadOnlyList<DriverChange> Files { get; init; }

    /// <summary>What may have changed, and no trace tells: such as the power plan.</summary>
    public required IReadOnlyList<string> NotRecorded { get; init; }

    /// <summary>What limits the answer, one sentence each.</summary>
    public required IReadOnlyList<string> Warnings { get; init; }

    static string IReport<DiffReport>.SchemaName => SchemaName;

    static JsonTypeInfo<DiffReport> IJsonRecord<DiffReport>.JsonType(bool indented) => DiffJson.In(indented).DiffReport;
}

/// <summary>One side of a comparison.</summary>
public sealed record DiffSide
{
    /// <summary>Its traces, in the order that they were given.</summary>
    public required IReadOnlyList<TraceSummary> Traces { get; init; }

    /// <summary>The text of another program that stands in the place of traces; absent where they are traces.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Text { get; init; }

    /// <summary>How long was measured, all together.</summary>
    [JsonPropertyName("measuredUs")]
    public required Duration Measured { get; init; }

    /// <summary>The blocks of time that were drawn from.</summary>
    public required int Blocks { get; init; }
}

/// <summary>How was compared.</summary>
public sealed record DiffSettings
{
    /// <summary>Latency at or above this is an episode, on both sides.</summary>
    [JsonPropertyName("thresholdUs")]
    public required Duration Threshold { get; init; }

    /// <summary>The lowest priority of a thread whose wake-ups count for episodes.</summary>
    public required int MinPriority { get; init; }

    /// <summary>Changes of fewer percent do not count.</summary>
    public required double LeastPercent { get; init; }

    /// <summary>Percentiles, and the longest, that change by less do not count.</summary>
    [JsonPropertyName("leastUs")]
    public required Duration LeastTime { get; init; }

    /// <summary>How long a block is; null where whole traces are the blocks.</summary>
    [JsonPropertyName("blockUs")]
    public required Duration? Block { get; init; }

    /// <summary>Of the intervals.</summary>
    public double Confidence { get; init; } = 0.95;

    /// <summary>The part of comparisons of equal machines that may be told to differ.</summary>
    public double FalseAlarms { get; init; } = 0.05;

    /// <summary>How the measures of the verdict are corrected for their number.</summary>
    public string Verdict { get; init; } = "holm";

    /// <summary>How culprits, drivers and routines are corrected for their number.</summary>
    public string Lists { get; init; } = "benjamini-hochberg";
}

/// <summary>The answer of a comparison.</summary>
public sealed record DiffSummary
{
    /// <summary>Worse, better, same, or the data cannot tell.</summary>
    public required DiffVerdict Verdict { get; init; }

    /// <summary>The answer as one sentence.</summary>
    public required string Conclusion { get; init; }

    /// <summary>The driver or other culprit that the change comes from; null where none is shown.</summary>
    public required string? Culprit { get; init; }

    /// <summary>
    /// The least change, in percent, that the data would have shown four times in five in the measure that the sentence speaks of; null
    /// where they tell nothing of it.
    /// </summary>
    public required double? DetectablePercent { get; init; }
}

/// <summary>Whether something new did harm. In JSON in kebab case.</summary>
[JsonConverter(typeof(KebabCaseConverter<DiffVerdict>))]
public enum DiffVerdict
{
    /// <summary>The data show no change, and are too few to show that there is none.</summary>
    CantTell,

    /// <summary>The data show no change, and would have shown one.</summary>
    Same,

    /// <summary>At least one measure became better, and none worse.</summary>
    Better,

    /// <summary>At least one measure became worse.</summary>
    Worse,
}

/// <summary>What became of one measure. In JSON in kebab case.</summary>
[JsonConverter(typeof(KebabCaseConverter<DiffChange>))]
public enum DiffChange
{
    /// <summary>No change is shown; that is no proof that there is none.</summary>
    NotShown,

    /// <summary>It became less, or shorter.</summary>
    Better,

    /// <summary>It became more, or longer.</summary>
    Worse,
}

/// <summary>How something that has two values changed, and how sure that is.</summary>
public sealed record Change
{
    /// <summary>New over base; null where base is 0.</summary>
    public required double? Ratio { get; init; }

    /// <summary>Low end of its 95 % interval.</summary>
    public required double? Low { get; init; }

    /// <summary>High end; null where there is none.</summary>
    public required double? High { get; init; }

    /// <summary>How often chance alone gives such a difference; null where that was not asked.</summary>
    public required double? P { get; init; }

    /// <summary>The same, corrected for the number of such questions; null where it is no such question.</summary>
    public required double? Adjusted { get; init; }

    /// <summary>The least change in percent that would have been shown four times in five; null where the data tell nothing.</summary>
    public required double? DetectablePercent { get; init; }

    public required DiffChange Direction { get; init; }
}

/// <summary>How often something happened.</summary>
public sealed record ComparedRate
{
    public required long Base { get; init; }

    public required long New { get; init; }

    /// <summary>The same per hour.</summary>
    public required double BasePerHour { get; init; }

    /// <summary>The same per hour.</summary>
    public required double NewPerHour { get; init; }

    /// <summary>
    /// <c>exact</c>: events that come alone; <c>block-bootstrap</c>: they come in bursts, and blocks of time are drawn.
    /// </summary>
    public required string Interval { get; init; }

    /// <summary>Variance over mean of their number, both sides together; 1 where they come alone.</summary>
    public required double Dispersion { get; init; }

    public required Change Change { get; init; }
}

/// <summary>The latencies of one kind and source on both sides.</summary>
public sealed record ComparedLatency
{
    /// <summary>From where to where they count.</summary>
    public required LatencyKind Kind { get; init; }

    public required LatencySource Source { get; init; }

    /// <summary>
    /// Whether the threads have a priority that counts for episodes (true) or a lower one (false); null where no thread waited.
    /// </summary>
    public required bool? Prioritised { get; init; }

    public required long Base { get; init; }

    public required long New { get; init; }

    public required IReadOnlyList<ComparedValue> Values { get; init; }
}

/// <summary>A percentile, or the longest.</summary>
public sealed record ComparedValue
{
    /// <summary><c>p50</c>, <c>p90</c>, <c>p99</c>, <c>p99.9</c>, <c>p99.99</c>, <c>longest</c>.</summary>
    public required string Name { get; init; }

    public required ValueInterval Base { get; init; }

    public required ValueInterval New { get; init; }

    /// <summary>How it changed; of the longest, in equal times.</summary>
    public required Change Change { get; init; }
}

/// <summary>A value with its 95 % interval, by drawing blocks of time.</summary>
/// <param name="High">The high end; of the longest it is the longest that was seen, and no bound.</param>
public sealed record ValueInterval(
    [property: JsonPropertyName("us")] Duration Value,
    [property: JsonPropertyName("lowUs")] Duration Low,
    [property: JsonPropertyName("highUs")] Duration High);

/// <summary>A culprit on both sides.</summary>
public sealed record ComparedCulprit
{
    public required string Name { get; init; }

    /// <summary>What sort of thing it is.</summary>
    public required CulpritKind Kind { get; init; }

    /// <summary>
    /// <c>new</c> or <c>vanished</c> where the change is shown and it had no episode on the other side; <c>more</c>, <c>fewer</c> where the
    /// change is shown; else <c>not-shown</c>.
    /// </summary>
    public required string State { get; init; }

    public required ComparedRate Episodes { get; init; }

    /// <summary>Blamed time an hour in the base.</summary>
    [JsonPropertyName("baseUsPerHour")]
    public required Duration BasePerHour { get; init; }

    /// <summary>Blamed time an hour in the new.</summary>
    [JsonPropertyName("newUsPerHour")]
    public required Duration NewPerHour { get; init; }

    /// <summary>Its file versions in the base; empty where not known, or where it has no file.</summary>
    public required IReadOnlyList<string> BaseVersions { get; init; }

    /// <summary>Its file versions in the new.</summary>
    public required IReadOnlyList<string> NewVersions { get; init; }

    /// <summary>Whether its file is another one in the new; null where the traces do not tell.</summary>
    public required bool? IsAnotherFile { get; init; }
}

/// <summary>A beat on both sides.</summary>
/// <param name="Base">Seconds of its beat in the base; null where none is to be seen.</param>
/// <param name="New">Seconds of its beat in the new.</param>
public sealed record ComparedBeat(
    string Name,
    [property: JsonPropertyName("baseSeconds")] double? Base,
    [property: JsonPropertyName("newSeconds")] double? New);

/// <summary>What the ISRs or DPCs of a driver, or a routine, took on both sides.</summary>
public sealed record ComparedActivity
{
    /// <summary>The driver, or the routine.</summary>
    public required string Name { get; init; }

    /// <summary>Whether ISRs, else DPCs.</summary>
    public required bool Isr { get; init; }

    /// <summary>What they took in the base; null for none.</summary>
    public required ActivityRate? Base { get; init; }

    /// <summary>What they took in the new; null for none.</summary>
    public required ActivityRate? New { get; init; }

    /// <summary>
    /// How their time in a second changed; null for a framework with drivers behind it and for those: whose time it was is told where the
    /// trace shows it, which is chance. Their routines are compared.
    /// </summary>
    public required Change? Change { get; init; }
}

/// <summary>What runs took.</summary>
public sealed record ActivityRate(
    double PerSecond,
    [property: JsonPropertyName("usPerSecond")] Duration TimePerSecond,
    [property: JsonPropertyName("meanUs")] Duration Mean,
    [property: JsonPropertyName("longestUs")] Duration Longest);

/// <summary>How long the ISRs or DPCs of a driver ran on both sides.</summary>
/// <param name="Isr">Whether ISRs, else DPCs.</param>
/// <param name="Driver">The module of the routine; null for all together.</param>
/// <param name="Base">In the base; null where it tells of none.</param>
/// <param name="New">In the new; null where it tells of none.</param>
public sealed record ComparedRunTimes(bool Isr, string? Driver, ToldRunTimes? Base, ToldRunTimes? New);

/// <summary>Something of the machine that is not the same on both sides.</summary>
/// <param name="Base">In the base; null where no trace of it tells. Several values where its traces differ.</param>
public sealed record MachineChange(string Name, string? Base, string? New);

/// <summary>An image of the kernel that is not the same file on both sides.</summary>
/// <param name="What">
/// <c>added</c>, <c>removed</c>, <c>updated</c> (another version), <c>rebuilt</c> (same version, another file),
/// <c>other</c> (another file, and one side tells no version).
/// </param>
/// <param name="Base">Versions in the base.</param>
/// <param name="New">Versions in the new.</param>
/// <param name="Company">Whose it is; null where not known.</param>
public sealed record DriverChange(string Name, string What, IReadOnlyList<string> Base, IReadOnlyList<string> New, string? Company);
