namespace Tracer.Etl.Stacks;

/// <summary>How much of a trace is held back while events wait for their stacks. Memory is taken as it is needed.</summary>
public readonly record struct StackWindow
{
    /// <summary>What the parameterless values are: 262,144 events, 64 MB, 100 ms for the first part.</summary>
    public static readonly StackWindow Default = new();

    /// <summary>Makes a window of the default size.</summary>
    public StackWindow()
    {
    }

    /// <summary>Most events held back at once, at least 1; each takes about 150 bytes beside its own.</summary>
    public int MaximumEvents { get; init; } = StackLimits.HeldEvents;

    /// <summary>Most bytes of events and frames held back at once; at least 512 KB are used.</summary>
    public long MaximumBytes { get; init; } = StackLimits.HeldBytes;

    /// <summary>
    /// How long, in nanoseconds of the trace, an event waits for the first part of its stack; after that it has none. Kernel parts come
    /// within microseconds; a user part alone comes later where its thread lost the CPU meanwhile: 26 ms have been seen.
    /// </summary>
    public long FirstPartNanoseconds { get; init; } = 100_000_000;
}
