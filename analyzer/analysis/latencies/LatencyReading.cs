namespace Tracer.Analysis.Latencies;

/// <summary>The reading in order of time that measures latencies; it knows nothing of what else the machine did.</summary>
/// <param name="losses">Until when records were missing.</param>
/// <param name="clocks">Learns from one clock tick to the next.</param>
/// <param name="interference">Learns what would delay a graph; null where nobody asked.</param>
internal sealed class LatencyReading(
    LossFront losses, SwitchLatencies switches, JobLatencies jobs, ClockTicks clocks, InterferenceReading? interference, int cpus)
{
    /// <exception cref="IOException">The storage failed.</exception>
    public void Read(EtlReader reader)
    {
        var sink = new Sink(this);
        reader.ReadAhead(ref sink);
    }

    private void Add(in EtlEvent traceEvent)
    {
        int cpu = traceEvent.Cpu;
        long ticks = traceEvent.TimestampTicks;
        if ((uint)cpu >= (uint)cpus || ticks <= 0 || traceEvent.Kind == EtlHeaderKind.Message)
        {
            return; // Its CPU or its time stamp cannot be trusted.
        }

        losses.Reach(ticks);
        switch (traceEvent.IsKernelHook ? traceEvent.HookId : KernelHook.Of(in traceEvent) ?? 0)
        {
            case KernelHook.ContextSwitch:
                interference?.Switched(cpu, in traceEvent, ticks); // Before what waited for it.
                switches.Switched(cpu, in traceEvent, ticks);
                break;
            case KernelHook.ReadyThread:
                switches.Ready(cpu, in traceEvent, ticks);
                break;
            case KernelHook.DpcEnqueue:
                switches.Queued(cpu, in traceEvent, ticks);
                break;
            case KernelHook.DpcExecution:
                switches.Executes(cpu, in traceEvent, ticks);
                break;
            case KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc when DpcRecord.TryRead(in traceEvent, out DpcRecord dpc):
                jobs.Returned(cpu, dpc.InitialTime, ticks);
                interference?.Returned(cpu, dpc.Routine, isIsr: false, dpc.InitialTime, ticks);
                break;
            case KernelHook.Isr or KernelHook.IsrMessageSignalled when IsrRecord.TryRead(in traceEvent, out IsrRecord isr):
                jobs.Returned(cpu, isr.InitialTime, ticks);
                interference?.Returned(cpu, isr.Routine, isIsr: true, isr.InitialTime, ticks);
                break;
            case KernelHook.ClockInterrupt:
                clocks.Add(cpu, ticks);
                break;
            default:
                break;
        }
    }

    private readonly struct Sink(LatencyReading reading) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            reading.Add(in traceEvent);
            return true;
        }
    }
}
