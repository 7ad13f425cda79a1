using System.Buffers.Binary;

namespace Tracer.Adversary;

/// <summary>What the families are put together from.</summary>
internal static class AdversaryTrace
{
    /// <summary>Time stamp of the header event; the clock counts 10 MHz.</summary>
    public const long FirstTicks = 1_000_000;

    private const long StartFileTime = 133_000_000_000_000_000;

    /// <summary>Has a trace written as a session would, and closed.</summary>
    public static byte[] Written(int cpus, bool compress, int bufferBytes, Action<EtlWriter> write)
    {
        using var stream = new MemoryStream();
        using (EtlWriter writer = EtlWriter.Create(
            stream, Header(cpus, bufferBytes), new EtlWriterOptions { Compress = compress }, leaveOpen: true))
        {
            write(writer);
            writer.Complete(StartFileTime + 10_000_000);
        }

        return stream.ToArray();
    }

    /// <summary>A file of compressed buffers of which only the first buffer is there, not closed; the rest is to be appended.</summary>
    public static MemoryStream Begun(int cpus, int bufferBytes)
    {
        var stream = new MemoryStream();
        using (EtlWriter.Create(stream, Header(cpus, bufferBytes), new EtlWriterOptions { Compress = true }, leaveOpen: true))
        {
        }

        stream.Position = stream.Length;
        return stream;
    }

    /// <summary>A PERFINFO record without payload or with zeros as payload, in as many bytes as events start from each other.</summary>
    public static byte[] Record(ushort hookId, long ticks, int payloadBytes = 0)
    {
        EtlEventHeader header = EtlEventHeader.PerfInfo(hookId, 2, ticks);
        byte[] record = new byte[(EventRecord.Measure(header, payloadBytes) + 7) & ~7];
        EventRecord.Write(record, header, new byte[payloadBytes]);
        return record;
    }

    /// <summary>Puts a number at the start of a payload.</summary>
    public static byte[] Payload(int bytes, long number)
    {
        byte[] payload = new byte[bytes];
        BinaryPrimitives.WriteInt64LittleEndian(payload, number);
        return payload;
    }

    private static EtlFileHeader Header(int cpus, int bufferBytes) => new()
    {
        Clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, FirstTicks, StartFileTime),
        ProcessorCount = cpus,
        BufferBytes = bufferBytes,
        SessionName = "Adversary",
    };
}
