using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// What <c>analyzer episodes --format json</c> prints: schema <c>tracer.episodes/1</c>. Times as in <see cref="BlameReport"/>.
/// </summary>
public sealed record EpisodesReport : IReport<EpisodesReport>
{
    /// <summary>The schema that this record writes.</summary>
    public const string SchemaName = "tracer.episodes/1";

    /// <summary>Always <see cref="SchemaName"/>.</summary>
    [JsonRequired]
    public string Schema { get; init; } = SchemaName;

    public required TraceSummary Trace { get; init; }

    /// <summary>What the user asked for, defaults included.</summary>
    public required BlameSettings Settings { get; init; }

    /// <summary>The episodes, in order of their start.</summary>
    public required IReadOnlyList<EpisodeTimeline> Episodes { get; init; }

    static string IReport<EpisodesReport>.SchemaName => SchemaName;

    static JsonTypeInfo<EpisodesReport> IJsonRecord<EpisodesReport>.JsonType(bool indented) => BlameJson.In(indented).EpisodesReport;
}

/// <summary>An episode and what ran on the CPUs meanwhile.</summary>
/// <param name="Episode">The episode, as in the blame report.</param>
/// <param name="Cpus">The victim's CPU first, then those that have something to show, by number.</param>
public sealed record EpisodeTimeline(Episode Episode, IReadOnlyList<CpuTimeline> Cpus);

/// <summary>What ran on one CPU during an episode.</summary>
/// <param name="Spans">Without overlaps, by time; what is not covered is not known.</param>
public sealed record CpuTimeline(int Cpu, IReadOnlyList<TimelineSpan> Spans);

/// <summary>One stretch of a <see cref="CpuTimeline"/>.</summary>
/// <param name="Start">From the start of the episode.</param>
/// <param name="Kind"><c>idle</c>, <c>thread</c>, <c>dpc</c>, <c>isr</c> or <c>blackout</c>.</param>
/// <param name="Label">Whose: a module, a process; empty for idle.</param>
public sealed record TimelineSpan(
    [property: JsonPropertyName("startUs")] Duration Start,
    [property: JsonPropertyName("us")] Duration Time,
    string Kind,
    string Label);
