using Tracer.Analysis.Causes;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Mechanisms;

/// <summary>A part of an episode with its owner's name.</summary>
internal sealed record NamedCause
{
    /// <summary>The kind of owner; null where the owner is not known.</summary>
    public required CulpritKind? Kind { get; init; }

    /// <summary>The owner's name; null where not known.</summary>
    public required string? Name { get; init; }

    /// <summary>How this part kept the victim waiting.</summary>
    public required Mechanism Mechanism { get; init; }

    public required long Ticks { get; init; }

    public required Proof Proof { get; init; }

    public required Confidence Confidence { get; init; }

    /// <summary>Frameworks between the kernel and the owner, the nearest first.</summary>
    public IReadOnlyList<string> Through { get; init; } = [];

    /// <summary>The routine, as module and function or offset; null where there is none.</summary>
    public string? Routine { get; init; }

    /// <summary>The framework whose client is not known; null where the owner is known, or without a framework.</summary>
    public string? Behind { get; init; }

    /// <summary>The owner's image; null for none.</summary>
    public LoadedImage? Image { get; init; }

    /// <summary>The finding about the owner; null for threads.</summary>
    public OwnerFinding? Finding { get; init; }

    /// <summary>The blackout that the part lies in; null for none.</summary>
    public Blackout? Blackout { get; init; }

    /// <summary>Process id, for a process; otherwise null.</summary>
    public uint? ProcessId { get; init; }

    /// <summary>The thread; null for none.</summary>
    public uint? ThreadId { get; init; }

    /// <summary>Whether the owner is known from other samples of the thread, and not from this stretch.</summary>
    public bool IsOfThread { get; init; }

    /// <summary>Image name of the thread's process; null where not known.</summary>
    public string? ProcessName { get; init; }

    /// <summary>The firmware method that ran meanwhile; null where none was recorded.</summary>
    public string? Method { get; init; }

    /// <summary>What only parts of this mechanism have; null for a blackout, and for a wait for the clock tick.</summary>
    public CauseDetail? Detail { get; init; }

    /// <summary>The part as it was measured; null where it was not taken from the trace.</summary>
    public CauseShare? Share { get; init; }

    /// <summary>The module that only waited for the owner, or that a slow CPU delayed; null for none.</summary>
    public string? Waiter { get; init; }

    /// <summary>How long leaving this idle state usually takes, in ticks, where this exit took far longer; otherwise null.</summary>
    public long? UsualExitTicks { get; init; }

    /// <summary>The average length of the periodic interrupt in which the CPU stood still, in ticks; otherwise null.</summary>
    public long? UsualRunTicks { get; init; }

    /// <summary>How much a slow CPU slowed down the routine; null where it did not.</summary>
    public Slowdown? Slowdown { get; init; }

    /// <summary>Why this part is blamed on a beat that many episodes keep, whatever code ran at the time; otherwise null.</summary>
    public string? Outside { get; init; }

    /// <summary>When its work began, in ticks; it may be before a victim waited for it.</summary>
    /// <param name="episodeTicks">When its episode began, in ticks. The result where the part was not taken from the trace.</param>
    public long BeginTicks(long episodeTicks) => Share is not { } share ? episodeTicks
        : share.Stretches.Count == 0 ? share.AtTicks
        : share.Stretches.Min(stretch => stretch.SinceTicks == long.MinValue ? stretch.FromTicks : stretch.SinceTicks);
}
