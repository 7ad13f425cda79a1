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

    /// <summary>The frame by which the framework called out first, whoever that called in turn; null where no stack shows it.</summary>
    public CalledFrame? Client { get; init; }

    /// <summary>Address of the routine that ran.</summary>
    public required ulong Routine { get; init; }

    /// <summary>How many samples speak for the owner.</summary>
    public int Samples { get; init; }

    /// <summary>How many samples were asked.</summary>
    public int SamplesAsked { get; init; }

    /// <summary>
    /// The driver of another vendor that the owner's routine calls and whose code most samples inside hit; null for none. How many is
    /// <see cref="Samples"/>.
    /// </summary>
    public LoadedImage? Inner { get; init; }

    /// <summary>Others for whom as many samples speak: then the owner is only one of several.</summary>
    public IReadOnlyList<LoadedImage> TiedWith { get; init; } = [];
}
