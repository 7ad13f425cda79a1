namespace Tracer.Simulator.Engine;

/// <summary>
/// A lock that threads hold while they run: a critical section of a program, a resource of the kernel. The thread that gives it back makes
/// the one ready that has waited longest, and that one holds it then.
/// </summary>
public sealed class ThreadLock
{
    /// <summary>Uses before so many are forgotten: nobody waits any more who waited for them.</summary>
    private const int MostUses = 32;

    private readonly Queue<SimulatedThread> _waiting = new();
    private readonly List<Use> _uses = [];

    internal SimulatedThread? Holder { get; private set; }

    /// <summary>Who held it and when, in order; the last may hold it still.</summary>
    internal IReadOnlyList<Use> Uses => _uses;

    internal void AddWaiting(SimulatedThread thread) => _waiting.Enqueue(thread);

    internal void Take(SimulatedThread thread, long nowNs)
    {
        Holder = thread;
        if (_uses.Count == MostUses)
        {
            _uses.RemoveRange(0, MostUses / 2);
        }

        _uses.Add(new Use(thread, nowNs, long.MaxValue));
    }

    /// <summary>Its holder gives it back: whose turn is next holds it, null where nobody waits.</summary>
    internal SimulatedThread? GiveBack(long nowNs)
    {
        _uses[^1] = _uses[^1] with { ToNs = nowNs };
        Holder = null;
        if (!_waiting.TryDequeue(out SimulatedThread? next))
        {
            return null;
        }

        Take(next, nowNs);
        return next;
    }

    /// <summary>A thread held it for a time.</summary>
    internal readonly record struct Use(SimulatedThread Thread, long FromNs, long ToNs);
}
