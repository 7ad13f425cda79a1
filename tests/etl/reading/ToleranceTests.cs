using System.Buffers.Binary;
using Tracer.Etl.Tests.Conformance;
using Tracer.Etl.Tests.Writing;

namespace Tracer.Etl.Tests.Reading;

/// <summary>
/// What other systems write, or may write, and our own files never have: no order and no pipe may call it damage or lose an event.
/// </summary>
public class ToleranceTests
{
    private static readonly TraceShape Shape = new() { Events = 1500, Cpus = 3 };

    public static TheoryData<bool> Compressed() => [false, true];

    /// <summary>Windows 7's merger ends the first buffer with its event: 436 = 72 + 364.</summary>
    [Theory]
    [MemberData(nameof(Compressed))]
    public void Data_may_end_with_the_last_event_instead_of_its_padding(bool compress)
    {
        byte[] file = WrittenTrace.Of(Shape with { Compress = compress });
        int shortened = 0;
        foreach (StoredBuffer buffer in StoredFile.Buffers(file).Where(buffer => !buffer.IsCompressed))
        {
            int padding = buffer.Events().Last().Padding.Length;
            Put32(file, buffer.At + 0x30, (uint)(buffer.Filled - padding));
            Put32(file, buffer.At + 0x04, (uint)(buffer.Filled - padding));
            shortened += padding > 0 ? 1 : 0;
        }

        Assert.True(shortened > 0);
        AssertWhole(file, 1501);
    }

    [Fact]
    public void The_first_buffer_of_Windows_7_is_one_that_search_and_sizes_take()
    {
        using MemoryStream real = TraceVisit.Decompressed(Path.Combine(RepositoryFiles.Corpus(), "randomascii-slowppt.etl.gz"));
        byte[] start = real.ToArray()[..(3 * 1024 * 1024)];
        Assert.Equal(436, BinaryPrimitives.ReadInt32LittleEndian(start.AsSpan(0x30)));
        using EtlReader reader = EtlReader.Open(new MemoryStream(start));
        ReadEvents.Of(reader, EtlOrder.File);
        Assert.Equal((2_143_632, 8), (reader.Header.Clock.TicksPerSecond, reader.Header.ProcessorCount));
        Assert.Empty(reader.Health.Damage);
    }

    [Theory]
    [MemberData(nameof(Compressed))]
    public void Data_may_be_rounded_up_to_less_than_an_event(bool compress)
    {
        byte[] file = WrittenTrace.Of(Shape with { Compress = compress });
        Put32(file, 0x30, (uint)StoredFile.Buffers(file)[0].Filled + 4);
        AssertWhole(file, 1501);
    }

    [Theory]
    [InlineData(false, 0x34, 0x80)]
    [InlineData(true, 0x34, 0x80)]
    [InlineData(false, 0x35, 0x01)]
    [InlineData(true, 0x35, 0x01)]
    [InlineData(false, 0x36, 0x09)]
    [InlineData(true, 0x36, 0x09)]
    [InlineData(false, 0x2C, 0x09)]
    public void A_later_system_may_have_flags_types_and_states_that_are_not_known(bool compress, int field, byte bit)
    {
        byte[] file = WrittenTrace.Of(Shape with { Compress = compress });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        foreach (StoredBuffer buffer in buffers.Skip(1))
        {
            file[buffer.At + field] |= bit;
        }

        AssertWhole(file, 1501, field == 0x2C ? "" : $"UnknownBufferMarks {buffers.Count - 1}");
    }

    [Fact]
    public void The_first_buffer_may_be_of_another_type()
    {
        byte[] file = WrittenTrace.Of(Shape);
        file[0x36] = 0;
        AssertWhole(file, 1501);
    }

    [Fact]
    public void What_was_saved_may_reach_into_the_filler()
    {
        byte[] file = WrittenTrace.Of(Shape);
        StoredBuffer last = StoredFile.Buffers(file)[^1];
        Assert.True(last.Filled + 100 < last.Size);
        Put32(file, last.At + 0x04, (uint)last.Filled + 64);
        AssertWhole(file, 1501);

        // But not over events that are left out: those are lost.
        StoredBuffer full = StoredFile.Buffers(file)[2];
        Put32(file, full.At + 0x30, (uint)(72 + full.Events().First().Record.Length + full.Events().First().Padding.Length));
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        ReadEvents.Of(reader, EtlOrder.Time);
        Assert.Equal(full.At, Assert.Single(reader.Health.Damage).FileOffset);
    }

