namespace Tracer.Simulator.Draws;

/// <summary>
/// What a first simulation drew at random, so that a second one of the same machine with somebody muted draws the same for the same
/// occasion: an interrupt's ISR and DPC then take as long in both, however many came before them. Without it one DPC more or less would
/// give every later one of its driver another length, and the two runs would differ in what the muted has no part in
/// (common random numbers; Law, Simulation Modeling and Analysis, chapter 11).
/// </summary>
public sealed class DrawMemory
{
    private const ulong EndSource = 0x656E6420;

    /// <summary>
    /// Beyond as many (about 300 MB) nothing more is kept, so that long simulations need no more memory: what comes later in a second run
    /// is drawn for itself.
    /// </summary>
    internal const int MaximumKept = 4 << 20;

    private readonly Dictionary<ulong, ulong> _states = [];

    /// <summary>What is drawn is looked up instead of kept: from the second simulation on.</summary>
    public bool IsComplete { get; set; }

    internal int Count => _states.Count;

    internal void Keep(ulong source, ulong occasion, ulong state)
    {
        if (_states.Count < MaximumKept)
        {
            _states.TryAdd(KeyOf(source, occasion), state);
        }
    }

    /// <summary>The state that a source was in at an occasion; one of its own where the first run had no such occasion.</summary>
    internal ulong StateAt(ulong source, ulong occasion)
    {
        ulong key = KeyOf(source, occasion);
        return _states.GetValueOrDefault(key, key);
    }

    /// <summary>When what was begun at an occasion ended in the first run, in nanoseconds; null where it had no such occasion.</summary>
    internal long? EndAt(ulong occasion) => _states.TryGetValue(KeyOf(EndSource, occasion), out ulong ns) ? (long)ns : null;

    internal void KeepEnd(ulong occasion, long ns) => Keep(EndSource, occasion, (ulong)ns);

    private static ulong KeyOf(ulong source, ulong occasion) => Occasion.Of(source, occasion);
}

/// <summary>Names for occasions to draw at random: the same in two runs for what happens in both. 0 is none.</summary>
internal static class Occasion
{
    /// <summary>One that follows from another.</summary>
    /// <param name="of">Where it comes from: a source, or another occasion.</param>
    /// <param name="which">Its number among those that follow from the same, or its time.</param>
    public static ulong Of(ulong of, ulong which) => SplitMix64.Mix(of ^ SplitMix64.Mix(which + 1));
}

/// <summary>The occasion of a machine, and what was drawn at such before.</summary>
internal sealed class Occasions(DrawMemory memory)
{
    public DrawMemory Memory { get; } = memory;

    /// <summary>The occasion of what the machine does now; 0 for none.</summary>
    public ulong Now { get; set; }
}
