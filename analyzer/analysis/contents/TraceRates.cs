namespace Tracer.Analysis.Contents;

/// <summary>
/// The load that a trace shows: idle time by CPU, time in ISRs and DPCs, samples. Accepts the events in any order; several can be added up.
/// </summary>
internal sealed class TraceRates(long ticksPerSecond)
{
    /// <summary>An ISR or DPC record that claims a longer run is damaged.</summary>
    private const int LongestRoutineSeconds = 60;

    private readonly long _longestTicks = TickRate.TicksOfSeconds(LongestRoutineSeconds, ticksPerSecond);

    /// <summary>Idle time by CPU; null for a CPU without context switches.</summary>
    public IdleTime?[] Idle { get; } = new IdleTime?[EtlBufferHeader.MaximumProcessors];

    /// <summary>Time in interrupt service routines, in ticks.</summary>
    public long IsrTicks { get; private set; }

    /// <summary>Time in deferred procedure calls, in ticks.</summary>
    public long DpcTicks { get; private set; }

    /// <summary>Profile samples that did not hit an idle thread.</summary>
    public long BusySamples { get; private set; }

    /// <summary>Events whose payload is shorter than their version requires.</summary>
    public long ShortPayloads { get; private set; }

    /// <summary>Whether events of this kind are so frequent that they are decoded for rates only.</summary>
    public static bool IsFrequent(ushort hookId) => (KernelGroup)(hookId >> 8) switch
    {
        KernelGroup.StackWalk => true,
        KernelGroup.Thread => hookId is KernelHook.ContextSwitch or KernelHook.ReadyThread,
        KernelGroup.PerfInfo => hookId is not (KernelHook.SetInterval or KernelHook.CollectionStart),
        _ => false,
    };

    /// <returns>False for one of a kind that does not count here.</returns>
    public bool TryAdd(in EtlEvent traceEvent, ushort hookId)
    {
        switch (hookId)
        {
            case KernelHook.ContextSwitch:
                AddSwitch(in traceEvent);
                return true;
            case KernelHook.ThreadedDpc or KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc:
                AddDpc(in traceEvent);
                return true;
            case KernelHook.Isr or KernelHook.IsrMessageSignalled or KernelHook.PassiveIsr:
                AddIsr(in traceEvent);
                return true;
            case KernelHook.SampledProfile:
                AddSample(in traceEvent);
                return true;
            default:
                return false;
        }
    }

    /// <summary>Adds what another instance has of other buffers.</summary>
    public void Add(TraceRates other)
    {
        IsrTicks += other.IsrTicks;
        DpcTicks += other.DpcTicks;
        BusySamples += other.BusySamples;
        ShortPayloads += other.ShortPayloads;
        for (int cpu = 0; cpu < Idle.Length; cpu++)
        {
            if (other.Idle[cpu] is { } idle)
            {
                (Idle[cpu] ??= new IdleTime()).Add(idle);
            }
        }
    }

    private void AddSwitch(in EtlEvent traceEvent)
    {
        if (!ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord contextSwitch))
        {
            ShortPayloads++;
        }
        else if ((uint)traceEvent.Cpu < (uint)Idle.Length)
        {
            (Idle[traceEvent.Cpu] ??= new IdleTime()).Add(in contextSwitch, traceEvent.TimestampTicks, traceEvent.BufferOffset);
        }
    }

    private void AddDpc(in EtlEvent traceEvent)
    {
        if (DpcRecord.TryRead(in traceEvent, out DpcRecord dpc))
        {
            DpcTicks += Length(traceEvent.TimestampTicks, dpc.InitialTime);
        }
        else
        {
            ShortPayloads++;
        }
    }

    private void AddIsr(in EtlEvent traceEvent)
    {
        if (IsrRecord.TryRead(in traceEvent, out IsrRecord isr))
        {
            IsrTicks += Length(traceEvent.TimestampTicks, isr.InitialTime);
        }
        else
        {
            ShortPayloads++;
        }
    }

    private void AddSample(in EtlEvent traceEvent)
    {
        if (SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample))
        {
            BusySamples += sample.ThreadId != 0 || sample.IsInDpc == true || sample.IsInIsr == true ? 1 : 0;
        }
        else
        {
            ShortPayloads++;
        }
    }

    private long Length(long end, long start) => end > start && end - start <= _longestTicks ? end - start : 0;
}
