using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>One who is to blame for a share of the over-threshold latency, and how we know.</summary>
public sealed record Culprit
{
    /// <summary>1 for the largest share.</summary>
    public required int Rank { get; init; }

    /// <summary>What sort of thing it is.</summary>
    public required CulpritKind Kind { get; init; }

    /// <summary>File name as in the trace, image name of a process, or a <see cref="CulpritName"/>.</summary>
    public required string Name { get; init; }

    /// <summary>The mechanism behind most of the blamed time.</summary>
    public required Mechanism Mechanism { get; init; }

    /// <summary>Part of all over-threshold latency, 0 to 1.</summary>
    public required double Share { get; init; }

    /// <summary>The blamed time in all episodes.</summary>
    [JsonPropertyName("blamedUs")]
    public required Duration Blamed { get; init; }

    /// <summary>In how many episodes it has a cause.</summary>
    public required int Episodes { get; init; }

    /// <summary>The most blamed time in one episode.</summary>
    [JsonPropertyName("worstUs")]
    public required Duration Worst { get; init; }

    /// <summary>How sure the blame is.</summary>
    public required Confidence Confidence { get; init; }

    /// <summary>The best proof that ties it to the time.</summary>
    public required Proof Proof { get; init; }

    /// <summary>The frameworks it ran behind (<c>ndis.sys</c>), the nearest to it first; empty when none.</summary>
    public IReadOnlyList<string> Through { get; init; } = [];

    public IReadOnlyList<FunctionTime> Functions { get; init; } = [];

    /// <summary>The routine's name where a thread was late by its own work, and others waited for that.</summary>
    public const string OwnWork = "own work";

    /// <summary>Whether it was late by its own work, for which others waited: nothing ran in its place.</summary>
    [JsonIgnore]
    public bool IsByOwnWork => Functions is [{ Name: OwnWork }, ..];

    /// <summary>The beat of its episodes; null where there is none to be seen.</summary>
    public Period? Period { get; init; }

    /// <summary>What would be left without it; null where that was not computed.</summary>
    public WithoutCulprit? Without { get; init; }

    /// <summary>Its image; null where the trace does not describe it.</summary>
    public ImageDescription? Image { get; init; }

    /// <summary>The device it drives, by friendly name; null when unknown.</summary>
    public string? Device { get; init; }

    /// <summary>Whether it runs code of the firmware (AML): then that code took the time. Absent for all others.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public bool RunsFirmware { get; init; }

    /// <summary>The process whose threads were in its code meanwhile; null where there is no such, and then left out.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public CulpritCaller? Caller { get; init; }

    /// <summary>The facts behind the blame, one sentence each.</summary>
    public IReadOnlyList<string> Evidence { get; init; } = [];

    /// <summary>How the evidence counts for it and against it.</summary>
    public CulpritVotes Votes { get; init; } = new();
}

/// <summary>A process that called a driver when it stopped a CPU or kept it at raised IRQL.</summary>
/// <param name="Process">Its image name.</param>
/// <param name="Times">In how many of the driver's blackouts or episodes its thread was in the driver's code.</param>
/// <param name="Of">The number of these.</param>
public sealed record CulpritCaller(string Process, int Times, int Of);

/// <summary>The case for a culprit and against it, by kind of evidence: also what the name does not rest on.</summary>
public sealed record CulpritVotes
{
    public IReadOnlyList<Vote> For { get; init; } = [];

    public IReadOnlyList<Vote> Against { get; init; } = [];
}

/// <summary>Evidence of one kind.</summary>
/// <param name="Count">How many pieces of that kind.</param>
public sealed record Vote(VoteKind Kind, long Count);

/// <summary>A kind of evidence that is counted for or against a culprit. In JSON in kebab case (<c>wdf-event</c>).</summary>
[JsonConverter(typeof(KebabCaseConverter<VoteKind>))]
public enum VoteKind
{
    /// <summary>Episodes: with a part of it; without.</summary>
    Episode,

    /// <summary>Runs in episodes whose record names its routine.</summary>
    Routine,

    /// <summary>Callbacks that the driver framework announced: its own; of another, behind whom samples show it.</summary>
    WdfEvent,

    /// <summary>Samples inside, whose stack shows it; whose stack shows others.</summary>
    Stack,

    /// <summary>Samples inside that hit its code; that hit others.</summary>
    Sample,

    /// <summary>Runs right behind its ISR.</summary>
    Vector,

    /// <summary>Blackouts with its code at the edges; with other code only.</summary>
    Edges,

    /// <summary>Stretches in which switches show that its threads ran, or that a CPU left an idle state.</summary>
    Switch,

    /// <summary>Beats with an episode of it; beats without one.</summary>
    Beat,

    /// <summary>Episodes that would be gone without it; that would be left.</summary>
    Replay,

    /// <summary>Runs of its own routines that kept nobody waiting.</summary>
    HarmlessRun,
}

public sealed record FunctionTime
{
    /// <summary><c>module!function</c>, or <c>module+0x1234</c> without symbols.</summary>
    public required string Name { get; init; }

    /// <summary>Blamed time; null where only samples are known.</summary>
    [JsonPropertyName("us")]
    public required Duration? Time { get; init; }

    /// <summary>Samples inside it.</summary>
    public required int Samples { get; init; }
}

/// <summary>A regular beat of events.</summary>
public sealed record Period
{
    /// <summary>The length of a beat in seconds.</summary>
    public required double Seconds { get; init; }

    /// <summary>Standard deviation of the phase, that is of the distance of the events on the beat from it, in milliseconds.</summary>
    public required double JitterMs { get; init; }

    /// <summary>The part of the beats that have an event, 0 to 1.</summary>
    public required double Coverage { get; init; }
}

/// <summary>What a replay of the trace without the culprit leaves.</summary>
public sealed record WithoutCulprit
{
    public required int Episodes { get; init; }

    /// <summary>The longest episode left; null where none is left.</summary>
    [JsonPropertyName("worstUs")]
    public required Duration? Worst { get; init; }
}

/// <summary>An image as the trace describes it.</summary>
public sealed record ImageDescription
{
    /// <summary>Its path, with a drive letter where the trace has the mapping.</summary>
    public required string Path { get; init; }

    public string? Version { get; init; }

    /// <summary>Company name of the version resource.</summary>
    public string? Company { get; init; }

    /// <summary>TimeDateStamp of the image header, as UTC; null when zero or a hash (reproducible build).</summary>
    public DateTime? Timestamp { get; init; }
}

/// <summary>What sort of thing a culprit is. In JSON in lower case.</summary>
[JsonConverter(typeof(KebabCaseConverter<CulpritKind>))]
public enum CulpritKind
{
    /// <summary>A driver; its name is the file name as in the trace.</summary>
    Driver,

    /// <summary>A process; its name is the image name, the process id stands in the evidence.</summary>
    Process,

    /// <summary>The kernel or HAL itself (its file name), or <see cref="CulpritName.HardPageFaults"/>.</summary>
    Kernel,

    /// <summary><see cref="CulpritName.HardwareOrFirmware"/> or <see cref="CulpritName.Hypervisor"/>.</summary>
    Hardware,

    /// <summary><see cref="CulpritName.PowerManagement"/>.</summary>
    Power,
}
