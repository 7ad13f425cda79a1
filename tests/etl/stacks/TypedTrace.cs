using System.Buffers.Binary;
using Tracer.Etl.Stacks;

namespace Tracer.Etl.Tests.Stacks;

/// <summary>A trace typed record by record from the layouts of ntwmi.h, evntcons.h and the kernel's MOF.</summary>
internal sealed class TypedTrace
{
    public const ulong K = 0xFFFFF80000000000;
    public const uint Process = 100;

    private readonly List<(byte[] Record, int Cpu)> _records = [];

    public delegate void Visitor(in EtlEvent traceEvent);

    /// <summary>1 MHz: a tick is a microsecond.</summary>
    public static TraceClock Clock => new(TraceClockKind.Qpc, 1_000_000, 0, 0);

    public TraceHealth Health { get; private set; } = new();

    public TypedTrace Sample(long ticks, uint thread, ulong address = K, int cpu = 0) =>
        PerfInfo(0x0F2E, ticks, cpu, [.. U64(address), .. U32(thread), 1, 0, 0, 0]);

    public TypedTrace Switch(long ticks, uint newThread, uint oldThread, int cpu = 0) =>
        PerfInfo(0x0524, ticks, cpu, [.. U32(newThread), .. U32(oldThread), .. new byte[16]], version: 4);

    /// <summary>An event that names no thread.</summary>
    public TypedTrace Dpc(long ticks, int cpu = 0) => PerfInfo(0x0F44, ticks, cpu, [.. U64((ulong)ticks), .. U64(K)]);

    /// <summary>An event whose header names the thread.</summary>
    public TypedTrace ImageLoad(long ticks, uint thread, int cpu = 0) => Add(
        cpu, [2, 0, 2, 0xC0, 40, 0, 0x0A, 0x03, .. U32(thread), .. U32(Process), .. U64((ulong)ticks), .. new byte[16]]);

    public TypedTrace Whole(long ticks, long eventTicks, uint thread, ulong[] frames, int cpu = 0, uint process = Process) => PerfInfo(
        0x1820, ticks, cpu, [.. U64((ulong)eventTicks), .. U32(process), .. U32(thread), .. frames.SelectMany(U64)]);

    public TypedTrace Whole32(long ticks, long eventTicks, uint thread, params uint[] frames) => PerfInfo(
        0x1820, ticks, 0, [.. U64((ulong)eventTicks), .. U32(Process), .. U32(thread), .. frames.SelectMany(U32)], kind: 0x10);

    public TypedTrace KernelKey(long ticks, long eventTicks, uint thread, ulong key, int cpu = 0, uint process = Process) =>
        Key(0x1825, ticks, eventTicks, thread, key, cpu, process);

    public TypedTrace UserKey(long ticks, long eventTicks, uint thread, ulong key, int cpu = 0) =>
        Key(0x1826, ticks, eventTicks, thread, key, cpu, Process);

    public TypedTrace Create(long ticks, ulong key, params ulong[] frames) => Define(0x1822, ticks, key, frames);

    public TypedTrace Delete(long ticks, ulong key, params ulong[] frames) => Define(0x1823, ticks, key, frames);

    public TypedTrace Rundown(long ticks, ulong key, params ulong[] frames) => Define(0x1824, ticks, key, frames);

    /// <summary>A manifest event that carries its stack as an extended item.</summary>
    public TypedTrace Extended(long ticks, uint thread, ushort itemKind, ulong matchId, params ulong[] frames) =>
        Manifest(ticks, thread, id: 7, opcode: 0, Guid.Empty, itemKind, matchId, frames);

    /// <summary>The event that carries nothing but the user half of such a stack.</summary>
    public TypedTrace UserHalf(long ticks, uint thread, ushort itemKind, ulong matchId, params ulong[] frames) => Manifest(
        ticks, thread, id: 18, opcode: 24, new Guid("b675ec37-bdb6-4648-bc92-f3fdc74d3ca2"), itemKind, matchId, frames);

