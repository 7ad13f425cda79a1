using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Machine;

/// <summary>
/// Finds times in which no CPU logs anything for long: there records are missing, and a thread that is there before and behind it need not
/// have run meanwhile. Windows itself wakes a thread each second (the balance set manager).
/// </summary>
internal static class TraceHoles
{
    /// <summary>A gap of all CPUs that is longer than this is a hole.</summary>
    public const int HoleSeconds = 2;

    /// <summary>When the holes of one round end, in ticks, in order of time.</summary>
    /// <param name="lanes">Those with events in the round.</param>
    /// <param name="all">All lanes; null for CPUs without records.</param>
    public static List<long> HoleEnds(IReadOnlyCollection<Lane> lanes, Lane?[] all, long ticksPerSecond)
    {
        long least = TickRate.TicksOfSeconds(HoleSeconds, ticksPerSecond);
        List<long> ends = [.. lanes.SelectMany(lane => lane.LongGaps.Select(gap => gap.EndTicks)).Distinct().Order()];
        if (ends.Count == 0)
        {
            return ends;
        }

        // A CPU begins to have been silent for long, or logs again.
        List<(long BehindTicks, int Silent)> changes = [];
        int begun = 0;
        long first = long.MaxValue;
        foreach (Lane lane in all.OfType<Lane>())
        {
            if (lane.LatestBefore(long.MaxValue) is not { } latest)
            {
                continue; // It has no events.
            }

            begun++;
            changes.Add((Later(latest, least), 1));
            long begin = long.MinValue;
            foreach (TickSpan gap in lane.LongGaps)
            {
                bool isInitial = gap.StartTicks == long.MinValue;
                begin = isInitial ? gap.EndTicks : begin;
                changes.Add((isInitial ? long.MinValue : Later(gap.StartTicks, least), 1));
                changes.Add((gap.EndTicks, -1));
            }

            first = Math.Min(first, begin);
        }

        changes.Sort();
        int silent = 0;
        int next = 0;
        ends.RemoveAll(end =>
        {
            for (; next < changes.Count && changes[next].BehindTicks < end; next++)
            {
                silent += changes[next].Silent;
            }

            return silent < begun || end <= first; // Before the first event of all there is no gap.
        });
        return ends;
    }

    private static long Later(long ticks, long by) => Math.Min(ticks, long.MaxValue - by) + by;
}
