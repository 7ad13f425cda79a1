using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>A part of an episode, before its owner has got a name.</summary>
internal sealed record CauseShare
{
    /// <summary>How it kept the victim waiting.</summary>
    public required Mechanism Mechanism { get; init; }

    /// <summary>How long, in ticks.</summary>
    public required long Ticks { get; init; }

    /// <summary>Whose code ran; null for a thread or a blackout.</summary>
    public OwnerFinding? Owner { get; init; }

    /// <summary>The thread that ran in the victim's place; null for none.</summary>
    public uint? ThreadId { get; init; }

    /// <summary>Its priority.</summary>
    public int ThreadPriority { get; init; }

    /// <summary>The blackout that it lies in; null for none.</summary>
    public Blackout? Blackout { get; init; }

    /// <summary>When it began, in ticks: the first of its stretches.</summary>
    public required long AtTicks { get; init; }

    /// <summary>The stretches that it consists of; where empty, one from <see cref="AtTicks"/> on.</summary>
    public IReadOnlyList<CauseStretch> Stretches { get; init; } = [];

    /// <summary>Whether stretches of its episode are missing because there were too many.</summary>
    public bool IsCut { get; init; }
}
