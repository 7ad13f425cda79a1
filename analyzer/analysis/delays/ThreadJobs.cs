using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Delays;

/// <summary>
/// A job: what a thread did from the moment it should run until it waited of its own accord for its next turn. Times in ticks.
/// </summary>
/// <param name="FirstVisit">Number of its first stay on a CPU, see <see cref="ThreadVisits"/>.</param>
/// <param name="ReadyTicks">When it was made ready; null where no record tells: then it begins with its first stay.</param>
/// <param name="DeadlineTicks">When it should have been done; null where that is not known.</param>
/// <param name="Late">Its wake-up, where that is late by the thread's beat: then the job begins when it was due.</param>
internal readonly record struct JobSpan(
    long FirstVisit, long LastVisit, long? ReadyTicks, long RunTicks, long EndTicks, long? DeadlineTicks, Delay? Late)
{
    /// <summary>
    /// A job that would have missed its deadline without what it lost in short pieces, too, is late by its own work, unless one part in so
    /// many of its time was lost.
    /// </summary>
    private const int GoodPart = 4;

    /// <summary>Whether its thread keeps a beat; one without may have a deadline that the user told.</summary>
    public bool IsOfBeat { get; init; }

    /// <summary>
    /// Whether it is late by its own work, and Windows recorded a glitch then: that work is what the others waited for.
    /// </summary>
    public bool IsOverloaded { get; init; }

    /// <summary>When it should have been made ready, where it was made ready later.</summary>
    public long? DueTicks => Late?.FromTicks;

    /// <summary>Whether it has no deadline, and many short ISRs and DPCs took most of its time.</summary>
    public bool IsOfSum { get; init; }

    public long FromTicks => DueTicks ?? ReadyTicks ?? RunTicks;

    /// <summary>How long after its deadline it was done; 0 where it kept it, or has none.</summary>
    public long OverdueTicks => Math.Max(0, EndTicks - DeadlineTicks ?? 0);

    /// <summary>
    /// Whether the time that it lost makes it an episode: one stretch of it; or all of it where the deadline was missed by no more than
    /// that, or where it is a good part of the job; or many pieces that took most of it.
    /// </summary>
    public bool IsEpisode(long lostTicks, long longestTicks, long thresholdTicks) =>
        IsOverloaded || IsOfSum || longestTicks >= thresholdTicks
        || (OverdueTicks > 0 && (lostTicks >= OverdueTicks
            || (lostTicks >= thresholdTicks && lostTicks * GoodPart >= EndTicks - FromTicks)));
}

/// <summary>Follows the jobs of the threads that count, and passes on those that lost too much time.</summary>
/// <param name="delays">Receives the jobs.</param>
internal sealed class ThreadJobs(DelaySettings settings, MachineState machine, IDelaySink delays)
{
    /// <summary>Most threads whose jobs are followed, to bound memory.</summary>
    private const int MostThreads = 1 << 16;

    /// <summary>
    /// A thread that keeps no beat and works for longer, in seconds, computes without end: only the long stretches that it lost are delays.
    /// </summary>
    private const int EndlessSeconds = 1;

    /// <summary>
    /// ISRs and DPCs are many small pieces that count as one from this length of a job on, in ms, where it has no deadline: in less there
    /// are too few to speak of a rate.
    /// </summary>
    private const int LeastOfSumMilliseconds = 5;

    /// <summary>They must take this part of the job's time: half of it is lost.</summary>
    private const double LeastOfSum = 0.5;

    /// <summary>Most stays on CPUs of a job; of one with more the long stretches alone are told, each by itself.</summary>
    private const int MostVisits = 1024;

    /// <summary>The job of each thread that began last, whether or not it has ended.</summary>
    private readonly Dictionary<uint, Open> _latest = [];

    private readonly Dictionary<uint, OwnWork> _works = [];

    /// <summary>
    /// Jobs that may have lost too much time and were not followed to their beginning: of more stays than are counted, or older than those
    /// that are kept.
    /// </summary>
    public long Unfollowed { get; private set; }

    /// <summary>Those of them that have a deadline: whether they kept it is not known.</summary>
    public long UnfollowedWithDeadline { get; private set; }

    /// <summary>Jobs that were left out because records are missing during them.</summary>
    public long AcrossLoss { get; private set; }

    /// <summary>How long the longest of them seemed to be, in ticks.</summary>
    public long LongestAcrossTicks { get; private set; }

    /// <summary>How long the threads that count worked, and how often that alone made them late.</summary>
    public IReadOnlyList<OwnWork> Works => [.. _works.Values];

