using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// What <c>analyzer blame --format json</c> prints: schema <c>tracer.blame/1</c>. Times are microseconds from the header event of the
/// trace, and may be negative; whatever the trace does not tell is null, never 0; the same trace gives the same bytes.
/// </summary>
public sealed record BlameReport : IReport<BlameReport>
{
    /// <summary>The schema that this record writes and reads.</summary>
    public const string SchemaName = "tracer.blame/1";

    /// <summary>Always <see cref="SchemaName"/>.</summary>
    [JsonRequired]
    public string Schema { get; init; } = SchemaName;

    public required TraceSummary Trace { get; init; }

    /// <summary>What the user asked for, defaults included.</summary>
    public required BlameSettings Settings { get; init; }

    /// <summary>The answer in one record.</summary>
    public required BlameSummary Summary { get; init; }

    /// <summary>
    /// Who is to blame, the largest share of over-threshold latency first: for the glitches that Windows recorded, as far as something
    /// explains them; else for waits of threads of the priority asked for, measured wake-ups, and blackouts of the machine; where there are
    /// none of these, for the rest.
    /// </summary>
    public required IReadOnlyList<Culprit> Culprits { get; init; }

    /// <summary>
    /// The same for what no measured thread waited for: CPUs kept at ISR or DPC level without a victim, and threads that keep only those of
    /// ordinary priority waiting. Where glitches decide the verdict, for all that explains none. Absent where there is none, or
    /// where that is all there is.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<Culprit>? Secondary { get; init; }

    /// <summary>What would be left without whom the user named; absent where nobody was named.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public LeftWithout? Without { get; init; }

    /// <summary>What Windows itself recorded as glitches, by time; absent where it recorded none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<Glitch>? Glitches { get; init; }

    /// <summary>Innocents that other tools would have named, each with the reason.</summary>
    public required IReadOnlyList<ClearedName> Cleared { get; init; }

    /// <summary>Every episode found, in order of its start.</summary>
    public required IReadOnlyList<Episode> Episodes { get; init; }

    /// <summary>What each driver's ISRs and DPCs took in the part of the trace that was asked about, our own included.</summary>
    public required IReadOnlyList<DriverActivity> Drivers { get; init; }

    /// <summary>
    /// The same for each routine, the longest total first, at most <see cref="Defaults.RoutinesListed"/>; absent where none ran.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<RoutineActivity>? Routines { get; init; }

    /// <summary>
    /// Hard page faults by process and file, the longest total first; absent where the part that was asked about has none.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<FileFaults>? Faults { get; init; }

    /// <summary>
    /// What the recording itself cost and what the clock's interrupts did, where the trace has ISR records of them, or the kernel driver
    /// told its cost; else absent.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public RecordingCost? Recording { get; init; }

    /// <summary>
    /// When the whole machine stood still for so long that it slept, was paused as a guest, or hung: that is not judged. By time, at most
    /// <see cref="MostPauses"/>; absent where it did not.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<MachinePause>? Pauses { get; init; }

    public const int MostPauses = 1000;

    /// <summary>
    /// Where the samples of the whole trace hit and who had the CPUs; only where the trace has no ISR and DPC records to blame by, else
    /// absent.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public TraceProfile? Profile { get; init; }

    /// <summary>
    /// The episodes put together by their main causes, the most latency first; only where there are too many to be read one by one, else
    /// absent.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<EpisodeGroup>? Groups { get; init; }

    /// <summary>The case for and against the one whom the user suspects; absent where nobody was asked for.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public SuspectCase? Suspect { get; init; }

    /// <summary>What the reader can do next, the most useful first; at most three.</summary>
    public IReadOnlyList<NextStep> NextSteps { get; init; } = [];

    /// <summary>
    /// The longest latency among the episodes that the verdict is drawn from: neither the second ranking nor waits that the granularity of
    /// timers explains. Null where there is none.
    /// </summary>
    [JsonIgnore]
    public Duration? WorstOfFirst => Episodes
        .Where(episode => !episode.Secondary && Interfered(episode) >= Settings.Threshold)
        .Select(episode => (Duration?)episode.Latency).Max();

