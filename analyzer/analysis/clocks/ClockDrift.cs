namespace Tracer.Analysis.Clocks;

/// <summary>
/// Finds clocks that are not off by the same at all times: clocks drift slowly, so that most contradictions between two CPUs are nearly as
/// long as the one before. Where records are missing they are not.
/// </summary>
internal static class ClockDrift
{
    /// <summary>So many contradictions of two CPUs must be nearly as long as the one before.</summary>
    private const int Least = 8;

    /// <summary>And this part of all that the two have.</summary>
    private const double LeastShare = 0.5;

    /// <summary>By how many ticks clocks are ahead of others at most; none where nothing proves a drift.</summary>
    /// <param name="nearTicks">Lengths one after the other differ by no more.</param>
    public static Dictionary<int, long> Find(ClockPairs pairs, long nearTicks)
    {
        List<Steady> steady =
        [
            .. pairs.All.Where(pair => pair.Reversed.Count >= Least)
                .Select(pair => (Of: Of(pair, nearTicks), All: pair.Reversed.Count))
                .Where(one => one.Of.Count >= Least && one.Of.Count >= LeastShare * one.All).Select(one => one.Of),
        ];
        var ahead = new Dictionary<int, long>();
        // The CPU that explains the most, then what is left.
        while (steady.Count > 0)
        {
            int cpu = steady.SelectMany(one => new[] { KeyValuePair.Create(one.From, one.Count), KeyValuePair.Create(one.To, one.Count) })
                .GroupBy(one => one.Key, one => one.Value).OrderByDescending(group => group.Sum()).ThenByDescending(group => group.Key)
                .First().Key;
            Steady most = steady.Where(one => one.From == cpu || one.To == cpu).MaxBy(one => one.Ticks)!;
            ahead[cpu] = most.From == cpu ? most.Ticks : -most.Ticks;
            steady.RemoveAll(one => one.From == cpu || one.To == cpu);
        }

        return ahead;
    }

    private static Steady Of(ClockPair pair, long nearTicks)
    {
        long longest = 0;
        int count = 0;
        for (int i = 1; i < pair.Reversed.Count; i++)
        {
            if (Math.Abs(pair.Reversed[i] - pair.Reversed[i - 1]) <= nearTicks)
            {
                longest = Math.Max(longest, pair.Reversed[i]);
                count++;
            }
        }

        return new Steady(pair.From, pair.To, longest, count);
    }

    /// <param name="From">The CPU that made ready.</param>
    /// <param name="To">The CPU that ran it.</param>
    /// <param name="Ticks">The longest contradiction that was nearly as long as the one before.</param>
    /// <param name="Count">How many were.</param>
    private sealed record Steady(int From, int To, long Ticks, int Count);
}
