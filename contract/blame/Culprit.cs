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

    /// <summary>The facts behind the blame, one sentence each.</summary>
    public IReadOnlyList<string> Evidence { get; init; } = [];
}

/// <summary>Time in one function of a culprit.</summary>
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
