using Tracer.Analysis.Facts;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Owners;

/// <summary>The owner of a stretch of time, with the evidence.</summary>
internal sealed record OwnerFinding
{
    /// <summary>The owning module; null where it is unknown.</summary>
    public required LoadedImage? Owner { get; init; }

    public required Proof Proof { get; init; }

    /// <summary>The frameworks that the owner runs behind, the nearest first.</summary>
    public IReadOnlyList<LoadedImage> Through { get; init; } = [];

    /// <summary>The framework whose client is unknown; null where the owner is known.</summary>
    public LoadedImage? Behind { get; init; }

    /// <summary>The frame that the framework called first, whatever it called in turn; null where no stack shows it.</summary>
    public CalledFrame? Client { get; init; }

    public required ulong Routine { get; init; }

    /// <summary>Number of samples that support the owner.</summary>
    public int Samples { get; init; }

    /// <summary>Number of samples that were examined.</summary>
    public int SamplesAsked { get; init; }

    /// <summary>
    /// The driver of another vendor that the owner's routine calls and whose code most samples in the run hit; null for none.
    /// <see cref="Samples"/> is their number.
    /// </summary>
    public LoadedImage? Inner { get; init; }

    /// <summary>The client that the framework announced, where samples show that it only called the owner; null where they agree.</summary>
    public LoadedImage? Announced { get; init; }

    /// <summary>
    /// Whether runs without a sample were shared by what other runs show: <see cref="Samples"/> of those that were sampled.
    /// </summary>
    public bool IsShared { get; init; }

    /// <summary>
    /// Whether sampled runs mostly show others, so that it is only what the framework called first in nearly all of them.
    /// </summary>
    public bool IsVotedDown { get; init; }

    /// <summary>Other owners that as many samples support: then the owner is only one of several.</summary>
    public IReadOnlyList<LoadedImage> TiedWith { get; init; } = [];
}
