using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// What <c>analyzer fleet --format json</c> prints: schema <c>tracer.fleet/1</c>. Which causes cost most over all machines, and what the
/// machines that have them share. Times in microseconds; unknown is null; the same cases give the same bytes, but for times that are ahead
/// of the clock.
/// </summary>
public sealed record FleetReport : IReport<FleetReport>
{
    /// <summary>Value of <see cref="Schema"/>.</summary>
    public const string SchemaName = "tracer.fleet/1";

    [JsonRequired]
    public string Schema { get; init; } = SchemaName;

    public required FleetSummary Summary { get; init; }

    /// <summary>The causes, in the order that was asked for; at most <see cref="MostClusters"/>.</summary>
    public required IReadOnlyList<FleetCluster> Clusters { get; init; }

    /// <summary>All latencies of all machines, by kind and what measured them.</summary>
    public required IReadOnlyList<FleetLatency> Latencies { get; init; }

    /// <summary>The machines of the cluster that was asked for, the most time first; absent where none was.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<FleetMachine>? Machines { get; init; }

    /// <summary>Its cases, the most time first; absent where none was asked for.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<FleetCase>? Cases { get; init; }

    /// <summary>Cases that could not be judged; absent where all were.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<FleetUnjudged>? Unjudged { get; init; }

    /// <summary>What no case tells although it may matter, such as the power plan.</summary>
    public required IReadOnlyList<string> NotRecorded { get; init; }

    /// <summary>What limits the answer, one sentence each.</summary>
    public required IReadOnlyList<string> Warnings { get; init; }

    public const int MostClusters = 1000;

    /// <summary>Most entries of <see cref="Machines"/> and of <see cref="Cases"/>.</summary>
    public const int MostListed = 10_000;

    static string IReport<FleetReport>.SchemaName => SchemaName;

    static JsonTypeInfo<FleetReport> IJsonRecord<FleetReport>.JsonType(bool indented) => FleetJson.In(indented).FleetReport;
}

public sealed record FleetSummary
{
    /// <summary>Cases, each trace once.</summary>
    public required long Cases { get; init; }

    /// <summary>Machines with a case that could be judged.</summary>
    public required long Machines { get; init; }

    /// <summary>Cases that could be judged: neither unreadable nor undecided.</summary>
    public required long Judged { get; init; }

    /// <summary>Cases whose trace lacks what is needed to tell; neither affected nor unaffected.</summary>
    public required long Undecided { get; init; }

    /// <summary>Cases whose trace could not be read; neither affected nor unaffected.</summary>
    public required long Unreadable { get; init; }

    /// <summary>Judged cases of which something is missing.</summary>
    public required long Lossy { get; init; }

    /// <summary>Cases that do not tell their machine; they count for time, not for machines.</summary>
    public required long WithoutMachine { get; init; }

    /// <summary>When the first was recorded, UTC; null where no case tells.</summary>
    public required DateTime? FromUtc { get; init; }

    /// <summary>When the last was recorded, UTC; null where no case tells.</summary>
    public required DateTime? ToUtc { get; init; }

    /// <summary>Latency from here on is an episode.</summary>
    [JsonPropertyName("thresholdUs")]
    public required Duration Threshold { get; init; }

    /// <summary>Threads of this priority or more count.</summary>
    public required long MinPriority { get; init; }

    /// <summary>Episodes of the judged cases.</summary>
    public required long Episodes { get; init; }

    /// <summary>How many of these are jobs that were done after their deadline.</summary>
    public required long DeadlinesMissed { get; init; }

    /// <summary>Glitches that Windows itself recorded, in all cases: also in those that could not be judged.</summary>
    public required long Glitches { get; init; }

    /// <summary>Their latencies added up.</summary>
    [JsonPropertyName("overThresholdUs")]
    public required Duration OverThreshold { get; init; }

    public required int Clusters { get; init; }

    /// <summary>Where what is new begins, UTC; null where that was not asked for.</summary>
    public required DateTime? SinceUtc { get; init; }
}

/// <summary>Latency of one cause on all machines.</summary>
public sealed record FleetCluster
{
    /// <summary>What it is called; the same cause has the same in other runs, too.</summary>
    public required string Id { get; init; }

    public required Mechanism Mechanism { get; init; }

