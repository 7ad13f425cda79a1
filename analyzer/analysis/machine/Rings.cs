namespace Tracer.Analysis.Machine;

internal static class Rings
{
    /// <summary>Least limit of a ring that a round of the reading fills: two rounds have a fourth as many events of a CPU.</summary>
    public const int SmallestOfRounds = 4 * EventsAhead;

    /// <summary>Most events of a CPU in one round of the reading.</summary>
    public const int EventsOfRound = 512;

    /// <summary>
    /// Most events of a CPU that may have been read when it is asked as of an earlier time: of the round that is looked at, and of the next
    /// one, which is read meanwhile.
    /// </summary>
    public const int EventsAhead = 2 * EventsOfRound;

    /// <summary>Most values of each kind that are kept, for all CPUs together.</summary>
    private const int KeptValues = 1 << 18;

    /// <summary>Most values of each kind that are kept for one of some CPUs.</summary>
    public static int LimitOf(int cpus) => Math.Clamp(KeptValues / Math.Max(1, cpus), SmallestOfRounds, 1 << 19);
}
