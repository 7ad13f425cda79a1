namespace Tracer.Simulator.Engine;

/// <summary>What a scenario says of itself: its author knows what it was built to show.</summary>
public sealed record TruthDeclaration
{
    public required string Scenario { get; init; }

    public required Verdict Verdict { get; init; }

    /// <summary>The right name; null when the verdict is none or unknown.</summary>
    public string? Culprit { get; init; }

    /// <summary>The right mechanism of that culprit; null where there is none.</summary>
    public Mechanism? Mechanism { get; init; }

    /// <summary>Names that look guilty and are not.</summary>
    public IReadOnlyList<string> Innocents { get; init; } = [];
}
