using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// What the simulator put into a trace: schema <c>tracer.truth/1</c>, beside the trace as <c>NAME.truth.json</c>. Field names and
/// meanings are those of <see cref="BlameReport"/>, so that the two compare field by field.
/// </summary>
public sealed record TruthReport : IReport<TruthReport>
{
    /// <summary>The schema that this record writes and reads.</summary>
    public const string SchemaName = "tracer.truth/1";

    /// <summary>Always <see cref="SchemaName"/>.</summary>
    [JsonRequired]
    public string Schema { get; init; } = SchemaName;

    /// <summary>Name of the scenario, as <c>tracer simulate --list</c> shows it.</summary>
    public required string Scenario { get; init; }

    /// <summary>The seed that names, addresses and timings follow.</summary>
    public required ulong Seed { get; init; }

    /// <summary>Logical processors of the simulated machine.</summary>
    public required int Cpus { get; init; }

    /// <summary>Simulated time.</summary>
    [JsonPropertyName("durationUs")]
    public required Duration Duration { get; init; }

    /// <summary>Latency at or above this is an episode.</summary>
    [JsonPropertyName("thresholdUs")]
    public required Duration Threshold { get; init; }

    public required Verdict Verdict { get; init; }

    /// <summary>The right name; null when the verdict is none or unknown.</summary>
    public required string? Culprit { get; init; }

    /// <summary>The right mechanism of that culprit; null where there is none.</summary>
    public required Mechanism? Mechanism { get; init; }

    /// <summary>Everyone who delayed a victim, the largest share first.</summary>
    public required IReadOnlyList<TrueCulprit> Culprits { get; init; }

    /// <summary>
    /// The same for what nobody measured waited for, as <see cref="BlameReport.Secondary"/>; absent where there is none.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<TrueCulprit>? Secondary { get; init; }

    /// <summary>Names that look guilty and are not.</summary>
    public required IReadOnlyList<string> Innocents { get; init; }

    /// <summary>Every wake-up at or above the threshold.</summary>
    public required IReadOnlyList<TrueEpisode> Episodes { get; init; }

    static string IReport<TruthReport>.SchemaName => SchemaName;

    static JsonTypeInfo<TruthReport> IJsonRecord<TruthReport>.JsonType(bool indented) => TruthJson.In(indented).TruthReport;
}

/// <summary>A culprit as the simulator knows it.</summary>
public sealed record TrueCulprit
{
    /// <summary>What sort of thing it is.</summary>
    public required CulpritKind Kind { get; init; }

    public required string Name { get; init; }

    /// <summary>The mechanism behind most of its time.</summary>
    public required Mechanism Mechanism { get; init; }

    /// <summary>Part of all over-threshold latency, 0 to 1.</summary>
    public required double Share { get; init; }

    /// <summary>Its time in all episodes.</summary>
    [JsonPropertyName("blamedUs")]
    public required Duration Blamed { get; init; }

    /// <summary>In how many episodes it has a cause.</summary>
    public required int Episodes { get; init; }

    /// <summary>The frameworks it runs behind, the nearest to it first.</summary>
    public required IReadOnlyList<string> Through { get; init; }

    /// <summary>Its beat; null where it has none.</summary>
    public required Period? Period { get; init; }

    /// <summary>What a second run without it leaves; null where none was made.</summary>
    public required WithoutCulprit? Without { get; init; }

    /// <summary>
    /// What further runs without it leave in which nothing else differs but when the threads begin: how much of
    /// <see cref="Without"/> is chance. Null where none was made.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<WithoutCulprit>? WithoutByChance { get; init; }
}

/// <summary>An episode as the simulator knows it.</summary>
public sealed record TrueEpisode
{
    /// <summary>The probe that can see it.</summary>
    public required ProbeKind Probe { get; init; }

    /// <summary>When the victim became runnable.</summary>
    [JsonPropertyName("startUs")]
    public required Duration Start { get; init; }

    /// <summary>From runnable to the first instruction; for a job the time that it lost.</summary>
    [JsonPropertyName("latencyUs")]
    public required Duration Latency { get; init; }

    /// <summary>The job, as <see cref="Episode.Job"/>; absent where the episode is none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public EpisodeJob? Job { get; init; }

    /// <summary>The CPU the victim waited for; null when it waited for any.</summary>
    public required int? Cpu { get; init; }

    /// <summary>The victim; null where it is a CPU.</summary>
    public required VictimThread? Thread { get; init; }

    /// <summary>What took the time, the largest first; they add up to the latency.</summary>
    public required IReadOnlyList<Cause> Causes { get; init; }

    /// <summary>
    /// The CPU whose timer expired late, so that the victim missed its beat before it was ready; absent where it was ready in time.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? LateTimerCpu { get; init; }

    /// <summary>Whether it belongs to the second ranking, as <see cref="Episode.Secondary"/>. Absent where not.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public bool Secondary { get; init; }
}