    /// <summary>A thread that counts begins to run for its next turn.</summary>
    /// <param name="late">Its wake-up, where that is late by its beat; else null.</param>
    /// <param name="periodTicks">The length of its beat; 0 for none.</param>
    public void Begin(uint thread, long visit, Delay? late, long periodTicks)
    {
        if (_latest.Count < MostThreads || _latest.ContainsKey(thread))
        {
            long from = late?.FromTicks ?? machine.Visits[visit].InTicks;
            _latest[thread] = new Open(visit, from, late, settings.DeadlineTicks ?? periodTicks, periodTicks > 0);
        }
        else
        {
            Unfollowed++;
        }
    }

    /// <summary>What seemed the end of a thread's job was a wait in the midst of it.</summary>
    public void GoOn(uint thread)
    {
        ref Open open = ref CollectionsMarshal.GetValueRefOrNullRef(_latest, thread);
        if (!Unsafe.IsNullRef(ref open))
        {
            open.HasEnded = false;
        }
    }

    /// <summary>A thread waits for its next turn: its job is done.</summary>
    /// <param name="last">Its last stay on a CPU.</param>
    public void End(uint thread, long last)
    {
        ref Open latest = ref CollectionsMarshal.GetValueRefOrNullRef(_latest, thread);
        if (Unsafe.IsNullRef(ref latest) || latest.HasEnded)
        {
            return;
        }

        latest.HasEnded = true;
        Open open = latest;
        if (!machine.Visits.Has(open.Visit))
        {
            LeaveUnfollowed(in open, machine.Visits[last].OutTicks);
            return;
        }

        ThreadVisits visits = machine.Visits;
        LossMap losses = machine.Losses;
        long lost = 0;
        long longest = 0;
        long interrupted = 0;
        bool isLossy = false;
        bool isAcross = false;
        int stays = 0;
        for (long number = last; number >= 0; number = visits.Before(number))
        {
            stays++;
            ref readonly ThreadVisit visit = ref visits[number];
            isLossy |= losses.Overlaps(visit.Cpu, visit.InTicks, visit.OutTicks);
            isAcross |= visit.Cpu != visits[last].Cpu;
            lost += visit.InterruptedTicks;
            interrupted += visit.InterruptedTicks;
            longest = Math.Max(longest, Math.Max(visit.LongestTicks, LongestGap(in visit)));
            if (number == open.Visit)
            {
                break;
            }

            if (visits.Before(number) is >= 0 and var before)
            {
                long waited = visit.InTicks - visits[before].OutTicks;
                isLossy |= waited < 0; // The end of the stay before is missing.
                lost += waited;
                longest = Math.Max(longest, waited);
            }
        }

        ref readonly ThreadVisit first = ref visits[open.Visit];
        long? ready = first.ReadyTicks == long.MinValue ? null : first.ReadyTicks;
        long from = open.Late?.FromTicks ?? ready ?? first.InTicks;
        long end = visits[last].OutTicks;
        if (stays > MostVisits)
        {
            LeaveUnfollowed(in open, end);
            return;
        }

        long? deadline = open.DeadlineAfterTicks > 0 ? from + open.DeadlineAfterTicks : null;
        if (settings.DeadlineTicks is null && settings.OwnDeadlineOf?.Invoke(thread, from, first.InTicks, end) is { } own)
        {
            deadline = own;
        }

        long whole = end - from;
        long lostInAll = lost + first.InTicks - from;
        var job = new JobSpan(open.Visit, last, ready, first.InTicks, end, deadline, open.Late)
        {
            IsOfBeat = open.DeadlineAfterTicks > 0 && open.IsOfBeat,
            IsOfSum = deadline is null && interrupted >= settings.ThresholdTicks && interrupted >= LeastOfSum * whole
                && whole >= TickRate.TicksOf(LeastOfSumMilliseconds * 1_000_000L, settings.TicksPerSecond),
        };
        if (settings.Glitches is { } glitches && glitches.Done(thread, in job, lostInAll, first.ReadyCpu))
        {
            // Its own work made it late where it had been late without what it lost, and is the larger part; one that came after its
            // deadline was late before it could work.
            job = job with
            {
                IsOverloaded = job.DeadlineTicks >= job.FromTicks && lostInAll < job.OverdueTicks
                    && lostInAll < job.EndTicks - job.FromTicks - lostInAll,
            };
        }

        bool isEpisode = job.IsEpisode(lostInAll, longest, settings.ThresholdTicks);
        if (!isLossy && machine.Asked.Holds(first.Cpu, job.EndTicks))
        {
            AddWork(thread, in job, whole - lostInAll, isOwnLate: !isEpisode && job.OverdueTicks > 0);
        }

        // The wait for its first stay alone is a delay already: as a job it counts where it missed its deadline.
        if ((isAcross && machine.IsOneCpuOnly) || !isEpisode
            || whole > settings.LongestWaitTicks || IsEndless(job.DeadlineTicks is not null, whole))
        {
            return;
        }

        if (isLossy || settings.MayRunOnAny(machine.SilentCpus, thread, job.EndTicks)
            || losses.Overlaps(first.ReadyCpu, job.FromTicks, job.RunTicks))
        {
            AcrossLoss++;
            LongestAcrossTicks = Math.Max(LongestAcrossTicks, whole);
            return;
        }

        delays.Add(new Delay
        {
            Probe = ProbeKind.Job,
            FromTicks = job.FromTicks,
            ToTicks = job.EndTicks,
            Cpu = first.Cpu,
            ThreadId = thread,
            Priority = first.Priority,
            ReadyCpu = first.ReadyCpu,
            PeriodTicks = open.Late?.PeriodTicks ?? 0,
            IsByRuns = !settings.HasReadies,
            Job = job,
        }, job.EndTicks);
    }