    public StackDefinitions Definitions(long maximumBytes = StackDefinitions.DefaultMaximumBytes, bool isBackwards = false)
    {
        var definitions = new StackDefinitions(maximumBytes);
        foreach ((byte[] record, int cpu) in isBackwards ? _records.AsEnumerable().Reverse() : _records)
        {
            Assert.True(EtlEvent.TryRead(record, cpu, 0, out EtlEvent traceEvent));
            Assert.True(definitions.OnEvent(in traceEvent));
        }

        return definitions;
    }

    /// <summary>Joins the records, in the order in which they were typed.</summary>
    public StackedEvents Join(StackWindow? window = null, bool passStackRecords = false, long maximumBytes = 1 << 30)
    {
        Health = new TraceHealth();
        var joiner = new StackJoiner<StackedEvents>(
            new StackedEvents(), Definitions(maximumBytes), Clock, Health, window, passStackRecords);
        Give(ref joiner);
        Assert.True(joiner.Complete());
        return joiner.Sink;
    }

    public void Visit(Visitor visitor)
    {
        foreach ((byte[] record, int cpu) in _records)
        {
            Assert.True(EtlEvent.TryRead(record, cpu, 0, out EtlEvent traceEvent));
            visitor(in traceEvent);
        }
    }

    public void Give<TSink>(ref TSink sink)
        where TSink : IEtlEventSink
    {
        foreach ((byte[] record, int cpu) in _records)
        {
            Assert.True(EtlEvent.TryRead(record, cpu, 0, out EtlEvent traceEvent));
            Assert.True(sink.OnEvent(in traceEvent));
        }
    }

    private static byte[] U64(ulong value)
    {
        byte[] bytes = new byte[8];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, value);
        return bytes;
    }

    private static byte[] U32(uint value) => U64(value)[..4];

    private static byte[] U16(int value) => U64((ulong)value)[..2];

    private TypedTrace Key(ushort hook, long ticks, long eventTicks, uint thread, ulong key, int cpu, uint process) =>
        PerfInfo(hook, ticks, cpu, [.. U64((ulong)eventTicks), .. U32(process), .. U32(thread), .. U64(key)]);

    private TypedTrace Define(ushort hook, long ticks, ulong key, ulong[] frames) =>
        PerfInfo(hook, ticks, 0, [.. U64(key), .. frames.SelectMany(U64)]);

    private TypedTrace PerfInfo(ushort hook, long ticks, int cpu, byte[] payload, byte version = 2, byte kind = 0x11) =>
        Add(cpu, [version, 0, kind, 0xC0, .. U16(16 + payload.Length), .. U16(hook), .. U64((ulong)ticks), .. payload]);

    private TypedTrace Manifest(
        long ticks, uint thread, ushort id, byte opcode, Guid provider, ushort itemKind, ulong matchId, ulong[] frames)
    {
        byte[] addresses = [.. frames.SelectMany(frame => itemKind is 5 or 17 ? U32((uint)frame) : U64(frame))];
        int dataBytes = 8 + addresses.Length;
        int itemBytes = (8 + dataBytes + 7) & ~7;
        byte[] item = [.. U16(itemBytes), .. U16(itemKind), .. U16(0), .. U16(dataBytes), .. U64(matchId), .. addresses];
        byte[] body = [.. item, .. new byte[itemBytes - item.Length]];
        return Add(
            0,
            [
                .. U16(80 + body.Length), 0x13, 0xC0, 1, 0, 0, 0, .. U32(thread), .. U32(Process), .. U64((ulong)ticks),
                .. provider.ToByteArray(), .. U16(id), 0, 0, 0, opcode, 0, 0, .. new byte[32], .. body,
            ]);
    }

    private TypedTrace Add(int cpu, byte[] record)
    {
        _records.Add((record, cpu));
        return this;
    }
}