    [Theory]
    [InlineData(0x00)]
    [InlineData(0xFF)]
    public void A_compressed_buffer_may_be_filled_up_to_a_multiple_of_anything(byte filler)
    {
        byte[] file = WrittenTrace.Of(Shape with { Compress = true });
        var changed = new List<byte>();
        foreach (StoredBuffer buffer in StoredFile.Buffers(file))
        {
            byte[] bytes = buffer.Bytes;
            int padded = (bytes.Length + 15) / 16 * 16;
            byte[] longer = [.. bytes, .. Enumerable.Repeat(filler, buffer.IsCompressed ? padded - bytes.Length : 0)];
            Put32(longer, 0, (uint)longer.Length);
            changed.AddRange(longer);
        }

        byte[] padding = [.. changed];
        AssertWhole(padding, 1501);

        // Nor does damage behind one make its size wrong.
        StoredBuffer hit = StoredFile.Buffers(padding)[3];
        padding.AsSpan(hit.At, 72).Fill(0x77);
        using EtlReader reader = EtlReader.Open(new MemoryStream(padding));
        ReadEvents.Of(reader, EtlOrder.File);
        Assert.Equal([hit.At], reader.Health.Damage.Select(damage => (int)damage.FileOffset));
    }

    [Theory]
    [MemberData(nameof(Compressed))]
    public void The_header_may_give_a_smaller_buffer_size_than_merged_buffers_have(bool compress)
    {
        byte[] file = WrittenTrace.Of(Shape with { Compress = compress });
        Put32(file, 72 + 32, 1024);
        AssertWhole(file, 1501);
    }

    [Fact]
    public void Buffers_that_are_not_compressed_may_differ_in_size()
    {
        byte[] file = WrittenTrace.Of(Shape);
        byte[] changed = [.. StoredFile.Buffers(file).SelectMany((buffer, index) =>
        {
            byte[] bytes = index % 2 == 0 ? buffer.Bytes : [.. buffer.Bytes, .. Enumerable.Repeat((byte)0xFF, 1024)];
            Put32(bytes, 0, (uint)bytes.Length);
            return bytes;
        })];
        AssertWhole(changed, 1501);
    }

    [Fact]
    public void A_record_of_a_kind_that_is_not_known_is_passed_by_its_size()
    {
        byte[] file = WrittenTrace.Of(Shape);
        StoredBuffer hit = StoredFile.Buffers(file)[2];
        StoredEvent[] events = [.. hit.Events()];
        int at = hit.At + 72 + events.Take(3).Sum(one => one.Record.Length + one.Padding.Length);

        // As EVENT_HEADER has it: the size first, then the kind.
        BinaryPrimitives.WriteUInt16LittleEndian(file.AsSpan(at), (ushort)events[3].Record.Length);
        (file[at + 2], file[at + 3]) = (40, 0xC0);
        file.AsSpan(at + 4, 4).Clear();
        foreach (EtlOrder order in Enum.GetValues<EtlOrder>())
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(file));
            Assert.Equal(1500, ReadEvents.Of(reader, order).Count);
            Assert.Equal("SkippedRecords 1", ReadEvents.Text(reader.Health));
            Assert.True(reader.Health.HasDataLoss);
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_buffer_in_use_ends_where_its_events_end(byte state)
    {
        byte[] file = WrittenTrace.Of(Shape);
        StoredBuffer last = StoredFile.Buffers(file)[^1];
        Assert.True(last.Filled < last.Size);
        file[last.At + 0x2C] = state;
        Put32(file, last.At + 0x30, 72);
        Put32(file, last.At + 0x08, (uint)last.Size + 100);
        AssertWhole(file, 1501);
    }

    [Fact]
    public void A_ring_in_memory_may_have_written_more_than_is_saved()
    {
        byte[] file = WrittenTrace.Of(Shape);
        Put32(file, 72 + 32 + 0x20, 0x400);
        Put32(file, 72 + 32 + 0x24, 1000);
        AssertWhole(file, 1501);
    }

    [Fact]
    public void A_cut_event_is_no_damage_in_any_order()
    {
        byte[] file = WrittenTrace.Of(Shape);
        StoredBuffer last = StoredFile.Buffers(file)[^2];
        foreach (EtlOrder order in Enum.GetValues<EtlOrder>())
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(file[..(last.At + (last.Filled / 2) + 3)]));
            ReadEvents.Of(reader, order);
            Assert.Empty(reader.Health.Damage);
            Assert.True(reader.Health[HealthCounter.TruncatedBytes] > 0);
        }
    }

    /// <summary>Every event in every order and through a pipe, and nothing to be said of the file.</summary>
    private static void AssertWhole(byte[] file, int events, string told = "")
    {
        foreach (EtlOrder order in Enum.GetValues<EtlOrder>())
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(file));
            List<ReadEvent> read = ReadEvents.Of(reader, order);
            Assert.Equal(("", told, events), ("", ReadEvents.Text(reader.Health), read.Count));
            Assert.Empty(reader.Losses);
        }

        using EtlReader pipe = EtlReader.Open(new ForwardStream(file, 5000));
        Assert.Equal((events, told), (ReadEvents.Of(pipe, EtlOrder.File).Count, ReadEvents.Text(pipe.Health)));
    }

    private static void Put32(byte[] file, int at, uint value) => BinaryPrimitives.WriteUInt32LittleEndian(file.AsSpan(at), value);
}
