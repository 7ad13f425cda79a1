using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>The case for and against one whom the user suspects (<c>--suspect</c>): facts, one sentence each.</summary>
public sealed record SuspectCase
{
    /// <summary>Its name as in the trace; as the user wrote it where the trace has no such name.</summary>
    public required string Name { get; init; }

    /// <summary>Whether the trace has the name.</summary>
    public required bool Found { get; init; }

    /// <summary>What it is; null where the trace has no such name.</summary>
    public required CulpritKind? Kind { get; init; }

    /// <summary>What the facts come to.</summary>
    public required SuspectVerdict Verdict { get; init; }

    [JsonPropertyName("for")]
    public required IReadOnlyList<string> SpeaksFor { get; init; }

    [JsonPropertyName("against")]
    public required IReadOnlyList<string> SpeaksAgainst { get; init; }

    /// <summary>What is known of it and speaks neither way: counts, times, file.</summary>
    public required IReadOnlyList<string> Facts { get; init; }

    /// <summary>What the trace lacks to decide, with the keyword that would record it.</summary>
    public required IReadOnlyList<string> Lacks { get; init; }

    /// <summary>The names of the trace that are most like the one asked for; empty where it was found.</summary>
    public IReadOnlyList<string> Nearest { get; init; } = [];
}

/// <summary>What the facts about a suspect come to. In JSON in lower case.</summary>
[JsonConverter(typeof(KebabCaseConverter<SuspectVerdict>))]
public enum SuspectVerdict
{
    /// <summary>The trace does not tell, or has no such name.</summary>
    Unknown,

    /// <summary>It has no part in any latency above the threshold.</summary>
    Innocent,

    /// <summary>It has a part, but others have more.</summary>
    Involved,

    /// <summary>It is the first culprit, or nearly.</summary>
    Guilty,
}
