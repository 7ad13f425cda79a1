namespace Tracer.Simulator.Engine;

/// <summary>
/// Notes every episode as it happens, from the state of the machine. Probes: threads that waited for a CPU after a wake-up, where wake-ups
/// are recorded; CPUs kept at the level of ISRs and DPCs; profile interrupts that came late on busy CPUs because nothing was served, or on
/// several at once, idle ones among them, because all stood still.
/// </summary>
internal sealed class TruthCollector
{
    /// <summary>A gap between ISRs and DPCs longer than this ends a stretch of a CPU at their level.</summary>
    private const long LevelGapNs = 2_000;

    /// <summary>History is kept so long beyond what waits: a hold or a measured wake-up reaches further back.</summary>
    private const long KeptNs = 200_000_000;

    private const int LeastEntriesToForget = 8_192;

    /// <summary>A profile interrupt that comes late by this is beyond what exits from idle states make of it.</summary>
    private const long LeastLateNs = 50_000;

    private readonly MachineOptions _options;
    private readonly IReadOnlyList<SimulatedThread> _threads;
    private readonly Cpu[] _cpus;
    private readonly WaitShares _shares;
    private readonly List<Candidate> _candidates = [];
    private readonly long[] _levelStart;
    private readonly long[] _levelEnd;
    private readonly int[] _forgetAt;

    public TruthCollector(MachineOptions options, IReadOnlyList<SimulatedThread> threads, Cpu[] cpus)
    {
        _cpus = cpus;
        _options = options;
        _threads = threads;
        _shares = new WaitShares(options, cpus);
        Holds = new TruthOfHolds(options, _shares, _candidates);
        Jobs = new TruthOfJobs(options, _shares, _candidates);
        _levelStart = new long[options.Cpus];
        _levelEnd = new long[options.Cpus];
        _forgetAt = new int[options.Cpus];
        Array.Fill(_levelStart, -1);
        Array.Fill(_levelEnd, -1);
        Array.Fill(_forgetAt, LeastEntriesToForget);
    }

    /// <summary>Episodes that go on after the victim was served, and those that it measured itself.</summary>
    public TruthOfHolds Holds { get; }

    /// <summary>Episodes of what threads do after their wake-up.</summary>
    public TruthOfJobs Jobs { get; }

    /// <summary>A CPU did this from one time to another.</summary>
    public void Account(Cpu cpu, long fromNs, long toNs, in Activity activity)
    {
        cpu.History.Add(fromNs, toNs, activity);
        if (cpu.History.Count >= _forgetAt[cpu.Index])
        {
            Forget(cpu, toNs);
        }
    }

    /// <summary>A thread that a wake-up made ready is about to run its first instruction.</summary>
    public void Dispatched(SimulatedThread thread, Cpu cpu, long nowNs)
    {
        if (thread.Held.Cause is not null)
        {
            Holds.End(thread, cpu, nowNs);
            return;
        }

        bool isVictim = thread.Priority >= _options.MinimumPriority;
        WakingDpc? waking = isVictim ? thread.WokenBy : null;
        long start = waking?.EnqueuedNs ?? thread.WokenNs;
        long latency = nowNs - start;
        thread.Held.Dispatched(start, thread.WokenNs, nowNs);
        if (isVictim && thread.Late is { } late)
        {
            AddLate(thread, late, cpu, nowNs);
        }

        if (latency < _options.ThresholdNs || (_options.Recording & Recording.ReadyThread) == 0)
        {
            return;
        }

        if (!isVictim)
        {
            // Waiting for a hog is most of the wait; a long queue with a little real-time work now and then is not.
            long hogsNs = Blame.HogsNs(cpu.History, thread.WokenNs, nowNs, _options.MinimumPriority);
            if (hogsNs < _options.ThresholdNs || 2 * hogsNs < latency)
            {
                return;
            }
        }

        thread.Held.Candidate = new Candidate
        {
            Probe = ProbeKind.Thread,
            StartNs = start,
            LatencyNs = latency,
            Cpu = cpu.Index,
            Thread = thread,
            Priority = thread.Priority,
            IsHogVictim = !isVictim,
            Shares = _shares.Settled(_shares.OfWakeup(thread, waking, cpu, thread.WokenNs, nowNs), latency),
        };
        _candidates.Add(thread.Held.Candidate);
    }

    /// <summary>A thread misses its beat: its timer expired late, then it waited for its CPU.</summary>
    private void AddLate(SimulatedThread thread, TimerTick late, Cpu cpu, long nowNs)
    {
        if ((_options.Recording & Recording.ReadyThread) == 0)
        {
            return;
        }

        List<Share> shares = Blame.OfTimer(late.Cpu.History, late.TickNs, thread.WokenNs);
        Blame.Add(shares, _shares.OfWait(thread, cpu, thread.WokenNs, nowNs));
        long latency = nowNs - late.TickNs;
        _candidates.Add(new Candidate
        {
            Probe = ProbeKind.Thread,
            StartNs = late.TickNs,
            LatencyNs = latency,
            Cpu = cpu.Index,
            Thread = thread,
            Priority = thread.Priority,
            TimerCpu = late.Cpu.Index,
            Shares = _shares.Settled(shares, latency),
        });
    }

