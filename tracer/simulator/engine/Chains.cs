namespace Tracer.Simulator.Engine;

/// <summary>
/// Who had which part of the time in which a thread should have made another one ready: what kept it, and where it waited itself, what kept
/// whom it waited for, to the end.
/// </summary>
internal sealed class Chains(WaitShares waits)
{
    private const int MostLinks = 8;

    /// <summary>What somebody did who ended a wait, before that.</summary>
    /// <param name="links">The threads between the victim and him, the nearest to the victim first.</param>
    /// <param name="places">Takes on which CPUs he was kept.</param>
    public List<Share> OfWaker(Waker waker, long fromNs, long toNs, Link[] links, List<LostPiece> places)
    {
        if (waker.Thread is { } thread)
        {
            return OfThread(thread, fromNs, toNs, links, places);
        }

        List<Share> shares = [];
        places.Add(new LostPiece(waker.Cpu.Index, fromNs, toNs));
        if (waker.Timer is { } timer)
        {
            shares.AddRange(Blame.OfTimer(timer.Cpu.History, Math.Max(fromNs, timer.TickNs), toNs));
        }
        else if (waker.Dpc is { } dpc)
        {
            // Before the interrupt only what keeps interrupts out is anybody's: the device may have been late itself.
            long queuedNs = Math.Clamp(dpc.EnqueuedNs, fromNs, toNs);
            long startNs = Math.Clamp(dpc.StartNs, queuedNs, toNs);
            Blame.Add(shares, Blame.OfBlackout(dpc.Cpu.History, fromNs, queuedNs));
            Blame.Add(shares, Blame.OfQueue(dpc.Cpu.History, dpc with { EnqueuedNs = queuedNs, StartNs = startNs }));
            Blame.Add(shares, Blame.OfLevel(dpc.Cpu.History, startNs, toNs));
        }

        return Linked(shares, links);
    }

    /// <summary>What ended a wait was late by this: from a time in it to its end.</summary>
    public List<Share> OfWait(ThreadPhase wait, long fromNs, long toNs, Link[] links, List<LostPiece> places)
    {
        if (wait.Cause is { } cause)
        {
            return Linked([new Share(cause.Owner, cause.Mechanism, cause.Routine) { Ns = toNs - fromNs }], links);
        }

        if (wait.Lock is not { } held)
        {
            return wait.Waker is { } waker ? OfWaker(waker, fromNs, toNs, links, places) : [];
        }

        List<Share> shares = [];
        foreach (ThreadLock.Use use in held.Uses)
        {
            long from = Math.Max(fromNs, use.FromNs);
            long to = Math.Min(toNs, use.ToNs);
            if (from < to)
            {
                Blame.Add(shares, OfThread(use.Thread, from, to, links, places));
            }
        }

        return shares;
    }

    private List<Share> OfThread(SimulatedThread thread, long fromNs, long toNs, Link[] links, List<LostPiece> places)
    {
        List<Share> shares = [];
        if (links.Length == MostLinks)
        {
            return shares;
        }

        foreach (ThreadPhase phase in thread.Phases.In(fromNs, toNs))
        {
            long from = Math.Max(fromNs, phase.FromNs);
            long to = Math.Min(toNs, phase.ToNs);
            Link[] further = [.. links, new Link(thread, WhyOf(phase))];
            if (phase.Cpu is { } place)
            {
                places.Add(new LostPiece(place.Index, from, to));
            }

            Blame.Add(shares, phase.Kind switch
            {
                PhaseKind.Runs => Linked(Blame.OfWorker(phase.Cpu!.History, from, to), further),
                PhaseKind.IsReady when phase.Cpu is { } cpu => Linked(waits.OfWait(thread, cpu, from, to), further),
                PhaseKind.IsReady => [],
                _ => OfWait(phase, from, to, further, places),
            });
        }

        return shares;
    }

    private static string WhyOf(ThreadPhase phase) => phase.Kind switch
    {
        PhaseKind.Runs => "ran",
        PhaseKind.IsReady => "waited for a CPU",
        PhaseKind.IsHeld when phase.Cause!.Mechanism == Mechanism.Paging => "waited for a page",
        _ => "waited for the next",
    };

    private static List<Share> Linked(List<Share> shares, Link[] links) =>
        links.Length == 0 ? shares : [.. shares.Select(share => share with { Links = links })];
}

/// <summary>A thread that others waited for, and what it did meanwhile.</summary>
internal sealed record Link(SimulatedThread Thread, string Why);
