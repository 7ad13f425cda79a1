using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>One part of an episode, before its owner has a name.</summary>
internal sealed record CauseShare
{
    public required CauseDetail Detail { get; init; }

    /// <summary>How this part kept the victim waiting; its page may count it as another one.</summary>
    public Mechanism Mechanism => Detail.Mechanism;

    public required long Ticks { get; init; }

    /// <summary>The module whose code ran; null for a thread or a blackout.</summary>
    public OwnerFinding? Owner { get; init; }

    /// <summary>The blackout that the part lies in; null for none.</summary>
    public Blackout? Blackout { get; init; }

    /// <summary>Whether the trace shows that this happened, but not that it took all of the time.</summary>
    public bool IsInferred { get; init; }

    /// <summary>When the first of its stretches began, in ticks.</summary>
    public required long AtTicks { get; init; }

    /// <summary>The stretches that it consists of; if empty, one stretch from <see cref="AtTicks"/> on.</summary>
    public IReadOnlyList<CauseStretch> Stretches { get; init; } = [];

    /// <summary>Whether stretches of the episode were dropped because there were too many.</summary>
    public bool IsCut { get; init; }

    /// <summary>
    /// The threads between the victim and this part, the nearest to the victim first; empty where it kept the victim itself.
    /// </summary>
    public IReadOnlyList<ChainStep> Chain { get; init; } = [];

    /// <summary>
    /// What this part counts as instead, if its pair of waiter and holder did not end together at other times, or if its tentative blackout
    /// is not confirmed. Null where the part is certain to be what it is, and where nothing else explains it.
    /// </summary>
    public CauseShare? Otherwise { get; init; }

    /// <summary>The time of some parts together, in ticks.</summary>
    public static long Sum(IReadOnlyList<CauseShare> parts)
    {
        long sum = 0;
        foreach (CauseShare part in parts)
        {
            sum += part.Ticks;
        }

        return sum;
    }
}
