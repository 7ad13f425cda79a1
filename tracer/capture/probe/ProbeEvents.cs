namespace Tracer.Capture.Probe;

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
internal sealed class ProbeEvents(IProbeEventLog log)
{
    private const byte WakeupMode = 2;
    private const byte PerformanceCounter = 1;
    private const int LargestPayload = 128;

    public static IReadOnlyList<TraceLoggingEventSchema> Schemas { get; } =
    [
        TracerProvider.Start.Schema(), TracerProvider.ClockSync.Schema(), TracerProvider.Wakeup.Schema(),
        TracerProvider.EpisodeBegin.Schema(), TracerProvider.EpisodeEnd.Schema(), TracerProvider.Stop.Schema(),
    ];

    /// <summary>Whether a session listens.</summary>
    public bool IsOn => log.IsOn;

    public void Start(long qpcHz, ProbeSettings settings, long floorNs, int priority)
    {
        var start = new StartEvent
        {
            Mode = WakeupMode,
            Clock = PerformanceCounter,
            ClockHz = (ulong)qpcHz,
            ThresholdNs = (ulong)settings.Threshold.Nanoseconds,
            PeriodNs = (ulong)settings.Period.Nanoseconds,
            FloorNs = (ulong)floorNs,
        };
        log.Log(ProbeEvent.Start, start.Payload(stackalloc byte[LargestPayload], [(byte)priority], DriverCapabilities.None));
    }

    /// <summary>One moment; the run's clock is the performance counter itself.</summary>
    public void ClockSync(long qpc) =>
        log.Log(ProbeEvent.ClockSync, ProviderPayload.Of(new ClockSyncEvent { Clock = (ulong)qpc, Qpc = (ulong)qpc }));

    /// <summary>One wake-up.</summary>
    /// <param name="wakeup">When it was due and served. User mode sees neither ISR nor DPC.</param>
    /// <param name="tick">The clock tick that should have served it.</param>
    public void Wakeup(long sequence, int cpu, in TimedWakeup wakeup, long tick, int priority) =>
        log.Log(ProbeEvent.Wakeup, ProviderPayload.Of(new WakeupEvent
        {
            Sequence = (ulong)sequence,
            Cpu = (ushort)cpu,
            Mode = WakeupMode,
            Expected = (ulong)wakeup.Due,
            Thread = (ulong)wakeup.Served,
            Priority = (byte)priority,
            Tick = (ulong)tick,
        }));

    /// <summary>A latency at or above the threshold; the probe has no samples of it.</summary>
    public void Episode(uint episode, long latencyNs, int cpu)
    {
        log.Log(ProbeEvent.EpisodeBegin, ProviderPayload.Of(new EpisodeBeginEvent
        {
            Episode = episode,
            LatencyNs = (ulong)latencyNs,
            Cpu = (ushort)cpu,
        }));
        log.Log(ProbeEvent.EpisodeEnd, ProviderPayload.Of(new EpisodeEndEvent { Episode = episode, SmiCount = DriverAbi.SmiNotRead }));
    }

    /// <param name="dropped">Wake-ups that the ring had no room for.</param>
    public void Stop(long probes, long dropped) =>
        log.Log(ProbeEvent.Stop, ProviderPayload.Of(new StopEvent { Probes = (ulong)probes, Dropped = (ulong)dropped }));
}