    private static Duration Interfered(Episode episode) => new(
        episode.Latency.Nanoseconds
        - episode.Causes.Where(cause => cause.Mechanism == Mechanism.TimerTick).Sum(cause => cause.Time.Nanoseconds));

    /// <summary>What the reader must know to trust the rest: losses, damage, what was not recorded.</summary>
    public required IReadOnlyList<string> Warnings { get; init; }

    static string IReport<BlameReport>.SchemaName => SchemaName;

    static JsonTypeInfo<BlameReport> IJsonRecord<BlameReport>.JsonType(bool indented) => BlameJson.In(indented).BlameReport;
}

/// <summary>A time in which the whole machine stood still.</summary>
/// <param name="Start">When, from the header event.</param>
public sealed record MachinePause(
    [property: JsonPropertyName("startUs")] Duration Start, [property: JsonPropertyName("lengthUs")] Duration Length);

/// <summary>The interrupts that are no device's, and the kernel driver.</summary>
/// <param name="ProfileInterrupt">Takes the profile samples; null where the trace has no records of it.</param>
/// <param name="ClockInterrupt">The system's clock; null where the trace has no records of it.</param>
/// <param name="Share">Part of all CPUs' time that taking the samples took, 0 to 1.</param>
public sealed record RecordingCost(InterruptCost? ProfileInterrupt, InterruptCost? ClockInterrupt, double Share)
{
    /// <summary>What the kernel driver took that measured the wake-ups; absent where it did not tell.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public DriverCost? Driver { get; init; }
}

/// <summary>What the kernel driver told of itself, over all of its runs that the trace holds.</summary>
/// <param name="Own">CPU time of its callbacks, DPCs and threads on all CPUs.</param>
/// <param name="Run">How long it measured.</param>
/// <param name="Floor">The latency of a wake-up that nothing delays, as it measured it last; null where it did not.</param>
/// <param name="Tick">From one clock tick to the next, as it found it last; null where there are none, or it is not known.</param>
/// <param name="LateTimers">How often its timer of all CPUs was late by its threshold.</param>
/// <param name="Discarded">Wake-ups that a change of the power state spoilt.</param>
/// <param name="UnmeasuredCpus">Processors that were added later, and are not measured.</param>
public sealed record DriverCost(
    [property: JsonPropertyName("ownUs")] Duration Own,
    [property: JsonPropertyName("runUs")] Duration Run,
    [property: JsonPropertyName("floorUs")] Duration? Floor,
    [property: JsonPropertyName("tickUs")] Duration? Tick,
    long LateTimers,
    long Discarded,
    int UnmeasuredCpus);

/// <summary>What an interrupt took over the whole trace.</summary>
/// <param name="Count">How often it came.</param>
/// <param name="Total">The time of its routine, with what interrupted that.</param>
public sealed record InterruptCost(long Count, [property: JsonPropertyName("totalUs")] Duration Total);

/// <summary>The settings an analysis ran with.</summary>
public sealed record BlameSettings
{
    /// <summary>Latency at or above this is an episode.</summary>
    [JsonPropertyName("thresholdUs")]
    public Duration Threshold { get; init; } = Defaults.Threshold;

    /// <summary>Which probes were wanted.</summary>
    public ProbeChoice Probe { get; init; } = ProbeChoice.Auto;

    /// <summary>The lowest priority of a thread whose wake-ups count as probes, 0 to 31.</summary>
    public int MinPriority { get; init; } = Defaults.MinimumPriority;

    /// <summary>The process, by name or id, whose waits alone count, whatever their priority; null for all.</summary>
    public string? Process { get; init; }

    /// <summary>The id of the thread whose waits alone count; null for all.</summary>
    public long? Thread { get; init; }

