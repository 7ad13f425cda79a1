using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>Episodes that had the same main causes: a thousand of them read as a few groups.</summary>
public sealed record EpisodeGroup
{
    /// <summary>1 for the group with the most latency; what is left of the rarer ones comes last.</summary>
    public required int Rank { get; init; }

    public required int Episodes { get; init; }

    [JsonPropertyName("us")]
    public required Duration Latency { get; init; }

    [JsonPropertyName("worstUs")]
    public required Duration Worst { get; init; }

    /// <summary>
    /// The causes that took a tenth of an episode or more, most time first: mechanism and owner (<c>dpc nic.sys</c>, <c>thread x.exe</c>);
    /// empty where episodes of several rare chains are put together.
    /// </summary>
    public required IReadOnlyList<string> Chain { get; init; }

    /// <summary>Where in the code of the first cause: its routines and what samples hit most, at most four.</summary>
    public required IReadOnlyList<string> Frames { get; init; }

    public required int ExampleId { get; init; }

    /// <summary>How many different chains are put together; absent where it is one.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? Chains { get; init; }
}
