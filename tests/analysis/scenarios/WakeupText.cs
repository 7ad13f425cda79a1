namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>Reads a wake-up that our own driver measured, or a sample that it took, and makes the events of our provider for it.</summary>
internal static class WakeupText
{
    private static readonly TraceLoggingProvider Provider = new(TracerProvider.Name, TracerProvider.Id);

    private static readonly TraceLoggingEventSchema Start = Schema(TracerProvider.Start);

    private static readonly TraceLoggingEventSchema ClockSync = Schema(TracerProvider.ClockSync);

    private static readonly TraceLoggingEventSchema Wakeup = Schema(TracerProvider.Wakeup);

    private static readonly TraceLoggingEventSchema FirstWakeup = Schema(TracerProvider.WakeupVersion1);

    private static readonly TraceLoggingEventSchema PitSample = Schema(TracerProvider.PitSample);

    private static readonly TraceLoggingEventSchema EpisodeBegin = Schema(TracerProvider.EpisodeBegin);

    private static readonly TraceLoggingEventSchema EpisodeEnd = Schema(TracerProvider.EpisodeEnd);

    private static readonly TraceLoggingEventSchema CaptureWork = Schema(TracerProvider.CaptureWork);

    /// <summary>What made the interrupt: a timer of the driver.</summary>
    private const byte TimerMode = 1;

    /// <summary>
    /// Reads <c>expected T [tick T] [callback T on N queued T] [isr T] [dpc T] [thread N at T] priority N</c>; it is logged when the
    /// thread runs. With a tick or a callback it is of the event's second version.
    /// </summary>
    public static ScenarioRecord Read(ScenarioWords words, long at, int cpu)
    {
        words.Expect("expected");
        long expected = words.Time();
        long? tick = words.Takes("tick") ? words.Time() : null;
        long? callback = words.Takes("callback") ? words.Time() : null;
        ushort timerCpu = 0;
        long? queued = null;
        if (callback is not null)
        {
            words.Expect("on");
            timerCpu = (ushort)words.Number();
            words.Expect("queued");
            queued = words.Time();
        }

        long? isr = words.Takes("isr") ? words.Time() : null;
        long? dpc = words.Takes("dpc") ? words.Time() : null;
        uint thread = 0;
        long? ran = null;
        if (words.Takes("thread"))
        {
            thread = words.Number();
            words.Expect("at");
            ran = words.Time();
        }

        words.Expect("priority");
        byte priority = (byte)words.Number();
        return new ScenarioRecord(at, cpu, (writer, shape) =>
        {
            ulong Clock(long? time) => time is { } known ? (ulong)shape.Ticks(known) : 0;
            Span<byte> memory = stackalloc byte[256];
            var payload = new TraceLoggingPayload(memory);
            payload.UInt64(1);
            payload.UInt16((ushort)cpu);
            payload.UInt8(TimerMode);
            payload.UInt64(Clock(expected));
            payload.UInt64(Clock(isr));
            payload.UInt64(Clock(dpc));
            payload.UInt64(Clock(ran));
            payload.UInt8(priority);
            payload.UInt64(0);
            payload.UInt16(0);
            TraceLoggingEventSchema schema = tick is null && callback is null ? FirstWakeup : Wakeup;
            if (schema == Wakeup)
            {
                payload.UInt64(Clock(tick));
                payload.UInt16(timerCpu);
                payload.UInt64(Clock(callback));
                payload.UInt64(Clock(queued));
            }

            writer.Write(cpu, schema.Header(shape.Ticks(at), 4, thread, shape.PointerBytes), payload.Bytes, schema.Items);
        });
    }

    /// <summary>Reads <c>taken at T [masked] [callers ADDRESS...]</c>: a sample of the driver's ring, logged later.</summary>
    public static ScenarioRecord ReadSample(long at, int cpu, long taken, bool isMasked, ulong instruction, ulong[] callers) =>
        new(at, cpu, (writer, shape) =>
        {
            Span<byte> memory = stackalloc byte[1024];
            var payload = new TraceLoggingPayload(memory);
            payload.UInt32(1);
            payload.UInt32((uint)(taken / 1000));
            payload.UInt16((ushort)cpu);
            payload.UInt64(instruction);
            payload.UInt16(0x10);
            payload.UInt64((ulong)shape.Ticks(taken));
            payload.UInt64(isMasked ? 0x2u : 0x202);
            payload.UInt8(isMasked ? (byte)1 : (byte)0);
            payload.UInt64Array(callers);
            writer.Write(cpu, PitSample.Header(shape.Ticks(at), 4, 8, shape.PointerBytes), payload.Bytes, PitSample.Items);
        });

    /// <summary>An episode that our own driver announces, with the system management interrupts that it counted.</summary>
    public static ScenarioRecord Episode(long at, int cpu, long since, uint smis) => new(at, cpu, (writer, shape) =>
    {
        Span<byte> memory = stackalloc byte[256];
        var begin = new TraceLoggingPayload(memory);
        begin.UInt32((uint)(at / 1000));
        begin.UInt64((ulong)(at - since));
        begin.UInt16((ushort)cpu);
        writer.Write(cpu, EpisodeBegin.Header(shape.Ticks(at), 4, 8, shape.PointerBytes), begin.Bytes, EpisodeBegin.Items);
        var end = new TraceLoggingPayload(memory);
        end.UInt32((uint)(at / 1000));
        end.UInt32(0);
        end.UInt64(0);
        end.UInt32(smis);
        writer.Write(cpu, EpisodeEnd.Header(shape.Ticks(at), 4, 8, shape.PointerBytes), end.Bytes, EpisodeEnd.Items);
    });

    /// <summary>The flight recorder says that it was at work.</summary>
    public static ScenarioRecord Work(long at, int cpu, long from, long to) => new(at, cpu, (writer, shape) =>
    {
        Span<byte> memory = stackalloc byte[64];
        var payload = new TraceLoggingPayload(memory);
        payload.UInt8(0);
        payload.UInt64((ulong)shape.Ticks(from));
        payload.UInt64((ulong)shape.Ticks(to));
        writer.Write(cpu, CaptureWork.Header(shape.Ticks(at), 4, 8, shape.PointerBytes), payload.Bytes, CaptureWork.Items);
    });

    /// <summary>The first events of a run: its clock is the trace's.</summary>
    public static ScenarioRecord Begin(long at) => new(at, 0, (writer, shape) =>
    {
        Span<byte> memory = stackalloc byte[256];
        var start = new TraceLoggingPayload(memory);
        start.UInt8(TimerMode);
        start.UInt8(1);
        start.UInt64((ulong)shape.TicksPerSecond);
        start.UInt64(500_000);
        start.UInt64(10_000_000);
        start.UInt64(20_000);
        start.UInt8Array([24, 28]);
        start.UInt32(0);
        writer.Write(0, Start.Header(shape.Ticks(at), 4, 8, shape.PointerBytes), start.Bytes, Start.Items);
        var sync = new TraceLoggingPayload(memory);
        sync.UInt64((ulong)shape.Ticks(at));
        sync.UInt64((ulong)shape.Ticks(at));
        writer.Write(0, ClockSync.Header(shape.Ticks(at), 4, 8, shape.PointerBytes), sync.Bytes, ClockSync.Items);
    });

    private static TraceLoggingEventSchema Schema(ProviderEvent description) => new(
        Provider,
        description.Name,
        description.Fields.Select(field =>
        {
            var plain = new TraceLoggingField(field.Name, field.InType, field.OutType);
            return field.IsArray ? plain.AsArray() : plain;
        }));
}