    /// <summary>The length of the victims' beat, where the user told it; absent where it is learnt.</summary>
    [JsonPropertyName("periodUs")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public Duration? Period { get; init; }

    /// <summary>How long after it should run a job should be done; absent for the thread's next beat.</summary>
    [JsonPropertyName("deadlineUs")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public Duration? Deadline { get; init; }

    /// <summary>The CPUs whose episodes alone count; null for all.</summary>
    public IReadOnlyList<int>? Cpus { get; init; }

    /// <summary>Only episodes that begin at this time or later count; null for no limit.</summary>
    [JsonPropertyName("fromUs")]
    public Duration? From { get; init; }

    /// <summary>Only episodes that begin at this time or earlier count; null for no limit.</summary>
    [JsonPropertyName("toUs")]
    public Duration? To { get; init; }

    /// <summary>The moment around which all is of interest, of which the two above follow; absent for none.</summary>
    [JsonPropertyName("atUs")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public Duration? At { get; init; }

    /// <summary>
    /// From where all other times of the report count, itself counted from the header event; absent where they count from that.
    /// </summary>
    [JsonPropertyName("zeroUs")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public Duration? Zero { get; init; }

    /// <summary>Whom the user wants to be thought away; null for nobody.</summary>
    public string? Without { get; init; }

    /// <summary>Whom the user suspects; null for nobody.</summary>
    public string? Suspect { get; init; }
}

/// <summary>The answer of a report.</summary>
public sealed record BlameSummary
{
    public required Verdict Verdict { get; init; }

    /// <summary>The name of the first culprit; null when the verdict is none or unknown.</summary>
    public required string? Culprit { get; init; }

    /// <summary>The verdict as one sentence: who, how, how much.</summary>
    public required string Conclusion { get; init; }

    /// <summary>How many glitches Windows itself recorded; absent where it recorded none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public GlitchCounts? Glitches { get; init; }

    /// <summary>How many wake-ups were measured, in time or not.</summary>
    public required long Probes { get; init; }

    /// <summary>How many episodes were found that the verdict is drawn from.</summary>
    public required int Episodes { get; init; }

    /// <summary>How many more there are of the second ranking.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public int SecondaryEpisodes { get; init; }

    /// <summary>The longest latency of any probe; null where nothing was measured.</summary>
    [JsonPropertyName("worstUs")]
    public required Duration? Worst { get; init; }

    /// <summary>The latencies of those episodes added up; shares are parts of this.</summary>
    [JsonPropertyName("overThresholdUs")]
    public required Duration OverThreshold { get; init; }
}

/// <summary>Something that the reader can do.</summary>
/// <param name="Step">What, as an order without its full stop.</param>
/// <param name="Why">Why, as half a sentence.</param>
public sealed record NextStep(string Step, string Why);

/// <summary>A driver, process or other name that is not to blame although it looks so.</summary>
/// <param name="Name">The name, as a culprit's would be.</param>
/// <param name="Why">Why it is innocent, as one sentence.</param>
public sealed record ClearedName(string Name, string Why);

/// <summary>Who had the CPUs of a trace that lacks ISR and DPC records.</summary>
public sealed record TraceProfile
{
    /// <summary>Samples that did not hit an idle thread.</summary>
    public required long Samples { get; init; }

    /// <summary>Where they hit, most first; at most 50.</summary>
    public required IReadOnlyList<SampledFunction> Functions { get; init; }

    /// <summary>Context switches; null where none were recorded.</summary>
    public required long? Switches { get; init; }

    /// <summary>Processes by the time that their threads ran, most first, at most 50; empty where switches were not recorded.</summary>
    public required IReadOnlyList<ProcessRunTime> Processes { get; init; }
}

/// <summary>How long a process had CPUs.</summary>
/// <param name="Process">Image name, or the process id in decimal where the name is not known.</param>
/// <param name="Time">Time that its threads ran, ISRs and DPCs on top of them included.</param>
/// <param name="Switches">How often one of its threads was switched in.</param>
public sealed record ProcessRunTime(string Process, [property: JsonPropertyName("us")] Duration Time, long Switches);
