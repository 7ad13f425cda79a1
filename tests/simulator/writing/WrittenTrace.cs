using Tracer.Etl.Kernel;
using Tracer.Etl.Stacks;

namespace Tracer.Simulator.Tests;

/// <summary>What a reader finds in a trace: its records as text, in order of time, with their stacks.</summary>
internal sealed class WrittenTrace : IStackedEventSink
{
    private WrittenTrace(EtlReader reader) => Header = reader.Header;

    public EtlFileHeader Header { get; }

    public List<Entry> Entries { get; } = [];

    /// <summary>What was odd: counters above 0, by name.</summary>
    public Dictionary<HealthCounter, long> Oddities { get; } = [];

    public static WrittenTrace Read(byte[] bytes)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(bytes));
        var trace = new WrittenTrace(reader);
        WrittenTrace sink = trace;
        Assert.True(reader.ReadWithStacks(ref sink));
        foreach (HealthCounter counter in Enum.GetValues<HealthCounter>().Where(counter => reader.Health[counter] > 0))
        {
            trace.Oddities.Add(counter, reader.Health[counter]);
        }

        return trace;
    }

    /// <summary>How many records of a hook a trace has, stacks included.</summary>
    public static int Count(byte[] bytes, ushort hook)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(bytes));
        var counter = new Counter(hook);
        reader.Read(EtlOrder.Any, ref counter);
        return counter.Found;
    }

    public IEnumerable<Entry> Of(ushort hook) => Entries.Where(entry => entry.Hook == hook);

    public bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack)
    {
        ulong[] frames = new ulong[stack.FrameCount];
        stack.CopyTo(frames);
        ushort hook = traceEvent.IsEventHeader ? traceEvent.Id : traceEvent.IsKernelHook ? traceEvent.HookId : (ushort)0xFFFF;
        Entries.Add(new Entry(
            hook,
            traceEvent.Version,
            traceEvent.Cpu,
            Header.Clock.NanosecondsFromHeader(traceEvent.TimestampTicks),
            traceEvent.TimestampTicks,
            Text(traceEvent),
            frames,
            traceEvent.Payload.ToArray(),
            traceEvent.ProviderId,
            traceEvent.Opcode));
        return true;
    }

    private string Text(scoped in EtlEvent traceEvent)
    {
        switch (traceEvent.IsKernelHook ? traceEvent.HookId : 0)
        {
            case KernelHook.Isr or KernelHook.IsrMessageSignalled when IsrRecord.TryRead(in traceEvent, out IsrRecord isr):
                return $"isr {Ns(isr.InitialTime)} {isr.Routine:x} {isr.Vector} {isr.ReturnValue} {isr.MessageNumber}";
            case KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.ThreadedDpc when DpcRecord.TryRead(in traceEvent, out DpcRecord dpc):
                return $"dpc {Ns(dpc.InitialTime)} {dpc.Routine:x}";
            case KernelHook.DpcEnqueue when DpcEnqueueRecord.TryRead(in traceEvent, out DpcEnqueueRecord queued):
                return $"queued {queued.Key:x} {queued.QueueDepth} {queued.DpcCount} {queued.TargetProcessorIndex} {queued.Importance}";
            case KernelHook.DpcExecution when DpcExecutionRecord.TryRead(in traceEvent, out DpcExecutionRecord runs):
                return $"runs {runs.DpcRoutine:x} {runs.Key:x}";
            case KernelHook.WdfIsr or KernelHook.WdfDpc when WdfCallbackRecord.TryRead(in traceEvent, out WdfCallbackRecord callback):
                return $"wdf {callback.Routine:x}";
            case KernelHook.ReadyThread when ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready):
                return $"ready {ready.ThreadId} {ready.AdjustIncrement} {ready.Flags}";
            case KernelHook.ContextSwitch when ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change):
                return $"switch {change.NewThreadId} {change.OldThreadId} {change.NewThreadPriority} {change.OldThreadPriority} "
                    + $"{(int)change.OldThreadState} {(int)change.OldThreadWaitReason} {change.OldThreadIdealProcessor} "
                    + $"{change.NewThreadWaitTime} {change.PreviousCState}";
            case KernelHook.SampledProfile when SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample):
                return $"sample {sample.InstructionPointer:x} {sample.ThreadId} {sample.Flags} {sample.Count}";
            case 0x0529 when SpinLockRecord.TryRead(in traceEvent, out SpinLockRecord use):
                return $"lock {use.LockAddress:x} {use.Caller:x} {Ns((long)use.AcquireTime)} {Ns((long)use.ReleaseTime)} "
                    + $"{use.WaitTimeInCycles} {use.SpinCount} {use.ThreadId} {use.Irql} {use.AcquireDepth} {use.IsInDpc} {use.IsInIsr}";
            case 0x0530:
                RecordFields set = RecordFields.Of(in traceEvent);
                return $"priority {set["ThreadId"]} {set["Old"]} {set["New"]} {set["DynamicPriority"]}";
            case 0x053C:
                RecordFields lift = RecordFields.Of(in traceEvent);
                return $"lift {lift["ThreadId"]} {lift["ProcessorIndex"]} {lift["OldPriority"]}";
            case KernelHook.HardFault when HardFaultRecord.TryRead(in traceEvent, out HardFaultRecord fault):
                return $"fault {Ns(fault.InitialTime)} {fault.VirtualAddress:x} {fault.ThreadId} {fault.ByteCount}";
            case KernelHook.DiskRead or KernelHook.DiskWrite:
                RecordFields disk = RecordFields.Of(in traceEvent);
                return $"disk {disk["TransferSize"]} {Header.Clock.NanosecondsOf(disk["HighResResponseTime"])}";
            default:
                return "";
        }
    }

    private long Ns(long ticks) => Header.Clock.NanosecondsFromHeader(ticks);

    private struct Counter(ushort hook) : IEtlEventSink
    {
        public int Found { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Found += traceEvent.IsKernelHook && traceEvent.HookId == hook ? 1 : 0;
            return true;
        }
    }

    internal sealed record Entry(
        ushort Hook,
        int Version,
        int Cpu,
        long TimeNs,
        long Ticks,
        string Text,
        ulong[] Stack,
        byte[] Payload,
        Guid Provider,
        byte Opcode);
}
