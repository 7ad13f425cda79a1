using Tracer.Contract;
using Tracer.Etl;
using Tracer.Measure;

namespace Tracer.TracerCommand;

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

    /// <summary>Writes the trace.</summary>
    /// <param name="log">The wake-ups.</param>
    /// <param name="class">The class of the thread that was woken.</param>
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
        byte[] bytes = new byte[LargestPayload];
        uint process = (uint)Environment.ProcessId;
        byte priority = OnWindows(@class);

        var payload = new TraceLoggingPayload(bytes);
        payload.UInt8(ProbeProcess);
        payload.UInt8(PerformanceCounter);
        payload.UInt64((ulong)machine.CounterHz);
        payload.UInt64(0);
        payload.UInt64(0);
        payload.UInt64(0);
        payload.ArrayCount(1);
        payload.UInt8(priority);
        payload.UInt32(0);
        Log(StartSchema, 0, first, payload.Bytes);
        ulong sequence = 0;
        foreach (LoggedWakeup wakeup in wakeups)
        {
            payload = new TraceLoggingPayload(bytes);
            // One that came early was in time.
            ulong due = (ulong)Math.Min(wakeup.DueTicks, wakeup.RanTicks);
            payload.UInt64(sequence++);
            payload.UInt16(wakeup.Cpu);
            payload.UInt8(ProbeProcess);
            payload.UInt64(due);
            payload.UInt64(0);
            payload.UInt64(0);
            payload.UInt64((ulong)wakeup.RanTicks);
            payload.UInt8(priority);
            payload.UInt64(0);
            payload.UInt16(0);
            // What a clock tick adds is part of what is measured.
            payload.UInt64(due);
            payload.UInt16(0);
            payload.UInt64(0);
            payload.UInt64(0);
            Log(WakeupSchema, wakeup.Cpu, wakeup.RanTicks, payload.Bytes);
        }

        payload = new TraceLoggingPayload(bytes);
        payload.UInt64((ulong)log.Seen);
        payload.UInt64((ulong)(log.Seen - wakeups.Length));
        Log(StopSchema, 0, last, payload.Bytes);
        writer.Complete(begun + length);

        void Log(TraceLoggingEventSchema schema, int cpu, long ticks, ReadOnlySpan<byte> content) =>
            writer.Write(cpu, schema.Header(ticks, process, process), content, schema.Items);
    }

    /// <summary>The priority that stands for a class on Windows.</summary>
    public static byte OnWindows(MeasurePriority priority) => priority switch
    {
        MeasurePriority.TimeCritical => 31,
        MeasurePriority.RealTime => 24,
        MeasurePriority.High => 13,
        _ => 8,
    };
}
