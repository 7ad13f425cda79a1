namespace Tracer.Analysis.Clocks;

/// <summary>
/// Finds clocks that are not off by the same at all times. A clock that is ahead of the others shows on both ways: much of what its CPU
/// made ready ran before elsewhere, and what others made ready for it seems to have waited as long. Missing records, and CPUs that are kept
/// from running threads, show on one way at most.
/// </summary>
internal static class ClockDrift
{
    /// <summary>So many threads must have run before they were made ready.</summary>
    private const int Least = 16;

    /// <summary>And this part of all that ran on the other CPUs, or was made ready by them.</summary>
    private const double LeastShare = 0.25;

    /// <summary>The wait on the way back that three of four are below is as long as this part of the middle contradiction.</summary>
    private const double LeastWait = 0.5;

    /// <summary>By how many ticks clocks are ahead of others at most; none where nothing proves a drift.</summary>
    public static Dictionary<int, long> Find(ClockPairs pairs)
    {
        var ahead = new Dictionary<int, long>();
        List<ClockPair> rest = [.. pairs.All];

        // The CPU that explains the most, then what is left.
        while (ahead.Count < ClockOverlaps.MostTold && Most(rest) is { } most)
        {
            ahead[most.Cpu] = most.AheadTicks;
            rest.RemoveAll(pair => pair.From == most.Cpu || pair.To == most.Cpu);
        }

        return ahead;
    }

    private static Drift? Most(List<ClockPair> pairs)
    {
        ILookup<int, ClockPair> from = pairs.ToLookup(pair => pair.From);
        ILookup<int, ClockPair> to = pairs.ToLookup(pair => pair.To);
        return from.Select(one => one.Key).Union(to.Select(one => one.Key)).Order()
            .SelectMany(cpu => new[] { Proven(from[cpu], to[cpu], cpu, isAhead: true), Proven(to[cpu], from[cpu], cpu, isAhead: false) })
            .MaxBy(one => one?.Count);
    }

    private static Drift? Proven(IEnumerable<ClockPair> there, IEnumerable<ClockPair> back, int cpu, bool isAhead)
    {
        int count = there.Sum(pair => pair.ReversedCount);
        if (count < Least || count < LeastShare * there.Sum(pair => pair.Count))
        {
            return null;
        }

        long[] reversed = [.. there.SelectMany(pair => pair.Reversed).Order()];
        long[] waits = [.. back.SelectMany(pair => pair.Waits).Order()];
        return waits.Length >= Least && AtPart(waits, 0.75) >= LeastWait * AtPart(reversed, 0.5)
            ? new Drift(cpu, isAhead ? AtPart(reversed, 0.9) : -AtPart(reversed, 0.9), count)
            : null;
    }

    private static long AtPart(long[] sorted, double part) => sorted[(int)(part * (sorted.Length - 1))];

    /// <param name="AheadTicks">By how much the clock is ahead in nine of ten contradictions at most; negative: behind.</param>
    /// <param name="Count">How many threads ran before they were made ready.</param>
    private sealed record Drift(int Cpu, long AheadTicks, int Count);
}
