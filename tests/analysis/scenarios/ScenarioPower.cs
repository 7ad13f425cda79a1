using Tracer.Analysis.Facts;
using static Tracer.Analysis.Tests.Scenarios.ScenarioRecords;

namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>Makes records about locks and about the states of processors; times in ns from the start of the trace.</summary>
internal static class ScenarioPower
{
    private const ushort ParkCore = 14;
    private const ushort UnparkCore = 15;

    /// <summary>A spin lock that was held up to now, after some waiting.</summary>
    public static ScenarioRecord SpinLock(int cpu, long at, ulong address, ulong caller, long from, long waited, uint thread) =>
        PerfInfo(KernelHook.SpinLock, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Pointer(address).Pointer(caller).Int64(shape.Ticks(from)).Int64(shape.Ticks(at))
            .Int32((uint)(waited * shape.Mhz / 1000)).Int32(waited > 0 ? 1000u : 0).Int32(thread).Int32(0)
            .Byte(2).Byte(1).Byte(0).Bytes(new byte[5]));

    /// <summary>A processor is parked, or no more; the power manager's provider tells it on any processor.</summary>
    public static ScenarioRecord Park(int cpu, long at, int parked, bool isParked) => new(at, cpu, (writer, shape) =>
        writer.Write(
            cpu,
            EtlEventHeader.Event(
                ParkedProcessors.Provider, isParked ? ParkCore : UnparkCore, 0, shape.Ticks(at), 4, 8, shape.PointerBytes),
            new PayloadBytes(shape.PointerBytes).Int64(0).Int16(0).Byte((byte)parked).Done));

    /// <summary>The machine enters Modern Standby, or leaves it.</summary>
    public static ScenarioRecord Standby(int cpu, long at, bool isEntered) => new(at, cpu, (writer, shape) =>
        writer.Write(
            cpu,
            EtlEventHeader.Event(
                StandbyTimes.Provider, isEntered ? StandbyTimes.Enter : StandbyTimes.Exit, 3, shape.Ticks(at), 4, 8, shape.PointerBytes),
            new PayloadBytes(shape.PointerBytes).Int32(12).Done));

    /// <summary>The machine's states of sleep: S4, S5, and Modern Standby.</summary>
    public static ScenarioRecord StandbyIsPossible(int cpu, long at) =>
        PerfInfo(0x0B10, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes).Bytes([0, 0, 0, 1, 1, 1, 0, 0]));

    /// <summary>A processor goes idle, leaves idle, or tells how long that took.</summary>
    public static ScenarioRecord Idle(string kind, int cpu, long at, uint state) => kind switch
    {
        "idle-enter" => PerfInfo(KernelHook.IdleEnter, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Int32(state).Int32(0).Int64(0)),
        "idle-exit" => PerfInfo(KernelHook.IdleExit, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes).Int32(state).Int32(0)),
        _ => PerfInfo(KernelHook.IdleExitLatency, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Int32(0).Int32(0).Int32(state).Int32(100).Int32(100)),
    };

    /// <summary>A processor changes its speed.</summary>
    public static ScenarioRecord Speed(int cpu, long at, uint speed, uint before) =>
        PerfInfo(KernelHook.PerformanceStateChange, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Int32(1).Int32(speed).Int32(before).Int32(0).Int64(1L << cpu));

    /// <summary>The system runs on a hypervisor.</summary>
    public static ScenarioRecord HypercallPage(int cpu, long at) =>
        PerfInfo(KernelHook.HypercallPage, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes).Pointer(0xFFFFF800_00001000));
}
