using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// What ran on the CPUs around the worst episodes: schema <c>tracer.lanes/1</c>, which stands beside the blame report in the page of
/// <c>analyzer report</c> (docs/reference/report-data.md). Numbers refer to places in the tables; times in lists are whole nanoseconds.
/// </summary>
public sealed record LanesReport : IReport<LanesReport>
{
    /// <summary>The schema that this record writes.</summary>
    public const string SchemaName = "tracer.lanes/1";

    /// <summary>Always <see cref="SchemaName"/>.</summary>
    [JsonRequired]
    public string Schema { get; init; } = SchemaName;

    /// <summary>What may run on a CPU; spans refer to it by place.</summary>
    public required IReadOnlyList<LaneWork> Works { get; init; }

    /// <summary>The code that samples hit, as a tree; samples refer to its nodes by place.</summary>
    public required LaneCode Code { get; init; }

    public required IReadOnlyList<EpisodeLanes> Episodes { get; init; }

    /// <summary>The episodes that the blame report beside this lacks because there are too many; absent where it has all.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public LeftOutEpisodes? LeftOut { get; init; }

    /// <summary>The drivers of the machine with their versions, by name.</summary>
    public IReadOnlyList<LaneDriver> Drivers { get; init; } = [];

    static string IReport<LanesReport>.SchemaName => SchemaName;

    static JsonTypeInfo<LanesReport> IJsonRecord<LanesReport>.JsonType(bool indented) => BlameJson.In(indented).LanesReport;
}

/// <summary>Something that runs on a CPU: a routine of a driver, a thread, nothing at all.</summary>
public sealed record LaneWork
{
    /// <summary><c>idle</c>, <c>thread</c>, <c>dpc</c>, <c>isr</c> or <c>blackout</c>.</summary>
    public required string Kind { get; init; }

    /// <summary>Whose: a module, a process; null where nobody's or not known.</summary>
    public required string? Owner { get; init; }

    /// <summary>The routine of an ISR or DPC, <c>module+0x1234</c> or <c>module!function</c>; null for others.</summary>
    public required string? Routine { get; init; }

    /// <summary>What ties the owner to the routine; null for others.</summary>
    public required Proof? Proof { get; init; }

    /// <summary>The frameworks between the routine and the owner, the nearest to it first.</summary>
    public IReadOnlyList<string> Through { get; init; } = [];

    /// <summary>The process of a thread; null where not known.</summary>
    public long? Pid { get; init; }

    /// <summary>A thread's number; null for others.</summary>
    public long? Tid { get; init; }
}

/// <summary>A tree of code: each node is a routine, called by its parent.</summary>
/// <param name="Names">The routine of each node.</param>
/// <param name="Parents">The caller of each node, which stands before it; -1 for none.</param>
public sealed record LaneCode(IReadOnlyList<string> Names, IReadOnlyList<int> Parents);

/// <summary>What ran around one episode.</summary>
public sealed record EpisodeLanes
{
    public required int Id { get; init; }

    /// <summary>Where the lanes begin, from the episode's start; not above 0.</summary>
    [JsonPropertyName("fromUs")]
    public required Duration From { get; init; }

    /// <summary>Where they end, from the episode's start; at least its latency.</summary>
    [JsonPropertyName("toUs")]
    public required Duration To { get; init; }

    /// <summary>The victim's CPU first, then those that have something to show, by number.</summary>
    public required IReadOnlyList<CpuLane> Cpus { get; init; }
}

/// <summary>What one CPU did.</summary>
public sealed record CpuLane
{
    public required int Cpu { get; init; }

    /// <summary>
    /// Three numbers for each span: nanoseconds from the end of the span before it (the first: from the lanes' start), nanoseconds that it
    /// took, its place in <see cref="LanesReport.Works"/>. What no span covers is not known.
    /// </summary>
    public required IReadOnlyList<long> Spans { get; init; }

    /// <summary>
    /// Two numbers for each sample: nanoseconds from the sample before it (the first: from the lanes' start), its node in
    /// <see cref="LanesReport.Code"/>.
    /// </summary>
    public required IReadOnlyList<long> Samples { get; init; }

    /// <summary>
    /// Where there were too many spans: neighbours shorter than this were joined, and the joined one shows what took most of it. Else
    /// absent.
    /// </summary>
    [JsonPropertyName("joinedBelowUs")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public Duration? JoinedBelow { get; init; }

    /// <summary>Where there were too many samples: each stands for this many. Absent where each stands for itself.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? SamplesEach { get; init; }
}

/// <summary>Episodes of which only the place on the map is told; three lists of the same length, by start.</summary>
public sealed record LeftOutEpisodes
{
    public required int Count { get; init; }

    /// <summary>When each began: microseconds after the one before it, the first from the header event.</summary>
    public required IReadOnlyList<long> StartsUs { get; init; }

    /// <summary>How long each was, in microseconds.</summary>
    public required IReadOnlyList<long> LatenciesUs { get; init; }

    /// <summary>Who had the largest part of each: a place in <see cref="Owners"/>.</summary>
    public required IReadOnlyList<int> Causes { get; init; }

    /// <summary>The owners of the largest parts; null where the owner is not known.</summary>
    public required IReadOnlyList<string?> Owners { get; init; }
}

/// <summary>A driver of the machine, as far as the trace describes its file.</summary>
/// <param name="Version">File version; null where unknown.</param>
/// <param name="Company">Company name of the version resource; null where unknown.</param>
/// <param name="Timestamp">When it was built, UTC; null where unknown.</param>
public sealed record LaneDriver(string Name, string? Version, string? Company, DateTime? Timestamp);
