using Tracer.Contract;

namespace Tracer.Simulator;

/// <summary>
/// Whether a thread that waited behind others could have run elsewhere: on a CPU of its affinity that idled, or ran a less important
/// thread that could be preempted. The time that it waited then although somebody was free is the kernel's.
/// </summary>
internal static class FreeCpus
{
    /// <summary>The shares of a thread's wait for a CPU.</summary>
    /// <param name="cpus">All CPUs; their histories reach up to the end.</param>
    /// <param name="thread">The thread.</param>
    /// <param name="ran">The CPU that it ran on in the end.</param>
    /// <param name="fromNs">From when it waited.</param>
    /// <param name="toNs">Until when.</param>
    /// <param name="kernel">Who answers for the dispatcher.</param>
    public static List<Share> Divide(Cpu[] cpus, SimulatedThread thread, Cpu ran, long fromNs, long toNs, CodeOwner kernel)
    {
        List<Share> shares = Blame.OfThread(ran.History, fromNs, toNs, thread.Priority);
        List<(long From, long To)> free = Free(cpus, thread, ran, fromNs, toNs);
        if (free.Count == 0)
        {
            return shares;
        }

        List<Share> scheduler = [];
        long passedOver = 0;
        ran.History.VisitSpans(fromNs, toNs, (from, to, activity) =>
        {
            if (activity.Kind is not (ActivityKind.Thread or ActivityKind.RaisedThread) || activity.Priority < thread.Priority)
            {
                return;
            }

            foreach ((long freeFrom, long freeTo) in free)
            {
                long ns = Math.Min(to, freeTo) - Math.Max(from, freeFrom);
                if (ns > 0)
                {
                    passedOver += ns;
                    Take(shares, Blame.OfRunning(activity), ns);
                }
            }
        });
        if (passedOver > 0)
        {
            scheduler.Add(new Share(kernel, Mechanism.Scheduler, null) { Ns = passedOver });
        }

        Blame.Add(scheduler, shares.Where(share => share.Ns > 0));
        return scheduler;
    }

    private static void Take(List<Share> shares, Share like, long ns) =>
        shares.Find(share => share.Owner == like.Owner && share.Mechanism == like.Mechanism && share.Routine == like.Routine)!.Ns -= ns;

    /// <summary>When another CPU that the thread may use was free for it: spans that do not overlap, in order.</summary>
    private static List<(long From, long To)> Free(Cpu[] cpus, SimulatedThread thread, Cpu ran, long fromNs, long toNs)
    {
        List<(long From, long To)> spans = [];
        foreach (Cpu cpu in cpus)
        {
            if (cpu != ran && thread.MayUse(cpu.Index))
            {
                cpu.History.VisitSpans(fromNs, toNs, (from, to, activity) =>
                {
                    if (activity.Kind == ActivityKind.Idle
                        || (activity.Kind == ActivityKind.Thread && activity.Priority < thread.Priority))
                    {
                        spans.Add((from, to));
                    }
                });
            }
        }

        spans.Sort();
        List<(long From, long To)> joined = [];
        foreach ((long from, long to) in spans)
        {
            if (joined.Count > 0 && from <= joined[^1].To)
            {
                joined[^1] = (joined[^1].From, Math.Max(joined[^1].To, to));
            }
            else
            {
                joined.Add((from, to));
            }
        }

        return joined;
    }
}
