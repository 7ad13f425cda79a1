using Tracer.Etl.Kernel;

namespace Tracer.Capture.Triggers;

/// <summary>
/// How long the threads of some processes were ready before they ran: from ReadyThread to the switch to them. Bounded, and allocates
/// nothing for an event. A thread that is taken off its CPU while it could go on is not ready in this sense: nobody made it so, and no
/// record says when (the analysis counts alike).
/// </summary>
public sealed class ReadyToRun
{
    private readonly ThreadOwners _owners = new();
    private readonly Dictionary<uint, long> _ready = [];
    private readonly IReadOnlyList<string> _names;
    private readonly HashSet<uint> _ids;

    /// <param name="processes">Names of images, in any case, or process ids.</param>
    public ReadyToRun(IReadOnlyList<string> processes)
    {
        ArgumentNullException.ThrowIfNull(processes);
        _names = processes;
        _ids = [.. processes.Select(static one => uint.TryParse(one, out uint id) ? id : 0).Where(static id => id != 0)];
    }

    /// <returns>Whether a thread of the processes began to run that had been made ready.</returns>
    public bool OnEvent(in EtlEvent traceEvent, out long readyTicks)
    {
        readyTicks = 0;
        switch (traceEvent.HookId)
        {
            case KernelHook.ReadyThread:
                if (ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready) && IsWatched(ready.ThreadId))
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

        _owners.Learn(in traceEvent);
        return false;
    }

    /// <summary>Events are missing: what was made ready before may have run meanwhile.</summary>
    public void Forget() => _ready.Clear();

    private bool IsWatched(uint thread)
    {
        if (_owners.ProcessOf(thread) is not { } process)
        {
            return false;
        }

        if (_ids.Contains(process))
        {
            return true;
        }

        string? image = _owners.NameOf(process);
        if (image is null)
        {
            return false;
        }

        foreach (string name in _names)
        {
            if (name.Equals(image, StringComparison.OrdinalIgnoreCase))
            {
                return true;
            }
        }

        return false;
    }
}
