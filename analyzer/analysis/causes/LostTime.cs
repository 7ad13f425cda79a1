using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Accounts for the time that a job lost: until it was ready, until it ran, and whenever it was preempted, interrupted, or waited inside.
/// What the thread itself computed is work, and never lost, but where Windows recorded that others waited for it.
/// </summary>
internal sealed class LostTime(MachineState machine, Accounting accounting, ThreadChains chains)
{
    /// <summary>Sets the lost time of a job, its causes, and the CPU of the longest piece of it.</summary>
    public void Fill(EpisodeCandidate candidate, JobSpan job)
    {
        ThreadVisits visits = machine.Visits;
        if (!visits.Has(job.FirstVisit))
        {
            return; // Older than what is kept.
        }

        List<long> numbers = [];
        for (long number = job.LastVisit; number >= job.FirstVisit; number = visits.Before(number))
        {
            numbers.Add(number);
        }

        numbers.Reverse();
        ThreadVisit first = visits[numbers[0]];
        List<CauseShare> causes = [];
        (long lost, long longest, int cpu) = (0, -1, first.Cpu);
        if (job.ReadyTicks is { } ready)
        {
            candidate.Before = job.DueTicks is { } due ? chains.UntilReady(in first, due, wasDue: true, out _) : [];
            causes.AddRange(candidate.Before);
            causes.AddRange(chains.UntilRun(default, in first, ready, first.InTicks));
        }

        Lose(job.RunTicks - job.FromTicks, first.Cpu);

        for (int i = 0; i < numbers.Count; i++)
        {
            ThreadVisit visit = visits[numbers[i]];
            if (machine.Cpu(visit.Cpu) is { } own)
            {
                List<CauseShare> interrupted = accounting.Of(
                    own, visit.InTicks, visit.OutTicks, WaitedCpu.AboveThreads, own.SampleIntervalAt(visit.OutTicks), visit.Thread);
                causes.AddRange(interrupted);
                Lose(CauseShare.Sum(interrupted), visit.Cpu);
                candidate.LongestTicks = Math.Max(candidate.LongestTicks, Math.Max(visit.LongestTicks, interrupted
                    .Where(share => share.Blackout is not null).Select(share => share.Ticks).DefaultIfEmpty().Max()));
            }

            if (i + 1 < numbers.Count)
            {
                ThreadVisit next = visits[numbers[i + 1]];
                causes.AddRange(Between(in visit, in next));
                Lose(next.InTicks - visit.OutTicks, next.Cpu);
                candidate.LongestTicks = Math.Max(candidate.LongestTicks, next.InTicks - visit.OutTicks);
            }
        }

        if (job.IsOverloaded)
        {
            long work = job.EndTicks - job.FromTicks - lost;
            causes.Add(new CauseShare
            {
                Mechanism = Mechanism.Thread,
                Ticks = work,
                Detail = new ThreadRan(first.Thread, first.Priority, IsOwnWork: true),
                AtTicks = job.RunTicks,
            });
            Lose(work, cpu);
        }

        (candidate.Causes, candidate.LostTicks, candidate.Cpu) = (causes, lost, cpu);

        void Lose(long ticks, int where)
        {
            lost += ticks;
            (longest, cpu) = ticks > longest ? (ticks, where) : (longest, cpu);
        }
    }

    private IReadOnlyList<CauseShare> Between(in ThreadVisit left, in ThreadVisit next)
    {
        if (left.WasPreempted)
        {
            return chains.UntilRun(in left, in next, left.OutTicks, next.InTicks);
        }

        if (next.ReadyTicks == long.MinValue)
        {
            return chains.PageOf(in left, in next, left.OutTicks) is { } page ? [page] : [];
        }

        IReadOnlyList<CauseShare> waited = chains.PageOf(in left, in next, left.OutTicks) is { } read
            ? [read]
            : chains.UntilReady(in next, left.OutTicks, wasDue: false, out _);
        return [.. waited, .. chains.UntilRun(in left, in next, next.ReadyTicks, next.InTicks)];
    }
}
