using Tracer.Contract;
using Tracer.Etl;

namespace Tracer.Capture;

/// <summary>The events of the Tracer provider that the probe process logs.</summary>
internal enum ProbeEvent
{
    /// <summary><see cref="TracerProvider.Start"/>.</summary>
    Start,

    /// <summary><see cref="TracerProvider.ClockSync"/>.</summary>
    ClockSync,

    /// <summary><see cref="TracerProvider.Wakeup"/>.</summary>
    Wakeup,

    /// <summary><see cref="TracerProvider.EpisodeBegin"/>.</summary>
    EpisodeBegin,

    /// <summary><see cref="TracerProvider.EpisodeEnd"/>.</summary>
    EpisodeEnd,

    /// <summary><see cref="TracerProvider.Stop"/>.</summary>
    Stop,
}

/// <summary>Writes the payloads of the probe's events; clocks are the performance counter. Allocates nothing but the schemas.</summary>
/// <param name="log">Takes them.</param>
internal sealed class ProbeEvents(IProbeEventLog log)
{
    private const byte WakeupMode = 2;
    private const byte PerformanceCounter = 1;
    private const uint SmiNotRead = 0xFFFF_FFFF;
    private const int LargestPayload = 128;

    public static IReadOnlyList<TraceLoggingEventSchema> Schemas { get; } = MakeSchemas();

    /// <summary>Whether a session listens.</summary>
    public bool IsOn => log.IsOn;

    /// <summary>The run begins.</summary>
    /// <param name="qpcHz">Rate of the performance counter.</param>
    /// <param name="settings">How it measures.</param>
    /// <param name="floorNs">The measured floor.</param>
    /// <param name="priority">Priority of the threads, as read back.</param>
    public void Start(long qpcHz, ProbeSettings settings, long floorNs, int priority)
    {
        var payload = new TraceLoggingPayload(stackalloc byte[LargestPayload]);
        payload.UInt8(WakeupMode);
        payload.UInt8(PerformanceCounter);
        payload.UInt64((ulong)qpcHz);
        payload.UInt64((ulong)settings.Threshold.Nanoseconds);
        payload.UInt64((ulong)settings.Period.Nanoseconds);
        payload.UInt64((ulong)floorNs);
        payload.UInt8Array([(byte)priority]);
        payload.UInt32(0);
        log.Log(ProbeEvent.Start, payload.Bytes);
    }

    /// <summary>One moment; the run's clock is the performance counter itself.</summary>
    /// <param name="qpc">The counter now.</param>
    public void ClockSync(long qpc)
    {
        var payload = new TraceLoggingPayload(stackalloc byte[LargestPayload]);
        payload.UInt64((ulong)qpc);
        payload.UInt64((ulong)qpc);
        log.Log(ProbeEvent.ClockSync, payload.Bytes);
    }

    /// <summary>One wake-up.</summary>
    /// <param name="sequence">Number of the wake-up on its CPU.</param>
    /// <param name="wakeup">When it was due and served. User mode sees neither ISR nor DPC.</param>
    /// <param name="tick">The clock tick that should have served it.</param>
    /// <param name="priority">Priority of the thread.</param>
    public void Wakeup(long sequence, int cpu, in TimedWakeup wakeup, long tick, int priority)
    {
        var payload = new TraceLoggingPayload(stackalloc byte[LargestPayload]);
        payload.UInt64((ulong)sequence);
        payload.UInt16((ushort)cpu);
        payload.UInt8(WakeupMode);
        payload.UInt64((ulong)wakeup.Due);
        payload.UInt64(0);
        payload.UInt64(0);
        payload.UInt64((ulong)wakeup.Served);
        payload.UInt8((byte)priority);
        payload.UInt64(0);
        payload.UInt16(0);
        payload.UInt64((ulong)tick);
        payload.UInt16(0);
        payload.UInt64(0);
        payload.UInt64(0);
        log.Log(ProbeEvent.Wakeup, payload.Bytes);
    }

    /// <summary>A latency at or above the threshold; the probe has no samples of it.</summary>
    /// <param name="episode">Its number.</param>
    public void Episode(uint episode, long latencyNs, int cpu)
    {
        var begin = new TraceLoggingPayload(stackalloc byte[LargestPayload]);
        begin.UInt32(episode);
        begin.UInt64((ulong)latencyNs);
        begin.UInt16((ushort)cpu);
        log.Log(ProbeEvent.EpisodeBegin, begin.Bytes);
        var end = new TraceLoggingPayload(stackalloc byte[LargestPayload]);
        end.UInt32(episode);
        end.UInt32(0);
        end.UInt64(0);
        end.UInt32(SmiNotRead);
        log.Log(ProbeEvent.EpisodeEnd, end.Bytes);
    }

    /// <summary>The run is over.</summary>
    /// <param name="probes">Wake-ups measured.</param>
    /// <param name="dropped">Wake-ups that the ring had no room for.</param>
    public void Stop(long probes, long dropped)
    {
        var payload = new TraceLoggingPayload(stackalloc byte[LargestPayload]);
        payload.UInt64((ulong)probes);
        payload.UInt64((ulong)dropped);
        log.Log(ProbeEvent.Stop, payload.Bytes);
    }

    private static TraceLoggingEventSchema[] MakeSchemas()
    {
        var provider = new TraceLoggingProvider(TracerProvider.Name, TracerProvider.Id);
        ProviderEvent[] events =
        [
            TracerProvider.Start, TracerProvider.ClockSync, TracerProvider.Wakeup, TracerProvider.EpisodeBegin,
            TracerProvider.EpisodeEnd, TracerProvider.Stop,
        ];
        return
        [
            .. events.Select(described => new TraceLoggingEventSchema(
                provider,
                described.Name,
                described.Fields.Select(field => field.IsArray
                    ? new TraceLoggingField(field.Name, field.InType, field.OutType).AsArray()
                    : new TraceLoggingField(field.Name, field.InType, field.OutType)))),
        ];
    }
}
