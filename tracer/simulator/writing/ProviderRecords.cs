using Tracer.Simulator.Engine;

namespace Tracer.Simulator.Writing;

/// <summary>Events of the .NET runtime and of our own recorder, as they stand in a merged file.</summary>
internal sealed class ProviderRecords(RecordEmitter emitter) : IProviderLog
{
    private const byte TimerMode = 1;
    private const byte ProcessMode = 2;
    private const byte PerformanceCounter = 1;
    private const ulong CollectionKeyword = 1;
    private const ushort CollectionTask = 1;
    private const uint SuspendForCollection = 1;
    private const uint SmallAllocation = 0;
    private const ushort RuntimeInstance = 8;
    private const ulong FloorNs = 9_000;

    private static readonly Guid RuntimeProvider = new("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
    private static readonly TraceLoggingEventSchema StartSchema = TracerProvider.Start.Schema();
    private static readonly TraceLoggingEventSchema SyncSchema = TracerProvider.ClockSync.Schema();
    private static readonly TraceLoggingEventSchema WakeupSchema = TracerProvider.Wakeup.Schema();
    private static readonly TraceLoggingEventSchema FirstWakeupSchema = TracerProvider.WakeupVersion1.Schema();
    private static readonly TraceLoggingEventSchema TimerStateSchema = TracerProvider.TimerState.Schema();
    private static readonly TraceLoggingEventSchema StopSchema = TracerProvider.Stop.Schema();

    public void GarbageCollection(long timeNs, int cpu, uint threadId, CollectionStep step, uint number)
    {
        if (!emitter.Begins(RecordKinds.GarbageCollections, timeNs, cpu, out long ticks))
        {
            return;
        }

        (byte opcode, byte version) = step switch
        {
            CollectionStep.SuspensionBegins => ((byte)137, (byte)1),
            CollectionStep.SuspensionEnds => ((byte)136, (byte)1),
            CollectionStep.RestartBegins => ((byte)135, (byte)1),
            CollectionStep.RestartEnds => ((byte)132, (byte)1),
            CollectionStep.Begins => ((byte)1, (byte)2),
            _ => ((byte)2, (byte)1),
        };
        var header = EtlEventHeader.Event(
            RuntimeProvider, (ushort)step, version, ticks, emitter.Machine.ProcessIdOf(threadId), threadId, emitter.PointerBytes) with
        {
            Level = RecordEmitter.InformationLevel,
            Task = CollectionTask,
            Opcode = opcode,
            Keyword = CollectionKeyword,
        };
        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, emitter.PointerBytes);
        switch (step)
        {
            case CollectionStep.SuspensionBegins:
                payload.UInt32(SuspendForCollection);
                payload.UInt32(number);
                break;
            case CollectionStep.Begins:
                payload.UInt32(number);
                payload.UInt32(number % 3);
                payload.UInt32(SmallAllocation);
                payload.UInt32(0);
                break;
            case CollectionStep.Ends:
                payload.UInt32(number);
                payload.UInt32(number % 3);
                break;
            default:
                break;
        }

        payload.UInt16(RuntimeInstance);
        if (step == CollectionStep.Begins)
        {
            payload.UInt64(0);
        }

        emitter.Write(cpu, header, payload.Written);
    }

