using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>One latency at or above the threshold, with every microsecond of it accounted for.</summary>
public sealed record Episode
{
    /// <summary>0-based number in order of start.</summary>
    public required int Id { get; init; }

    public required ProbeKind Probe { get; init; }

    /// <summary>When the victim became runnable.</summary>
    [JsonPropertyName("startUs")]
    public required Duration Start { get; init; }

    /// <summary>The same as a moment, UTC; absent where the trace does not tell when it was recorded.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public DateTime? StartUtc { get; init; }

    /// <summary>
    /// From runnable to the first instruction; for a job the time that it lost, see <see cref="EpisodeJob.Lost"/>. Where a glitch is by
    /// the job's own work, that as well.
    /// </summary>
    [JsonPropertyName("latencyUs")]
    public required Duration Latency { get; init; }

    /// <summary>When it ended: the victim ran, or was done with its job.</summary>
    [JsonIgnore]
    public Duration End => Job?.End ?? Start + Latency;

    /// <summary>The CPU the victim waited for; null when it is not known.</summary>
    public required int? Cpu { get; init; }

    /// <summary>The victim; null where it is a CPU.</summary>
    public required VictimThread? Thread { get; init; }

    /// <summary>The parts of the way; null where they were not measured.</summary>
    public required LatencyPhases? Phases { get; init; }

    /// <summary>The way from the interrupt to the thread; absent where no recorded queue of DPCs lies on it.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public WakeupChain? Chain { get; init; }

    /// <summary>The job, for probe <see cref="ProbeKind.Job"/>, and for a glitch that one explains; else absent.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public EpisodeJob? Job { get; init; }

    /// <summary>Whether it is a job that was done after its deadline.</summary>
    [JsonIgnore]
    public bool MissedDeadline => Job is { Deadline: { } deadline } && Job.End > deadline;

    /// <summary>What took the time, the largest first.</summary>
    public required IReadOnlyList<Cause> Causes { get; init; }

    /// <summary>Latency minus the causes above, exactly.</summary>
    [JsonPropertyName("unexplainedUs")]
    public Duration Unexplained => Causes.Aggregate(Latency, (rest, cause) => rest - cause.Time);

    /// <summary>What the samples inside the episode hit.</summary>
    public required EpisodeSamples Samples { get; init; }

    /// <summary>
    /// Whether it belongs to the second ranking: nobody measured waited for it, or only threads of ordinary priority did. Absent where not.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public bool Secondary { get; init; }

    /// <summary>
    /// Whether it is the timer of the kernel driver that came late, which serves the measured wake-ups of all CPUs; the CPU is the one
    /// whose clock serves it. Absent where not.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public bool LateTimer { get; init; }
}

/// <summary>The thread that waited.</summary>
public sealed record VictimThread
{
    /// <summary>Process id; null when unknown.</summary>
    public required long? Pid { get; init; }

    public required long Tid { get; init; }

    /// <summary>Image name of its process; null when unknown.</summary>
    public required string? Process { get; init; }

    /// <summary>Its priority when it ran, 0 to 31; null when unknown.</summary>
    public required int? Priority { get; init; }
}

/// <summary>
/// Interrupt, DPC and thread latency of one wake-up (Cota-Robles &amp; Held 2.1). Null is a part that could not be measured.
/// </summary>
public sealed record LatencyPhases
{
    /// <summary>From the interrupt's due time to the first instruction of its ISR.</summary>
    [JsonPropertyName("interruptUs")]
    public required Duration? Interrupt { get; init; }

    /// <summary>From the ISR, or from when the driver's timer of all CPUs queued it, to the first instruction of the DPC.</summary>
    [JsonPropertyName("dpcUs")]
    public required Duration? Dpc { get; init; }

    /// <summary>From the DPC to the first instruction of the thread.</summary>
    [JsonPropertyName("threadUs")]
    public required Duration? Thread { get; init; }
}

/// <summary>
/// What a thread did from the moment it should run until it waited of its own accord for its next turn. Its response is that whole time.
/// Times are moments as <see cref="Episode.Start"/> is, but for <see cref="Work"/> and <see cref="Lost"/>.
/// </summary>
public sealed record EpisodeJob
{
    /// <summary>When it should have been made ready, by the thread's beat; null where it was ready in time, or has no beat.</summary>
    [JsonPropertyName("dueUs")]
    public required Duration? Due { get; init; }

    /// <summary>When the thread was made ready; null where that is not recorded: then the job begins when it ran.</summary>
    [JsonPropertyName("readyUs")]
    public required Duration? Ready { get; init; }

    /// <summary>When it first ran.</summary>
    [JsonPropertyName("runUs")]
    public required Duration Run { get; init; }

    /// <summary>Its own time on CPUs, net of the ISRs, DPCs and blackouts that interrupted it.</summary>
    [JsonPropertyName("workUs")]
    public required Duration Work { get; init; }

    /// <summary>
    /// The rest of its response: due and not ready, ready and not running, preempted, interrupted, stopped, or waiting inside.
    /// </summary>
    [JsonPropertyName("lostUs")]
    public required Duration Lost { get; init; }

    /// <summary>When it was done.</summary>
    [JsonPropertyName("endUs")]
    public required Duration End { get; init; }

    /// <summary>When it should have been done: the next beat, or what the user said; null where neither is known.</summary>
    [JsonPropertyName("deadlineUs")]
    public required Duration? Deadline { get; init; }
}

/// <summary>One part of an episode's latency.</summary>
public sealed record Cause
{
    /// <summary>Who owns it; null when the owner is unknown.</summary>
    public required string? Culprit { get; init; }

    /// <summary>How it kept the victim waiting.</summary>
    public required Mechanism Mechanism { get; init; }

    [JsonPropertyName("us")]
    public required Duration Time { get; init; }

    /// <summary>The routine that ran, <c>module!function</c> or <c>module+0x1234</c>; null where there is none.</summary>
    public required string? Routine { get; init; }

    /// <summary>
    /// The threads between the victim and the cause, the nearest to the victim first: each should have made the one before it ready, and
    /// was kept itself. Absent where the cause kept the victim itself.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<ChainLink>? Chain { get; init; }
}

/// <summary>A thread that others waited for.</summary>
public sealed record ChainLink
{
    /// <summary>Thread id.</summary>
    public required long Thread { get; init; }

    /// <summary>Image name of its process; null when unknown.</summary>
    public required string? Process { get; init; }

    /// <summary>What it did meanwhile: <c>waited for a CPU</c>, <c>ran</c>, <c>waited for a page</c>, <c>waited for the next</c>.</summary>
    public required string Why { get; init; }
}

/// <summary>The samples inside an episode: the trace of Cota-Robles &amp; Held's Table 4.</summary>
public sealed record EpisodeSamples
{
    public required int Total { get; init; }

    /// <summary>Where they hit, most first.</summary>
    public required IReadOnlyList<SampledFunction> Functions { get; init; }
}

public sealed record SampledFunction
{
    /// <summary>Module file name; null for an address outside every image.</summary>
    public required string? Module { get; init; }

    /// <summary>
    /// Function name, or <c>+0x1234</c> from the module's base without symbols; outside every image whose code it is, null where unknown.
    /// </summary>
    public required string? Function { get; init; }

    public required int Count { get; init; }
}