    /// <summary>The first ISR or DPC begins on a CPU that ran none.</summary>
    public void LevelBegins(Cpu cpu, long nowNs)
    {
        if (_levelEnd[cpu.Index] >= 0 && nowNs - _levelEnd[cpu.Index] > LevelGapNs)
        {
            CloseLevel(cpu);
        }

        if (_levelStart[cpu.Index] < 0)
        {
            _levelStart[cpu.Index] = nowNs;
        }
    }

    /// <summary>The last ISR or DPC of a CPU has returned.</summary>
    public void LevelEnds(Cpu cpu, long nowNs) => _levelEnd[cpu.Index] = nowNs;

    public void ProfileServed(Cpu cpu, long nowNs)
    {
        long late = nowNs - cpu.ProfileDueNs;
        if (late < _options.ThresholdNs || !cpu.WasBusyWhenProfileDue)
        {
            return;
        }

        List<Share> shares = Blame.OfBlackout(cpu.History, cpu.ProfileDueNs, nowNs);
        long blackout = 0;
        foreach (Share share in shares)
        {
            blackout += share.Ns;
        }

        if (blackout < _options.ThresholdNs)
        {
            return;
        }

        long stalled = 0;
        cpu.History.Visit(cpu.ProfileDueNs, nowNs, (ns, activity) => stalled += activity.Kind == ActivityKind.Stall ? ns : 0);
        _candidates.Add(new Candidate
        {
            Probe = ProbeKind.Gap,
            StartNs = cpu.ProfileDueNs,
            LatencyNs = late,
            Cpu = cpu.Index,
            IsStall = stalled * 2 > blackout,
            Shares = shares,
        });
    }

    /// <summary>
    /// All CPUs go on after they stood still. A late profile interrupt of one CPU is no evidence of that, and of an idle one of nothing;
    /// those of two or more that come together are. What is proven goes back to the first that was due.
    /// </summary>
    public void StallEnded(long sinceNs, long nowNs)
    {
        int late = 0;
        Cpu? first = null;
        foreach (Cpu cpu in _cpus)
        {
            if (cpu.IsProfilePending && cpu.ProfileDueNs >= sinceNs && nowNs - cpu.ProfileDueNs >= LeastLateNs)
            {
                late++;
                first = first is null || cpu.ProfileDueNs < first.ProfileDueNs ? cpu : first;
            }
        }

        if (late < 2 || nowNs - first!.ProfileDueNs < _options.ThresholdNs)
        {
            return;
        }

        _candidates.Add(new Candidate
        {
            Probe = ProbeKind.Gap,
            StartNs = first.ProfileDueNs,
            LatencyNs = nowNs - first.ProfileDueNs,
            Cpu = null,
            IsStall = true,
            Shares = Blame.OfBlackout(first.History, first.ProfileDueNs, nowNs),
        });
    }

    public TruthReport Report(TruthDeclaration declaration, long durationNs, MachineSleeps sleeps)
    {
        foreach (Cpu cpu in _cpus)
        {
            CloseLevel(cpu);
        }

        return TruthWriter.Write(declaration, _options, durationNs, Overlaps.Resolve(_candidates), sleeps);
    }

    private void CloseLevel(Cpu cpu)
    {
        long start = _levelStart[cpu.Index];
        long end = _levelEnd[cpu.Index];
        _levelStart[cpu.Index] = -1;
        _levelEnd[cpu.Index] = -1;
        if (start >= 0 && end - start >= _options.ThresholdNs)
        {
            long stalled = 0;
            cpu.History.Visit(start, end, (ns, activity) => stalled += activity.Kind == ActivityKind.Stall ? ns : 0);
            _candidates.Add(new Candidate
            {
                Probe = ProbeKind.Level,
                StartNs = start,
                LatencyNs = end - start,
                Cpu = cpu.Index,
                IsStall = stalled >= _options.ThresholdNs,
                Shares = _shares.Settled(Blame.OfLevel(cpu.History, start, end), end - start),
            });
        }
    }

    /// <summary>Forgets the history that no wait, stretch or late interrupt reaches back to.</summary>
    private void Forget(Cpu cpu, long nowNs)
    {
        if (cpu.LevelDepth == 0 && _levelEnd[cpu.Index] >= 0 && nowNs - _levelEnd[cpu.Index] > LevelGapNs)
        {
            CloseLevel(cpu);
        }

        long oldest = nowNs;
        Jobs.Flush(cpu.Current, cpu, nowNs);
        foreach (SimulatedThread thread in _threads)
        {
            oldest = thread.WokenNs >= 0 ? Math.Min(oldest, thread.WaitsSinceNs) : oldest;
            oldest = thread.Job is { } job ? Math.Min(oldest, job.DividedNs) : oldest;
        }

        foreach (Dpc waiting in cpu.Dpcs)
        {
            oldest = Math.Min(oldest, waiting.EnqueuedNs);
        }

        for (int i = 0; i < cpu.Depth; i++)
        {
            oldest = cpu.At(i).EnqueuedNs >= 0 ? Math.Min(oldest, cpu.At(i).EnqueuedNs) : oldest;
        }

        oldest = _levelStart[cpu.Index] >= 0 ? Math.Min(oldest, _levelStart[cpu.Index]) : oldest;
        oldest = cpu.IsProfilePending ? Math.Min(oldest, cpu.ProfileDueNs) : oldest;
        cpu.History.Forget(oldest - KeptNs);
        _forgetAt[cpu.Index] = Math.Max(LeastEntriesToForget, cpu.History.Count * 2);
    }
}
