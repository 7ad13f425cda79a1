namespace Tracer.Simulator.Engine;

/// <summary>
/// What threads wait for. Signalling lets one waiting thread go on; where none waits, the next one does not have to. As a counter
/// (semaphore) it keeps every signal, otherwise (synchronization event) only one.
/// </summary>
public sealed class KernelEvent
{
    private readonly Queue<SimulatedThread> _waiting = new();
    private readonly bool _isCounter;
    private int _signals;

    /// <summary>Makes an event that is not signalled.</summary>
    public KernelEvent(bool isCounter = false) => _isCounter = isCounter;

    /// <summary>When it should be signalled, for a thread whose turns follow that; null where nothing says so.</summary>
    public ExpectedBeat? Beat { get; init; }

    /// <summary>Takes a signal; false where there is none and the thread has to wait.</summary>
    internal bool TryTake()
    {
        if (_signals == 0)
        {
            return false;
        }

        _signals--;
        return true;
    }

    internal void AddWaiting(SimulatedThread thread) => _waiting.Enqueue(thread);

    /// <summary>Gives a signal; the thread that it lets go on, null where none waits.</summary>
    internal SimulatedThread? Give()
    {
        if (_waiting.TryDequeue(out SimulatedThread? thread))
        {
            return thread;
        }

        _signals = _isCounter ? _signals + 1 : 1;
        return null;
    }
}

/// <summary>When something should happen again and again: an audio device takes a buffer, and a thread should fill the next one.</summary>
/// <param name="FirstNs">When it should the first time.</param>
public sealed record ExpectedBeat(long FirstNs, long PeriodNs)
{
    /// <summary>What comes so much before a turn is due, as a part of the beat, is of that turn.</summary>
    private const int EarlyPart = 20;

    /// <summary>When the turn was due that a signal of now is for; -1 before the first.</summary>
    internal long DueBefore(long nowNs)
    {
        long sinceNs = nowNs + (PeriodNs / EarlyPart) - FirstNs;
        return sinceNs < 0 ? -1 : FirstNs + (sinceNs / PeriodNs * PeriodNs);
    }
}
