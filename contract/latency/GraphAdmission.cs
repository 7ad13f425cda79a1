using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>
/// Whether the threads of an application that is not on the machine yet would be done in time, against what was measured. All of them are
/// threads of one CPU. Null is unknown, of times also more than would be in time.
/// </summary>
public sealed record GraphAdmission
{
    /// <summary>The program whose threads in the trace are the graph's own; null for none.</summary>
    public required string? Process { get; init; }

    /// <summary>CPUs that were followed, of all traces.</summary>
    public required int Cpus { get; init; }

    /// <summary>How long, all CPUs together.</summary>
    [JsonPropertyName("followedUs")]
    public required Duration Followed { get; init; }

    /// <summary>Whether waits were recorded: else what no record explains is not known.</summary>
    public required bool HasWaits { get; init; }

    /// <summary>The nodes in the order of the file.</summary>
    public required IReadOnlyList<NodeAdmission> Nodes { get; init; }
}

/// <summary>Whether one node is done in time.</summary>
public sealed record NodeAdmission
{
    public required string Name { get; init; }

    [JsonPropertyName("periodUs")]
    public required Duration Period { get; init; }

    [JsonPropertyName("workUs")]
    public required Duration Work { get; init; }

    /// <summary>With the work of all nodes that must be done before it.</summary>
    [JsonPropertyName("chainWorkUs")]
    public required Duration ChainWork { get; init; }

    public required int Priority { get; init; }

    /// <summary>The least priority of these: what runs at it or above delays the node.</summary>
    public required int Level { get; init; }

    public required int Buffers { get; init; }

    /// <summary>It must be done so long after it was due.</summary>
    [JsonPropertyName("deadlineUs")]
    public required Duration Deadline { get; init; }

    /// <summary>Whether it would be in time with the graph alone on the machine.</summary>
    public required bool FitsAlone { get; init; }

    /// <summary>Whether it fits: the bound is in time; or not: it would have been late when it was observed. Null between them.</summary>
    public required bool? Fits { get; init; }

    /// <summary>
    /// When it would have been done at worst, had it been due when a CPU began to be busy; null for more than twice its time.
    /// </summary>
    [JsonPropertyName("observedUs")]
    public required Duration? Observed { get; init; }

    /// <summary>When that was.</summary>
    public required ObservedTime? ObservedAt { get; init; }

    /// <summary>When it is done if the worst that was seen of each driver and program comes together.</summary>
    [JsonPropertyName("boundUs")]
    public required Duration? Bound { get; init; }

    /// <summary>The CPU whose bound that is.</summary>
    public required int? BoundCpu { get; init; }

    /// <summary>The same if each run is as long as the longest, too.</summary>
    [JsonPropertyName("strictBoundUs")]
    public required Duration? StrictBound { get; init; }

    /// <summary>What the bound is made of besides its own work, the largest first; where there is none, in the time it has.</summary>
    public required IReadOnlyList<InterferenceTerm> Terms { get; init; }
}

/// <summary>When a node would have been due that was late or latest.</summary>
public sealed record ObservedTime
{
    public required string Trace { get; init; }

    public required int Cpu { get; init; }

    /// <summary>From the start of the trace.</summary>
    [JsonPropertyName("atUs")]
    public required Duration At { get; init; }
}

/// <summary>A part of a bound.</summary>
public sealed record InterferenceTerm
{
    public required InterferenceKind Kind { get; init; }

    /// <summary>The module, program or node; empty for what no record explains.</summary>
    public required string Name { get; init; }

    /// <summary>How much of the bound it is.</summary>
    [JsonPropertyName("timeUs")]
    public required Duration Time { get; init; }

    /// <summary>So many runs at most lie in that time.</summary>
    public required long Runs { get; init; }

    [JsonPropertyName("longestUs")]
    public required Duration Longest { get; init; }
}

/// <summary>What delays a node.</summary>
[JsonConverter(typeof(KebabCaseConverter<InterferenceKind>))]
public enum InterferenceKind
{
    /// <summary>The ISRs of a module.</summary>
    Isr,

    /// <summary>The DPCs of a module.</summary>
    Dpc,

    /// <summary>The threads of a program at the node's priority or above.</summary>
    Threads,

    /// <summary>Another node of the graph.</summary>
    Node,

    /// <summary>The part of a wait at the node's priority or above that no ISR, DPC or such thread explains: once.</summary>
    Unexplained,
}
