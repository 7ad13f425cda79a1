using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>A stretch in which the code on a CPU itself waited for a lock, or for another CPU. Times in ticks.</summary>
internal sealed class SpinWait
{
    /// <summary>Its start.</summary>
    public required long FromTicks { get; init; }

    /// <summary>Its end.</summary>
    public required long ToTicks { get; init; }

    /// <summary>Index of the ISR or DPC that waited, as <see cref="LevelSlice.Span"/> counts; -1 for a thread.</summary>
    public required int Span { get; init; }

    /// <summary>Whether records tell of it, and not only samples: then it holds for every thread, and in a blackout as well.</summary>
    public required bool IsRecorded { get; init; }

    /// <summary>How sure its owner may be at most.</summary>
    public required Confidence AtMost { get; init; }

    /// <summary>Who held the lock; null where nobody was found, or where a blackout did it.</summary>
    public OwnerFinding? Holder { get; init; }

    /// <summary>The blackout of the CPU that was waited for; null for none.</summary>
    public Blackout? Blackout { get; init; }

    /// <summary>Who waited; null where not known.</summary>
    public OwnerFinding? Waiter { get; init; }

    /// <summary>How often these two ended together; null where records tell, and where there are none.</summary>
    public SpinPair? Pair { get; init; }

    /// <summary>
    /// Whether nothing shows when the holder's code ended: this stands only if the same two ended together at other times.
    /// </summary>
    public bool IsGuess { get; init; }
}
