using Tracer.Etl.Kernel;

namespace Tracer.Capture.Triggers;

/// <summary>
/// How long the threads of some processes were ready before they ran: from ReadyThread to the switch to them. Bounded, and allocates
/// nothing for an event. A thread that is taken off its CPU while it could go on is not ready in this sense: nobody made it so, and no
/// record says when (the analysis counts alike).
/// </summary>
/// <param name="processes">Names of images, in any case, or process ids.</param>
public sealed class ReadyToRun(IReadOnlyList<string> processes)
{
    private readonly WatchedThreads _watched = new(processes);
    private readonly Dictionary<uint, long> _ready = [];

    /// <returns>Whether a thread of the processes began to run that had been made ready.</returns>
    public bool OnEvent(in EtlEvent traceEvent, out long readyTicks)
    {
        readyTicks = 0;
        switch (traceEvent.HookId)
        {
            case KernelHook.ReadyThread:
                if (ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready) && _watched.Has(ready.ThreadId))
                {
                    _ready.TryAdd(ready.ThreadId, traceEvent.TimestampTicks); // Made ready twice, it waits since the first time.
                }

                return false;
            case KernelHook.ContextSwitch:
                return ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change)
                    && _ready.Remove(change.NewThreadId, out readyTicks);
            case 0x0502:
                if (ThreadRecord.TryRead(in traceEvent, out ThreadRecord gone))
                {
                    _ready.Remove(gone.ThreadId);
                }

                break;
            default:
                break;
        }

        _watched.Learn(in traceEvent);
        return false;
    }

    /// <summary>Events are missing: what was made ready before may have run meanwhile.</summary>
    public void Forget() => _ready.Clear();
}
