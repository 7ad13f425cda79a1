using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Triggers;

/// <summary>
/// A trigger that reads a real-time session of its own: starts it, reads it on a thread of its own, hands over what was found, and ends it.
/// What is found goes through a bounded queue; what finds it full is counted as lost.
/// </summary>
public abstract class RealTimeTrigger : ITriggerSource, ITriggerRemarks, IRealTimeSink
{
    private readonly SessionReading _reading;
    private readonly ITraceSessions _sessions;
    private readonly ICaptureClock _clock;
    private readonly MeasurementQueue _queue = new();
    private long _notices;

    /// <summary>Makes it; nothing runs yet.</summary>
    private protected RealTimeTrigger(ITraceSessions sessions, SessionPlan plan, ICaptureClock clock)
    {
        _sessions = sessions;
        _clock = clock;
        _reading = new SessionReading(sessions, plan, clock);
    }

    public abstract TriggerKind Kind { get; }

    public TimeSpan Delay => TimeSpan.FromSeconds(1.5);

    public long FloorNs => 0;

    /// <summary>Ticks of the performance counter in a second.</summary>
    private protected long Hz => _clock.QpcHz;

    public void Start()
    {
        _reading.OpenWhole();
        _reading.Begin(name => _sessions.ReadEvents(name, this));
    }

    /// <exception cref="EtwException">The session is no longer there, or can't be read: nothing more will come.</exception>
    public void Drain(ITriggerSink sink)
    {
        ArgumentNullException.ThrowIfNull(sink);
        EtwException? end = _reading.End;
        long lost = _queue.TakeLost() + _reading.NewLosses(Volatile.Read(ref _notices));
        _queue.Drain(sink);
        if (lost > 0)
        {
            sink.OnLost(Kind, lost);
        }

        if (end is not null)
        {
            throw end;
        }
    }

    public virtual IReadOnlyList<(CaptureNoteLevel Level, string Text)> TakeRemarks() => _reading.TakeRemarks();

    public void Dispose()
    {
        _reading.Dispose();
        GC.SuppressFinalize(this);
    }

    public abstract void OnEvent(in EtlEvent traceEvent);

    public void OnLost(int count)
    {
        Volatile.Write(ref _notices, _notices + count);
        Forget();
    }

    /// <summary>Events are missing: what was put together of several is not to be trusted. On the reading thread.</summary>
    private protected virtual void Forget()
    {
    }

    /// <summary>Hands a measurement to the engine. On the reading thread.</summary>
    private protected void Put(in TriggerMeasurement measurement) => _queue.Put(in measurement);
}
