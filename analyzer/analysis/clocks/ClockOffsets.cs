namespace Tracer.Analysis.Clocks;

/// <summary>
/// Finds CPUs whose clocks disagree with the others, from threads that run on one CPU before another made them ready. That alone proves
/// nothing, since such a record may be missing: offsets count as proven only where moving the clocks by them makes nearly all of these
/// contradictions vanish.
/// </summary>
internal static class ClockOffsets
{
    /// <summary>Less than this is never corrected: clocks of healthy machines agree within microseconds. 0.1 ms.</summary>
    private const long LeastNs = 100_000;

    /// <summary>So much is no contradiction: a thread may be made ready while it leaves its CPU. 0.05 ms.</summary>
    private const long ToleranceNs = 50_000;

    /// <summary>Clocks that are off by more are not looked for: 50 ms.</summary>
    private const long LongestNs = 50_000_000;

    /// <summary>Fewer contradictions, in all or of a pair of CPUs, prove nothing.</summary>
    private const int LeastContradictions = 8;
    private const int LeastOfPair = 4;

    /// <summary>In a whole trace, and of a pair of CPUs, one in so many must contradict.</summary>
    private const int OneOfAll = 50;
    private const int OneOfPair = 5;

    /// <summary>Moving the clocks must leave less than one contradiction in so many.</summary>
    private const int OneLeft = 5;

    /// <summary>Lengths of one offset lie this near each other: 0.04 ms.</summary>
    private const long WidthNs = 40_000;

    /// <summary>Settles the trace, finds the offsets, and moves its clocks by them where they are constant.</summary>
    /// <param name="reader">The trace; it can be read again.</param>
    /// <returns>What was found; null where the clocks agree as far as the trace tells.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public static ClockDisagreement? Settle(EtlReader reader)
    {
        reader.Settle();
        if (!reader.IsClockKnown || reader.Header.Clock.Kind == TraceClockKind.SystemTime || reader.Cpus.Count < 2
            || reader.Header.Mode.HasFlag(EtlLogFileMode.NoPerProcessorBuffering))
        {
            return null;
        }

        ClockDisagreement? found = Find(ClockEvents.Read(reader).All, reader.Header.Clock);
        if (found is { IsConstant: true })
        {
            foreach ((int cpu, long ticks) in found.AheadTicks)
            {
                reader.MoveClock(cpu, -ticks);
            }
        }

        return found;
    }

    /// <summary>Finds the offsets.</summary>
    /// <param name="events">What happened to threads, in any order.</param>
    internal static ClockDisagreement? Find(ReadOnlySpan<ClockEvent> events, TraceClock clock)
    {
        ClockEvent[] sorted = Moved(events, []);
        ClockPairs told = Pairs(sorted, clock);
        if (!Contradicts(told))
        {
            return null;
        }

        if (Proven(sorted, told, clock) is { } constant)
        {
            return new ClockDisagreement(IsConstant: true, constant);
        }

        // Where clocks drift, they are off by some constant in a short stretch.
        List<Dictionary<int, long>> stretches = [];
        int odd = 0;
        foreach (Range range in Stretches(sorted))
        {
            ClockEvent[] part = sorted[range];
            ClockPairs pairs = Pairs(part, clock);
            if (pairs.Reversed >= LeastOfPair)
            {
                odd++;
                if (Proven(part, pairs, clock) is { } offsets)
                {
                    stretches.Add(offsets);
                }
            }
        }

        if (stretches.Count < 2 || 2 * stretches.Count < odd)
        {
            return null;
        }

        var largest = new Dictionary<int, long>();
        foreach ((int cpu, long ticks) in stretches.SelectMany(offsets => offsets))
        {
            largest[cpu] = largest.TryGetValue(cpu, out long known) && Math.Abs(known) > Math.Abs(ticks) ? known : ticks;
        }

        return new ClockDisagreement(IsConstant: false, largest);
    }

    private static bool Contradicts(ClockPairs pairs) =>
        pairs.Reversed >= LeastContradictions && pairs.Reversed * OneOfAll >= pairs.Count;

    private static ClockPairs Pairs(ReadOnlySpan<ClockEvent> sorted, TraceClock clock) =>
        ClockPairs.Of(sorted, clock.TicksOf(ToleranceNs), clock.TicksOf(LongestNs));

    private static ClockEvent[] Moved(ReadOnlySpan<ClockEvent> events, Dictionary<int, long> ahead)
    {
        ClockEvent[] moved = events.ToArray();
        foreach (ref ClockEvent one in moved.AsSpan())
        {
            if (ahead.TryGetValue(one.Cpu, out long ticks))
            {
                one = one with { Ticks = one.Ticks - ticks };
            }
        }

        Array.Sort(moved, static (first, second) =>
        {
            int order = first.Ticks.CompareTo(second.Ticks);
            order = order != 0 ? order : first.Kind.CompareTo(second.Kind);
            return order != 0 ? order : first.Thread.CompareTo(second.Thread);
        });
        return moved;
    }

    private static IEnumerable<Range> Stretches(ClockEvent[] sorted)
    {
        long first = sorted[0].Ticks;
        double length = ((double)sorted[^1].Ticks - first + 1) / ClockEvents.Stretches;
        int start = 0;
        for (int i = 1; i <= sorted.Length; i++)
        {
            if (i == sorted.Length || (int)((sorted[i].Ticks - first) / length) != (int)((sorted[start].Ticks - first) / length))
            {
                yield return start..i;
                start = i;
            }
        }
    }

    /// <summary>By how many ticks clocks are ahead, where moving them by that makes the contradictions vanish; else null.</summary>
    private static Dictionary<int, long>? Proven(ClockEvent[] sorted, ClockPairs pairs, TraceClock clock)
    {
        Dictionary<int, long> ahead = ClockGraph.Ahead(
            pairs, clock.TicksOf(WidthNs), clock.TicksOf(LeastNs), LeastOfPair, OneOfPair);
        if (ahead.Count == 0)
        {
            return null;
        }

        return Pairs(Moved(sorted, ahead), clock).Reversed * OneLeft < pairs.Reversed ? ahead : null;
    }
}

/// <summary>CPUs whose clocks disagree with the others.</summary>
/// <param name="IsConstant">Whether they are off by the same at all times, so that their times could be put right.</param>
/// <param name="AheadTicks">By how many ticks each is ahead of most others, the most of it where that changes; negative: behind.</param>
public sealed record ClockDisagreement(bool IsConstant, IReadOnlyDictionary<int, long> AheadTicks);
