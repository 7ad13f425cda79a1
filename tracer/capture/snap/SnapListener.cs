using Tracer.Capture.Engine;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Snap;

/// <summary>Waits on a thread of its own for the signal of <c>tracer snap</c>, and asks for what the ring holds at that moment.</summary>
public sealed class SnapListener : IDisposable
{
    private readonly WaitHandle _signal;
    private readonly ManualResetEvent _stop = new(initialState: false);
    private readonly Thread _thread;

    private SnapListener(WaitHandle signal, SaveRequests requests, ICaptureClock clock)
    {
        _signal = signal;
        _thread = new Thread(() => Wait(requests, clock)) { IsBackground = true, Name = "tracer snap" };
        _thread.Start();
    }

    /// <summary>Begins to wait.</summary>
    /// <param name="problem">Why nobody can signal; null where one can.</param>
    /// <returns>Null where nobody can.</returns>
    public static SnapListener? Start(ISnapSignals signals, SaveRequests requests, ICaptureClock clock, out string? problem)
    {
        ArgumentNullException.ThrowIfNull(signals);
        return signals.Listen(out problem) is { } signal ? new SnapListener(signal, requests, clock) : null;
    }

    /// <summary>Waits no more; the signal is gone.</summary>
    public void Dispose()
    {
        _stop.Set();
        _thread.Join();
        _signal.Dispose();
        _stop.Dispose();
    }

    private void Wait(SaveRequests requests, ICaptureClock clock)
    {
        WaitHandle[] both = [_stop, _signal];
        while (WaitHandle.WaitAny(both) != 0)
        {
            requests.Ask(clock.Qpc);
        }
    }
}
