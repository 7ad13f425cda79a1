namespace Tracer.Analysis.Machine;

/// <summary>
/// Finds times in which no CPU logs anything for long: there records are missing, and a thread that is there before and behind it need not
/// have run meanwhile. Windows itself wakes a thread each second (the balance set manager).
/// </summary>
internal static class TraceHoles
{
    /// <summary>A gap of all CPUs that is longer than this is a hole.</summary>
    public const int HoleSeconds = 2;

    /// <summary>Where more CPUs have records, which no sound trace has, none is looked for.</summary>
    private const int MostCpus = 4096;

    /// <summary>When the holes of one round end, in ticks, in order of time.</summary>
    /// <param name="lanes">Those with events in the round.</param>
    /// <param name="all">All lanes; null for CPUs without records.</param>
    public static List<long> HoleEnds(IReadOnlyCollection<Lane> lanes, Lane?[] all, long ticksPerSecond)
    {
        if (all.Length > MostCpus)
        {
            return [];
        }

        long least = TickRate.TicksOfSeconds(HoleSeconds, ticksPerSecond);
        return
        [
            .. lanes.SelectMany(lane => lane.LongGaps.Select(gap => gap.EndTicks))
                .Where(end => all.Max(lane => lane?.LatestBefore(end)) is { } latest && end - latest > least)
                .Distinct().Order(),
        ];
    }
}
