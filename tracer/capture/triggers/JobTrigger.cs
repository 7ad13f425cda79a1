using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Triggers;

/// <summary>The trigger <c>job</c>: what threads of some processes do each time, and whether that was done in time.</summary>
/// <param name="processes">Names of images, or process ids; those that begin later count as well.</param>
/// <param name="deadline">When a job should be done, after it should have run; null for the next beat of its thread.</param>
public sealed class JobTrigger(
    ITraceSessions sessions, MachineSize machine, ICaptureClock clock, IReadOnlyList<string> processes, Duration? deadline)
    : RealTimeTrigger(sessions, SessionPlans.Jobs(machine), clock)
{
    private readonly JobWatch _jobs = new(
        processes, deadline is { } told ? TickRate.TicksOf(told.Nanoseconds, clock.QpcHz) : null);

    public override TriggerKind Kind => TriggerKind.Job;

    public override void OnEvent(in EtlEvent traceEvent)
    {
        if (_jobs.OnEvent(in traceEvent, out WatchedJob job))
        {
            Put(new TriggerMeasurement(
                TriggerKind.Job, job.FromTicks, TickRate.NanosecondsOf(job.LatencyTicks, Hz), traceEvent.Cpu, 0));
        }
    }

    private protected override void Forget() => _jobs.Forget();
}
