using Tracer.Contract;

namespace Tracer.Simulator;

/// <summary>What a thread waited behind other threads while a parked CPU that it may use had nothing to do: the parking's delay.</summary>
internal static class ParkedCpus
{
    /// <summary>The shares of a wait, with that part given to power management.</summary>
    public static List<Share> Part(List<Share> shares, SimulatedThread thread, Cpu waitedFor, Cpu[] cpus, long fromNs, long toNs)
    {
        List<(long FromNs, long ToNs)> parked = Spans(thread, cpus, fromNs, toNs);
        if (parked.Count == 0)
        {
            return shares;
        }

        var power = new Share(CodeOwner.Power, Mechanism.Scheduler, null);
        waitedFor.History.VisitTimes(fromNs, toNs, (start, end, activity) =>
        {
            if (activity.Kind is not ActivityKind.Thread)
            {
                return;
            }

            long ns = Common(parked, start, end);
            power.Ns += ns;
            Share? others = shares.Find(share =>
                share.Mechanism == Mechanism.Thread && share.Owner == activity.Thread!.Frame.Owner && share.Ns >= ns);
            if (others is not null)
            {
                others.Ns -= ns;
            }
        });
        shares.RemoveAll(share => share.Ns == 0);
        if (power.Ns > 0)
        {
            shares.Add(power);
        }

        return shares;
    }

    /// <summary>When at least one of the CPUs that a thread may use was parked and idle: in order, apart from each other.</summary>
    private static List<(long FromNs, long ToNs)> Spans(SimulatedThread thread, Cpu[] cpus, long fromNs, long toNs)
    {
        List<(long FromNs, long ToNs)> all = [];
        foreach (Cpu cpu in cpus)
        {
            if (thread.MayUse(cpu.Index))
            {
                cpu.History.VisitTimes(fromNs, toNs, (start, end, activity) =>
                {
                    if (activity.Kind == ActivityKind.Parked)
                    {
                        all.Add((start, end));
                    }
                });
                if (cpu.Power.IsParked && !cpu.IsBusy && cpu.AccountedNs < toNs)
                {
                    all.Add((Math.Max(fromNs, cpu.AccountedNs), toNs));
                }
            }
        }

        all.Sort();
        List<(long FromNs, long ToNs)> joined = [];
        foreach ((long start, long end) in all)
        {
            if (joined.Count > 0 && start <= joined[^1].ToNs)
            {
                joined[^1] = (joined[^1].FromNs, Math.Max(joined[^1].ToNs, end));
            }
            else
            {
                joined.Add((start, end));
            }
        }

        return joined;
    }

    private static long Common(List<(long FromNs, long ToNs)> spans, long fromNs, long toNs)
    {
        long sum = 0;
        foreach ((long start, long end) in spans)
        {
            sum += Math.Max(0, Math.Min(end, toNs) - Math.Max(start, fromNs));
        }

        return sum;
    }
}
