namespace Tracer.Simulator.Engine;

/// <summary>Who had which part of the time that a thread waited.</summary>
internal sealed class WaitShares(MachineOptions options, Cpu[] cpus)
{
    /// <summary>Of the DPC's time in the queue, of the DPC until it woke the thread, and of the thread's wait for a CPU.</summary>
    public List<Share> OfWakeup(SimulatedThread thread, WakingDpc? waking, Cpu cpu, long wokenNs, long nowNs)
    {
        List<Share> shares = [];
        if (waking is not null)
        {
            Blame.Add(shares, Blame.OfQueue(waking.Cpu.History, waking));
            Blame.Add(shares, Blame.OfLevel(waking.Cpu.History, waking.StartNs, wokenNs));
        }

        Blame.Add(shares, OfWait(thread, cpu, wokenNs, nowNs));
        return shares;
    }

    public List<Share> OfWait(SimulatedThread thread, Cpu cpu, long fromNs, long toNs) =>
        FreeCpus.Divide(cpus, thread, cpu, fromNs, toNs, options.Kernel.Owner);

    /// <summary>
    /// The shares with what went by because a CPU ran below its speed given to power management, where the victim had been in time without
    /// that.
    /// </summary>
    public List<Share> Settled(List<Share> shares, long latencyNs)
    {
        long lost = 0;
        foreach (Share share in shares)
        {
            lost += share.LostNs;
        }

        if (lost == 0 || latencyNs - lost >= options.ThresholdNs)
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
