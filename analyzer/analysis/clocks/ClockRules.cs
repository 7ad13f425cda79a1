namespace Tracer.Analysis.Clocks;

/// <summary>
/// What counts as a contradiction between the clocks of two CPUs, in ticks of a trace's clock; and how often moves of them may be tried.
/// </summary>
/// <param name="events">How many events there are to be held against each other.</param>
internal sealed class ClockRules(TraceClock clock, int events)
{
    /// <summary>Moves may be tried on so many events, however few there are.</summary>
    private const long FixedTried = 2_000_000;

    /// <summary>And on each event so often: twelve for each of 32 clocks, half of a machine of two packages.</summary>
    private const long TriedOfEvent = 400;

    /// <summary>So long before it was made ready a thread may run without a contradiction: 0.02 ms.</summary>
    private const long EarlyNs = 20_000;

    /// <summary>A thread may be made ready while it leaves its CPU to wait: so long before the record of that. 0.05 ms.</summary>
    private const long LeavingNs = 50_000;

    /// <summary>Clocks that are off by more are not looked for: 50 ms.</summary>
    private const long LongestNs = 50_000_000;

    /// <summary>Less than this is left as it is: clocks of healthy machines agree within microseconds. 0.03 ms.</summary>
    private const long LeastNs = 30_000;

    /// <summary>
    /// An idle CPU that needs as long for each thread that another makes ready has another clock: leaving an idle state takes less, or
    /// varies. 0.3 ms.
    /// </summary>
    private const long LateNs = 300_000;

    /// <summary>Lengths of one offset lie so near each other: 0.04 ms.</summary>
    private const long WidthNs = 40_000;

    /// <summary>What an idle CPU needs for each thread that another makes ready where one of the two clocks is off, in ticks.</summary>
    public long LateTicks { get; } = clock.TicksOf(LateNs);

    /// <summary>So much before it was made ready, or left another CPU, a thread may run without a contradiction.</summary>
    public long EarlyTicks { get; } = clock.TicksOf(EarlyNs);

    public long LeastTicks { get; } = clock.TicksOf(LeastNs);

    /// <summary>How near each other the lengths of one offset lie.</summary>
    public long WidthTicks { get; } = clock.TicksOf(WidthNs);

    /// <summary>Clocks that are off by more are not looked for, in ticks.</summary>
    public long LongestTicks { get; } = clock.TicksOf(LongestNs);

    /// <summary>On how many events moves were tried so far.</summary>
    public long Tried { get; private set; }

    /// <summary>On how many events moves may be tried.</summary>
    public long MostTried { get; } = FixedTried + (TriedOfEvent * events);

    /// <summary>Whether a move may be tried on so many events more; counts them.</summary>
    public bool TryMove(int count)
    {
        bool may = Tried + count <= MostTried;
        Tried += may ? count : 0;
        return may;
    }

    /// <summary>Holds the clocks against each other.</summary>
    /// <param name="events">What happened to threads, in any order.</param>
    /// <param name="ahead">By how many ticks the clocks of CPUs are ahead.</param>
    public ClockPairs Pairs(ReadOnlySpan<ClockEvent> events, IReadOnlyDictionary<int, long> ahead)
    {
        return ClockPairs.Of(InOrder(events, ahead), EarlyTicks, clock.TicksOf(LeavingNs), LongestTicks);
    }

    /// <summary>The events in order of time, once the clocks are moved.</summary>
    public static ClockEvent[] InOrder(ReadOnlySpan<ClockEvent> events, IReadOnlyDictionary<int, long> ahead)
    {
        ClockEvent[] moved = events.ToArray();
        foreach (ref ClockEvent one in moved.AsSpan())
        {
            if (ahead.TryGetValue(one.Cpu, out long ticks))
            {
                one = one with { Ticks = one.Ticks - ticks };
            }
        }

        Sort(moved);
        return moved;
    }

    /// <summary>Sorts by time, and what has one time by kind and thread: times alone are sorted much faster than by a comparison.</summary>
    private static void Sort(ClockEvent[] events)
    {
        long[] times = new long[events.Length];
        for (int i = 0; i < events.Length; i++)
        {
            times[i] = events[i].Ticks;
        }

        Array.Sort(times, events);
        for (int from = 0; from < events.Length;)
        {
            int to = from + 1;
            while (to < events.Length && times[to] == times[from])
            {
                to++;
            }

            if (to - from > 1)
            {
                events.AsSpan(from, to - from).Sort(static (first, second) =>
                    first.Kind != second.Kind ? first.Kind.CompareTo(second.Kind) : first.Thread.CompareTo(second.Thread));
            }

            from = to;
        }
    }
}
