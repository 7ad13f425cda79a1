namespace Tracer.Capture.Tests;

/// <summary>What kind of Windows the fake is.</summary>
internal sealed record FakeOptions
{
    /// <summary>Whether the caller may trace: without, calls answer 5.</summary>
    public bool IsAdministrator { get; init; } = true;

    /// <summary>
    /// How much time passes while a snapshot of a ring is written: the machine goes on logging, and buffers that were to be written are
    /// filled anew meanwhile.
    /// </summary>
    public TimeSpan SnapshotTime { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>Of the buffers of a file session one in so many is lost when it stops; 0 for none.</summary>
    public int LosesOneBufferOf { get; init; }

    /// <summary>Whether masks that this build does not know are gone when it is asked, not only without effect.</summary>
    public bool DropsUnknownMasks { get; init; }

    /// <summary>Group masks that this build knows, word by word; others are stored, told when asked, and have no effect.</summary>
    public uint[] KnownMasks { get; init; } = [.. Enumerable.Repeat(uint.MaxValue, 8)];

    /// <summary>Sessions of other people, and whether each takes one of the eight places for kernel events.</summary>
    public IReadOnlyList<(string Name, bool IsSystemLogger)> Others { get; init; } =
        [("Circular Kernel Context Logger", true), ("DiagTrack-Listener", false)];

    /// <summary>Whether the sampling interval stays what it is without a word, as in many virtual machines.</summary>
    public bool KeepsInterval { get; init; }

    /// <summary>Whether a flush of a ring empties it: what Windows does is not documented.</summary>
    public bool FlushEmptiesRing { get; init; }

    /// <summary>Times at which the machine runs its trace, in ticks of its clock; once, from its own start, where empty.</summary>
    public IReadOnlyList<long> Plays { get; init; } = [];
}
