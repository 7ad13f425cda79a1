using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>A part of an episode with the name of its owner.</summary>
internal sealed record NamedCause
{
    /// <summary>What sort of thing the owner is; null where the owner is not known.</summary>
    public required CulpritKind? Kind { get; init; }

    /// <summary>The owner's name; null where not known.</summary>
    public required string? Name { get; init; }

    /// <summary>How it kept the victim waiting.</summary>
    public required Mechanism Mechanism { get; init; }

    /// <summary>How long, in ticks.</summary>
    public required long Ticks { get; init; }

    /// <summary>How the owner is known.</summary>
    public required Proof Proof { get; init; }

    /// <summary>How sure that is.</summary>
    public required Confidence Confidence { get; init; }

    /// <summary>Frameworks in front of the owner, the nearest first.</summary>
    public IReadOnlyList<string> Through { get; init; } = [];

    /// <summary>The routine, by module and offset; null where there is none.</summary>
    public string? Routine { get; init; }

    /// <summary>The framework whose client is not known; null for none.</summary>
    public string? Behind { get; init; }

    /// <summary>The owner's image; null for none.</summary>
    public LoadedImage? Image { get; init; }

    /// <summary>What was found out about the owner; null for threads.</summary>
    public OwnerFinding? Finding { get; init; }

    /// <summary>The blackout; null for none.</summary>
    public Blackout? Blackout { get; init; }

    /// <summary>Process id of a process; null for others.</summary>
    public uint? ProcessId { get; init; }

    /// <summary>The thread; null for none.</summary>
    public uint? ThreadId { get; init; }

    /// <summary>Whether the owner is known by the thread, not by what this stretch shows.</summary>
    public bool IsOfThread { get; init; }

    /// <summary>Image name of that thread's process; null where not known.</summary>
    public string? ProcessName { get; init; }

    /// <summary>The firmware method that ran meanwhile; null where none was recorded.</summary>
    public string? Method { get; init; }

    /// <summary>What belongs to its sort alone; null for a blackout, and for a wait for the clock's tick.</summary>
    public CauseDetail? Detail { get; init; }

    /// <summary>The part as it was measured; null where it was not taken from a trace.</summary>
    public CauseShare? Share { get; init; }

    /// <summary>The module that only waited for the owner; null for none.</summary>
    public string? Waiter { get; init; }

    /// <summary>What leaving that state usually takes, in ticks, where this took far longer; null for others.</summary>
    public long? UsualExitTicks { get; init; }

    /// <summary>
    /// What the periodic interrupt takes on average in which the CPU stood still, in ticks; null for others.
    /// </summary>
    public long? UsualRunTicks { get; init; }

    /// <summary>The routine that ran on a slow CPU, by how much it was slowed down; null for none.</summary>
    public Slowdown? Slowdown { get; init; }

    /// <summary>Why it is put down to a beat that many episodes keep, whoever ran at the time; null for what is not.</summary>
    public string? Outside { get; init; }

    /// <summary>When it really began, which may be before somebody waited for it, in ticks.</summary>
    /// <param name="episodeTicks">When its episode began; the answer where it was not taken from a trace.</param>
    public long BeginTicks(long episodeTicks) => Share is not { } share ? episodeTicks
        : share.Stretches.Count == 0 ? share.AtTicks
        : share.Stretches.Min(stretch => stretch.SinceTicks == long.MinValue ? stretch.FromTicks : stretch.SinceTicks);
}
