namespace Tracer.Simulator.Engine;

/// <summary>
/// What threads of the victims' priority lose while they do what they were woken for: each piece of it, who had it, and whether that makes
/// an episode. One stretch that reaches the threshold does; so does a missed deadline where the lost time is as long as the lateness, or
/// reaches the threshold and is a quarter of the job: else it is late by its own work. A job that lost only its wake-up and kept its
/// deadline is left to the probe of wake-ups.
/// </summary>
/// <param name="candidates">What is noted: episodes are added.</param>
internal sealed class TruthOfJobs(MachineOptions options, WaitShares waits, List<Candidate> candidates)
{
    /// <summary>A thread that goes on for so long without waiting has no jobs: it computes.</summary>
    private const long EndlessNs = 1_000_000_000;

    /// <summary>One part in so many of a job's time is much of it.</summary>
    private const int GoodPart = 4;

    private readonly Chains _chains = new(waits);
    private readonly bool _hasReadyThreads = (options.Recording & Recording.ReadyThread) != 0;

    /// <summary>A wait has ended: a thread that waited for its next turn has a new job.</summary>
    /// <param name="beat">What its turns follow; null where that is nothing.</param>
    public void Woken(SimulatedThread thread, Waker waker, ExpectedBeat? beat, long nowNs)
    {
        thread.HasBeat |= beat is not null || waker.Timer is { PeriodNs: > 0 };
        thread.Phases.Last!.Waker = waker;
        thread.Phases.Begin(new ThreadPhase(PhaseKind.IsReady, nowNs));
        if (thread.Job is not null || !_hasReadyThreads || thread.Priority < options.MinimumPriority)
        {
            return;
        }

        long dueNs = waker.Timer is { PeriodNs: > 0 } timer ? timer.TickNs : beat?.DueBefore(nowNs) ?? -1;
        long periodNs = waker.Timer?.PeriodNs ?? beat?.PeriodNs ?? 0;
        bool isLate = dueNs >= 0 && nowNs - dueNs >= options.ThresholdNs;
        thread.Job = new Job(isLate ? dueNs : thread.WaitsSinceNs)
        {
            DueNs = isLate ? dueNs : -1,
            TimerCpu = isLate ? waker.Timer?.Cpu.Index : null,
            ReadyNs = nowNs,
            DeadlineNs = dueNs >= 0 && periodNs > 0 ? dueNs + periodNs : -1,
        };
        if (isLate)
        {
            List<LostPiece> places = [];
            List<Share> shares = _chains.OfWaker(waker, dueNs, nowNs, [], places);
            thread.Job.AddLost(nowNs, shares, places);
        }
    }

    /// <summary>A thread runs that did not before.</summary>
    public void Runs(SimulatedThread thread, Cpu cpu, long nowNs)
    {
        ThreadPhase? ready = thread.Phases.Last;
        if (ready is { Kind: PhaseKind.IsReady })
        {
            ready.Cpu = cpu;
        }

        if (thread.Job is null && thread.Priority >= options.MinimumPriority)
        {
            thread.Job = new Job(nowNs);
        }

        if (thread.Job is { } job)
        {
            AddWait(thread, job, cpu, ready, nowNs);
        }

        thread.Phases.Begin(new ThreadPhase(PhaseKind.Runs, nowNs) { Cpu = cpu });
    }

    /// <summary>The thread of a CPU makes room for another one and would go on.</summary>
    public void IsPreempted(SimulatedThread thread, Cpu cpu, long nowNs)
    {
        Flush(thread, cpu, nowNs);
        thread.Phases.Begin(new ThreadPhase(PhaseKind.IsReady, nowNs));
    }

    /// <param name="isOwnTurn">For its next turn; else inside of what it does.</param>
    public void Waits(SimulatedThread thread, Cpu cpu, ThreadPhase wait, bool isOwnTurn, long nowNs)
    {
        Flush(thread, cpu, nowNs);
        thread.Phases.Begin(wait);
        if (isOwnTurn)
        {
            End(thread, nowNs);
        }
    }

    /// <summary>The thread of a CPU has ended, or the machine stops. What interrupts it then leaves no record: it is not judged.</summary>
    public void Stops(SimulatedThread thread, Cpu cpu, long nowNs)
    {
        Flush(thread, cpu, nowNs);
        if (cpu.Depth == 1)
        {
            End(thread, nowNs);
        }
    }

    /// <summary>Divides what the thread of a CPU did since it was asked last: its own work, and what interrupted it.</summary>
    public void Flush(SimulatedThread thread, Cpu cpu, long nowNs)
    {
        if (thread.Job is not { } job || job.DividedNs >= nowNs || thread.Phases.Last!.Kind != PhaseKind.Runs)
        {
            return;
        }

        cpu.History.VisitSpans(job.DividedNs, nowNs, (_, to, activity) =>
        {
            if (Blame.IsWork(activity))
            {
                job.AddWork(to);
            }
            else
            {
                job.AddLost(to, Blame.OfInterruption(activity, to - job.DividedNs), cpu);
            }
        });
        if (job.IsEndless || nowNs - job.StartNs >= EndlessNs)
        {
            job.IsEndless = true;
            AddStretches(thread, job, job.TakeEnded());
        }
    }

