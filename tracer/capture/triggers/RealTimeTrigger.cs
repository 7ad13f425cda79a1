using Tracer.Etl;

namespace Tracer.Capture;

/// <summary>
/// A trigger that reads a real-time session of its own: starts it, reads it on a thread of its own, hands over what was found, and ends it.
/// What is found goes through a bounded queue; what finds it full is counted as lost.
/// </summary>
public abstract class RealTimeTrigger : ITriggerSource, IRealTimeSink
{
    private const int QueueLength = 1 << 14;

    private static readonly TimeSpan LongestStop = TimeSpan.FromSeconds(10);

    private readonly ITraceSessions _sessions;
    private readonly SessionPlan _plan;
    private readonly ICaptureClock _clock;
    private readonly TriggerMeasurement[] _queue = new TriggerMeasurement[QueueLength];
    private readonly Lock _lock = new();
    private ITraceSession? _session;
    private Thread? _reader;
    private EtwException? _end;
    private long _sessionLossesTold;
    private long _askedQpc;

    // Behind the lock.
    private int _first;
    private int _count;
    private long _lost;
    private long _notices;

    /// <summary>Makes it; nothing runs yet.</summary>
    /// <param name="sessions">The machine's sessions.</param>
    /// <param name="plan">Its session.</param>
    /// <param name="clock">The performance counter.</param>
    private protected RealTimeTrigger(ITraceSessions sessions, SessionPlan plan, ICaptureClock clock)
    {
        _sessions = sessions;
        _plan = plan;
        _clock = clock;
    }

    /// <inheritdoc/>
    public abstract TriggerKind Kind { get; }

    /// <inheritdoc/>
    public TimeSpan Delay => TimeSpan.FromSeconds(1.5);

    /// <inheritdoc/>
    public long FloorNs => 0;

    /// <summary>Ticks of the performance counter in a second.</summary>
    private protected long Hz => _clock.QpcHz;

    /// <inheritdoc/>
    public void Start()
    {
        _session = _sessions.Start(_plan);
        if (_session.Missing.Count > 0)
        {
            string missing = string.Join(", ", _session.Missing);
            Dispose();
            throw new EtwException("StartTrace", EtwError.NotSupported, $"Windows does not switch on {missing}, so nothing would trigger");
        }

        _reader = new Thread(Read) { IsBackground = true, Name = _plan.Name };
        _reader.Start();
    }

    /// <inheritdoc/>
    /// <exception cref="EtwException">The session is no longer there, or can't be read: nothing more will come.</exception>
    public void Drain(ITriggerSink sink)
    {
        ArgumentNullException.ThrowIfNull(sink);
        EtwException? end = Volatile.Read(ref _end);
        long lost = end is null ? SessionLosses() : 0;
        lock (_lock)
        {
            (lost, _lost) = (lost + _lost, 0);
        }

        // No more than the queue holds, so that a reader that is as fast cannot keep us here.
        for (int i = 0; i < QueueLength && TryTake(out TriggerMeasurement measurement); i++)
        {
            sink.OnMeasurement(in measurement);
        }

        if (lost > 0)
        {
            sink.OnLost(Kind, lost);
        }

        if (end is not null)
        {
            throw end;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Thread? reader = _reader;
        _reader = null; // What ends the reading now is no failure.
        _session?.Dispose();
        _session = null;
        reader?.Join(LongestStop); // Reading returns when the session has stopped. The thread keeps no process alive.
        GC.SuppressFinalize(this);
    }

    /// <inheritdoc/>
    public abstract void OnEvent(in EtlEvent traceEvent);

    /// <inheritdoc/>
    public void OnLost(int count)
    {
        lock (_lock)
        {
            _notices += count;
        }

        Forget();
    }

    /// <summary>Events are missing: what was put together of several is not to be trusted. On the reading thread.</summary>
    private protected virtual void Forget()
    {
    }

    /// <summary>Hands a measurement to the engine. On the reading thread.</summary>
    /// <param name="measurement">It.</param>
    private protected void Put(in TriggerMeasurement measurement)
    {
        lock (_lock)
        {
            if (_count == QueueLength)
            {
                _lost++;
                return;
            }

            _queue[(_first + _count++) & (QueueLength - 1)] = measurement;
        }
    }

    /// <summary>
    /// Asks the session once a second for what it lost. The notices among the events tell of the same losses, one each and some flushes
    /// later: all together, the larger number counts.
    /// </summary>
    private long SessionLosses()
    {
        long now = _clock.Qpc;
        if (_session is null || now - _askedQpc < _clock.QpcHz)
        {
            return 0;
        }

        _askedQpc = now;
        SessionCounters counters = _session.Query();
        long notices;
        lock (_lock)
        {
            notices = _notices;
        }

        long news = Math.Max(0, Math.Max((long)counters.EventsLost + counters.RealTimeBuffersLost, notices) - _sessionLossesTold);
        _sessionLossesTold += news;
        return news;
    }

    private bool TryTake(out TriggerMeasurement measurement)
    {
        lock (_lock)
        {
            measurement = _queue[_first];
            if (_count == 0)
            {
                return false;
            }

            _first = (_first + 1) & (QueueLength - 1);
            _count--;
            return true;
        }
    }

    private void Read()
    {
        try
        {
            _sessions.ReadEvents(_plan.Name, this);
            if (_reader is not null)
            {
                Volatile.Write(ref _end, EtwFailures.Of("ProcessTrace", EtwError.InstanceNotFound));
            }
        }
        catch (EtwException failure)
        {
            Volatile.Write(ref _end, failure);
        }
    }
}