    /// <summary>What sort of thing the owner is; null where that is not known.</summary>
    public required CulpritKind? Kind { get; init; }

    /// <summary>Whose it is, in lower case; null where that is not known.</summary>
    public required string? Owner { get; init; }

    /// <summary>The device that its driver drives on most of its machines; absent where no case tells.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Device { get; init; }

    /// <summary>Its routine, of most of the time; null where none is known.</summary>
    public required string? Routine { get; init; }

    /// <summary>Its beat in seconds, that of most cases that have one; null where none has.</summary>
    public required double? BeatSeconds { get; init; }

    public required long Machines { get; init; }

    /// <summary>Part of all judged machines, 0 to 1.</summary>
    public required double MachineShare { get; init; }

    public required long Cases { get; init; }

    public required long Episodes { get; init; }

    /// <summary>Their latencies added up.</summary>
    [JsonPropertyName("us")]
    public required Duration Time { get; init; }

    /// <summary>Part of all over-threshold latency, 0 to 1.</summary>
    public required double TimeShare { get; init; }

    [JsonPropertyName("worstUs")]
    public required Duration Worst { get; init; }

    public required FleetCase Example { get; init; }

    /// <summary>When it was seen first, UTC; null where no case tells.</summary>
    public required DateTime? FirstUtc { get; init; }

    /// <summary>When it was seen last, UTC; null where no case tells.</summary>
    public required DateTime? LastUtc { get; init; }

    /// <summary>The times of the hour or of the day at which it comes; absent where it keeps none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public FleetClockTimes? ClockTimes { get; init; }

    /// <summary>How long the worst episode of each of its cases is, in steps of two; of at most 10,000 cases.</summary>
    public required IReadOnlyList<FleetBin> WorstOfCases { get; init; }

    /// <summary>The places in code that were taken for one cause, the most time first.</summary>
    public required IReadOnlyList<FleetRoutine> Routines { get; init; }

    /// <summary>What its machines have more often than others, the surest first.</summary>
    public required IReadOnlyList<FleetContrast> Contrasts { get; init; }

    /// <summary>How it changed; null where that was not asked for.</summary>
    public required FleetChange? Since { get; init; }
}

/// <summary>Times at which nearly all cases of a cause were recorded, and most others were not.</summary>
/// <param name="Each"><c>hour</c> or <c>day</c>, UTC.</param>
/// <param name="AtMinutes">Minutes after its begin, one or two: a minute on either side of an hour, a quarter of an hour of a day.</param>
/// <param name="Kept">How often the cause came then; cases of one machine that follow each other count once.</param>
/// <param name="Occasions">How often it came at all.</param>
/// <param name="OthersKept">Cases of other causes, or of none, that were recorded then.</param>
/// <param name="Others">All of these.</param>
public sealed record FleetClockTimes(
    string Each, IReadOnlyList<int> AtMinutes, int Kept, int Occasions, int OthersKept, int Others);

/// <summary>How many cases have their worst episode in a range.</summary>
/// <param name="To">The first length that is in it no more.</param>
public sealed record FleetBin(
    [property: JsonPropertyName("fromUs")] Duration From, [property: JsonPropertyName("toUs")] Duration To, long Cases);

/// <summary>A case that is neither affected nor unaffected.</summary>
/// <param name="Machine">Its machine; null where it does not tell.</param>
/// <param name="Problem">Why it could not be read; null where it was, and lacks what is needed to tell.</param>
/// <param name="Trace">Where the trace is; null where nothing tells.</param>
public sealed record FleetUnjudged(string Id, string? Machine, string? Problem, string? Trace);

/// <summary>A place in code.</summary>
/// <param name="Version">What tells the builds of its module apart; null where that is not known or does not matter.</param>
/// <param name="Name">What cases call it; null where they name no routine.</param>
/// <param name="Machines">Machines on which it was seen.</param>
/// <param name="Time">Time of its episodes.</param>
public sealed record FleetRoutine(string? Version, string? Name, long Machines, [property: JsonPropertyName("us")] Duration Time);

/// <summary>Something that affected machines have more often than others. Each machine counts once.</summary>
public sealed record FleetContrast
{
    /// <summary><c>driver NAME</c>, <c>os-build</c>, <c>cpu</c>, <c>cpus</c>, <c>model</c>, <c>firmware</c> and so on.</summary>
    public required string Trait { get; init; }

