using System.Buffers.Binary;
using Tracer.Etl.Tests.Conformance;
using Tracer.Etl.Tests.Writing;

namespace Tracer.Etl.Tests.Reading;

/// <summary>A blank buffer is space that was never used, or a buffer that got lost: what tells is whether one is missing.</summary>
public class BlankSpaceTests
{
    private static readonly EtlOrder[] Orders = Enum.GetValues<EtlOrder>();

    [Theory]
    [InlineData(1, 0x00)]
    [InlineData(3, 0x00)]
    [InlineData(3, 0xFF)]
    public void A_blank_buffer_in_the_middle_is_a_loss_with_a_place_and_a_time(int cpus, byte filler)
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = cpus, Events = 3000, Noise = true });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        StoredBuffer hit = buffers[buffers.Count / 2];
        List<ReadEvent> gone = [.. ReadEvents.Of(file, EtlOrder.File).Where(one => one.BufferOffset == hit.At)];
        file.AsSpan(hit.At, hit.Size).Fill(filler);
        foreach (EtlOrder order in Orders)
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(file));
            Assert.Equal(3001 - gone.Count, ReadEvents.Of(reader, order).Count);
            DamagedBuffer damaged = Assert.Single(reader.Health.Damage);
            Assert.Equal(hit.At, damaged.FileOffset);
            Assert.Contains("blank", damaged.Reason, StringComparison.Ordinal);
            Assert.True(reader.Health.HasDataLoss);
            Assert.Equal(0, reader.Health[HealthCounter.UnusedBuffers]);
            IReadOnlyList<TraceLoss> losses = reader.Losses;
            Every.Item(gone, one => Assert.Contains(losses, loss => loss.Covers(one.Cpu, one.Ticks)));
            Every.Item(losses, loss => Assert.InRange(loss.ToTicks, loss.FromTicks, loss.FromTicks + (3000 * 100 / 4)));
        }

        using EtlReader pipe = EtlReader.Open(new ForwardStream(file, 5000));
        ReadEvents.Of(pipe, EtlOrder.File);
        Assert.Equal(hit.At, Assert.Single(pipe.Health.Damage).FileOffset);
    }

    [Fact]
    public void Compressed_buffers_that_are_blank_are_a_loss()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 2, Events = 3000, Noise = true, Compress = true });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        StoredBuffer first = buffers[5];
        StoredBuffer second = buffers[6];
        List<ReadEvent> gone = [.. ReadEvents.Of(file, EtlOrder.File)
            .Where(one => one.BufferOffset == first.At || one.BufferOffset == second.At)];
        file.AsSpan(first.At, first.Size + second.Size).Clear();
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        Assert.Equal(3001 - gone.Count, ReadEvents.Of(reader, EtlOrder.Time).Count);
        Assert.Equal(first.At, Assert.Single(reader.Health.Damage).FileOffset);
        IReadOnlyList<TraceLoss> losses = reader.Losses;
        Every.Item(gone, one => Assert.Contains(losses, loss => loss.Covers(one.Cpu, one.Ticks)));
    }

    [Fact]
    public void Of_a_file_that_was_never_closed_the_number_tells()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 2, Events = 3000, Noise = true });
        BinaryPrimitives.WriteInt64LittleEndian(file.AsSpan(72 + 32 + 0x10), 0);
        BinaryPrimitives.WriteInt32LittleEndian(file.AsSpan(72 + 32 + 0x24), 1);
        StoredBuffer hit = StoredFile.Buffers(file)[7];
        file.AsSpan(hit.At, hit.Size).Clear();
        byte[] preallocated = [.. file, .. new byte[4096 * 5]];
        using EtlReader reader = EtlReader.Open(new MemoryStream(preallocated));
        ReadEvents.Of(reader, EtlOrder.Time);
        Assert.Equal(hit.At, Assert.Single(reader.Health.Damage).FileOffset);
        Assert.Equal(5, reader.Health[HealthCounter.UnusedBuffers]);
    }

    /// <summary>As a copy that was begun with the whole size and not ended leaves it.</summary>
    [Fact]
    public void A_blank_end_is_a_loss_where_the_header_counts_its_buffers()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 2, Events = 3000, Noise = true });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        int from = buffers[^4].At;
        List<ReadEvent> gone = [.. ReadEvents.Of(file, EtlOrder.File).Where(one => one.BufferOffset >= from)];
        file.AsSpan(from).Clear();
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        ReadEvents.Of(reader, EtlOrder.Any);
        Assert.Equal(buffers.TakeLast(4).Select(buffer => (long)buffer.At), reader.Health.Damage.Select(damage => damage.FileOffset));
        IReadOnlyList<TraceLoss> losses = reader.Losses;
        Every.Item(gone, one => Assert.Contains(losses, loss => loss.Covers(one.Cpu, one.Ticks)));
    }

    [Fact]
    public void A_ring_that_never_filled_has_lost_nothing()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { RingBuffers = 400, Events = 1000 });
        byte[] preallocated = [.. file, .. new byte[4096 * 30]];
        using EtlReader reader = EtlReader.Open(new MemoryStream(preallocated));
        Assert.Equal(1001, ReadEvents.Of(reader, EtlOrder.Time).Count);
        Assert.Equal("UnusedBuffers 30", ReadEvents.Text(reader.Health));
        Assert.Empty(reader.Losses);
    }

    [Fact]
    public void A_blank_buffer_of_a_real_trace_is_a_loss()
    {
        using MemoryStream real = TraceVisit.Decompressed(Path.Combine(RepositoryFiles.Corpus(), "randomascii-slowppt.etl.gz"));
        byte[] file = real.ToArray();
        int at = 9 * 1024 * 1024;
        List<ReadEvent> gone = [.. ReadEvents.Of(file, EtlOrder.File).Where(one => one.BufferOffset == at)];
        file.AsSpan(at, 1024 * 1024).Clear();
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        Assert.Equal(505_715 - gone.Count, ReadEvents.Of(reader, EtlOrder.Any).Count);
        Assert.Equal(at, Assert.Single(reader.Health.Damage).FileOffset);
        IReadOnlyList<TraceLoss> losses = reader.Losses;
        Every.Item(gone, one => Assert.Contains(losses, loss => loss.Covers(one.Cpu, one.Ticks)));
    }
}
