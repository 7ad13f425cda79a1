namespace Tracer.Analysis.Machine;

internal static class Rings
{
    /// <summary>Least limit of a ring that a round of the reading fills: a round has a fourth as many events of a CPU.</summary>
    public const int SmallestOfRounds = 4 * EventsOfRound;

    /// <summary>Most events of a CPU in one round of the reading.</summary>
    public const int EventsOfRound = 1024;

    /// <summary>Most values of each kind that are kept, for all CPUs together.</summary>
    private const int KeptValues = 1 << 18;

    /// <summary>Most values of each kind that are kept for one of some CPUs.</summary>
    public static int LimitOf(int cpus) => Math.Clamp(KeptValues / Math.Max(1, cpus), SmallestOfRounds, 1 << 19);
}