    private void AddWait(SimulatedThread thread, Job job, Cpu cpu, ThreadPhase? ready, long nowNs)
    {
        if (job.RunNs >= 0)
        {
            long wokenNs = Math.Max(job.DividedNs, ready?.FromNs ?? nowNs);
            foreach (ThreadPhase wait in thread.Phases.In(job.DividedNs, wokenNs))
            {
                if (wait.Kind is PhaseKind.Waits or PhaseKind.IsHeld)
                {
                    List<LostPiece> places = [];
                    List<Share> shares = _chains.OfWait(wait, job.DividedNs, wokenNs, [], places);
                    job.AddLost(Math.Min(wait.ToNs, wokenNs), shares, places);
                }
            }

            job.AddLost(nowNs, waits.OfWait(thread, cpu, job.DividedNs, nowNs), cpu);
            return;
        }

        WakingDpc? waking = job.DueNs < 0 ? thread.WokenBy : null;
        job.AddLost(nowNs, waits.OfWakeup(thread, waking, cpu, Math.Max(job.ReadyNs, job.StartNs), nowNs), cpu);
        job.Begin(thread, cpu, nowNs);
    }

    private void End(SimulatedThread thread, long nowNs)
    {
        if (thread.Job is not { } job)
        {
            return;
        }

        thread.Job = null;
        if (job.Priority < options.MinimumPriority || job.RunNs < 0)
        {
            return;
        }

        if (job.IsEndless)
        {
            AddStretches(thread, job, job.Stretches);
            return;
        }

        var told = new TrueJob
        {
            DueNs = job.DueNs,
            ReadyNs = job.ReadyNs,
            RunNs = job.RunNs,
            WorkNs = job.WorkNs,
            EndNs = nowNs,
            DeadlineNs = job.DeadlineNs,
        };
        long lateNs = job.DeadlineNs < 0 ? 0 : nowNs - job.DeadlineNs;
        bool isMissed = lateNs > 0 && (job.LostNs >= lateNs
            || (job.LostNs >= options.ThresholdNs && job.LostNs * GoodPart >= nowNs - job.StartNs));
        if (isMissed || job.Stretches.Any(stretch => !stretch.IsWakeup && stretch.LostNs >= options.ThresholdNs))
        {
            Add(thread, job, job.StartNs, job.LostNs, job.Shares, job.Pieces, told);
        }
        else if (job is { DueNs: >= 0, TimerCpu: null })
        {
            // A beat that was missed is an episode, whatever comes of it; one that a timer missed is noted with the wake-up.
            LostStretch wakeup = job.Stretches[0];
            Add(thread, job, job.StartNs, wakeup.LostNs, wakeup.Shares, job.Pieces, null);
        }
    }

    private void AddStretches(SimulatedThread thread, Job job, IEnumerable<LostStretch> stretches)
    {
        foreach (LostStretch stretch in stretches)
        {
            if (!stretch.IsWakeup && stretch.LostNs >= options.ThresholdNs)
            {
                List<LostPiece> pieces = [new LostPiece(thread.LastCpu, stretch.FromNs, stretch.ToNs)];
                Add(thread, job, stretch.FromNs, stretch.LostNs, stretch.Shares, pieces, new TrueJob
                {
                    DueNs = -1,
                    ReadyNs = -1,
                    RunNs = stretch.FromNs,
                    WorkNs = stretch.ToNs - stretch.FromNs - stretch.LostNs,
                    EndNs = stretch.ToNs,
                    DeadlineNs = -1,
                });
            }
        }
    }

    private void Add(
        SimulatedThread thread, Job job, long startNs, long lostNs, List<Share> shares, List<LostPiece> pieces, TrueJob? told) =>
        candidates.Add(new Candidate
        {
            Probe = told is null ? ProbeKind.Thread : ProbeKind.Job,
            IsMissedBeat = told is null,
            StartNs = startNs,
            LatencyNs = lostNs,
            Cpu = job.Cpu?.Index,
            Thread = thread,
            Priority = job.Priority,
            Job = told,
            TimerCpu = told is { DueNs: >= 0 } ? job.TimerCpu : null,
            Pieces = [.. pieces],
            Shares = waits.Settled([.. shares], lostNs),
        });
}

/// <summary>A job as the truth tells it; times in nanoseconds, -1 for what there is not.</summary>
internal sealed record TrueJob
{
    public required long DueNs { get; init; }

    public required long ReadyNs { get; init; }

    public required long RunNs { get; init; }

    public required long WorkNs { get; init; }

    public required long EndNs { get; init; }

    public required long DeadlineNs { get; init; }
}
