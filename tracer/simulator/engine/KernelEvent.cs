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
