namespace Tracer.Analysis.Clocks;

/// <summary>
/// Finds CPUs whose clocks disagree with the others, from threads that run on one CPU before another made them ready, or else from DPCs
/// that run before they were queued. One alone proves nothing, since a record may be missing: an offset is proven where moving the clocks
/// by it makes nearly all of these contradictions vanish; otherwise a drift, where both ways between two CPUs show it. Where wake-ups show
/// neither, threads that run on two CPUs at once, idle CPUs that wake late each time, and records that begin and end at another time tell
/// that clocks disagree, if not by how much.
/// </summary>
internal static class ClockOffsets
{
    /// <summary>Fewer contradictions prove nothing.</summary>
    private const int LeastContradictions = 8;

    /// <summary>Moving the clocks must leave less than one contradiction in so many.</summary>
    private const int OneLeft = 10;

    /// <summary>A clock that is set while the trace runs is looked for in parts of it, which are halved so often.</summary>
    private const int Halvings = 4;

    /// <summary>The first of so many pieces of a part shows no contradiction: what made a thread ready may lie before.</summary>
    private const int UnsureOfPart = 8;

    /// <summary>Moves are tried on so many events.</summary>
    private const int MostTried = 1 << 17;

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

        ClockDisagreement? found = Find(ClockEvents.Read(reader), reader.Header.Clock);
        if (found is { IsConstant: true })
        {
            foreach ((int cpu, long ticks) in found.AheadTicks)
            {
                reader.MoveClock(cpu, -ticks);
            }
        }

