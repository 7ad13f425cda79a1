namespace Tracer.Analysis.Clocks;

/// <summary>By how much the clocks of CPUs are off, from what each pair of them tells.</summary>
internal static class ClockGraph
{
    /// <summary>By how many ticks the clocks of CPUs are ahead of most others.</summary>
    /// <param name="width">Lengths of one offset lie so near each other, in ticks.</param>
    /// <param name="least">Less is no offset, in ticks.</param>
    /// <param name="leastOfPair">Fewer contradictions of two CPUs tell nothing.</param>
    /// <param name="oneOfPair">One in so many of what two CPUs have in common must contradict.</param>
    /// <returns>The CPUs that are off; none where no pair tells.</returns>
    public static Dictionary<int, long> Ahead(ClockPairs pairs, long width, long least, int leastOfPair, int oneOfPair)
    {
        List<Edge> edges = Edges(pairs, width, leastOfPair, oneOfPair);
        if (!edges.Exists(edge => Math.Abs(edge.Ticks) >= least))
        {
            return [];
        }

        edges.Sort((first, second) =>
        {
            int order = (second.Ticks != 0).CompareTo(first.Ticks != 0);
            order = order != 0 ? order : second.Count.CompareTo(first.Count);
            return order != 0 ? order : (first.From, first.To).CompareTo((second.From, second.To));
        });
        Dictionary<int, long> ahead = Spread(edges);
        long usual = Usual(ahead.Values, width);
        return ahead.Where(cpu => Math.Abs(cpu.Value - usual) >= least).ToDictionary(cpu => cpu.Key, cpu => cpu.Value - usual);
    }

    private static List<Edge> Edges(ClockPairs pairs, long width, int leastOfPair, int oneOfPair)
    {
        Dictionary<(int From, int To), ClockPair> known = pairs.All.ToDictionary(pair => (pair.From, pair.To));
        List<Edge> edges = [];
        foreach (ClockPair pair in pairs.All)
        {
            ClockPair? back = known.GetValueOrDefault((pair.To, pair.From));
            if (pair.ReversedCount >= leastOfPair && (long)pair.ReversedCount * oneOfPair >= pair.Count)
            {
                // It ran so long before it was made ready, and a little more: it waited, too.
                edges.Add(new Edge(pair.From, pair.To, -Offset(pair, back, width), pair.ReversedCount));
            }
            else if (pair.Count >= leastOfPair && (back is null || (long)back.ReversedCount * oneOfPair < back.Count))
            {
                edges.Add(new Edge(pair.From, pair.To, 0, pair.Count));
            }
        }

        return edges;
    }

    /// <summary>
    /// How far a CPU is behind the one that makes threads ready for it: what lies between the shortest waits both ways, by the usual
    /// contradiction where nothing comes back.
    /// </summary>
    private static long Offset(ClockPair pair, ClockPair? back, long width)
    {
        long usual = Usual(pair.Reversed, width);
        long most = pair.Reversed.Where(ticks => Math.Abs(ticks - usual) <= width).Max();
        long[] waits = [.. (back?.Waits ?? []).Where(ticks => ticks >= most && ticks <= most + (2 * width)).Order()];
        return waits.Length > 0 ? (most + waits[0]) / 2 : most;
    }

    /// <summary>The value that most others are near.</summary>
    private static long Usual(IEnumerable<long> values, long width)
    {
        long[] sorted = [.. values.Order()];
        int best = 0;
        long usual = 0;
        int start = 0;
        for (int end = 0; end < sorted.Length; end++)
        {
            while (sorted[end] - sorted[start] > width)
            {
                start++;
            }

            if (end - start + 1 > best)
            {
                best = end - start + 1;
                usual = sorted[start + ((end - start) / 2)];
            }
        }

        return usual;
    }

    /// <summary>Goes along the edges, the best known first, and adds up.</summary>
    private static Dictionary<int, long> Spread(List<Edge> edges)
    {
        // CPUs that have nothing to do with the others stay as they are.
        var ahead = new Dictionary<int, long> { [edges[0].From] = 0 };
        while (edges.Find(edge => ahead.ContainsKey(edge.From) != ahead.ContainsKey(edge.To)) is { } next)
        {
            if (ahead.TryGetValue(next.From, out long from))
            {
                ahead[next.To] = from + next.Ticks;
            }
            else
            {
                ahead[next.From] = ahead[next.To] - next.Ticks;
            }
        }

        return ahead;
    }

    /// <param name="From">One CPU.</param>
    /// <param name="To">Another.</param>
    /// <param name="Ticks">By how many ticks its clock is ahead of the other's; 0 where nothing tells that it is.</param>
    /// <param name="Count">How often that shows.</param>
    private sealed record Edge(int From, int To, long Ticks, long Count);
}