    /// <summary>Counts a job of a thread that does not compute without end.</summary>
    private void AddWork(uint thread, in JobSpan job, long workTicks, bool isOwnLate)
    {
        if (IsEndless(job.DeadlineTicks is not null, job.EndTicks - job.FromTicks)
            || (_works.Count >= MostThreads && !_works.ContainsKey(thread)))
        {
            return;
        }

        ref OwnWork work = ref CollectionsMarshal.GetValueRefOrAddDefault(_works, thread, out _);
        work = new OwnWork(
            thread,
            work.Ticks + workTicks,
            work.Jobs + 1,
            work.WithDeadline + (job.DeadlineTicks is null ? 0 : 1),
            work.Late + (isOwnLate ? 1 : 0),
            job.DeadlineTicks is { } deadline ? deadline - job.FromTicks : work.DeadlineTicks,
            job.EndTicks);
    }

    /// <summary>Whether a thread computes without end: it has no jobs.</summary>
    private bool IsEndless(bool hasDeadline, long ticks) =>
        !hasDeadline && ticks > TickRate.TicksOfSeconds(EndlessSeconds, settings.TicksPerSecond);

    private void LeaveUnfollowed(in Open open, long endTicks)
    {
        long ticks = endTicks - open.FromTicks;
        if (ticks >= settings.ThresholdTicks && ticks <= settings.LongestWaitTicks && !IsEndless(open.DeadlineAfterTicks > 0, ticks))
        {
            Unfollowed++;
            UnfollowedWithDeadline += open.DeadlineAfterTicks > 0 && ticks > open.DeadlineAfterTicks ? 1 : 0;
        }
    }

    /// <summary>The longest time in which the CPU of a stay on it was due a sample and served none: it may have stopped.</summary>
    private long LongestGap(in ThreadVisit visit)
    {
        long longest = 0;
        if (machine.Cpu(visit.Cpu) is { SampleGaps: var gaps })
        {
            for (long number = gaps.Next - 1; number >= gaps.First && gaps[number].ToTicks > visit.InTicks; number--)
            {
                longest = gaps[number].ToTicks > visit.OutTicks
                    ? longest
                    : Math.Max(longest, gaps[number].ToTicks - Math.Max(gaps[number].DueTicks, visit.InTicks));
            }
        }

        return longest;
    }

    /// <param name="DeadlineAfterTicks">How long after it should run the job should be done; 0 where that is not known.</param>
    private record struct Open(long Visit, long FromTicks, Delay? Late, long DeadlineAfterTicks, bool IsOfBeat)
    {
        public bool HasEnded { get; set; }
    }
}

/// <summary>What a thread worked, and how often that alone made it late. Times in ticks.</summary>
/// <param name="Ticks">How long it worked in all, without what it lost.</param>
/// <param name="WithDeadline">How many of its jobs had a deadline.</param>
/// <param name="Late">How many of them missed it although nothing that counts kept the thread.</param>
/// <param name="DeadlineTicks">How long the last of these jobs should have lasted at most; 0 for none.</param>
/// <param name="AtTicks">When the last job was done.</param>
internal readonly record struct OwnWork(
    uint Thread, long Ticks, long Jobs, long WithDeadline, long Late, long DeadlineTicks, long AtTicks);
