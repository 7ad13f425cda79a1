using System.Buffers.Binary;

namespace Tracer.Etl.Tests.Reading;

/// <summary>How a made-up trace is to be.</summary>
internal sealed record TraceShape
{
    public int Cpus { get; init; } = 2;

    public int BufferBytes { get; init; } = 4096;

    public bool Compress { get; init; }

    public int RingBuffers { get; init; }

    public int Events { get; init; } = 500;

    public int Seed { get; init; } = 1;

    public long FirstTicks { get; init; } = 1000;

    /// <summary>Whether an event sometimes has the time of the one before it or an earlier one.</summary>
    public bool Inversions { get; init; }

    /// <summary>Whether nearly all events are of the last CPU.</summary>
    public bool Uneven { get; init; }

    /// <summary>Whether payloads are random, so that compression finds nothing.</summary>
    public bool Noise { get; init; }
}

/// <summary>Made-up traces, the same for the same shape.</summary>
internal static class WrittenTrace
{
    public const long StartFileTime = 133_000_000_000_000_000;

    public static byte[] Of(TraceShape shape)
    {
        using MemoryStream stream = new();
        Write(stream, shape);
        return stream.ToArray();
    }

    public static void Write(Stream stream, TraceShape shape)
    {
        var random = new Random(shape.Seed);
        using EtlWriter writer = EtlWriter.Create(stream, Header(shape), Options(shape), leaveOpen: true);
        Span<byte> payload = stackalloc byte[64];
        long ticks = shape.FirstTicks;
        for (int i = 0; i < shape.Events; i++)
        {
            long step = random.Next(0, 200);
            ticks += step;
            long stamp = shape.Inversions && random.Next(8) == 0 ? ticks - random.Next(0, 400) : ticks;
            payload.Clear();
            if (shape.Noise)
            {
                random.NextBytes(payload);
            }

            BinaryPrimitives.WriteInt64LittleEndian(payload, stamp - Math.Min(step, 50));
            BinaryPrimitives.WriteUInt64LittleEndian(payload[8..], 0xFFFF_F800_0000_0000 + ((ulong)random.Next(64) << 8));
            int cpu = shape.Uneven && random.Next(100) != 0 ? shape.Cpus - 1 : random.Next(shape.Cpus);
            writer.Write(cpu, EventHeader(random.Next(10), stamp, i), payload[..PayloadBytes(i, random)]);
        }

        writer.Complete(StartFileTime + 1);
    }

    public static EtlFileHeader Header(TraceShape shape) => new()
    {
        Clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, shape.FirstTicks, StartFileTime),
        ProcessorCount = shape.Cpus,
        BufferBytes = shape.BufferBytes,
        SessionName = "Made up",
    };

    public static EtlWriterOptions Options(TraceShape shape) => new() { Compress = shape.Compress, RingBuffers = shape.RingBuffers };

    private static int PayloadBytes(int number, Random random) => number % 10 < 7 ? 16 : random.Next(16, 65);

    private static EtlEventHeader EventHeader(int choice, long ticks, int number) => choice switch
    {
        0 => EtlEventHeader.System(0x0B42, 2, ticks, 4, (uint)number, 8),
        1 => new EtlEventHeader
        {
            Kind = EtlHeaderKind.EventHeader64,
            TimestampTicks = ticks,
            ProviderId = new Guid(number, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
            Id = (ushort)number,
        },
        2 => new EtlEventHeader
        {
            Kind = EtlHeaderKind.PerfInfo64,
            HookId = 0x0F2E,
            TimestampTicks = ticks,
            CounterCount = 2,
            ThreadId = EtlEvent.NotInHeader,
            ProcessId = EtlEvent.NotInHeader,
        },
        _ => new EtlEventHeader
        {
            Kind = EtlHeaderKind.PerfInfo64,
            HookId = choice < 7 ? (ushort)0x0F44 : (ushort)0x0524,
            Version = 2,
            TimestampTicks = ticks,
            ThreadId = EtlEvent.NotInHeader,
            ProcessId = EtlEvent.NotInHeader,
        },
    };
}