        return found;
    }

    /// <summary>Finds the offsets, or that there are some.</summary>
    private static ClockDisagreement? Find(ClockEvents events, TraceClock clock)
    {
        ClockDisagreement? found = Find(events.All, clock) ?? Find(events.Dpcs, clock);
        if (found is { IsConstant: false })
        {
            return found;
        }

        var rules = new ClockRules(clock, events.All.Length);
        IReadOnlyDictionary<int, long> ahead = found?.AheadTicks ?? new Dictionary<int, long>();
        (int count, IReadOnlyList<int> cpus) = ClockOverlaps.Of(events.Stays, rules, ahead);
        if (count >= ClockOverlaps.Least)
        {
            return new ClockDisagreement(IsConstant: false, cpus.ToDictionary(cpu => cpu, _ => 0L)) { AtOnce = count };
        }

        (int late, long ticks, cpus) = ClockWakeups.Of(events.All, rules, ahead);
        if (late > 0)
        {
            return new ClockDisagreement(IsConstant: false, cpus.ToDictionary(cpu => cpu, _ => ticks)) { LateWakeups = late };
        }

        return found is null && ClockOverlaps.Apart(events.Ranges, clock) is { } apart
            ? new ClockDisagreement(IsConstant: false, new Dictionary<int, long> { [apart.Cpu] = apart.Ticks }) { IsByEnds = true }
            : found;
    }

    /// <summary>Finds the offsets that wake-ups show.</summary>
    /// <param name="events">What happened to threads, in any order.</param>
    internal static ClockDisagreement? Find(ReadOnlySpan<ClockEvent> events, TraceClock clock) =>
        Find(events, new ClockRules(clock, events.Length));

    /// <summary>As above, by rules that count what is tried.</summary>
    internal static ClockDisagreement? Find(ReadOnlySpan<ClockEvent> events, ClockRules rules)
    {
        ClockPairs told = rules.Pairs(events, new Dictionary<int, long>());
        if (told.Reversed < LeastContradictions || told.Reversed < told.Unanswered)
        {
            return null; // Records are missing where most that ran too early were never made ready.
        }

        if (Moves(events, rules, told.Reversed) is { } constant)
        {
            return OfParts(events, rules, constant) ?? new ClockDisagreement(IsConstant: true, constant);
        }

        Dictionary<int, long> drifting = ClockDrift.Find(told);
        return drifting.Count > 0
            ? new ClockDisagreement(IsConstant: false, drifting)
            : OfParts(events, rules, new Dictionary<int, long>());
    }

    /// <summary>
    /// The offsets without which nearly all contradictions vanish; null for none. Those that contradictions ask for are the more exact
    /// ones, but where wake-ups keep a beat a little of it hides most contradictions, too: those count that leave far fewer.
    /// </summary>
    private static Dictionary<int, long>? Moves(ReadOnlySpan<ClockEvent> events, ClockRules rules, long reversed)
    {
        Dictionary<int, long> asked = ClockMoves.Find(rules, Some(events), byLags: false);
        Dictionary<int, long> usual = ClockMoves.Find(rules, Some(events), byLags: true);
        (long askedLeft, long usualLeft) = (Left(asked, events), Left(usual, events));
        (Dictionary<int, long> best, long left) = usualLeft < askedLeft / 2 ? (usual, usualLeft) : (asked, askedLeft);
        return best.Count > 0 && left * OneLeft < reversed ? best : null;

        long Left(Dictionary<int, long> moves, ReadOnlySpan<ClockEvent> all) => rules.Pairs(all, moves).Reversed;
    }

    /// <summary>
    /// Finds a clock that was set: a part of the trace in which it is off by a constant that the whole does not show. The longest such part
    /// tells by how much.
    /// </summary>
    /// <param name="ahead">By how many ticks clocks are ahead in the whole.</param>
    private static ClockDisagreement? OfParts(ReadOnlySpan<ClockEvent> events, ClockRules rules, IReadOnlyDictionary<int, long> ahead)
    {
        ClockEvent[] sorted = ClockRules.InOrder(events, ahead);
        for (int parts = 2; parts <= 1 << Halvings; parts *= 2)
        {
            for (int part = 0; part < parts; part++)
            {
                int from = (int)((long)sorted.Length * part / parts);
                ClockEvent[] some = Part(sorted.AsSpan(from, (int)((long)sorted.Length * (part + 1) / parts) - from));
                long reversed = rules.Pairs(some, new Dictionary<int, long>()).Reversed;
                if (reversed >= LeastContradictions && Moves(some, rules, reversed) is { } found)
                {
                    return new ClockDisagreement(IsConstant: false, found);
                }
            }
        }

        return null;
    }

    /// <summary>A part of the events, with what was before it cut off.</summary>
    internal static ClockEvent[] Part(ReadOnlySpan<ClockEvent> sorted)
    {
        if (sorted.IsEmpty)
        {
            return [];
        }

        int unsure = (int)Math.Min(int.MaxValue, (sorted[^1].Ticks - sorted[0].Ticks) / UnsureOfPart);
        return [new ClockEvent(sorted[0].Ticks, 0, sorted[0].Cpu, ClockEventKind.Cut, unsure), .. sorted];
    }

    /// <summary>All events, or those of the middle of the time that they span: moves are tried many times.</summary>
    private static ReadOnlySpan<ClockEvent> Some(ReadOnlySpan<ClockEvent> events)
    {
        if (events.Length <= MostTried)
        {
            return events;
        }

        ClockEvent[] sorted = events.ToArray();
        Array.Sort(sorted, static (first, second) => first.Ticks.CompareTo(second.Ticks));
        return sorted.AsSpan((sorted.Length - MostTried) / 2, MostTried);
    }
}

/// <summary>CPUs whose clocks disagree with the others.</summary>
/// <param name="IsConstant">Whether they are off by the same at all times, so that their times could be put right.</param>
/// <param name="AheadTicks">By how many ticks each is ahead of most others, the most of it where that changes; negative: behind.</param>
public sealed record ClockDisagreement(bool IsConstant, IReadOnlyDictionary<int, long> AheadTicks)
{
    /// <summary>
    /// How often a thread ran on two CPUs at once, where nothing else shows the disagreement: by how much is not known then.
    /// </summary>
    public int AtOnce { get; init; }

    /// <summary>
    /// How many threads ran so long after another CPU made them ready, although theirs idled, where nothing else shows the disagreement.
    /// </summary>
    public int LateWakeups { get; init; }

    /// <summary>Whether only the beginning and the end of a CPU's records show it.</summary>
    public bool IsByEnds { get; init; }
}
