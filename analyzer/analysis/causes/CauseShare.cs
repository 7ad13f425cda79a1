using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>A part of an episode, before its owner has got a name.</summary>
internal sealed record CauseShare
{
    /// <summary>How it kept the victim waiting.</summary>
    public required Mechanism Mechanism { get; init; }

    /// <summary>How long, in ticks.</summary>
    public required long Ticks { get; init; }

    /// <summary>What belongs to its sort alone; null for a blackout, and for a wait for the clock's tick.</summary>
    public CauseDetail? Detail { get; init; }

    /// <summary>Whose code ran; null for a thread or a blackout.</summary>
    public OwnerFinding? Owner { get; init; }

    /// <summary>The blackout that it lies in; null for none.</summary>
    public Blackout? Blackout { get; init; }

    /// <summary>Whether the trace shows that it happened, but not that nothing else did.</summary>
    public bool IsInferred { get; init; }

    /// <summary>When it began, in ticks: the first of its stretches.</summary>
    public required long AtTicks { get; init; }

    /// <summary>The stretches that it consists of; where empty, one from <see cref="AtTicks"/> on.</summary>
    public IReadOnlyList<CauseStretch> Stretches { get; init; } = [];

    /// <summary>Whether stretches of its episode are missing because there were too many.</summary>
    public bool IsCut { get; init; }

    /// <summary>How sure the owner may be at most.</summary>
    public Confidence AtMost { get; init; } = Confidence.Certain;

    /// <summary>
    /// What this is unless the pair ended together at other times, or unless the tentative blackout proves to be one; null where it is what
    /// it is, and where nothing else explains it.
    /// </summary>
    public CauseShare? Otherwise { get; init; }

}
