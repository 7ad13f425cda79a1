using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Triggers.Events;

/// <summary>A source whose events belong into the recording, so that they are in the trace of what they triggered.</summary>
public interface IRecordedProviders
{
    IReadOnlyList<ProviderRequest> Providers { get; }
}

/// <summary>
/// The trigger <c>event</c>: events of any provider, and of these only those of which a field passes a test. Such an event is a moment, no
/// latency.
/// </summary>
public sealed class EventTrigger : RealTimeTrigger, IRecordedProviders
{
    private readonly EventMatcher _matcher;
    private bool _hasToldUnreadable;
    private long _unreadable;

    /// <summary>Makes it; nothing runs yet.</summary>
    /// <param name="rules">The events; at least one.</param>
    public EventTrigger(ITraceSessions sessions, MachineSize machine, ICaptureClock clock, IReadOnlyList<EventRule> rules)
        : base(sessions, SessionPlans.Events(machine, ProviderRequests.Joined(rules.Select(static rule => rule.Request))), clock)
    {
        ArgumentNullException.ThrowIfNull(rules);
        ArgumentOutOfRangeException.ThrowIfZero(rules.Count);
        _matcher = new EventMatcher(rules);
        Providers = ProviderRequests.Joined(rules.Select(static rule => rule.Request));
    }

    public override TriggerKind Kind => TriggerKind.Event;

    public IReadOnlyList<ProviderRequest> Providers { get; }

    public override void OnEvent(in EtlEvent traceEvent)
    {
        if (_matcher.IsMatch(in traceEvent))
        {
            Put(new TriggerMeasurement(TriggerKind.Event, traceEvent.TimestampTicks, 0, traceEvent.Cpu, 0));
        }

        Volatile.Write(ref _unreadable, _matcher.Unreadable);
    }

    public override IReadOnlyList<(CaptureNoteLevel Level, string Text)> TakeRemarks()
    {
        long unreadable = Volatile.Read(ref _unreadable);
        if (unreadable == 0 || _hasToldUnreadable)
        {
            return base.TakeRemarks();
        }

        _hasToldUnreadable = true;
        string events = unreadable == 1 ? "event came" : "events came";
        return
        [
            .. base.TakeRemarks(),
            (CaptureNoteLevel.Warning, string.Create(
                CultureInfo.InvariantCulture,
                $"{unreadable:N0} {events} whose field can't be read, because nothing here tells what it looks like: such an event ")
                + "triggers where --trigger names no field of it"),
        ];
    }
}
