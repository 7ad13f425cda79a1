using System.Buffers.Binary;
using System.Text;

namespace Tracer.Commands.Tests;

/// <summary>Traces whose names and sizes are whatever a test wants them to be.</summary>
internal sealed class StrangeTrace
{
    public const long Second = 10_000_000;
    private const long Start = 7_000_000_000;
    private const long StartFileTime = 134_000_000_000_000_000;
    private const ulong NicBase = 0xFFFFF800_30000000;

    private readonly List<(int Cpu, long Ticks, Action<EtlWriter> Write)> _events = [];

    public string SessionName { get; init; } = "strange";

    public int Cpus { get; init; } = 1;

    /// <summary>The last field of context switches of version 5, whose meaning nobody knows; null for switches of version 4.</summary>
    public uint? SwitchTail { get; init; }

    /// <summary>A self-describing event.</summary>
    public StrangeTrace Add(string provider, string name, byte[] payload, params TraceLoggingField[] fields)
    {
        var schema = new TraceLoggingEventSchema(new TraceLoggingProvider(provider), name, fields);
        long at = Start + _events.Count + 1;
        _events.Add((0, at, writer => writer.Write(0, schema.Header(at, 4, 8), payload, schema.Items)));
        return this;
    }

    public StrangeTrace AddNames(string image, string pdb, string process)
    {
        byte[] payload = new byte[70_000];
        int bytes = KernelPayloadWriter.WriteImage(payload, new KernelImage(NicBase, 0x10000, 0, 0x66000000, image));
        Add(Start + 10, 0, EtlEventHeader.PerfInfo(KernelHook.ImageDCStart, 3, Start + 10), payload[..bytes]);
        bytes = KernelPayloadWriter.WriteImageIdRsds(
            payload, NicBase, 0, new Guid("0badc0de-0000-1111-2222-333344445555"), 1, pdb);
        Add(
            Start + 11, 0,
            EtlEventHeader.Full(KernelRecordCatalog.ImageIdClass, KernelPayloadWriter.ImageIdRsdsOpcode, 2, Start + 11, 0, 8),
            payload[..bytes]);
        byte[] text = Encoding.Latin1.GetBytes(process);
        payload = new byte[40 + text.Length + 1 + 6];
        BinaryPrimitives.WriteUInt64LittleEndian(payload, 0xFFFFA000_12345080);
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(8), 4200);
        text.CopyTo(payload, 40);
        Add(Start + 12, 0, EtlEventHeader.System(0x0303, 4, Start + 12, 4, 8), payload);
        return this;
    }

    /// <summary>A DPC of a microsecond, so many ticks from the start.</summary>
    public StrangeTrace AddDpc(long ticks, int cpu = 0)
    {
        byte[] payload = new byte[16];
        BinaryPrimitives.WriteInt64LittleEndian(payload, Start + ticks);
        BinaryPrimitives.WriteUInt64LittleEndian(payload.AsSpan(8), NicBase + 0x1000);
        long end = Start + ticks + 10;
        Add(end, cpu, EtlEventHeader.PerfInfo(KernelHook.Dpc, 2, end), payload);
        return this;
    }

    /// <summary>A thread of priority 24 that is made ready so many ticks from the start, and runs for 100 us after a wait.</summary>
    public StrangeTrace AddWait(long ticks, long waitTicks, uint thread = 4242)
    {
        const long RunTicks = 1000;
        byte[] ready = new byte[8];
        BinaryPrimitives.WriteUInt32LittleEndian(ready, thread);
        Add(Start + ticks, 0, EtlEventHeader.PerfInfo(KernelHook.ReadyThread, 2, Start + ticks), ready);
        Switch(Start + ticks + waitTicks, thread, 24, 0, 0);
        Switch(Start + ticks + waitTicks + RunTicks, 0, 0, thread, 24);
        return this;
    }

    /// <summary>A mark that somebody set, so many ticks from the start.</summary>
    public StrangeTrace AddMark(long ticks, string name)
    {
        Add(Start + ticks, 0, EtlEventHeader.PerfInfo(0x0F22, 0, Start + ticks), [.. Encoding.Latin1.GetBytes(name), 0]);
        return this;
    }

    /// <returns>Its path.</returns>
    public string WriteTo(string path)
    {
        var header = new EtlFileHeader
        {
            Clock = new TraceClock(TraceClockKind.Qpc, Second, Start, StartFileTime),
            ProcessorCount = Cpus,
            BufferBytes = 1 << 17,
            SessionName = SessionName,
        };
        using var writer = EtlWriter.Create(path, header, new EtlWriterOptions());
        foreach ((int _, long _, Action<EtlWriter> write) in _events.OrderBy(one => one.Ticks))
        {
            write(writer);
        }

        writer.Complete(StartFileTime + Math.Max(Second, _events.Select(one => one.Ticks).DefaultIfEmpty().Max()));
        return path;
    }

    private void Switch(long ticks, uint to, byte toPriority, uint from, byte fromPriority)
    {
        const byte Waiting = 5;
        byte[] payload = new byte[SwitchTail is null ? 24 : 28];
        BinaryPrimitives.WriteUInt32LittleEndian(payload, to);
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(4), from);
        payload[8] = toPriority;
        payload[9] = fromPriority;
        payload[14] = Waiting;
        if (SwitchTail is { } tail)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(24), tail);
        }

        Add(ticks, 0, EtlEventHeader.PerfInfo(KernelHook.ContextSwitch, (byte)(SwitchTail is null ? 4 : 5), ticks), payload);
    }

    private void Add(long ticks, int cpu, EtlEventHeader header, byte[] payload) =>
        _events.Add((cpu, ticks, writer => writer.Write(cpu, header, payload)));
}
