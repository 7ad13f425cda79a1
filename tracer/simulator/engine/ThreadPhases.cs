namespace Tracer.Simulator.Engine;

internal enum PhaseKind
{
    /// <summary>Waits for somebody's signal: for its next turn, or inside of what it does.</summary>
    Waits,

    /// <summary>Cannot go on, and somebody answers for that.</summary>
    IsHeld,

    /// <summary>Waits for a CPU.</summary>
    IsReady,
    Runs,
}

/// <summary>Who ended a wait: a thread, else a DPC, else a timer.</summary>
internal sealed record Waker(Cpu Cpu)
{
    public SimulatedThread? Thread { get; init; }

    /// <summary>The DPC that signalled; its time in the queue begins with it where a timer brought it.</summary>
    public WakingDpc? Dpc { get; init; }

    public TimerTick? Timer { get; init; }
}

/// <summary>What a thread did from one time to another.</summary>
internal sealed class ThreadPhase(PhaseKind kind, long fromNs)
{
    public PhaseKind Kind { get; } = kind;

    public long FromNs { get; } = fromNs;

    /// <summary>When it ended; the largest number while it goes on.</summary>
    public long ToNs { get; set; } = long.MaxValue;

    /// <summary>Where it runs, or ran when it had waited for a CPU; null where that is not known yet, and for other waits.</summary>
    public Cpu? Cpu { get; set; }

    /// <summary>Who ended the wait; null while it goes on.</summary>
    public Waker? Waker { get; set; }

    /// <summary>The lock that it waits for; null for none.</summary>
    public ThreadLock? Lock { get; init; }

    /// <summary>Who answers for the wait; null where that follows from who ends it.</summary>
    public HoldCause? Cause { get; init; }
}

/// <summary>What a thread did lately, without gaps: for those that waited for it.</summary>
internal sealed class ThreadPhases
{
    /// <summary>Phases that ended so long ago are forgotten: nobody waits for longer.</summary>
    private const long KeptNs = 2_000_000_000;

    private const int LeastToForget = 256;

    private readonly List<ThreadPhase> _phases = [];
    private int _forgetAt = LeastToForget;

    public ThreadPhase? Last => _phases.Count > 0 ? _phases[^1] : null;

    /// <summary>Ends what goes on and begins another.</summary>
    public void Begin(ThreadPhase next)
    {
        if (Last is { } last)
        {
            last.ToNs = next.FromNs;
        }

        _phases.Add(next);
        if (_phases.Count >= _forgetAt)
        {
            _phases.RemoveAll(phase => phase.ToNs < next.FromNs - KeptNs);
            _forgetAt = Math.Max(LeastToForget, 2 * _phases.Count);
        }
    }

    /// <summary>Those that overlap a span of time, in order.</summary>
    public IEnumerable<ThreadPhase> In(long fromNs, long toNs)
    {
        int first = _phases.Count;
        while (first > 0 && _phases[first - 1].ToNs > fromNs)
        {
            first--;
        }

        for (int i = first; i < _phases.Count && _phases[i].FromNs < toNs; i++)
        {
            yield return _phases[i];
        }
    }
}
