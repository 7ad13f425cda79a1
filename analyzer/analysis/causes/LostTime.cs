using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Accounts for the time that a job lost: until it was ready, until it ran, and whenever it was preempted, interrupted, or waited inside.
/// What the thread itself computed is work, and never lost, but where Windows recorded that others waited for it. Of a job without a
/// deadline, unless many small pieces took most of it, only stretches that reach the threshold count: what was short made nobody late, and
/// would add up over a long job.
/// </summary>
/// <param name="levelGapTicks">A longer gap ends a stretch at ISR or DPC level.</param>
internal sealed class LostTime(
    MachineState machine, Accounting accounting, ThreadChains chains, long thresholdTicks, long levelGapTicks)
{
    private readonly List<(long FromTicks, long ToTicks)> _long = [];

    /// <summary>Sets the lost time of a job, its causes, and the CPU of the longest piece of it.</summary>
    /// <returns>Whether the job's stays on CPUs are still kept.</returns>
    public bool Fill(EpisodeCandidate candidate, JobSpan job)
    {
        ThreadVisits visits = machine.Visits;
        if (!visits.Has(job.FirstVisit))
        {
            return false;
        }

        List<long> numbers = [];
        for (long number = job.LastVisit; number >= job.FirstVisit; number = visits.Before(number))
        {
            numbers.Add(number);
        }

        numbers.Reverse();
        ThreadVisit first = visits[numbers[0]];
        bool isCounted = job.DeadlineTicks is not null || job.IsOfSum || job.IsOverloaded;
        List<CauseShare> causes = [];
        (long lost, long passedOver, long longest, int cpu) = (0, 0, -1, first.Cpu);
        if (Counts(job.RunTicks - job.FromTicks, first.Cpu) && job.ReadyTicks is { } ready)
        {
            candidate.Before = job.DueTicks is { } due ? chains.UntilReady(in first, due, wasDue: true, out _) : [];
            causes.AddRange(candidate.Before);
            causes.AddRange(chains.UntilRun(default, in first, ready, first.InTicks));
        }

        for (int i = 0; i < numbers.Count; i++)
        {
            ThreadVisit visit = visits[numbers[i]];
            if (machine.Cpu(visit.Cpu) is { } own)
            {
                long before = lost;
                foreach ((long from, long to) in isCounted ? [(visit.InTicks, visit.OutTicks)] : LongStretches(own, in visit))
                {
                    List<CauseShare> interrupted = accounting.Of(
                        own, from, to, WaitedCpu.AboveThreads, own.SampleIntervalAt(to), visit.Thread);
                    causes.AddRange(interrupted);
                    Lose(CauseShare.Sum(interrupted), visit.Cpu);
                    candidate.LongestTicks = Math.Max(candidate.LongestTicks, interrupted
                        .Where(share => share.Blackout is not null).Select(share => share.Ticks).DefaultIfEmpty().Max());
                }

                candidate.LongestTicks = Math.Max(candidate.LongestTicks, visit.LongestTicks);
                passedOver += isCounted ? 0 : Math.Max(0, visit.InterruptedTicks - (lost - before));
            }

            if (i + 1 < numbers.Count)
            {
                ThreadVisit next = visits[numbers[i + 1]];
                candidate.LongestTicks = Math.Max(candidate.LongestTicks, next.InTicks - visit.OutTicks);
                if (Counts(next.InTicks - visit.OutTicks, next.Cpu))
                {
                    causes.AddRange(Between(in visit, in next));
                }
            }
        }

        if (job.IsOverloaded)
        {
            // All of it made the job late; how much was its own work is known only where what interrupts was recorded, or samples show it.
            long work = job.EndTicks - job.FromTicks - lost;
            long own = machine.Cpu(first.Cpu) is { } where
                ? accounting.OwnTicks(where, first.Thread, job.RunTicks, job.EndTicks, work)
                : 0;
            if (own > 0)
            {
                causes.Add(new CauseShare
                {
                    Ticks = own,
                    Detail = new ThreadRan(first.Thread, first.Priority, IsOwnWork: true),
                    AtTicks = job.RunTicks,
                    IsInferred = !accounting.HasInterruptions,
                });
            }

            chains.AddUnknown(first.Thread, ChainEnd.Uninterrupted, job.EndTicks - (work - own), job.EndTicks);
            Lose(work, cpu);
            candidate.WorkTicks = work;
        }

        (candidate.Causes, candidate.LostTicks, candidate.PassedOverTicks, candidate.Cpu) = (causes, lost, passedOver, cpu);
        candidate.UnknownLinks = chains.TakeUnknown();
        return true;

        bool Counts(long ticks, int where)
        {
            if (!isCounted && ticks < thresholdTicks)
            {
                passedOver += ticks;
                return false;
            }

            Lose(ticks, where);
            return true;
        }

        void Lose(long ticks, int where)
        {
            lost += ticks;
            (longest, cpu) = ticks > longest ? (ticks, where) : (longest, cpu);
        }
    }

    /// <summary>
    /// The stretches of a stay in which the CPU was at the level of ISRs and DPCs, or served no sample, for the threshold.
    /// </summary>
    private List<(long FromTicks, long ToTicks)> LongStretches(CpuHistory cpu, in ThreadVisit visit)
    {
        _long.Clear();
        for (long number = cpu.FirstEndingFrom(visit.InTicks + 1);
            number >= 0 && number < cpu.Spans.Next && cpu.Spans[number].EndTicks <= visit.OutTicks; number++)
        {
            Join(Math.Max(cpu.Spans[number].StartTicks, visit.InTicks), cpu.Spans[number].EndTicks);
        }

        _long.RemoveAll(one => one.ToTicks - one.FromTicks < thresholdTicks);
        for (long number = cpu.SampleGaps.Next - 1; number >= cpu.SampleGaps.First; number--)
        {
            SampleGap gap = cpu.SampleGaps[number];
            if (gap.ToTicks <= visit.InTicks)
            {
                break;
            }

            if (gap.ToTicks <= visit.OutTicks && gap.ToTicks - Math.Max(gap.DueTicks, visit.InTicks) >= thresholdTicks)
            {
                _long.Add((Math.Max(gap.FromTicks, visit.InTicks), gap.ToTicks));
            }
        }

        (long FromTicks, long ToTicks)[] all = [.. _long.OrderBy(one => one.ToTicks)];
        _long.Clear();
        foreach ((long from, long to) in all)
        {
            Join(from, to);
        }

        return _long;

        // Runs come by their ends: one that others nest in comes after these.
        void Join(long fromTicks, long toTicks)
        {
            while (_long.Count > 0 && fromTicks - _long[^1].ToTicks <= levelGapTicks)
            {
                fromTicks = Math.Min(fromTicks, _long[^1].FromTicks);
                _long.RemoveAt(_long.Count - 1);
            }

            _long.Add((fromTicks, toTicks));
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
            if (chains.HoldOf(in left, in next, left.OutTicks) is { } unseen)
            {
                return [unseen];
            }

            chains.AddUnknown(next.Thread, ChainEnd.NoReadyThread, left.OutTicks, next.InTicks);
            return [];
        }

        IReadOnlyList<CauseShare> waited = chains.HoldOf(in left, in next, left.OutTicks) is { } held
            ? [held]
            : chains.UntilReady(in next, left.OutTicks, wasDue: false, out _);
        return [.. waited, .. chains.UntilRun(in left, in next, next.ReadyTicks, next.InTicks)];
    }
}
