using Tracer.Capture.Ground;
using Tracer.Capture.Merge;
using Tracer.Capture.Probe;

namespace Tracer.Capture.Engine;

/// <summary>
/// Looks at the machine's clocks again and again: what it slept is nobody's latency, and somebody who sets its date is told of. Allocates
/// nothing where nothing happened.
/// </summary>
/// <param name="work">Is told of each sleep: nothing that touches one triggers, or is blamed.</param>
public sealed class ClockWatch(ICaptureClock clock, CaptureWorkLog work, ICaptureObserver observer)
{
    /// <summary>Corrections of the clock below this are those of every day.</summary>
    private static readonly TimeSpan LeastSetting = TimeSpan.FromSeconds(1);

    private long _qpc;
    private long _awake;
    private DateTime _utc;

    public void Look()
    {
        long before = clock.AwakeTime ?? 0;
        long now = clock.Qpc;
        long awake = clock.AwakeTime ?? 0;
        DateTime utc = clock.UtcNow;
        if (_qpc != 0)
        {
            Compare(now, awake, utc);
        }

        // Whoever keeps this thread from running between two clocks makes the time awake longer, never a sleep.
        (_qpc, _awake, _utc) = (now, before, utc);
    }

    private void Compare(long now, long awake, DateTime utc)
    {
        Duration passed = clock.LengthOf(now - _qpc);
        if (clock.AwakeTime is not null && SleepRule.HasSlept(now - _qpc, awake - _awake, clock.QpcHz))
        {
            work.Add(new CaptureWorkSpan(CaptureWorkKind.Asleep, _qpc, now));
            observer.OnNote(
                CaptureNoteLevel.Info, $"the machine slept for {ReadableDuration.Of(passed)}: that is not a latency");
            return; // What that did to the date is no setting.
        }

        TimeSpan set = utc - _utc - TimeSpan.FromTicks(passed.Nanoseconds / TimeSpan.NanosecondsPerTick);
        if (set.Duration() >= LeastSetting)
        {
            string seconds = set.Duration().TotalSeconds.ToString("#,0", CultureInfo.InvariantCulture);
            observer.OnNote(
                CaptureNoteLevel.Info,
                $"the clock was set {(set < TimeSpan.Zero ? "back" : "forward")} by {seconds} s: latencies are measured by a counter that "
                + "nobody sets, dates follow the new time");
        }
    }
}
