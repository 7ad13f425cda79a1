using System.Buffers.Binary;

namespace Tracer.Etl.Tests.Reading;

/// <summary>What the machine's own records prove wins over what the header of the file tells.</summary>
public class SettleTests
{
    private const int Payload = EtlBufferHeader.HeaderBytes + 32;
    private const int NumberOfProcessors = Payload + 0x0C;
    private const int PointerSize = Payload + 0x2C;
    private const int ClockKind = Payload + 0x110;

    [Theory]
    [InlineData(4u)]
    [InlineData(0u)]
    [InlineData(77u)]
    public void The_kernels_records_tell_the_width_of_the_machine(uint told)
    {
        byte[] file = WrittenTrace.Of(new TraceShape());
        BinaryPrimitives.WriteUInt32LittleEndian(file.AsSpan(PointerSize), told);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        Assert.Equal((int)told, reader.Header.PointerBytes);
        reader.Settle();
        Assert.Equal(8, reader.Header.PointerBytes);
        Assert.Equal(new HeaderContradiction(HeaderStatement.PointerBytes, told, 8), Assert.Single(reader.Contradictions));
    }

    [Theory]
    [InlineData(EtlHeaderKind.PerfInfo32, 4)] // The kernel's.
    [InlineData(EtlHeaderKind.PerfInfo64, 8)]
    [InlineData(EtlHeaderKind.EventHeader64, 8)] // A 64-bit program runs on no other machine,
    [InlineData(EtlHeaderKind.EventHeader32, 4)] // a 32-bit program on both: the header counts.
    public void Programs_tell_it_where_the_kernel_does_not(EtlHeaderKind kind, int expected)
    {
        byte[] file = Of(kind, kind is EtlHeaderKind.PerfInfo32 ? 8 : 4);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Settle();
        Assert.Equal(expected, reader.Header.PointerBytes);
    }

