using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Writing;

/// <summary>Records of power management.</summary>
internal sealed class PowerRecords(RecordEmitter emitter) : IPowerLog
{
    private const ushort SpeedChangeHook = 0x1233;
    private const ushort ExitLatencyHook = 0x123C;
    private const uint FrequencyChange = 1;

    // Microsoft-Windows-Kernel-Processor-Power: ParkCore and UnparkCore, of the task that logs the decisions of the periodic check.
    private const ushort ParkCoreEvent = 14;
    private const ushort UnparkCoreEvent = 15;
    // Microsoft-Windows-Kernel-Power: CsEnterReason and CsExitReason.
    private const ushort StandbyEnterEvent = 506;
    private const ushort StandbyExitEvent = 507;
    private const ushort StandbyEnterTask = 157;
    private const ushort StandbyExitTask = 158;
    private const byte StandbyEnterVersion = 3;
    private const byte StandbyExitVersion = 8;
    private const ulong StandbyKeyword = 0x8000_0000_0000_0404;
    private const byte SystemChannel = 8;

    // POWER_MONITOR_REQUEST_REASON of System Informer's headers: nobody did anything for a while; somebody did.
    private const uint IdleTimeout = 12;
    private const uint UserInput = 4;
    private const uint BatteryCapacity = 50_000;

    private const int LargestStandbyPayload = 256;

    private const ulong DiagnosticKeyword = 0x8000_0000_0000_0000;

    private static readonly Guid PowerProvider = new("331c3b3a-2005-44c2-ac5e-77220c37d6b4");
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
        payload.UInt64(1UL << ProcessorGroups.NumberOf(cpu));
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
        payload.UInt16((ushort)ProcessorGroups.Of(parkedCpu));
        payload.UInt8((byte)ProcessorGroups.NumberOf(parkedCpu));
        if (isParked)
        {
            payload.UInt32(0);
        }

        emitter.Write(cpu, header, payload.Written);
    }

    public void Slept(long timeNs, long ns) => emitter.Clock.Slept(timeNs, ns);

    public void StandbyEntered(long timeNs, int cpu, uint threadId)
    {
        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, emitter.PointerBytes);
        payload.UInt32(IdleTimeout);
        payload.UInt32(1); // The lid is open.
        payload.UInt32(0); // No other monitor is connected.
        payload.UInt8(1);
        payload.UInt32(BatteryCapacity);
        payload.UInt32(BatteryCapacity);
        payload.UInt64(1);
        payload.UInt32(1);
        Standby(timeNs, cpu, threadId, StandbyEnterEvent, StandbyEnterVersion, StandbyEnterTask, payload.Written);
    }

    public void StandbyLeft(long timeNs, int cpu, uint threadId, long ns, long sleptNs, int sleeps)
    {
        ulong us = (ulong)(ns / 1_000);
        ulong sleptUs = (ulong)(sleptNs / 1_000);
        Span<byte> room = stackalloc byte[LargestStandbyPayload];
        var payload = new PayloadSpan(room, emitter.PointerBytes);
        payload.UInt32(0); // Energy
        payload.UInt64(us - sleptUs);
        payload.UInt64(0);
        payload.UInt64(0);
        payload.UInt64(sleptUs);
        payload.UInt64(us);
        payload.UInt32((uint)sleeps);
        payload.UInt8(100);
        payload.UInt32(0); // No sound was played.
        payload.UInt32(UserInput);
        payload.UInt64(0);
        payload.UInt64(0);
        payload.UInt32(0); // On battery
        payload.UInt64(sleptUs);
        payload.UInt64(0);
        payload.UInt32(0);
        payload.UInt32(1);
        payload.UInt64(0);
        payload.UInt32(0);
        payload.UInt32(0);
        payload.UInt32(1);
        payload.UInt32(0);
        payload.UInt8(1);
        payload.UInt32(0);
        payload.UInt32(BatteryCapacity);
        payload.UInt32(BatteryCapacity);
        payload.UInt64(1);
        payload.UInt32(1);
        payload.UInt32(0);
        payload.UInt64(us - sleptUs);
        payload.UInt64(sleptUs);
        payload.UInt64(sleptUs);
        payload.UInt64(0);
        payload.UInt64(0);
        payload.UInt64(0);
        Standby(timeNs, cpu, threadId, StandbyExitEvent, StandbyExitVersion, StandbyExitTask, payload.Written);
    }

    private void Standby(
        long timeNs, int cpu, uint threadId, ushort id, byte version, ushort task, ReadOnlySpan<byte> payload)
    {
        if (!emitter.Begins(RecordKinds.Standby, timeNs, cpu, out long ticks))
        {
            return;
        }

        var header = EtlEventHeader.Event(
            PowerProvider, id, version, ticks, emitter.Machine.ProcessIdOf(threadId), threadId, emitter.PointerBytes) with
        {
            Channel = SystemChannel,
            Level = RecordEmitter.InformationLevel,
            Task = task,
            Keyword = StandbyKeyword,
        };
        emitter.Write(cpu, header, payload);
    }
}