    public void SoundGlitch(long timeNs, int cpu, uint threadId, ushort eventId, long? deadlineNs, ReadOnlySpan<ulong> fields)
    {
        if (GlitchKind.Find(GlitchKind.Audio, eventId) is not { } kind
            || !emitter.Begins(RecordKinds.Glitches, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, emitter.PointerBytes);
        for (int i = 0; i < kind.Layout.Length; i++)
        {
            // That a deadline counts from the zero of the performance counter is our guess.
            ulong value = i < fields.Length ? fields[i]
                : deadlineNs is { } deadline
                    ? (ulong)(TickRate.NanosecondsOf(emitter.Clock.TicksAt(deadline), emitter.Clock.Clock.TicksPerSecond)
                        / TimeSpan.NanosecondsPerTick)
                    : 0;
            switch (kind.Layout[i])
            {
                case 'p':
                    payload.Pointer(value);
                    break;
                case '8':
                    payload.UInt64(value);
                    break;
                default:
                    payload.UInt32((uint)value);
                    break;
            }
        }

        var header = EtlEventHeader.Event(
            GlitchKind.Audio, eventId, 0, ticks, emitter.Machine.ProcessIdOf(threadId), threadId, emitter.PointerBytes) with
        {
            Level = kind.Level,
        };
        emitter.Write(cpu, header, payload.Written);
    }

    public void MeasuringStarted(
        long timeNs, int cpu, uint threadId, int priority, long periodNs, long thresholdNs, bool isProcess = false)
    {
        if (!emitter.Begins(RecordKinds.MeasuredWakeups, timeNs, cpu, out long ticks))
        {
            return;
        }

        var start = new StartEvent
        {
            Mode = isProcess ? ProcessMode : TimerMode,
            Clock = PerformanceCounter,
            ClockHz = (ulong)emitter.Clock.Clock.TicksPerSecond,
            ThresholdNs = (ulong)thresholdNs,
            PeriodNs = (ulong)periodNs,
            FloorNs = FloorNs,
        };
        ReadOnlySpan<byte> payload = start.Payload(
            stackalloc byte[RecordEmitter.LargestPayload], [(byte)priority], DriverCapabilities.None);
        Log(StartSchema, cpu, ticks, threadId, payload);
    }

    public void ClocksRelated(long timeNs, int cpu, uint threadId)
    {
        if (!emitter.Begins(RecordKinds.MeasuredWakeups, timeNs, cpu, out long ticks))
        {
            return;
        }

        var sync = new ClockSyncEvent { Clock = (ulong)ticks, Qpc = (ulong)ticks };
        Log(SyncSchema, cpu, ticks, threadId, ProviderPayload.Of(in sync));
    }

    public void WakeupMeasured(long timeNs, int cpu, uint threadId, in SimulatedWakeup wakeup)
    {
        if (!emitter.Begins(RecordKinds.MeasuredWakeups, timeNs, cpu, out long ticks))
        {
            return;
        }

        var measured = new WakeupEvent
        {
            Sequence = wakeup.Sequence,
            Cpu = (ushort)cpu,
            Mode = wakeup.IsrNs is null && wakeup.QueuedNs is null ? ProcessMode : TimerMode,
            Expected = Clock(wakeup.DueNs),
            Isr = Clock(wakeup.IsrNs),
            Dpc = Clock(wakeup.DpcNs),
            Thread = Clock(wakeup.ThreadNs),
            Priority = (byte)wakeup.Priority,
            Tick = Clock(wakeup.TickNs),
            TimerCpu = (ushort)wakeup.TimerCpu,
            Callback = Clock(wakeup.CallbackNs),
            Queued = Clock(wakeup.QueuedNs),
        };
        bool isVersion1 = wakeup is { TickNs: null, QueuedNs: null };
        Log(isVersion1 ? FirstWakeupSchema : WakeupSchema, cpu, ticks, threadId, WakeupEvent.Payload(in measured, isVersion1));

        ulong Clock(long? ns) => ns is { } known ? (ulong)emitter.Clock.TicksAt(known) : 0;
    }

    public void TimerTold(long timeNs, int cpu, uint threadId, in SimulatedTimerState state)
    {
        if (!emitter.Begins(RecordKinds.MeasuredWakeups, timeNs, cpu, out long ticks))
        {
            return;
        }

        var told = new TimerStateEvent
        {
            Cpu = (ushort)cpu,
            Clock = (ulong)ticks,
            FloorNs = (ulong)state.FloorNs,
            TickNs = (ulong)state.TickNs,
            OwnNs = (ulong)state.OwnNs,
            RunNs = (ulong)state.RunNs,
            LateTimers = (ulong)state.LateTimers,
        };
        Log(TimerStateSchema, cpu, ticks, threadId, ProviderPayload.Of(in told));
    }

    public void MeasuringStopped(long timeNs, int cpu, uint threadId, ulong wakeups)
    {
        if (!emitter.Begins(RecordKinds.MeasuredWakeups, timeNs, cpu, out long ticks))
        {
            return;
        }

        var stop = new StopEvent { Probes = wakeups };
        Log(StopSchema, cpu, ticks, threadId, ProviderPayload.Of(in stop));
    }

    private void Log(TraceLoggingEventSchema schema, int cpu, long ticks, uint threadId, ReadOnlySpan<byte> payload) => emitter.Write(
        cpu, schema.Header(ticks, emitter.Machine.ProcessIdOf(threadId), threadId, emitter.PointerBytes), payload, schema.Items);
}
