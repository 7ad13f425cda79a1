namespace Tracer.Capture.Tests;

/// <summary>What kind of Windows the fake is.</summary>
internal sealed record FakeOptions
{
    /// <summary>Whether the caller may trace: without, calls answer 5.</summary>
    public bool IsAdministrator { get; init; } = true;

    /// <summary>Group masks that this build knows, word by word; others are dropped without a word.</summary>
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
