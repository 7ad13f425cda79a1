using Tracer.Simulator.Engine;

namespace Tracer.Simulator.Writing;

/// <summary>Records of power management.</summary>
internal sealed class PowerRecords(RecordEmitter emitter) : IPowerLog
{
    private const ushort SpeedChangeHook = 0x1233;
    private const ushort ExitLatencyHook = 0x123C;
    private const uint FrequencyChange = 1;
    private const int CpusOfGroup = 64;

    // Microsoft-Windows-Kernel-Processor-Power: ParkCore and UnparkCore, of the task that logs the decisions of the periodic check.
    private const ushort ParkCoreEvent = 14;
    private const ushort UnparkCoreEvent = 15;
    private const ulong DiagnosticKeyword = 0x8000_0000_0000_0000;

    private static readonly Guid ProcessorPowerProvider = new("0f67e49f-fe51-4e9f-b490-6f2948cc6027");

    public void IdleExitLatency(long timeNs, int cpu, uint state, long latencyNs)
    {
        if (!emitter.Begins(RecordKinds.ExitLatencies, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, emitter.PointerBytes);
        uint microseconds = (uint)(latencyNs / 1_000);
        payload.UInt32(0);
        payload.UInt32(uint.MaxValue);
        payload.UInt32(state);
        payload.UInt32(microseconds);
        payload.UInt32(microseconds);
        emitter.Emit(cpu, ticks, ExitLatencyHook, RecordEmitter.Version, payload);
    }

    public void SpeedChanged(long timeNs, int cpu, int newPercent, int oldPercent)
    {
        if (!emitter.Begins(RecordKinds.SpeedChanges, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, emitter.PointerBytes);
        payload.UInt32(FrequencyChange);
        payload.UInt32((uint)newPercent);
        payload.UInt32((uint)oldPercent);
        payload.UInt32(0);
        payload.UInt64(1UL << (cpu % CpusOfGroup));
        emitter.Emit(cpu, ticks, SpeedChangeHook, RecordEmitter.Version, payload);
    }

    public void CpuParked(long timeNs, int cpu, int parkedCpu, bool isParked)
    {
        if (!emitter.Begins(RecordKinds.CoreParking, timeNs, cpu, out long ticks))
        {
            return;
        }

        ushort id = isParked ? ParkCoreEvent : UnparkCoreEvent;
        var header = EtlEventHeader.Event(
            ProcessorPowerProvider, id, (byte)(isParked ? 1 : 0), ticks, uint.MaxValue, uint.MaxValue, emitter.PointerBytes) with
        {
            Channel = RecordEmitter.DiagnosticChannel,
            Level = RecordEmitter.InformationLevel,
            Task = id,
            Keyword = DiagnosticKeyword,
        };
        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, emitter.PointerBytes);
        payload.UInt64(emitter.Clock.InterruptTimeAt(timeNs));
        payload.UInt16((ushort)(parkedCpu / CpusOfGroup));
        payload.UInt8((byte)(parkedCpu % CpusOfGroup));
        if (isParked)
        {
            payload.UInt32(0);
        }

        emitter.Write(cpu, header, payload.Written);
    }
}
