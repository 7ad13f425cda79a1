namespace Tracer.Simulator.Engine;

/// <summary>
/// Whether a thread that waited behind others could have run elsewhere: on a CPU of its affinity that idled. The time that it waited
/// although one did is the kernel's; where all that idled were parked, power management's.
/// </summary>
internal static class FreeCpus
{
    /// <param name="cpus">All CPUs; the histories of those that idle reach up to the end.</param>
    public static List<Share> Divide(Cpu[] cpus, SimulatedThread thread, Cpu ran, long fromNs, long toNs, CodeOwner kernel)
    {
        List<Share> shares = Blame.OfThread(ran.History, fromNs, toNs, thread.Priority);
        List<(long FromNs, long ToNs)> idle = Spans(cpus, thread, fromNs, toNs, areParkedToo: true);
        if (idle.Count == 0)
        {
            return shares;
        }

        List<(long FromNs, long ToNs)> free = Spans(cpus, thread, fromNs, toNs, areParkedToo: false);
        ran.History.VisitSpans(fromNs, toNs, (from, to, activity) =>
        {
            if (activity.Kind is not (ActivityKind.Thread or ActivityKind.RaisedThread) || activity.Priority < thread.Priority)
            {
                return;
            }

            long idleNs = Common(idle, from, to);
            long freeNs = Common(free, from, to);
            Blame.Add(shares, Blame.OfRunning(activity) with { Ns = -idleNs, LostNs = -Blame.LostNs(idleNs, activity) });
            Blame.Add(shares, new Share(kernel, Mechanism.Scheduler, null) { Ns = freeNs });
            Blame.Add(shares, new Share(CodeOwner.Power, Mechanism.Scheduler, null) { Ns = idleNs - freeNs });
        });
        shares.RemoveAll(share => share.Ns == 0);
        return shares;
    }

    /// <summary>When at least one of the CPUs that a thread may use idled: in order, apart from each other.</summary>
    private static List<(long FromNs, long ToNs)> Spans(Cpu[] cpus, SimulatedThread thread, long fromNs, long toNs, bool areParkedToo)
    {
        List<(long FromNs, long ToNs)> all = [];
        foreach (Cpu cpu in cpus)
        {
            if (thread.MayUse(cpu.Index))
            {
                cpu.History.VisitSpans(fromNs, toNs, (from, to, activity) =>
                {
                    if (activity.Kind == ActivityKind.Idle || (areParkedToo && activity.Kind == ActivityKind.Parked))
                    {
                        all.Add((from, to));
                    }
                });
            }
        }

        all.Sort();
        List<(long FromNs, long ToNs)> joined = [];
        foreach ((long from, long to) in all)
        {
            if (joined.Count > 0 && from <= joined[^1].ToNs)
            {
                joined[^1] = (joined[^1].FromNs, Math.Max(joined[^1].ToNs, to));
            }
            else
            {
                joined.Add((from, to));
            }
        }

        return joined;
    }

    private static long Common(List<(long FromNs, long ToNs)> spans, long fromNs, long toNs)
    {
        long sum = 0;
        foreach ((long from, long to) in spans)
        {
            sum += Math.Max(0, Math.Min(to, toNs) - Math.Max(from, fromNs));
        }

        return sum;
    }
}
