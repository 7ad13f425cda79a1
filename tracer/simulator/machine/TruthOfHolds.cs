using Tracer.Contract;

namespace Tracer.Simulator;

/// <summary>Episodes that go on after the victim was served, and those that the victim measured itself.</summary>
internal sealed partial class TruthCollector
{
    /// <summary>History is kept so long beyond what waits: a hold or a measured wake-up reaches further back.</summary>
    private const long KeptNs = 50_000_000;

    /// <summary>A thread that was served waits again; the delay until then is part of the same episode where that was just now.</summary>
    public void HoldBegins(SimulatedThread thread, Cpu cpu, HoldCause cause, long nowNs)
    {
        HeldWakeup held = thread.Held;
        bool isOfWakeup = held.Begin(cause, nowNs);
        WakingDpc? waking = held.StartNs < held.WokenNs ? thread.WokenBy : null;
        held.Before = isOfWakeup ? held.Before ?? SharesOf(thread, waking, cpu, held.WokenNs, held.DispatchedNs) : [];
        if (isOfWakeup && held.Candidate is Candidate first)
        {
            _candidates.Remove(first);
        }
    }

    /// <summary>
    /// A thread measured its own wake-up: until it was ready it waited for the CPU of its timer, then for its own.
    /// </summary>
    /// <param name="thread">The thread.</param>
    /// <param name="timerCpu">The CPU of its timer.</param>
    /// <param name="cpu">The CPU that it runs on.</param>
    /// <param name="dueNs">When the timer was due.</param>
    /// <param name="tickNs">When the tick of the clock came that served it.</param>
    /// <param name="nowNs">Its first instruction.</param>
    public void Measured(SimulatedThread thread, Cpu timerCpu, Cpu cpu, long dueNs, long tickNs, long nowNs)
    {
        long latency = nowNs - dueNs;
        if (latency < _options.ThresholdNs)
        {
            return;
        }

        bool isElsewhere = timerCpu != cpu;
        List<Share> shares = isElsewhere ? Blame.OfTimer(timerCpu.History, tickNs, thread.LastWokenNs) : [];
        Blame.Add(shares, OfWait(thread, cpu, isElsewhere ? thread.LastWokenNs : tickNs, nowNs));
        _candidates.Add(new Candidate
        {
            Probe = ProbeKind.Wakeup,
            StartNs = dueNs,
            LatencyNs = latency,
            Cpu = cpu.Index,
            Thread = thread,
            Priority = thread.Priority,
            TimerTickNs = tickNs - dueNs,
            Shares = Settled(shares, latency),
        });
    }

    /// <summary>A thread that was held up runs again.</summary>
    private void HoldEnded(SimulatedThread thread, Cpu cpu, long nowNs)
    {
        HeldWakeup held = thread.Held;
        HoldCause cause = held.Cause!;
        long latency = nowNs - held.StartNs;
        List<Share> shares = held.Before!;
        Blame.Add(shares, new Share(cause.Owner, cause.Mechanism, cause.Routine) { Ns = thread.WokenNs - held.BeganNs });
        Blame.Add(shares, OfWait(thread, cpu, thread.WokenNs, nowNs));
        Candidate? episode = null;
        if (latency >= _options.ThresholdNs && thread.Priority >= _options.MinimumPriority)
        {
            episode = new Candidate
            {
                Probe = ProbeKind.Thread,
                StartNs = held.StartNs,
                LatencyNs = latency,
                Cpu = cpu.Index,
                Thread = thread,
                Priority = thread.Priority,
                Shares = Settled([.. shares], latency),
            };
            _candidates.Add(episode);
        }

        held.End(episode, shares, nowNs);
    }

    /// <summary>
    /// The shares with what went by because a CPU ran below its speed given to power management, where the victim had been in time without
    /// that.
    /// </summary>
    private List<Share> Settled(List<Share> shares, long latencyNs)
    {
        long lost = 0;
        foreach (Share share in shares)
        {
            lost += share.LostNs;
        }

        if (lost == 0 || latencyNs - lost >= _options.ThresholdNs)
        {
            return shares;
        }

        List<Share> settled = [];
        foreach (Share share in shares)
        {
            settled.Add(new Share(share.Owner, share.Mechanism, share.Routine) { Ns = share.Ns - share.LostNs });
            if (share.LostNs > 0)
            {
                settled.Add(new Share(CodeOwner.Power, share.Mechanism, share.Routine) { Ns = share.LostNs });
            }
        }

        return settled;
    }
}
