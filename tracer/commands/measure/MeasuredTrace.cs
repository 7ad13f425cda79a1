using Tracer.Measure.Ground;

namespace Tracer.TracerCommand.Commands.Measure;

/// <summary>
/// Measured wake-ups as a trace: events of the Tracer provider as its probe process logs them, in the counter that measured. `analyzer
/// latency` and `analyzer blame` read it.
/// </summary>
internal static class MeasuredTrace
{
    private const byte ProbeProcess = 2;
    private const byte PerformanceCounter = 1;
    private const int LargestPayload = 128;
    private const uint UnknownCpuMhz = 1_000;

    private static readonly TraceLoggingEventSchema StartSchema = TracerProvider.Start.Schema();
    private static readonly TraceLoggingEventSchema WakeupSchema = TracerProvider.Wakeup.Schema();
    private static readonly TraceLoggingEventSchema StopSchema = TracerProvider.Stop.Schema();

    /// <param name="output">Takes the trace; it must be able to seek, and stays open.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static void Write(WakeupLog log, MeasuredMachine machine, DateTime end, MeasurePriority @class, Stream output)
    {
        ReadOnlySpan<LoggedWakeup> wakeups = log.Wakeups;
        long first = wakeups.Length == 0 ? 1 : Math.Max(1, Math.Min(wakeups[0].DueTicks, wakeups[0].RanTicks));
        long last = wakeups.Length == 0 ? 1 : wakeups[^1].RanTicks;
        long length = TickRate.NanosecondsOf(last - first, machine.CounterHz) / TimeSpan.NanosecondsPerTick;
        long begun = Math.Max(0, end.ToFileTimeUtc() - length);
        int cpus = Math.Max(machine.Cpus, 1);
        foreach (LoggedWakeup wakeup in wakeups)
        {
            cpus = Math.Max(cpus, wakeup.Cpu + 1);
        }

        var header = new EtlFileHeader
        {
            Clock = new TraceClock(TraceClockKind.Qpc, machine.CounterHz, first, begun),
            ProcessorCount = cpus,
            CpuMhz = UnknownCpuMhz,
            BootFileTime = begun,
            SessionName = TracerProvider.Name,
        };
        using var writer = EtlWriter.Create(output, header, leaveOpen: true);
        uint process = (uint)Environment.ProcessId;
        byte priority = OnWindows(@class);

        var start = new StartEvent { Mode = ProbeProcess, Clock = PerformanceCounter, ClockHz = (ulong)machine.CounterHz };
        Log(StartSchema, 0, first, start.Payload(stackalloc byte[LargestPayload], [priority], DriverCapabilities.None));
        ulong sequence = 0;
        foreach (LoggedWakeup wakeup in wakeups)
        {
            // One that came early was in time. What a clock tick adds is part of what is measured.
            ulong due = (ulong)Math.Min(wakeup.DueTicks, wakeup.RanTicks);
            var measured = new WakeupEvent
            {
                Sequence = sequence++,
                Cpu = wakeup.Cpu,
                Mode = ProbeProcess,
                Expected = due,
                Thread = (ulong)wakeup.RanTicks,
                Priority = priority,
                Tick = due,
            };
            Log(WakeupSchema, wakeup.Cpu, wakeup.RanTicks, ProviderPayload.Of(in measured));
        }

        var stop = new StopEvent { Probes = (ulong)log.Seen, Dropped = (ulong)(log.Seen - wakeups.Length) };
        Log(StopSchema, 0, last, ProviderPayload.Of(in stop));
        writer.Complete(begun + length);

        void Log(TraceLoggingEventSchema schema, int cpu, long ticks, ReadOnlySpan<byte> content) =>
            writer.Write(cpu, schema.Header(ticks, process, process), content, schema.Items);
    }

    public static byte OnWindows(MeasurePriority priority) => priority switch
    {
        MeasurePriority.TimeCritical => 31,
        MeasurePriority.RealTime => 24,
        MeasurePriority.High => 13,
        _ => 8,
    };
}
