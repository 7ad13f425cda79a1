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
