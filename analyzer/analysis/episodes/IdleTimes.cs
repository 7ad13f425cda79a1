namespace Tracer.Analysis;

/// <summary>Finds when CPUs that a victim might have used had nothing to do: what it waited for then was to be dispatched there.</summary>
internal static class IdleTimes
{
    private const int CpusOfMask = 64;

    /// <summary>The times in which at least one of some CPUs idled.</summary>
    /// <param name="cpus">The CPUs' histories.</param>
    /// <param name="affinity">Those that count, one bit each.</param>
    /// <param name="besides">One that does not.</param>
    /// <param name="fromTicks">Start of the stretch that is looked at.</param>
    /// <param name="toTicks">Its end.</param>
    /// <param name="leastTicks">Shorter times of a CPU do not count.</param>
    /// <returns>By time, without overlaps.</returns>
    public static List<TickSpan> Of(CpuHistory?[] cpus, ulong affinity, int besides, long fromTicks, long toTicks, long leastTicks)
    {
        List<TickSpan> idle = [];
        for (int number = 0; number < Math.Min(CpusOfMask, cpus.Length); number++)
        {
            if (number != besides && ((affinity >> number) & 1) != 0 && cpus[number] is { } cpu)
            {
                Add(cpu, fromTicks, toTicks, leastTicks, idle);
            }
        }

        return Merged(idle);
    }

    private static void Add(CpuHistory cpu, long fromTicks, long toTicks, long leastTicks, List<TickSpan> idle)
    {
        for (long run = Math.Max(cpu.RunAt(fromTicks), cpu.Runs.First); run < cpu.Runs.Next && cpu.Runs[run].StartTicks < toTicks; run++)
        {
            // The last stretch is known up to the last record.
            long end = run + 1 < cpu.Runs.Next ? cpu.Runs[run + 1].StartTicks : cpu.LatestTicks;
            long from = Math.Max(fromTicks, cpu.Runs[run].StartTicks);
            long to = Math.Min(toTicks, end);
            if (cpu.Runs[run].IsIdle && to - from >= Math.Max(1, leastTicks))
            {
                idle.Add(new TickSpan(from, to));
            }
        }
    }

    private static List<TickSpan> Merged(List<TickSpan> idle)
    {
        idle.Sort(static (one, other) => one.StartTicks.CompareTo(other.StartTicks));
        List<TickSpan> merged = [];
        foreach (TickSpan one in idle)
        {
            if (merged.Count > 0 && one.StartTicks <= merged[^1].EndTicks)
            {
                merged[^1] = new TickSpan(merged[^1].StartTicks, Math.Max(merged[^1].EndTicks, one.EndTicks));
            }
            else
            {
                merged.Add(one);
            }
        }

        return merged;
    }
}
