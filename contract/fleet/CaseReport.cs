using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// One trace among many: schema <c>tracer.case/1</c>, a line of what <c>analyzer blame --format cases</c> writes and <c>analyzer fleet</c>
/// reads. What a comparison of machines needs, and no name of a person, a computer, a file or a program of the user's unless that was asked
/// for. Times in microseconds; unknown is null.
/// </summary>
public sealed record CaseReport : IReport<CaseReport>
{
    /// <summary>The schema that this record writes.</summary>
    public const string SchemaName = "tracer.case/1";

    /// <summary>Always <see cref="SchemaName"/>.</summary>
    [JsonRequired]
    public string Schema { get; init; } = SchemaName;

    /// <summary>
    /// 32 hexadecimal digits that follow from what the trace holds, whatever it is called and however it is packed: the same trace twice
    /// counts once.
    /// </summary>
    public required string Id { get; init; }

    /// <summary>
    /// The machine: a pseudonym of its computer's name, or the name itself where that was asked for; null where the trace does not tell.
    /// </summary>
    public required string? Machine { get; init; }

    /// <summary>Where the trace is; absent unless names were asked for.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Trace { get; init; }

    public required DateTime? RecordedUtc { get; init; }

    /// <summary>Why the trace could not be judged at all, such as a file that is no trace; null where it could, well or badly.</summary>
    public required CaseProblem? Problem { get; init; }

    /// <summary>From the first event to the last.</summary>
    [JsonPropertyName("durationUs")]
    public required Duration? Duration { get; init; }

    /// <summary>The part of a longer trace that it is; absent where it is none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public SlicePart? Slice { get; init; }

    /// <summary>What was read of it and what is missing.</summary>
    public required CaseLosses Losses { get; init; }

    /// <summary>Latency from here on is an episode.</summary>
    [JsonPropertyName("thresholdUs")]
    public required Duration Threshold { get; init; }

    /// <summary>Threads of this priority or more count, 0 to 31.</summary>
    public required int MinPriority { get; init; }

    /// <summary>Who or what is to blame; null where nothing could be judged.</summary>
    public required Verdict? Verdict { get; init; }

    /// <summary>How many wake-ups were measured.</summary>
    public required long Probes { get; init; }

    /// <summary>Episodes that the verdict is drawn from.</summary>
    public required int Episodes { get; init; }

    /// <summary>How many of them are jobs that were done after their deadline; absent for 0.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public int DeadlinesMissed { get; init; }

    /// <summary>How many glitches Windows itself recorded; absent for 0.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public long Glitches { get; init; }

    /// <summary>Their latencies added up.</summary>
    [JsonPropertyName("overThresholdUs")]
    public required Duration OverThreshold { get; init; }

    /// <summary>The longest latency of any probe; null where nothing was measured.</summary>
    [JsonPropertyName("worstUs")]
    public required Duration? Worst { get; init; }

    /// <summary>Who is to blame, the largest share first; at most <see cref="MostCulprits"/>.</summary>
    public required IReadOnlyList<CaseCulprit> Culprits { get; init; }

    /// <summary>The ways in which it came about, the most latency first; at most <see cref="MostChains"/>.</summary>
    public required IReadOnlyList<CaseChain> Chains { get; init; }

    /// <summary>The machine, as far as the trace tells.</summary>
    public required CaseSystem System { get; init; }

    /// <summary>The kernel's images with their versions, by name; at most <see cref="MostDrivers"/>.</summary>
    public required IReadOnlyList<CaseDriver> Drivers { get; init; }

    /// <summary>All latencies, by kind and what measured them.</summary>
    public required IReadOnlyList<CaseLatency> Latencies { get; init; }

    public const int MostCulprits = 10;

    public const int MostChains = 20;

    /// <summary>Most entries of <see cref="Drivers"/>: no machine has more, but a damaged trace may claim so.</summary>
    public const int MostDrivers = 2000;

    static string IReport<CaseReport>.SchemaName => SchemaName;

    static JsonTypeInfo<CaseReport> IJsonRecord<CaseReport>.JsonType(bool indented) => FleetJson.In(indented).CaseReport;

    /// <summary>The annotations say nothing about entries of lists.</summary>
    static string? IReport<CaseReport>.Problem(CaseReport report)
    {
        IEnumerable<object?> entries = [.. report.Drivers, .. report.Chains, .. report.Latencies, .. report.Culprits];
        return entries.Contains(null) ? "A list holds null." : null;
    }
}

/// <summary>Why a trace could not be judged.</summary>
/// <param name="Kind">
/// <c>unreadable</c>, <c>empty</c>, <see cref="Unreachable"/>, <c>refused</c>: a request that means nothing for this trace; or
/// <c>failed</c>: a fault of the analysis.
/// </param>
/// <param name="Message">What was wrong, without the name of the file.</param>
public sealed record CaseProblem(string Kind, string Message)
{
    /// <summary>A server did not give it: nothing is known of the trace, and another try may have it.</summary>
    public const string Unreachable = "unreachable";

