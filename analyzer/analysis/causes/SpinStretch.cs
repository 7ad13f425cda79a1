using Tracer.Analysis.Machine;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>A stretch in which the code on a CPU only waited for a spin lock or for another CPU. Times in ticks.</summary>
internal sealed class SpinStretch
{
    public required long FromTicks { get; init; }

    public required long ToTicks { get; init; }

    /// <summary>Index of the ISR or DPC that waited, as <see cref="LevelSegment.Span"/> counts; -1 for a thread.</summary>
    public required int Span { get; init; }

    /// <summary>Whether records show the wait, and not only samples. Then it counts for every thread, and in a blackout as well.</summary>
    public required bool IsRecorded { get; init; }

    /// <summary>What ties the holder to the wait.</summary>
    public required LockEvidence ShownBy { get; init; }

    /// <summary>Who held the lock or kept the other CPU busy; null where not found, or where a blackout did it.</summary>
    public OwnerFinding? Holder { get; init; }

    /// <summary>The blackout of the CPU that was waited for; null for none.</summary>
    public Blackout? Blackout { get; init; }

    /// <summary>The module that waited; null where not known.</summary>
    public OwnerFinding? Waiter { get; init; }

    /// <summary>How often waiter and holder ended together; null where records show the wait, and where no holder is known.</summary>
    public SpinPair? Pair { get; init; }

    /// <summary>
    /// Whether nothing shows when the holder's work ended. Then the wait counts only if the same two ended together at other times.
    /// </summary>
    public bool IsGuess { get; init; }
}
