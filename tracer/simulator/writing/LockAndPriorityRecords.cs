using Tracer.Etl.Kernel;
using Tracer.Simulator.Engine;

namespace Tracer.Simulator.Writing;

/// <summary>Records of spin locks and of priorities, which only few sessions ask for.</summary>
internal sealed class LockAndPriorityRecords(RecordEmitter emitter)
{
    private const ushort SpinLockHook = 0x0529;
    private const ushort SetPriorityHook = 0x0530;
    private const ushort AntiStarvationHook = 0x053C;
    private const byte PriorityVersion = 3;
    private const byte ExclusiveMode = 1;
    private const byte InDpc = 0x40;
    private const long CyclesOfRound = 40;

    public void SpinLock(in SimulatedLockUse use)
    {
        if (!emitter.Begins(RecordKinds.SpinLocks, use.ReleasedNs, use.Cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, emitter.PointerBytes);
        long cycles = (use.AcquiredNs - use.AskedNs) * emitter.Machine.Hardware.Mhz / 1_000;
        payload.Pointer(use.Lock);
        payload.Pointer(use.Caller);
        payload.Int64(emitter.Clock.TicksAt(use.AcquiredNs));
        payload.Int64(ticks);
        payload.UInt32((uint)Math.Min(cycles, uint.MaxValue));
        payload.UInt32((uint)Math.Min(cycles / CyclesOfRound, uint.MaxValue));
        payload.UInt32(use.ThreadId);
        payload.UInt32(0);
        payload.UInt8(Irql.Dispatch);
        payload.UInt8(1);
        payload.UInt8((byte)(ExclusiveMode | (use.IsInDpc ? InDpc : 0)));
        payload.Zeros(5);
        emitter.Emit(use.Cpu, ticks, SpinLockHook, RecordEmitter.Version, payload);
    }

    public void PrioritySet(long timeNs, int cpu, uint threadId, int oldPriority, int newPriority)
    {
        if (!emitter.Begins(RecordKinds.Priorities, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var record = new KernelRecordWriter(ThreadLayouts.Priority, PriorityVersion, emitter.PointerBytes, room);
        record.Put("ThreadId", threadId);
        record.Put("Old", (ulong)oldPriority);
        record.Put("New", (ulong)newPriority);
        record.Put("DynamicPriority", (ulong)newPriority);
        emitter.Emit(cpu, ticks, SetPriorityHook, PriorityVersion, record.Written);
    }

    public void AntiStarvationBoost(long timeNs, int cpu, uint threadId, int queueCpu, int oldPriority)
    {
        if (!emitter.Begins(RecordKinds.Priorities, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var record = new KernelRecordWriter(ThreadLayouts.AntiStarvationBoost, PriorityVersion, emitter.PointerBytes, room);
        record.Put("ThreadId", threadId);
        record.Put("ProcessorIndex", (ulong)queueCpu);
        record.Put("OldPriority", (ulong)oldPriority);
        emitter.Emit(cpu, ticks, AntiStarvationHook, PriorityVersion, record.Written);
    }
}
