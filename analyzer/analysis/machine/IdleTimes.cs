using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Machine;

/// <summary>Finds when CPUs that a victim could have used were idle: during that time the victim waited to be dispatched there.</summary>
internal static class IdleTimes
{
    /// <summary>Number of CPUs in an affinity mask.</summary>
    private const int CpusOfMask = 64;

    /// <summary>The times in which at least one of a set of CPUs was idle.</summary>
    /// <param name="affinity">The CPUs to consider, one bit each.</param>
    /// <param name="leastTicks">Shorter idle times of a CPU are ignored.</param>
    public static IdleElsewhere Of(
        CpuHistories cpus,
        ulong affinity,
        int besides,
        long fromTicks,
        long toTicks,
        long leastTicks,
        ParkedProcessors parked,
        WorkBudget budget)
    {
        List<TickSpan> idle = [];
        List<TickSpan> unparked = [];
        for (int number = 0; number < Math.Min(CpusOfMask, cpus.Length); number++)
        {
            if (number == besides || ((affinity >> number) & 1) == 0 || cpus[number] is not { } cpu
                || !budget.TrySpend(1 + cpu.Runs.FirstAfter(toTicks) - cpu.Runs.FirstAfter(fromTicks)
                    + parked.ChangesIn(number, fromTicks, toTicks)))
            {
                continue;
            }

            int first = idle.Count;
            Add(cpu, fromTicks, toTicks, leastTicks, idle);
            List<TickSpan> spans = idle.Count > first ? parked.Of(number, fromTicks, toTicks) : [];
            int next = 0;
            for (int i = first; i < idle.Count; i++)
            {
                // Both are in order: what ended before is of no use to what comes.
                for (; next < spans.Count && spans[next].EndTicks <= idle[i].StartTicks; next++)
                {
                }

                AddUnparked(idle[i], spans, next, leastTicks, unparked);
            }
        }

        return new IdleElsewhere(Merged(idle), Merged(unparked));
    }

    /// <param name="first">The first of the times parked that ends behind where it began to idle.</param>
    private static void AddUnparked(TickSpan idle, List<TickSpan> parked, int first, long leastTicks, List<TickSpan> unparked)
    {
        long at = idle.StartTicks;
        for (int i = first; i < parked.Count && parked[i].StartTicks < idle.EndTicks; i++)
        {
            Add(at, parked[i].StartTicks);
            at = Math.Max(at, parked[i].EndTicks);
        }

        Add(at, idle.EndTicks);

        void Add(long from, long to)
        {
            if (to - from >= Math.Max(1, leastTicks))
            {
                unparked.Add(new TickSpan(from, to));
            }
        }
    }

    private static void Add(CpuHistory cpu, long fromTicks, long toTicks, long leastTicks, List<TickSpan> idle)
    {
        long known = FirstIdleTicks(cpu);
        long end = Math.Min(toTicks, cpu.Runs.Count > 0 ? cpu.Runs[cpu.Runs.First].StartTicks : cpu.LatestTicks);
        if (end - Math.Max(fromTicks, known) >= Math.Max(1, leastTicks) && known < end)
        {
            idle.Add(new TickSpan(Math.Max(fromTicks, known), end));
        }

        for (long run = Math.Max(cpu.RunAt(fromTicks), cpu.Runs.First); run < cpu.Runs.Next && cpu.Runs[run].StartTicks < toTicks; run++)
        {
            // The last run is known up to the CPU's last record.
            long next = run + 1 < cpu.Runs.Next ? cpu.Runs[run + 1].StartTicks : cpu.LatestTicks;
            long from = Math.Max(fromTicks, cpu.Runs[run].StartTicks);
            long to = Math.Min(toTicks, next);
            if (cpu.Runs[run].IsIdle && to - from >= Math.Max(1, leastTicks))
            {
                idle.Add(new TickSpan(from, to));
            }
        }
    }

    /// <summary>
    /// When a sample first hit the idle thread of a CPU without a context switch until then: the CPU idles until its first switch, however
    /// late that is. Without such a sample, the largest time.
    /// </summary>
    private static long FirstIdleTicks(CpuHistory cpu)
    {
        const int MostAsked = 64;
        bool isForgotten = cpu.Runs.First > 0 || cpu.Samples.First > 0;
        long switched = cpu.Runs.Count > 0 ? cpu.Runs[cpu.Runs.First].StartTicks : long.MaxValue;
        for (long number = cpu.Samples.First; !isForgotten && number < Math.Min(cpu.Samples.Next, MostAsked); number++)
        {
            CpuSample sample = cpu.Samples[number];
            if (sample.IsInDpc || sample.IsInIsr)
            {
                continue;
            }

            return sample.IsIdle && sample.Ticks < switched ? sample.Ticks : long.MaxValue;
        }

        return long.MaxValue;
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

/// <summary>When other CPUs that a victim could have used were idle, in order and without overlaps.</summary>
/// <param name="Any">Times in which at least one of them was idle.</param>
/// <param name="Unparked">Times in which at least one idle CPU was not parked, so that the scheduler could have chosen it.</param>
internal sealed record IdleElsewhere(IReadOnlyList<TickSpan> Any, IReadOnlyList<TickSpan> Unparked)
{
    public static IdleElsewhere None { get; } = new([], []);

    /// <summary>Whether a time lies in one of several stretches, which must be in order and not overlap.</summary>
    /// <param name="at">The time, in ticks.</param>
    public static bool Covers(IReadOnlyList<TickSpan> spans, long at, ref long until)
    {
        int low = SortedSearch.FirstNot(0, spans.Count, (spans, at), static (asked, i) => asked.spans[i].EndTicks <= asked.at);

        if (low == spans.Count)
        {
            return false;
        }

        bool isInside = spans[low].StartTicks <= at;
        until = Math.Min(until, isInside ? spans[low].EndTicks : spans[low].StartTicks);
        return isInside;
    }
}
