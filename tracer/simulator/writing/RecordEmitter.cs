using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Writing;

/// <summary>Writes records of a session in the order of time, with the rundown at the start among them.</summary>
internal sealed class RecordEmitter(
    MachineInventory machine,
    RecordKinds kinds,
    SessionClock clock,
    CpuStreams streams,
    MachineRundown rundown,
    RandomSequence random,
    int rundownCpu)
{
    public const byte Version = 2;

    /// <summary>Room for the payload of any record but those of firmware methods.</summary>
    public const int LargestPayload = 128;

    /// <summary>Channel of events for diagnosis.</summary>
    public const int DiagnosticChannel = 16;

    public const int InformationLevel = 4;

    private const long FirstRundownNs = 1_000;

    private RundownPace? _startRundown;

    public MachineInventory Machine => machine;

    public SessionClock Clock => clock;

    public int PointerBytes { get; } = machine.Build.PointerBytes;

    /// <summary>A record of a kind is about to be written: what is due before it is written first.</summary>
    /// <returns>False where such records are not asked for.</returns>
    public bool Begins(RecordKinds kind, long timeNs, int cpu, out long ticks)
    {
        ticks = 0;
        if ((kinds & kind) == 0)
        {
            return false;
        }

        ticks = clock.TicksAt(timeNs);
        LogPending(cpu, ticks);
        return true;
    }

    /// <summary>Writes what is due of the rundown at the start, which takes its time while the machine goes on.</summary>
    public void LogPending(int cpu, long dueTicks, long latestTicks = long.MaxValue)
    {
        // What is there is known when the machine starts, not when the session is made.
        _startRundown ??= new RundownPace(rundown.Start(kinds), clock, FirstRundownNs, random);
        while (cpu == rundownCpu && _startRundown.TryTake(dueTicks, out MachineRecord record, out long ticks))
        {
            streams.Write(rundownCpu, record.Header with { TimestampTicks = Math.Min(ticks, latestTicks) }, record.Payload);
        }
    }

    /// <summary>Writes a record of the kernel.</summary>
    public void Emit(int cpu, long ticks, ushort hook, byte version, in PayloadSpan payload) =>
        Emit(cpu, ticks, hook, version, payload.Written);

    /// <summary>Writes a record of the kernel.</summary>
    public void Emit(int cpu, long ticks, ushort hook, byte version, ReadOnlySpan<byte> payload) =>
        streams.Write(cpu, EtlEventHeader.PerfInfo(hook, version, ticks, PointerBytes), payload);

    public void Write(int cpu, in EtlEventHeader header, ReadOnlySpan<byte> payload, ReadOnlySpan<EtlExtendedItem> items = default) =>
        streams.Write(cpu, header, payload, items);
}
