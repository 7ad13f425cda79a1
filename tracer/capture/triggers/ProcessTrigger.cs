using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Triggers;

/// <summary>The trigger <c>process</c>: how long threads of some processes were ready before they ran.</summary>
/// <param name="processes">Names of images, or process ids; those that begin later count as well.</param>
public sealed class ProcessTrigger(ITraceSessions sessions, MachineSize machine, ICaptureClock clock, IReadOnlyList<string> processes)
    : RealTimeTrigger(sessions, SessionPlans.Process(machine), clock)
{
    private readonly ReadyToRun _threads = new(processes);

    public override TriggerKind Kind => TriggerKind.Process;

    public override void OnEvent(in EtlEvent traceEvent)
    {
        if (_threads.OnEvent(in traceEvent, out long readyTicks) && traceEvent.TimestampTicks >= readyTicks)
        {
            long latencyNs = TickRate.NanosecondsOf(traceEvent.TimestampTicks - readyTicks, Hz);
            Put(new TriggerMeasurement(TriggerKind.Process, readyTicks, latencyNs, traceEvent.Cpu, 0));
        }
    }

    private protected override void Forget() => _threads.Forget();
}
