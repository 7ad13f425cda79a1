using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Engine;

internal sealed record Share(CodeOwner Owner, Mechanism Mechanism, string? Routine)
{
    public long Ns { get; init; }

    /// <summary>How much of it went by because the CPU ran below its speed.</summary>
    public long LostNs { get; init; }

    /// <summary>The threads between the victim and the owner, the nearest to the victim first; none where he kept the victim.</summary>
    public IReadOnlyList<Link> Links { get; init; } = [];
}

/// <summary>An episode before overlaps are sorted out.</summary>
internal sealed class Candidate
{
    public required ProbeKind Probe { get; init; }

    public required long StartNs { get; init; }

    public required long LatencyNs { get; init; }

    public required int? Cpu { get; set; }

    public required List<Share> Shares { get; init; }

    public SimulatedThread? Thread { get; init; }

    public int Priority { get; init; }

    /// <summary>A thread below the victims' priority that one of theirs kept waiting.</summary>
    public bool IsHogVictim { get; init; }

    /// <summary>The CPU whose timer made the victim ready too late; null where it was made ready in time.</summary>
    public int? TimerCpu { get; init; }

    /// <summary>Whoever should have made the victim ready did that too late, and no timer.</summary>
    public bool IsMissedBeat { get; init; }

    /// <summary>The victim's job; null for other probes.</summary>
    public TrueJob? Job { get; init; }

    /// <summary>Where and when a job was kept; null for other probes, which are kept all the while.</summary>
    public LostPiece[]? Pieces { get; init; }

    /// <summary>A thread that missed its beat tells of it: what nobody else measured has a victim.</summary>
    public bool HasLateThread { get; set; }

    /// <summary>Belongs to the second ranking: nobody measured waited for it.</summary>
    public bool IsSecondary { get; set; }

    /// <summary>From when the victim's timer was due to the tick of the clock that could serve it: nobody's.</summary>
    public long TimerTickNs { get; init; }

    /// <summary>All CPUs stood still.</summary>
    public bool IsStall { get; init; }

    public long EndNs => Job?.EndNs ?? StartNs + LatencyNs;

    public bool Overlaps(Candidate other) => Pieces is not null
        ? Array.Exists(Pieces, piece => other.Overlaps(piece.Cpu, piece.FromNs, piece.ToNs))
        : other.Pieces is not null ? other.Overlaps(this) : other.Overlaps(Cpu, StartNs, EndNs);

    /// <summary>Whether one victim waited or worked for both at a time.</summary>
    public bool IsOfSameVictim(Candidate other) => Thread == other.Thread && StartNs < other.EndNs && other.StartNs < EndNs;

    private bool Overlaps(int? cpu, long fromNs, long toNs) => Pieces is not null
        ? Array.Exists(Pieces, piece => (cpu is null || piece.Cpu == cpu) && piece.FromNs < toNs && fromNs < piece.ToNs)
        : (Cpu is null || cpu is null || Cpu == cpu) && StartNs < toNs && fromNs < EndNs;
}

/// <summary>Divides the time that somebody waited for a CPU among those who kept it, from the CPU's history.</summary>
internal static class Blame
{
    /// <summary>The shares of what kept a thread of a priority from a CPU; the rest is nobody's.</summary>
    public static List<Share> OfThread(ActivityHistory history, long fromNs, long toNs, int priority) =>
        Divide(history, fromNs, toNs, activity => activity.Kind switch
        {
            ActivityKind.Thread or ActivityKind.RaisedThread when activity.Priority >= priority => OfRunning(activity),
            ActivityKind.Thread => null,
            ActivityKind.RaisedThread => Of(activity, Mechanism.RaisedIrql),
            ActivityKind.IdleExit => Of(activity, Mechanism.IdleExit),
            ActivityKind.Spin => Of(activity, Mechanism.SpinWait),
            _ => OfLevel(activity),
        });

    /// <summary>The shares of what kept a DPC in its queue: where its CPU could have run it, who queued it so that it need not.</summary>
    public static List<Share> OfQueue(ActivityHistory history, WakingDpc waking) =>
        Divide(history, waking.EnqueuedNs, waking.StartNs, activity => activity.Kind switch
        {
            ActivityKind.Thread or ActivityKind.Idle or ActivityKind.Parked =>
                waking.IsDeferrable ? new Share(waking.Dpc.Owner, Mechanism.DpcDeferred, waking.Dpc.RoutineName) : null,
            ActivityKind.RaisedThread => Of(activity, Mechanism.RaisedIrql),
            ActivityKind.IdleExit => Of(activity, Mechanism.IdleExit),
            ActivityKind.Spin => Of(activity, Mechanism.SpinWait),
            _ => OfLevel(activity),
        });

    /// <summary>The shares of what kept a CPU from serving a timer: what runs at DISPATCH_LEVEL or above.</summary>
    public static List<Share> OfTimer(ActivityHistory history, long fromNs, long toNs) =>
        Divide(history, fromNs, toNs, activity => activity.Kind switch
        {
            ActivityKind.RaisedThread => Of(activity, Mechanism.RaisedIrql),
            ActivityKind.IdleExit => Of(activity, Mechanism.IdleExit),
            ActivityKind.Spin => Of(activity, Mechanism.SpinWait),
            _ => OfLevel(activity),
        });

