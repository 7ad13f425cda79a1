using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>What a replay of the trace without somebody leaves; whom the user names (<c>--without</c>).</summary>
public sealed record LeftWithout
{
    /// <summary>The name: as the trace has it where it has a part in an episode, else as the user wrote it.</summary>
    public required string Name { get; init; }

    /// <summary>Episodes left; null where a part of an episode was too much to be kept, so that nobody can say.</summary>
    public required int? Episodes { get; init; }

    /// <summary>The longest episode left; null where none is left.</summary>
    [JsonPropertyName("worstUs")]
    public required Duration? Worst { get; init; }

    /// <summary>The latencies of all episodes left, added up; null where <see cref="Episodes"/> is.</summary>
    [JsonPropertyName("overThresholdUs")]
    public required Duration? OverThreshold { get; init; }
}
