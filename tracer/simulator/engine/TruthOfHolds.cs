namespace Tracer.Simulator.Engine;

/// <summary>Episodes that go on after the victim was served, and those that the victim measured itself.</summary>
/// <param name="candidates">What is noted: these episodes are added, and what they continue is removed.</param>
internal sealed class TruthOfHolds(MachineOptions options, WaitShares waits, List<Candidate> candidates)
{
    /// <summary>A thread that was served waits again; the delay until then is part of the same episode where that was just now.</summary>
    public void Begin(SimulatedThread thread, Cpu cpu, HoldCause cause, long nowNs)
    {
        HeldWakeup held = thread.Held;
        bool isOfWakeup = held.Begin(cause, nowNs);
        WakingDpc? waking = held.StartNs < held.WokenNs ? thread.WokenBy : null;
        held.Before = isOfWakeup ? held.Before ?? waits.OfWakeup(thread, waking, cpu, held.WokenNs, held.DispatchedNs) : [];
        if (isOfWakeup && held.Candidate is Candidate first)
        {
            candidates.Remove(first);
        }
    }

    /// <summary>
    /// A thread measured its own wake-up: until it was ready it waited for the CPU of its timer, then for its own.
    /// </summary>
    /// <param name="tickNs">When the tick of the clock came that served it.</param>
    /// <param name="nowNs">Its first instruction.</param>
    public void Measured(SimulatedThread thread, Cpu timerCpu, Cpu cpu, long dueNs, long tickNs, long nowNs)
    {
        long latency = nowNs - dueNs;
        if (latency < options.ThresholdNs)
        {
            return;
        }

        bool isElsewhere = timerCpu != cpu;
        List<Share> shares = isElsewhere ? Blame.OfTimer(timerCpu.History, tickNs, thread.LastWokenNs) : [];
        Blame.Add(shares, waits.OfWait(thread, cpu, isElsewhere ? thread.LastWokenNs : tickNs, nowNs));
        candidates.Add(new Candidate
        {
            Probe = ProbeKind.Wakeup,
            StartNs = dueNs,
            LatencyNs = latency,
            Cpu = cpu.Index,
            Thread = thread,
            Priority = thread.Priority,
            TimerTickNs = tickNs - dueNs,
            Shares = waits.Settled(shares, latency),
        });
    }

    /// <summary>
    /// A timer that serves all CPUs begins its callback: how late it is counts once, from the clock's tick, for the CPU that was to serve
    /// it.
    /// </summary>
    /// <param name="tickNs">When the tick was due that should have served it.</param>
    /// <param name="nowNs">The callback's first instruction.</param>
    public void TimerServed(Cpu cpu, long tickNs, long nowNs)
    {
        long latency = nowNs - tickNs;
        if (latency >= options.ThresholdNs)
        {
            candidates.Add(new Candidate
            {
                Probe = ProbeKind.Wakeup,
                StartNs = tickNs,
                LatencyNs = latency,
                Cpu = cpu.Index,
                Shares = waits.Settled(Blame.OfTimer(cpu.History, tickNs, nowNs), latency),
            });
        }
    }

    /// <summary>A thread whose DPC such a callback queued for its CPU runs: until it was ready, that CPU was to run the DPC.</summary>
    /// <param name="nowNs">Its first instruction.</param>
    public void MeasuredFromQueue(SimulatedThread thread, Cpu cpu, long queuedNs, long nowNs)
    {
        long latency = nowNs - queuedNs;
        if (latency < options.ThresholdNs)
        {
            return;
        }

        List<Share> shares = Blame.OfTimer(cpu.History, queuedNs, thread.LastWokenNs);
        Blame.Add(shares, waits.OfWait(thread, cpu, thread.LastWokenNs, nowNs));
        candidates.Add(new Candidate
        {
            Probe = ProbeKind.Wakeup,
            StartNs = queuedNs,
            LatencyNs = latency,
            Cpu = cpu.Index,
            Thread = thread,
            Priority = thread.Priority,
            Shares = waits.Settled(shares, latency),
        });
    }

    /// <summary>A thread that was held up runs again.</summary>
    public void End(SimulatedThread thread, Cpu cpu, long nowNs)
    {
        HeldWakeup held = thread.Held;
        HoldCause cause = held.Cause!;
        long latency = nowNs - held.StartNs;
        List<Share> shares = held.Before!;
        Blame.Add(shares, new Share(cause.Owner, cause.Mechanism, cause.Routine) { Ns = thread.WokenNs - held.BeganNs });
        Blame.Add(shares, waits.OfWait(thread, cpu, thread.WokenNs, nowNs));
        Candidate? episode = null;
        if (latency >= options.ThresholdNs && thread.Priority >= options.MinimumPriority)
        {
            episode = new Candidate
            {
                Probe = ProbeKind.Thread,
                StartNs = held.StartNs,
                LatencyNs = latency,
                Cpu = cpu.Index,
                Thread = thread,
                Priority = thread.Priority,
                Shares = waits.Settled([.. shares], latency),
            };
            candidates.Add(episode);
        }

        held.End(episode, shares, nowNs);
    }
}