    [Fact]
    public void Buffers_of_CPUs_prove_that_these_are_there()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 4 });
        BinaryPrimitives.WriteUInt32LittleEndian(file.AsSpan(NumberOfProcessors), 2);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Settle();
        Assert.Equal(4, reader.Header.ProcessorCount);
        Assert.Equal(new HeaderContradiction(HeaderStatement.ProcessorCount, 2, 4), Assert.Single(reader.Contradictions));
    }

    [Fact]
    public void One_damaged_buffer_makes_no_machine_of_two_thousand_CPUs()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 2 });
        BinaryPrimitives.WriteUInt16LittleEndian(file.AsSpan(2 * 4096 + 0x28), 0x7FF);
        BinaryPrimitives.WriteUInt16LittleEndian(file.AsSpan(2 * 4096 + 0x34), 0x20);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        Assert.Contains(0x7FF, reader.Cpus);
        reader.Settle();
        Assert.Equal(2, reader.Header.ProcessorCount);
    }

    [Fact]
    public void Stamps_that_are_no_time_of_day_are_none_of_the_system_time()
    {
        byte[] file = WrittenTrace.Of(new TraceShape());
        file[ClockKind] = (byte)TraceClockKind.SystemTime;
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Settle();
        Assert.Equal(TraceClockKind.Qpc, reader.Header.Clock.Kind);
        Assert.Equal(HeaderStatement.ClockKind, Assert.Single(reader.Contradictions).Statement);
    }

    /// <summary>
    /// A session of 100 s that began 1,000 s after the system, by the time of day, whose clock counts 10 million times a second.
    /// </summary>
    [Theory]
    [InlineData(10_000_000, 1, 0)]
    [InlineData(10_000_000, 0, 0)]
    [InlineData(3_579_545, 1, 10_000_000)]
    [InlineData(1, 1, 10_000_000)]
    [InlineData(10_000_000, 3, 10_000_000)] // Cycles of 1000 MHz.
    public void Two_lengths_by_the_time_of_day_prove_a_rate(long told, int kind, long found)
    {
        const int Frequency = Payload + 0x100;
        byte[] file = Lasting(1000, 100, 10_000_000);
        BinaryPrimitives.WriteInt64LittleEndian(file.AsSpan(Frequency), told);
        file[ClockKind] = (byte)kind;
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        long before = reader.Header.Clock.TicksPerSecond;
        reader.Settle();
        Assert.Equal(found == 0 ? before : found, reader.Header.Clock.TicksPerSecond);
        Assert.Equal(
            found == 0 ? [] : [new HeaderContradiction(HeaderStatement.ClockRate, before, found)],
            reader.Contradictions);
        Assert.True(reader.IsClockKnown);
    }

    /// <summary>One of the lengths alone proves nothing: a session without an end, a system that started at another time.</summary>
    [Theory]
    [InlineData(1000, 250)]
    [InlineData(3000, 100)]
    public void One_length_alone_proves_none(int up, int session)
    {
        byte[] file = Lasting(up, session, 10_000_000);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Settle();
        Assert.Empty(reader.Contradictions);
    }

    [Fact]
    public void A_rate_that_no_computer_has_leaves_no_clock()
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(Lasting(1000, 100, 7_000_000)));
        reader.Settle();
        Assert.Equal(new HeaderContradiction(HeaderStatement.ClockRate, 10_000_000, 0), Assert.Single(reader.Contradictions));
        Assert.False(reader.IsClockKnown);
    }

    /// <summary>A trace of two CPUs, whose header tells of 10 MHz.</summary>
    private static byte[] Lasting(int up, int session, long rate)
    {
        const long FileTimePerSecond = 10_000_000;
        EtlFileHeader header = WrittenTrace.Header(new TraceShape { FirstTicks = 1000 * rate }) with
        {
            BootFileTime = WrittenTrace.StartFileTime - (up * FileTimePerSecond),
        };
        using MemoryStream stream = new();
        using (EtlWriter writer = EtlWriter.Create(stream, header, WrittenTrace.Options(new TraceShape()), leaveOpen: true))
        {
            for (int i = 0; i <= 1000; i++)
            {
                writer.Write(i % 2, EtlEventHeader.System(0x0B42, 2, (1000 * rate) + (i * rate / 10), 4, 8, 8), new byte[16]);
            }

            writer.Complete(WrittenTrace.StartFileTime + (session * FileTimePerSecond));
        }

        return stream.ToArray();
    }

    [Fact]
    public void Stamps_that_are_times_of_day_are_the_system_time()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { FirstTicks = WrittenTrace.StartFileTime });
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        Assert.Equal(TraceClockKind.Qpc, reader.Header.Clock.Kind);
        reader.Settle();
        Assert.Equal(TraceClockKind.SystemTime, reader.Header.Clock.Kind);
        Assert.Equal(0, reader.Health[HealthCounter.StrayTimes]);
    }

    [Fact]
    public void Nothing_is_settled_of_a_trace_without_a_header()
    {
        byte[] file = WrittenTrace.Of(new TraceShape());
        file.AsSpan(0, 200).Fill(0x77);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Settle();
        Assert.Empty(reader.Contradictions);
    }

    private static byte[] Of(EtlHeaderKind kind, int told)
    {
        var stream = new MemoryStream();
        EtlFileHeader header = WrittenTrace.Header(new TraceShape()) with { PointerBytes = told };
        using (EtlWriter writer = EtlWriter.Create(stream, header, WrittenTrace.Options(new TraceShape()), leaveOpen: true))
        {
            for (int i = 0; i < 20; i++)
            {
                writer.Write(0, new EtlEventHeader { Kind = kind, HookId = 0x0F44, TimestampTicks = 1000 + i, Id = 1 }, new byte[16]);
            }

            writer.Complete(WrittenTrace.StartFileTime + 1);
        }

        return stream.ToArray();
    }
}