    public static void Add(List<Share> shares, IEnumerable<Share> more)
    {
        foreach (Share share in more)
        {
            Add(shares, share);
        }
    }

    /// <summary>Adds a share to others: to that of the same owner, mechanism and routine, where there is one.</summary>
    public static void Add(List<Share> shares, Share more)
    {
        int known = shares.FindIndex(share =>
            share.Owner == more.Owner && share.Mechanism == more.Mechanism && share.Routine == more.Routine
            && share.Links.SequenceEqual(more.Links));
        if (known < 0)
        {
            shares.Add(more);
        }
        else
        {
            shares[known] = shares[known] with { Ns = shares[known].Ns + more.Ns, LostNs = shares[known].LostNs + more.LostNs };
        }
    }

    /// <summary>How much of a time that something ran went by because its CPU was slow.</summary>
    public static long LostNs(long ns, in Activity activity) => ns * activity.LostPercent / 100;

    /// <summary>The shares of what kept a CPU at the level of ISRs and DPCs.</summary>
    public static List<Share> OfLevel(ActivityHistory history, long fromNs, long toNs) => Divide(history, fromNs, toNs, OfLevel);

    /// <summary>The shares of what kept a CPU from being interrupted.</summary>
    public static List<Share> OfBlackout(ActivityHistory history, long fromNs, long toNs) =>
        Divide(history, fromNs, toNs, activity => activity.Kind is ActivityKind.Masked or ActivityKind.Stall ? OfLevel(activity) : null);

    /// <summary>
    /// How long threads of at least a priority ran that work without a beat. Those below give way to the others by design, and nobody is
    /// to blame for that.
    /// </summary>
    public static long HogsNs(ActivityHistory history, long fromNs, long toNs, int leastPriority)
    {
        long sum = 0;
        history.Visit(fromNs, toNs, (ns, activity) =>
            sum += activity is { Kind: ActivityKind.Thread or ActivityKind.RaisedThread, Thread.HasBeat: false }
                && activity.Priority >= leastPriority ? ns : 0);
        return sum;
    }

    /// <summary>
    /// Whether it is a thread's own work on the CPU that it runs on. The clock and the dispatcher leave no record that tells them from it.
    /// </summary>
    public static bool IsWork(in Activity activity) => activity.Kind
        is ActivityKind.Thread or ActivityKind.RaisedThread
        || activity is { Kind: ActivityKind.Masked or ActivityKind.Overhead, Thread: not null };

    /// <summary>The share of what interrupted the thread of a CPU; none where that is nobody's.</summary>
    public static List<Share> OfInterruption(in Activity activity, long ns)
    {
        Share? share = activity.Kind switch
        {
            ActivityKind.IdleExit => Of(activity, Mechanism.IdleExit),
            ActivityKind.Spin => Of(activity, Mechanism.SpinWait),
            _ => OfLevel(activity),
        };
        return share is null ? [] : [share with { Ns = ns, LostNs = LostNs(ns, activity) }];
    }

    /// <summary>The shares of a thread that others wait for while it runs, and of what interrupts it.</summary>
    public static List<Share> OfWorker(ActivityHistory history, long fromNs, long toNs) =>
        Divide(history, fromNs, toNs, activity => activity.Kind switch
        {
            ActivityKind.Thread or ActivityKind.RaisedThread => OfRunning(activity),
            ActivityKind.IdleExit => Of(activity, Mechanism.IdleExit),
            ActivityKind.Spin => Of(activity, Mechanism.SpinWait),
            _ => OfLevel(activity),
        });

    private static Share? OfLevel(Activity activity) => activity.Kind switch
    {
        ActivityKind.Isr => Of(activity, Mechanism.Isr),
        ActivityKind.Dpc => Of(activity, Mechanism.Dpc),
        ActivityKind.Masked or ActivityKind.Stall => Of(activity, Mechanism.Blackout),
        ActivityKind.Spin when activity.Thread is null => Of(activity, Mechanism.SpinWait),
        _ => null,
    };

    /// <summary>
    /// A thread's time is its process's, whatever it calls; that of a threaded DPC, and of a thread of the system, belongs to whose code it
    /// is.
    /// </summary>
    public static Share OfRunning(in Activity activity) =>
        activity.Mechanism == Mechanism.Thread || activity.Thread!.Process.Id == ThreadIds.SystemProcess
            ? Of(activity, Mechanism.Thread)
            : new Share(activity.Thread!.Frame.Owner!, Mechanism.Thread, null);

    private static Share Of(in Activity activity, Mechanism mechanism) =>
        new(activity.Owner!, activity.Mechanism ?? mechanism, activity.Routine);

    private static List<Share> Divide(ActivityHistory history, long fromNs, long toNs, Func<Activity, Share?> judge)
    {
        List<Share> shares = [];
        history.Visit(fromNs, toNs, (ns, activity) =>
        {
            if (judge(activity) is not Share share)
            {
                return;
            }

            Add(shares, share with { Ns = ns, LostNs = LostNs(ns, activity) });
        });
        return shares;
    }
}
