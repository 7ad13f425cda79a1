namespace Tracer.Simulator.Engine;

/// <summary>Who answers for the wait of a thread that was served and could not go on.</summary>
/// <param name="Routine">What it did; null for nothing with a name.</param>
public sealed record HoldCause(CodeOwner Owner, Mechanism Mechanism, string? Routine = null)
{
    /// <summary>A page that has to come from the disk.</summary>
    public static HoldCause PageFault { get; } = new(CodeOwner.HardPageFaults, Mechanism.Paging);
}

/// <summary>What a thread waits for, and who answers for that.</summary>
internal sealed record HeldWait(KernelEvent Event, HoldCause Cause);

/// <summary>The last wake-up of a thread, and what held it up since.</summary>
internal sealed class HeldWakeup
{
    /// <summary>A wait that begins so soon after the thread was served belongs to the wake-up.</summary>
    private const long SoonNs = 100_000;

    /// <summary>From when its episode counts: the wake-up, or when the DPC was queued that brought it; -1 for none.</summary>
    private long _sinceNs = -1;

    public long WokenNs { get; private set; } = -1;

    public long DispatchedNs { get; private set; } = -1;

    /// <summary>The delay until it was served, where it was long enough to be an episode by itself.</summary>
    public Candidate? Candidate { get; set; }

    /// <summary>The shares of what came before the wait, where that is known already.</summary>
    public List<Share>? Before { get; set; }

    /// <summary>Who holds it up; null where nobody does.</summary>
    public HoldCause? Cause { get; private set; }

    public long BeganNs { get; private set; }

    /// <summary>When the episode began: with the wake-up, or with the wait where that came later.</summary>
    public long StartNs { get; private set; }

    public void Dispatched(long sinceNs, long wokenNs, long nowNs)
    {
        Before = null;
        _sinceNs = sinceNs;
        WokenNs = wokenNs;
        DispatchedNs = nowNs;
        Candidate = null;
    }

    /// <summary>The wait is over and the thread runs; another one that comes soon goes on with the same episode.</summary>
    public void End(Candidate? candidate, List<Share> shares, long nowNs)
    {
        Dispatched(StartNs, StartNs, nowNs);
        Cause = null;
        Candidate = candidate;
        Before = shares;
    }

    /// <summary>A wait begins; true where it belongs to the last wake-up.</summary>
    public bool Begin(HoldCause cause, long nowNs)
    {
        bool isOfWakeup = _sinceNs >= 0 && nowNs - DispatchedNs <= SoonNs;
        Cause = cause;
        BeganNs = nowNs;
        StartNs = isOfWakeup ? _sinceNs : nowNs;
        return isOfWakeup;
    }

    public void Forget()
    {
        Cause = null;
        Candidate = null;
        Before = null;
        _sinceNs = -1;
    }
}