    /// <summary>Its value, such as the version; null where it matters that the driver is there at all.</summary>
    public required string? Value { get; init; }

    /// <summary>Machines with it that are affected.</summary>
    public required long Affected { get; init; }

    public required long Machines { get; init; }

    public required long OtherAffected { get; init; }

    public required long OtherMachines { get; init; }

    /// <summary>How many times as often those with it are affected; null where no other is.</summary>
    public required double? Ratio { get; init; }

    /// <summary>The lower end of its 95 % interval (Koopman 1984).</summary>
    public required double Low { get; init; }

    /// <summary>The upper end; null where there is none.</summary>
    public required double? High { get; init; }

    /// <summary>How often chance alone gives as much (Fisher's exact test), corrected for all that was compared (Holm).</summary>
    public required double Chance { get; init; }
}

/// <summary>
/// How often a cause is met now and before. Each machine is compared with itself, or, where too few were seen on both sides, one case of
/// each machine of one side with those of the other.
/// </summary>
public sealed record FleetChange
{
    /// <summary><c>new</c>, <c>rose</c>, <c>fell</c>, <c>not-shown</c> or <c>cant-tell</c>.</summary>
    public required string State { get; init; }

    public required long CasesBefore { get; init; }

    public required long CasesSince { get; init; }

    /// <summary>Machines that were seen both before and since, and have it.</summary>
    public required long Machines { get; init; }

    /// <summary>Machines that were seen only before; null where each machine is compared with itself.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? OthersBefore { get; init; }

    /// <summary>Machines that were seen only since; null where each machine is compared with itself.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? OthersSince { get; init; }

    /// <summary>
    /// How many times as many of a machine's cases have it (Mantel and Haenszel, or one case of each machine); null where none had it
    /// before.
    /// </summary>
    public required double? Ratio { get; init; }

    /// <summary>The lower end of its 95 % interval; null where there is none.</summary>
    public required double? Low { get; init; }

    /// <summary>The upper end; null where there is none.</summary>
    public required double? High { get; init; }

    /// <summary>How often chance alone gives as much, corrected for all clusters (Holm); null where too few machines tell.</summary>
    public required double? Chance { get; init; }
}

/// <summary>All latencies of one kind, on all machines.</summary>
/// <param name="Kind">From where to where it counts.</param>
/// <param name="Median">Half of them are later.</param>
/// <param name="P99">1 % of them are later.</param>
/// <param name="P999">0.1 % of them are later.</param>
/// <param name="Histogram">All of it, in nanoseconds, in steps of 6 %: <see cref="HdrEncoding"/>.</param>
public sealed record FleetLatency(
    LatencyKind Kind,
    LatencySource Source,
    long Count,
    [property: JsonPropertyName("p50Us")] Duration Median,
    [property: JsonPropertyName("p99Us")] Duration P99,
    [property: JsonPropertyName("p999Us")] Duration P999,
    [property: JsonPropertyName("maxUs")] Duration Maximum,
    string Histogram);

/// <summary>A machine that has a cause.</summary>
/// <param name="Machine">What it is called; null for cases that do not tell.</param>
/// <param name="Cases">Its cases that have the cause.</param>
/// <param name="Episodes">Their episodes of that cause.</param>
/// <param name="Time">Their latencies added up.</param>
public sealed record FleetMachine(
    string? Machine,
    long Cases,
    long Episodes,
    [property: JsonPropertyName("us")] Duration Time,
    [property: JsonPropertyName("worstUs")] Duration Worst);

/// <summary>A case that has a cause.</summary>
/// <param name="Machine">Its machine; null where it does not tell.</param>
/// <param name="RecordedUtc">When it was recorded, UTC; null where it does not tell.</param>
/// <param name="Episodes">Its episodes of that cause.</param>
/// <param name="Time">Their latencies added up.</param>
/// <param name="Trace">Where the trace is; null where neither the case nor the list beside the file of cases tells.</param>
public sealed record FleetCase(
    string Id,
    string? Machine,
    DateTime? RecordedUtc,
    long Episodes,
    [property: JsonPropertyName("us")] Duration Time,
    [property: JsonPropertyName("worstUs")] Duration Worst,
    string? Trace);