    /// <summary>Whether another try may have the trace.</summary>
    [JsonIgnore]
    public bool MayPass => Kind == Unreachable;
}

/// <summary>What was read of a trace and what is missing.</summary>
/// <param name="EventsLost">Events that the writing system says it lost.</param>
/// <param name="DamagedBuffers">Buffers of the file that could not be read whole.</param>
/// <param name="Truncated">Whether the file ends before its writer meant it to.</param>
public sealed record CaseLosses(long Events, long EventsLost, long BuffersLost, long DamagedBuffers, bool Truncated);

/// <summary>One who is to blame, as <see cref="Culprit"/> of a blame report.</summary>
public sealed record CaseCulprit
{
    /// <summary>What sort of thing it is.</summary>
    public required CulpritKind Kind { get; init; }

    /// <summary>Its name; a pseudonym for a program that is no part of Windows.</summary>
    public required string Name { get; init; }

    /// <summary>The mechanism behind most of the blamed time.</summary>
    public required Mechanism Mechanism { get; init; }

    /// <summary>The frameworks that it ran behind.</summary>
    public required IReadOnlyList<string> Through { get; init; }

    /// <summary>Part of all over-threshold latency, 0 to 1.</summary>
    public required double Share { get; init; }

    /// <summary>The blamed time in all episodes.</summary>
    [JsonPropertyName("blamedUs")]
    public required Duration Blamed { get; init; }

    /// <summary>In how many episodes it has a cause.</summary>
    public required int Episodes { get; init; }

    /// <summary>How sure the blame is.</summary>
    public required Confidence Confidence { get; init; }

    /// <summary>The beat of its episodes in seconds; null where there is none to be seen.</summary>
    public required double? BeatSeconds { get; init; }

    /// <summary>File version of its image; null where unknown.</summary>
    public required string? Version { get; init; }

    /// <summary>
    /// The device that it drives: of its name the words that many devices have, or all of it where names were asked for. Absent where
    /// unknown.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Device { get; init; }
}

/// <summary>Episodes of one trace whose time was taken in the same way.</summary>
public sealed record CaseChain
{
    /// <summary>How the largest part of them came about.</summary>
    public required Mechanism Mechanism { get; init; }

    /// <summary>What sort of thing the owner is; null where the owner is not known or there is none.</summary>
    public required CulpritKind? Kind { get; init; }

    /// <summary>Who owns that part, as <see cref="CaseCulprit.Name"/>; null where it is not known or nobody's.</summary>
    public required string? Owner { get; init; }

    /// <summary>
    /// Its routine: <c>module!function</c>, or <c>module+0x1234</c> without symbols, which is the same only in the same version of the
    /// module. Null where none is known.
    /// </summary>
    public required string? Path { get; init; }

    /// <summary>The owner's beat in seconds; null where there is none.</summary>
    public required double? BeatSeconds { get; init; }

    /// <summary>All parts that took a tenth or more, the most time first: mechanism and owner.</summary>
    public required IReadOnlyList<string> Links { get; init; }

    public required int Episodes { get; init; }

    [JsonPropertyName("us")]
    public required Duration Latency { get; init; }

    [JsonPropertyName("worstUs")]
    public required Duration Worst { get; init; }
}

/// <summary>A machine as its trace describes it; null for what it does not tell.</summary>
public sealed record CaseSystem
{
    public required int? OsBuild { get; init; }

    public required int? Cpus { get; init; }

    public required string? Cpu { get; init; }

    /// <summary>Physical memory in MiB.</summary>
    public required int? MemoryMb { get; init; }

    /// <summary>Whether a hypervisor runs below the system.</summary>
    public required bool? Hypervisor { get; init; }

    /// <summary>Who made the machine, and what it is called.</summary>
    public required string? Model { get; init; }

    /// <summary>Version and date of the firmware.</summary>
    public required string? Firmware { get; init; }
}

/// <summary>A driver or other image of the kernel.</summary>
/// <param name="Version">
/// File version, else what tells its builds apart: when it was built, or the identity of its PDB; null where unknown.
/// </param>
public sealed record CaseDriver(string Name, string? Version);

/// <summary>All latencies of one kind and source.</summary>
/// <param name="Kind">From where to where it counts.</param>
/// <param name="Histogram">All of it, in nanoseconds: <see cref="HdrEncoding"/>.</param>
public sealed record CaseLatency(
    LatencyKind Kind, LatencySource Source, long Count, [property: JsonPropertyName("maxUs")] Duration Maximum, string Histogram);
