using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>Who owns a stretch of time, and how that is known.</summary>
internal sealed record OwnerFinding
{
    /// <summary>The module; null where the owner is not known.</summary>
    public required LoadedImage? Owner { get; init; }

    /// <summary>How it is known.</summary>
    public required Proof Proof { get; init; }

    /// <summary>The frameworks it runs behind, the nearest first.</summary>
    public IReadOnlyList<LoadedImage> Through { get; init; } = [];

    /// <summary>The framework whose client is not known; null where the owner is.</summary>
    public LoadedImage? Behind { get; init; }

    /// <summary>Address of the routine that ran.</summary>
    public required ulong Routine { get; init; }

    /// <summary>How many samples speak for the owner.</summary>
    public int Samples { get; init; }

    /// <summary>How many samples were asked.</summary>
    public int SamplesAsked { get; init; }
}
