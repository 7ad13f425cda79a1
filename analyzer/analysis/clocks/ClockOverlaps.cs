namespace Tracer.Analysis.Clocks;

/// <summary>
/// Finds threads that seem to run on two CPUs at once, and CPUs whose records begin and end at other times than those of all others. Both
/// show that clocks disagree where wake-ups are missing, or repeat on a beat that hides by how much. What is missing looks like neither.
/// </summary>
internal static class ClockOverlaps
{
    /// <summary>
    /// So many times threads run on two CPUs at once before anything is said: healthy traces, whatever is missing, show none.
    /// </summary>
    public const int Least = 4;

    /// <summary>So many CPUs are told at most; each takes a look at all that is left. It bounds the work.</summary>
    public const int MostTold = 64;

    /// <summary>What CPUs begin and end apart, in ms, is less where a session starts and stops.</summary>
    private const int LeastApartMs = 20;

    /// <summary>
    /// The beginnings and ends of the others lie within this part of that, and so do the two lengths that a CPU is apart.
    /// </summary>
    private const double Agreement = 0.1;

    /// <summary>Each CPU has so many events in such a time, so that its first and last tell when its records began and ended.</summary>
    private const int LeastEvents = 20;

    /// <summary>How often threads ran on two CPUs at once, and which CPUs most of it is with.</summary>
    /// <param name="stays">Stays of which nothing is missing, in any order.</param>
    /// <param name="ahead">By how many ticks the clocks of CPUs are ahead, as far as is known.</param>
    public static (int Count, IReadOnlyList<int> Cpus) Of(
        ReadOnlySpan<ClockStay> stays, ClockRules rules, IReadOnlyDictionary<int, long> ahead)
    {
        ClockStay[] sorted = stays.ToArray();
        foreach (ref ClockStay stay in sorted.AsSpan())
        {
            long moved = ahead.GetValueOrDefault(stay.Cpu);
            stay = stay with { FromTicks = stay.FromTicks - moved, ToTicks = stay.ToTicks - moved };
        }

        Array.Sort(sorted, static (first, second) => first.Thread != second.Thread
            ? first.Thread.CompareTo(second.Thread)
            : first.FromTicks.CompareTo(second.FromTicks));
        var pairs = new List<(int One, int Other)>();
        ClockStay longest = default;
        foreach (ClockStay stay in sorted)
        {
            if (stay.Thread == longest.Thread && stay.Cpu != longest.Cpu
                && Math.Min(stay.ToTicks, longest.ToTicks) - stay.FromTicks > rules.EarlyTicks)
            {
                pairs.Add((longest.Cpu, stay.Cpu));
            }

            longest = stay.Thread != longest.Thread || stay.ToTicks > longest.ToTicks ? stay : longest;
        }

        return (pairs.Count, Involved(pairs, Least));
    }

    /// <summary>The CPUs that most pairs are with, then most of what is left, until fewer pairs than these are.</summary>
    public static IReadOnlyList<int> Involved(IEnumerable<(int One, int Other)> pairs, int least)
    {
        List<(int One, int Other)> left = [.. pairs];
        Dictionary<int, int> counts = left.SelectMany(pair => new[] { pair.One, pair.Other }).CountBy(cpu => cpu).ToDictionary();
        var cpus = new List<int>();
        while (left.Count >= least && cpus.Count < MostTold)
        {
            int most = counts.MaxBy(one => (one.Value, one.Key)).Key;
            cpus.Add(most);
            foreach ((int one, int other) in left.Where(pair => pair.One == most || pair.Other == most))
            {
                counts[one]--;
                counts[other]--;
            }

            left.RemoveAll(pair => pair.One == most || pair.Other == most);
        }

        return [.. cpus.Order()];
    }

    /// <summary>The CPU whose records begin and end so much later, or earlier if negative, than all others; null for none.</summary>
    /// <param name="ranges">From when to when each CPU has events.</param>
    public static (int Cpu, long Ticks)? Apart(IReadOnlyDictionary<int, ClockRange> ranges, TraceClock clock)
    {
        long least = clock.TicksOf(LeastApartMs * 1_000_000L);
        foreach (int cpu in ranges.Count >= 3 ? ranges.Keys.Order() : Enumerable.Empty<int>())
        {
            ClockRange own = ranges[cpu];
            ClockRange[] others = [.. ranges.Where(one => one.Key != cpu).Select(one => one.Value)];
            long first = others.Min(other => other.FirstTicks);
            long last = others.Max(other => other.LastTicks);
            long apart = own.FirstTicks - first;
            long width = (long)(Agreement * Math.Abs(apart));
            if (Math.Abs(apart) >= least && Math.Abs(own.LastTicks - last - apart) <= width
                && others.All(other => other.FirstTicks - first <= width && last - other.LastTicks <= width)
                && ranges.Values.All(
                    one => (one.LastTicks - one.FirstTicks - one.UnseenTicks) / one.Count * LeastEvents <= Math.Abs(apart)))
            {
                return (cpu, apart);
            }
        }

        return null;
    }
}
