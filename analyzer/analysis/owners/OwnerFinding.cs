using Tracer.Analysis.Facts;

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

    /// <summary>What the run has in common with others, where no sample in it shows whose it is; null where one does.</summary>
    public RunTraits? Unseen { get; init; }

    /// <summary>Whether only other runs, or what queued the run, can tell whose it is.</summary>
    public bool IsOpen => Owner is null ? Behind is not null : Unseen is not null;

    /// <summary>Whether it has an owner, known or behind a framework.</summary>
    public bool IsSomebodys => Owner is not null || Behind is not null;

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
    /// The runs whose samples voted for the owner where the run itself shows none: then <see cref="Samples"/> are theirs. Null for what
    /// was seen.
    /// </summary>
    public BallotOf? VotedBy { get; init; }

    /// <summary>Whether most of those runs were queued by other interrupts, and so may be another device's.</summary>
    public bool IsVotedByOthers { get; init; }

    /// <summary>
    /// The module of Windows whose code the samples show, where it only passed on what the owner's device had done; null for none.
    /// </summary>
    public LoadedImage? Carrier { get; init; }

    /// <summary>Other owners that as many samples support: then the owner is only one of several.</summary>
    public IReadOnlyList<LoadedImage> TiedWith { get; init; } = [];
}
