using Tracer.Contract;
using Tracer.Etl;

namespace Tracer.Simulator;

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
    private static readonly TraceLoggingProvider Recorder = new(TracerProvider.Name, TracerProvider.Id);
    private static readonly TraceLoggingEventSchema StartSchema = SchemaOf(TracerProvider.Start);
    private static readonly TraceLoggingEventSchema SyncSchema = SchemaOf(TracerProvider.ClockSync);
    private static readonly TraceLoggingEventSchema WakeupSchema = SchemaOf(TracerProvider.Wakeup);
    private static readonly TraceLoggingEventSchema FirstWakeupSchema = SchemaOf(TracerProvider.WakeupVersion1);
    private static readonly TraceLoggingEventSchema TimerStateSchema = SchemaOf(TracerProvider.TimerState);
    private static readonly TraceLoggingEventSchema StopSchema = SchemaOf(TracerProvider.Stop);

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

    public void MeasuringStarted(
        long timeNs, int cpu, uint threadId, int priority, long periodNs, long thresholdNs, bool isProcess = false)
    {
        if (!emitter.Begins(RecordKinds.MeasuredWakeups, timeNs, cpu, out long ticks))
        {
            return;
        }

        var payload = new TraceLoggingPayload(stackalloc byte[RecordEmitter.LargestPayload]);
        payload.UInt8(isProcess ? ProcessMode : TimerMode);
        payload.UInt8(PerformanceCounter);
        payload.UInt64((ulong)emitter.Clock.Clock.TicksPerSecond);
        payload.UInt64((ulong)thresholdNs);
        payload.UInt64((ulong)periodNs);
        payload.UInt64(FloorNs);
        payload.UInt8Array([(byte)priority]);
        payload.UInt32(0);
        Log(StartSchema, cpu, ticks, threadId, payload.Bytes);
    }

    public void ClocksRelated(long timeNs, int cpu, uint threadId)
    {
        if (!emitter.Begins(RecordKinds.MeasuredWakeups, timeNs, cpu, out long ticks))
        {
            return;
        }

        var payload = new TraceLoggingPayload(stackalloc byte[RecordEmitter.LargestPayload]);
        payload.UInt64((ulong)ticks);
        payload.UInt64((ulong)ticks);
        Log(SyncSchema, cpu, ticks, threadId, payload.Bytes);
    }

    public void WakeupMeasured(long timeNs, int cpu, uint threadId, in SimulatedWakeup wakeup)
    {
        if (!emitter.Begins(RecordKinds.MeasuredWakeups, timeNs, cpu, out long ticks))
        {
            return;
        }

        var payload = new TraceLoggingPayload(stackalloc byte[RecordEmitter.LargestPayload]);
        payload.UInt64(wakeup.Sequence);
        payload.UInt16((ushort)cpu);
        payload.UInt8(wakeup.IsrNs is null && wakeup.QueuedNs is null ? ProcessMode : TimerMode);
        payload.UInt64((ulong)emitter.Clock.TicksAt(wakeup.DueNs));
        payload.UInt64(wakeup.IsrNs is long isr ? (ulong)emitter.Clock.TicksAt(isr) : 0);
        payload.UInt64(wakeup.DpcNs is long dpc ? (ulong)emitter.Clock.TicksAt(dpc) : 0);
        payload.UInt64((ulong)emitter.Clock.TicksAt(wakeup.ThreadNs));
        payload.UInt8((byte)wakeup.Priority);
        payload.UInt64(0);
        payload.UInt16(0);
        if (wakeup is { TickNs: null, QueuedNs: null })
        {
            Log(FirstWakeupSchema, cpu, ticks, threadId, payload.Bytes);
            return;
        }

        payload.UInt64(Clock(wakeup.TickNs));
        payload.UInt16((ushort)wakeup.TimerCpu);
        payload.UInt64(Clock(wakeup.CallbackNs));
        payload.UInt64(Clock(wakeup.QueuedNs));
        Log(WakeupSchema, cpu, ticks, threadId, payload.Bytes);

        ulong Clock(long? ns) => ns is { } known ? (ulong)emitter.Clock.TicksAt(known) : 0;
    }

    public void TimerTold(long timeNs, int cpu, uint threadId, in SimulatedTimerState state)
    {
        if (!emitter.Begins(RecordKinds.MeasuredWakeups, timeNs, cpu, out long ticks))
        {
            return;
        }

        var payload = new TraceLoggingPayload(stackalloc byte[RecordEmitter.LargestPayload]);
        payload.UInt16((ushort)cpu);
        payload.UInt64((ulong)ticks);
        payload.UInt64((ulong)state.FloorNs);
        payload.UInt64((ulong)state.TickNs);
        payload.UInt64((ulong)state.OwnNs);
        payload.UInt64((ulong)state.RunNs);
        payload.UInt64((ulong)state.LateTimers);
        payload.UInt64(0);
        payload.UInt16(0);
        Log(TimerStateSchema, cpu, ticks, threadId, payload.Bytes);
    }

    public void MeasuringStopped(long timeNs, int cpu, uint threadId, ulong wakeups)
    {
        if (!emitter.Begins(RecordKinds.MeasuredWakeups, timeNs, cpu, out long ticks))
        {
            return;
        }

        var payload = new TraceLoggingPayload(stackalloc byte[RecordEmitter.LargestPayload]);
        payload.UInt64(wakeups);
        payload.UInt64(0);
        Log(StopSchema, cpu, ticks, threadId, payload.Bytes);
    }

    private static TraceLoggingEventSchema SchemaOf(ProviderEvent described) => new(
        Recorder,
        described.Name,
        described.Fields.Select(field => field.IsArray
            ? new TraceLoggingField(field.Name, field.InType, field.OutType).AsArray()
            : new TraceLoggingField(field.Name, field.InType, field.OutType)));

    private void Log(TraceLoggingEventSchema schema, int cpu, long ticks, uint threadId, ReadOnlySpan<byte> payload) => emitter.Write(
        cpu, schema.Header(ticks, emitter.Machine.ProcessIdOf(threadId), threadId, emitter.PointerBytes), payload, schema.Items);
}
