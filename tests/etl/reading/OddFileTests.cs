using System.Buffers.Binary;
using Tracer.Etl.Tests.Writing;

namespace Tracer.Etl.Tests.Reading;

/// <summary>Files that are not damaged but unusual, and files that were cut.</summary>
public class OddFileTests
{
    private static readonly EtlOrder[] Orders = Enum.GetValues<EtlOrder>();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_file_cut_anywhere_gives_the_buffers_before_the_cut(bool compress)
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Compress = compress, Events = 1500 });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        foreach (StoredBuffer cut in buffers.Skip(1))
        {
            foreach (int more in (int[])[0, 1, 40, 71, 72, 73, 100, cut.Size / 2, cut.Size - 1])
            {
                using EtlReader reader = EtlReader.Open(new MemoryStream(file[..(cut.At + more)]));
                foreach (EtlOrder order in Orders)
                {
                    List<ReadEvent> events = ReadEvents.Of(reader, order);
                    Assert.Equal(
                        buffers.Where(buffer => buffer.At < cut.At).Sum(buffer => buffer.Events().Count()),
                        events.Count(read => read.BufferOffset < cut.At));
                    Assert.True(reader.Health.HasDataLoss || events.Count == 1501, $"{order}: cut at 0x{cut.At:x} + {more}");
                    long missing = buffers.Count(buffer => buffer.At > cut.At || (buffer.At == cut.At && more < 72));
                    Assert.Equal(missing, reader.Health[HealthCounter.MissingBuffers]);
                    Assert.True(more is not (>= 40 and < 72) || reader.Health[HealthCounter.TruncatedBytes] == more);
                }
            }
        }
    }

    [Fact]
    public void A_cut_that_only_loses_filler_loses_nothing()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Events = 500 });
        StoredBuffer last = StoredFile.Buffers(file)[^1];
        using EtlReader reader = EtlReader.Open(new MemoryStream(file[..(last.At + last.Filled)]));
        Assert.Equal(501, ReadEvents.Of(reader, EtlOrder.Time).Count);
        Assert.False(reader.Health.HasDataLoss);
    }

    [Fact]
    public void Preallocated_space_is_counted_and_is_no_loss()
    {
        byte[] file = [.. WrittenTrace.Of(new TraceShape()), .. new byte[4096 * 5]];
        foreach (EtlOrder order in Orders)
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(file));
            Assert.Equal(501, ReadEvents.Of(reader, order).Count);
            Assert.Equal(5, reader.Health[HealthCounter.UnusedBuffers]);
            Assert.False(reader.Health.HasDataLoss);
        }
    }

    [Theory]
    [InlineData(3)]
    [InlineData(6)]
    [InlineData(7)]
    public void Buffers_of_types_without_events_are_passed(byte type)
    {
        byte[] file = WrittenTrace.Of(new TraceShape());
        StoredBuffer hit = StoredFile.Buffers(file)[2];
        file[hit.At + 0x36] = type;
        foreach (EtlOrder order in Orders)
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(file));
            Assert.Equal(501 - hit.Events().Count(), ReadEvents.Of(reader, order).Count);
            Assert.Equal(1, reader.Health[HealthCounter.OtherBuffers]);
            Assert.Empty(reader.Health.Damage);
        }
    }

    [Theory]
    [InlineData(72, 1)]
    [InlineData(0, 1)]
    [InlineData(72, 2)]
    public void A_buffer_that_was_not_flushed_is_read_to_its_last_event_whatever_its_offset_says(int offset, byte state)
    {
        byte[] file = WrittenTrace.Of(new TraceShape());
        StoredBuffer hit = StoredFile.Buffers(file)[2];
        file[hit.At + 0x2C] = state;
        Put32(file, hit.At + 0x30, offset);
        foreach (int cursor in (int[])[hit.Filled, hit.Filled + hit.Size, int.MaxValue])
        {
            Put32(file, hit.At + 0x08, cursor);
            foreach (EtlOrder order in Orders)
            {
                Assert.Equal(501, ReadEvents.Of(file, order).Count);
            }
        }
    }

    [Theory]
    [InlineData(512)]
    [InlineData(1024)]
    public void The_header_buffer_may_have_another_size(int bytes)
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Events = 1500 });
        Put32(file, 0, bytes);
        byte[] shorter = [.. file[..bytes], .. file[4096..]];
        foreach (EtlOrder order in Orders)
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(shorter));
            Assert.Equal(1501, ReadEvents.Of(reader, order).Count);
            Assert.Equal("", ReadEvents.Text(reader.Health));
        }

        // The places of the other buffers are told by each other, also behind damage.
        shorter.AsSpan(bytes + (3 * 4096), 4).Clear();
        using EtlReader damaged = EtlReader.Open(new MemoryStream(shorter));
        Assert.InRange(ReadEvents.Of(damaged, EtlOrder.File).Count, 1350, 1450);
        Assert.Equal(bytes + (3 * 4096), Assert.Single(damaged.Health.Damage).FileOffset);
    }

    [Fact]
    public void Parts_that_were_appended_restart_their_numbers()
    {
        byte[] first = WrittenTrace.Of(new TraceShape { Seed = 1 });
        byte[] second = WrittenTrace.Of(new TraceShape { Seed = 2, FirstTicks = 500_000 });
        byte[] file = [.. first, .. second[4096..]];
        foreach (EtlOrder order in Orders)
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(file));
            Assert.Equal(1001, ReadEvents.Of(reader, order).Count);
            Assert.Equal("", ReadEvents.Text(reader.Health));
        }
    }

    [Theory]
    [InlineData(4096)]
    [InlineData(65536)]
    public void What_is_in_the_file_twice_counts_once(int bytes)
    {
        byte[] file = WrittenTrace.Of(new TraceShape { BufferBytes = bytes, Events = bytes / 8, Seed = 1 });
        using EtlReader once = EtlReader.Open(new MemoryStream(file));
        using EtlReader twice = EtlReader.Open(new MemoryStream([.. file, .. file[bytes..]]));
        Assert.Equal(ReadEvents.Of(once, EtlOrder.Time), ReadEvents.Of(twice, EtlOrder.Time));
        Assert.Equal($"RepeatedBuffers {(file.Length / bytes) - 1}", ReadEvents.Text(twice.Health));

        byte[] changed = [.. file, .. file[bytes..(2 * bytes)]];
        changed[^1] ^= 1;
        using EtlReader other = EtlReader.Open(new MemoryStream(changed));
        _ = ReadEvents.Of(other, EtlOrder.Time);
        Assert.Equal(0, other.Health[HealthCounter.RepeatedBuffers]);
    }

    [Fact]
    public void A_session_with_one_stream_for_all_cpus_has_one()
    {
        using MemoryStream stream = new();
        EtlFileHeader header = WrittenTrace.Header(new TraceShape { Cpus = 1 }) with
        {
            Mode = EtlLogFileMode.Sequential | EtlLogFileMode.NoPerProcessorBuffering,
        };
        using (EtlWriter writer = EtlWriter.Create(stream, header, leaveOpen: true))
        {
            foreach (long ticks in (long[])[2000, 2010, 2005, 2020])
            {
                writer.Write(0, EtlEventHeader.PerfInfo(0x0F44, 2, ticks), new byte[24]);
            }

            writer.Complete(WrittenTrace.StartFileTime + 1);
        }

        using EtlReader reader = EtlReader.Open(new MemoryStream(stream.ToArray()));
        Assert.Equal([0], reader.Cpus);
        Assert.Equal([1000, 2000, 2005, 2010, 2020], ReadEvents.Of(reader, EtlOrder.Time).Select(read => read.Ticks));
        Assert.Equal(1, reader.Health[HealthCounter.TimeInversions]);
    }

    [Fact]
    public void Losses_are_told_by_flags_counters_and_gaps()
    {
        using MemoryStream stream = new();
        using (EtlWriter writer = EtlWriter.Create(stream, WrittenTrace.Header(new TraceShape()), leaveOpen: true))
        {
            writer.Write(0, EtlEventHeader.PerfInfo(0x0F44, 2, 2000), new byte[24]);
            writer.AddLostEvents(0, 7);
            writer.AddLostBuffers(0, 3);
            writer.Write(0, EtlEventHeader.PerfInfo(0x0F44, 2, 3000), new byte[24]);
            writer.Complete(WrittenTrace.StartFileTime + 1);
        }

        foreach (EtlOrder order in Orders)
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(stream.ToArray()));
            Assert.Equal(3, ReadEvents.Of(reader, order).Count);
            TraceHealth health = reader.Health;
            Assert.Equal(
                (7, 3, 1, 1, 3),
                (health[HealthCounter.EventsLost], health[HealthCounter.BuffersLost], health[HealthCounter.BuffersMarkedEventsLost],
                    health[HealthCounter.BuffersMarkedBufferLost], health[HealthCounter.SequenceGaps]));
        }
    }

    [Fact]
    public void An_unfinished_file_says_so()
    {
        using MemoryStream stream = new();
        using (EtlWriter writer = EtlWriter.Create(stream, WrittenTrace.Header(new TraceShape()), leaveOpen: true))
        {
            writer.Write(0, EtlEventHeader.PerfInfo(0x0F44, 2, 2000), new byte[24]);
            writer.Flush();
        }

        using EtlReader reader = EtlReader.Open(new MemoryStream(stream.ToArray()));
        Assert.Equal(2, ReadEvents.Of(reader, EtlOrder.Time).Count);
        Assert.Equal(1, reader.Health[HealthCounter.UnfinishedHeader]);
    }

    private static void Put32(byte[] file, int at, int value) => BinaryPrimitives.WriteInt32LittleEndian(file.AsSpan(at), value);
}
