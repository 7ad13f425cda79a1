using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Triggers;

/// <summary>
/// The triggers <c>dpc</c> and <c>isr</c>: how long each DPC and ISR of the machine ran, from entry to exit, what interrupted it
/// included. One session and one source for both; measurements carry their own kind.
/// </summary>
/// <remarks>
/// A thread of its own reads the session (<see cref="ITraceSessions.ReadRealTime"/>) and puts all into a bounded ring; the engine takes
/// them out with <see cref="Drain"/>, those below the threshold too, since histogram and worst need them. Real-time delivery comes once
/// a second, in bursts: the ring holds a second of 16 CPUs with 16000 DPCs and ISRs each.
/// </remarks>
public sealed class DpcIsrTrigger : ITriggerSource, ITriggerRemarks
{
    /// <summary>How many measurements wait for the engine at most: 10 MB.</summary>
    internal const int RingSlots = 1 << 18;

    /// <summary>A duration that is longer, or negative, is damage: the event counts as lost.</summary>
    internal const long AbsurdSeconds = 60;

    private readonly ITraceSessions _sessions;
    private readonly SessionReading _reading;
    private readonly ICaptureClock _clock;
    private readonly long _absurdTicks;
    private readonly bool _hasDpc;
    private readonly bool _hasIsr;
    private readonly InterruptWorkRing _ring = new(RingSlots);
    private readonly RingSink _sink;
    private long _overflowsTold;

    /// <summary>Makes it; nothing runs yet.</summary>
    /// <param name="plan">The trigger session: <see cref="SessionPlans.Trigger"/> of the same kinds.</param>
    /// <param name="kinds">One or both of <see cref="TriggerKind.Dpc"/> and <see cref="TriggerKind.Isr"/>.</param>
    public DpcIsrTrigger(ITraceSessions sessions, SessionPlan plan, ICaptureClock clock, IReadOnlyCollection<TriggerKind> kinds)
    {
        ArgumentNullException.ThrowIfNull(clock);
        _sessions = sessions;
        _reading = new SessionReading(sessions, plan, clock);
        _clock = clock;
        _absurdTicks = TickRate.TicksOfSeconds(AbsurdSeconds, clock.QpcHz);
        _sink = new RingSink(_ring);
        _hasDpc = kinds.Contains(TriggerKind.Dpc);
        _hasIsr = kinds.Contains(TriggerKind.Isr);
        if (!_hasDpc && !_hasIsr)
        {
            throw new ArgumentException("neither dpc nor isr", nameof(kinds));
        }
    }

    public TriggerKind Kind => _hasDpc ? TriggerKind.Dpc : TriggerKind.Isr;

    public TimeSpan Delay => TimeSpan.FromSeconds(1.5);

    public long FloorNs => 0;

    public void Start()
    {
        _reading.OpenWhole();
        _reading.Begin(name => _sessions.ReadRealTime(name, _sink));
    }

    /// <exception cref="EtwException">The session is no longer there, or can't be read: nothing more will come.</exception>
    public void Drain(ITriggerSink sink)
    {
        ArgumentNullException.ThrowIfNull(sink);
        EtwException? end = _reading.End;
        long lost = 0;

        // No more than the ring holds, so that a reader that is as fast cannot keep us here.
        for (int i = 0; i < RingSlots && _ring.TryTake(out InterruptWork work); i++)
        {
            lost += Deliver(in work, sink) ? 0 : 1;
        }

        lost += Overflows() + _reading.NewLosses(_sink.Notices);
        if (lost > 0)
        {
            sink.OnLost(Kind, lost);
        }

        if (end is not null)
        {
            throw end;
        }
    }

    public IReadOnlyList<(CaptureNoteLevel Level, string Text)> TakeRemarks() => _reading.TakeRemarks();

    public void Dispose() => _reading.Dispose();

    private bool Deliver(in InterruptWork work, ITriggerSink sink)
    {
        long ticks = work.EndQpc - work.BeginQpc;
        if (ticks < 0 || ticks > _absurdTicks)
        {
            return false;
        }

        if (work.IsIsr ? _hasIsr : _hasDpc)
        {
            TriggerKind kind = work.IsIsr ? TriggerKind.Isr : TriggerKind.Dpc;
            long latencyNs = TickRate.NanosecondsOf(ticks, _clock.QpcHz);
            sink.OnMeasurement(new TriggerMeasurement(kind, work.BeginQpc, latencyNs, work.Cpu, work.Routine));
        }

        return true;
    }

    private long Overflows()
    {
        long all = _ring.Lost;
        long news = all - _overflowsTold;
        _overflowsTold = all;
        return news;
    }

    private sealed class RingSink(InterruptWorkRing ring) : IInterruptWorkSink
    {
        private long _notices;

        public long Notices => Volatile.Read(ref _notices);

        public void OnWork(in InterruptWork work) => ring.Put(in work);

        public void OnLost(int count) => Volatile.Write(ref _notices, _notices + count);
    }
}
