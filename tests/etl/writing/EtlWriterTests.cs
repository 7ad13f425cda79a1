using System.Buffers.Binary;

namespace Tracer.Etl.Tests.Writing;

/// <summary>Each rule that readers need of a file, and what the writer adds to it.</summary>
public class EtlWriterTests
{
    private const long Start = 133_000_000_000_000_000;

    [Fact]
    public void The_header_buffer_has_the_fields_that_every_reader_needs()
    {
        byte[] file = Written(Header(), writer => Log(writer, 0, 1), new EtlWriterOptions { LoggerId = 7 });
        StoredBuffer header = StoredFile.Buffers(file)[0];
        Assert.Equal((4, 0L, 0L, 0x21, 0), (header.Type, header.SequenceNumber, header.TimeStamp, header.Flags, header.Cpu));
        int filled = 72 + ((32 + 0x118 + (2 * (8 + 9)) + 7) / 8 * 8);
        Assert.Equal((filled, filled, filled), (header.Filled, header.SavedOffset, header.CurrentOffset));
        Assert.Equal(7, BinaryPrimitives.ReadUInt16LittleEndian(file.AsSpan(0x2A)));
        Assert.Equal(3u, BinaryPrimitives.ReadUInt32LittleEndian(file.AsSpan(0x2C)));
        Assert.Equal(0xC0020002, BinaryPrimitives.ReadUInt32LittleEndian(file.AsSpan(0x48)));
        AssertZero(file.AsSpan(0x20, 8));
        AssertZero(file.AsSpan(0x38, 16));
        Assert.Equal(-1, file.AsSpan(filled..4096).IndexOfAnyExcept((byte)0xFF));
    }

    [Fact]
    public void The_header_event_says_what_was_given_and_what_was_written()
    {
        byte[] file = Written(Header() with { BuffersWritten = 77, EndFileTime = 5 }, writer => Log(writer, 1, 10));
        Assert.True(EtlEvent.TryRead(file.AsSpan(72), 0, 0, out EtlEvent first));
        Assert.Equal((EtlHeaderKind.System64, 2, 0, 1000L), (first.Kind, first.Version, first.HookId, first.TimestampTicks));
        EtlFileHeader expected = Header() with { BuffersWritten = 2, EndFileTime = Start + 99 };
        Assert.Equal(expected, StoredFile.Header(file));
        Assert.Equal((1, 5), (expected.LayoutMajor, expected.LayoutMinor));
        Assert.Equal((8u, 156_250u, 1u), (first.Payload[0x2C], expected.TimerResolution100ns, expected.StartBuffers));
    }

    [Fact]
    public void A_32_bit_file_has_the_32_bit_header_event()
    {
        byte[] file = Written(Header() with { PointerBytes = 4 }, writer => Log(writer, 1, 10));
        Assert.Equal(0xC0010002, BinaryPrimitives.ReadUInt32LittleEndian(file.AsSpan(0x48)));
        Assert.Equal(32 + 0x110 + (2 * (8 + 9)), BinaryPrimitives.ReadUInt16LittleEndian(file.AsSpan(0x4C)));
        Assert.Equal(4, StoredFile.Header(file).PointerBytes);
    }

    [Fact]
    public void A_data_buffer_holds_the_events_of_one_cpu_with_their_rules()
    {
        byte[] file = Written(Header(), writer =>
        {
            Log(writer, 2, 10, payloadBytes: 3);
            Log(writer, 0, 11, payloadBytes: 1);
            Log(writer, 2, 12, payloadBytes: 8);
        });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        Assert.Equal(
            [(4, 0, 0L, 0x21), (0, 0, 2L, 0x20), (0, 2, 1L, 0x21)],
            buffers.Select(buffer => (buffer.Type, buffer.Cpu, buffer.SequenceNumber, buffer.Flags)));
        StoredBuffer second = buffers[2];
        Assert.Equal((4096, 72 + 24 + 24, 12L), (second.Size, second.Filled, second.TimeStamp));
        Assert.Equal((second.Filled, second.Filled), (second.SavedOffset, second.CurrentOffset));
        Assert.Equal([19, 24], second.Events().Select(stored => stored.Record.Length));
        AssertZero(second.Bytes.AsSpan(0x0C, 4));
        AssertZero(second.Bytes.AsSpan(0x20, 8));
        AssertZero(second.Bytes.AsSpan(0x38, 16));
        Assert.Equal(3u, BinaryPrimitives.ReadUInt32LittleEndian(second.Bytes.AsSpan(0x2C)));
        AssertZero(second.Bytes.AsSpan(72 + 19, 5));
        Assert.Equal(-1, second.Bytes.AsSpan(second.Filled).IndexOfAnyExcept((byte)0xFF));
        Assert.Equal(0, file.Length % 4096);
    }

    [Fact]
    public void A_full_buffer_is_followed_by_another_and_no_event_is_split()
    {
        // 4096 - 72 = 4024 = 167 records of 24 bytes and 16 bytes left.
        byte[] file = Written(Header(), writer =>
        {
            for (int i = 0; i < 400; i++)
            {
                Log(writer, 1, 10 + i, payloadBytes: 8);
            }
        });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        Assert.Equal([167, 167, 66], buffers.Skip(1).Select(buffer => buffer.Events().Count()));
        Assert.Equal([1L, 2, 3], buffers.Skip(1).Select(buffer => buffer.SequenceNumber));
        Assert.Equal([0x20, 0x20, 0x21], buffers.Skip(1).Select(buffer => buffer.Flags));
        Assert.Equal(4u, StoredFile.Header(file).BuffersWritten);
        Assert.Equal(Enumerable.Range(10, 400).Select(ticks => (long)ticks), StoredFile.Events(file, 1).Select(Ticks));
    }

    [Fact]
    public void An_event_may_fill_a_buffer_and_no_more()
    {
        byte[] file = Written(Header(), writer =>
        {
            Log(writer, 0, 1, payloadBytes: 4096 - 72 - 16);
            Assert.Throws<ArgumentException>(() => Log(writer, 0, 2, payloadBytes: 4096 - 72 - 15));
            Assert.Throws<ArgumentException>(() => writer.WriteRecord(0, Record(2, 4096 - 72 - 15)));
            Log(writer, 0, 3);
        });
        Assert.Equal([1L, 3], StoredFile.Events(file, 0).Select(Ticks));
        Assert.Equal(4096, StoredFile.Buffers(file)[1].Filled);
    }

    [Fact]
    public void A_record_is_written_byte_for_byte()
    {
        byte[] record = Record(55, 21);
        record[6] = 0x99;
        byte[] file = Written(Header(), writer => writer.WriteRecord(3, record));
        Assert.Equal(record, Assert.Single(StoredFile.Events(file, 3)).Record);
        Assert.Equal(55, StoredFile.Buffers(file)[1].TimeStamp);
        using EtlWriter open = Open(Header(), out _);
        Assert.Throws<ArgumentException>(() => open.WriteRecord(0, record.AsSpan(0, 36)));
        Assert.Throws<ArgumentException>(() => open.WriteRecord(0, (byte[])[.. record, 0]));
        Assert.Throws<ArgumentException>(() => open.WriteRecord(0, new byte[16]));
        Assert.Throws<ArgumentException>(() => open.WriteRecord(0, []));
    }

    [Fact]
    public void Times_that_decrease_are_written_as_they_come()
    {
        byte[] file = Written(Header(), writer =>
        {
            Log(writer, 0, 30);
            Log(writer, 0, 20);
            Log(writer, 0, -10);
        });
        Assert.Equal([30L, 20, -10], StoredFile.Events(file, 0).Select(Ticks));
        Assert.Equal(-10, StoredFile.Buffers(file)[1].TimeStamp);
    }

    [Fact]
    public void The_same_calls_give_the_same_bytes()
    {
        foreach (bool compress in (bool[])[false, true])
        {
            var options = new EtlWriterOptions { Compress = compress };
            Assert.Equal(Written(Header(), Mixture, options), Written(Header(), Mixture, options));
        }
    }

    [Fact]
    public void A_compressed_file_says_so_and_its_buffers_are_as_long_as_their_contents()
    {
        byte[] file = Written(Header(), Mixture, new EtlWriterOptions { Compress = true });
        EtlFileHeader header = StoredFile.Header(file);
        Assert.Equal((EtlLogFileMode.Sequential | EtlLogFileMode.Compressed, 2, 0), (header.Mode, header.LayoutMajor, header.LayoutMinor));
        Assert.Equal(4096, header.BufferBytes);
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        Assert.Equal((512, 0x21, 4), (buffers[0].Size, buffers[0].Flags, buffers[0].Type));
        Every.Item(buffers.Skip(1), buffer => Assert.Equal(0x60, buffer.Flags & ~1));
        Every.Item(buffers.Skip(1), buffer => Assert.True(buffer.Size < buffer.Filled));
        Assert.Equal(0x61, buffers[^1].Flags);
        byte[] plain = Written(Header(), Mixture);
        Assert.Equal(StoredFile.Buffers(plain).Skip(1).Select(b => b.Contents), buffers.Skip(1).Select(b => b.Contents));
    }

    [Fact]
    public void A_buffer_that_would_not_get_smaller_is_stored_as_it_is()
    {
        byte[] noise = new byte[3000];
        new Random(1).NextBytes(noise);
        byte[] file = Written(
            Header(),
            writer =>
            {
                writer.Write(0, EtlEventHeader.PerfInfo(0x0F44, 2, 5), noise);
                Log(writer, 1, 6, payloadBytes: 500);
            },
            new EtlWriterOptions { Compress = true });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        Assert.Equal([(0x20, 72 + 3016), (0x61, buffers[2].Size)], buffers.Skip(1).Select(buffer => (buffer.Flags, buffer.Size)));
        Assert.Equal(noise, Assert.Single(StoredFile.Events(file, 0)).Record[16..]);
        Assert.Single(StoredFile.Events(file, 1));
    }

    [Theory]
    [InlineData(256, 4096, 1, 5)]
    [InlineData(257, 4096, 2, 0)]
    [InlineData(2048, 4096, 2, 0)]
    [InlineData(4, 1024 * 1024, 1, 5)]
    [InlineData(4, (1024 * 1024) + 1024, 2, 0)]
    public void Many_cpus_and_large_buffers_need_layout_2(int cpus, int bufferBytes, int major, int minor)
    {
        byte[] file = Written(Header() with { ProcessorCount = cpus, BufferBytes = bufferBytes }, writer => Log(writer, cpus - 1, 4));
        EtlFileHeader header = StoredFile.Header(file);
        Assert.Equal((major, minor, cpus), (header.LayoutMajor, header.LayoutMinor, header.ProcessorCount));
        Assert.Equal(cpus - 1, StoredFile.Buffers(file)[1].Cpu);
        Assert.Equal(bufferBytes, StoredFile.Buffers(file)[1].Size);
        EtlFileHeader own = Header() with { LayoutMajor = 2, LayoutMinor = 2, BufferBytes = bufferBytes };
        Assert.Equal(2, StoredFile.Header(Written(own, _ => { })).LayoutMinor);
    }

    [Fact]
    public void Lost_events_are_counted_and_flagged_at_their_place()
    {
        byte[] file = Written(Header() with { EventsLost = 4 }, writer =>
        {
            Log(writer, 0, 1);
            writer.AddLostEvents(0, 3);
            writer.EndBuffer(0);
            Log(writer, 0, 2);
            writer.EndBuffer(0);
            writer.AddLostEvents(0, 2);
            Log(writer, 0, 3);
            writer.EndBuffer(0);
            writer.AddLostEvents(1, 1);
        });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        Assert.Equal([(0, 0x22), (0, 0x20), (0, 0x22), (1, 0x23)], buffers.Skip(1).Select(buffer => (buffer.Cpu, buffer.Flags)));
        Assert.Equal(72, buffers[^1].Filled);
        Assert.Equal((10u, 0u, 5u), Losses(file));
    }

    [Fact]
    public void Lost_buffers_leave_a_gap_in_the_numbers()
    {
        byte[] file = Written(Header(), writer =>
        {
            Log(writer, 0, 1);
            Log(writer, 1, 1);
            writer.AddLostBuffers(0, 3);
            Log(writer, 0, 2);
            Log(writer, 1, 2);
            writer.AddLostBuffers(1, 1);
            writer.AddLostEvents(1, 9);
        });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        Assert.Equal(
            [(0, 1L, 0x20), (1, 2L, 0x20), (0, 6L, 0x24), (1, 8L, 0x27)],
            buffers.Skip(1).Select(buffer => (buffer.Cpu, buffer.SequenceNumber, buffer.Flags)));
        Assert.Equal((9u, 4u, 5u), Losses(file));
    }

    [Fact]
    public void Counters_of_losses_stop_at_their_largest_value()
    {
        byte[] file = Written(Header(), writer =>
        {
            writer.AddLostEvents(0, uint.MaxValue);
            writer.AddLostEvents(0, 5);
            writer.AddLostBuffers(0, uint.MaxValue);
            writer.AddLostBuffers(0, 5);
            Assert.Throws<ArgumentOutOfRangeException>(() => writer.AddLostEvents(0, 0));
            Assert.Throws<ArgumentOutOfRangeException>(() => writer.AddLostBuffers(0, 0));
            Assert.Throws<ArgumentOutOfRangeException>(() => writer.AddLostBuffers(9, 1));
        });
        Assert.Equal((uint.MaxValue, uint.MaxValue, 2u), Losses(file));
        Assert.Equal(uint.MaxValue + 6L, StoredFile.Buffers(file)[1].SequenceNumber);
    }

    [Fact]
    public void A_flush_ends_all_buffers_and_marks_the_last()
    {
        byte[] file = Written(Header(), writer =>
        {
            Log(writer, 3, 1);
            Log(writer, 1, 1);
            writer.Flush();
            Log(writer, 0, 2);
            writer.EndBuffer(0);
            writer.EndBuffer(0);
        });
        Assert.Equal([(1, 0x20), (3, 0x21), (0, 0x21)], StoredFile.Buffers(file).Skip(1).Select(buffer => (buffer.Cpu, buffer.Flags)));
        Assert.Single(StoredFile.Buffers(Written(Header(), writer => writer.Flush())));
    }

    [Fact]
    public void A_ring_keeps_the_newest_buffers_behind_the_header()
    {
        byte[] file = Written(Header(), Numbers, new EtlWriterOptions { RingBuffers = 3 });
        Assert.Equal([0L, 7, 8, 6], StoredFile.Buffers(file).Select(buffer => buffer.SequenceNumber));
        Assert.Equal([5L, 6, 7], StoredFile.Events(file, 0).Select(Ticks));
        EtlFileHeader header = StoredFile.Header(file);
        Assert.Equal((9u, EtlLogFileMode.Circular, 1u), (header.BuffersWritten, header.Mode, header.MaximumFileSize));
        byte[] sizeInKb = Written(Header() with { Mode = EtlLogFileMode.SizeInKb }, Numbers, new EtlWriterOptions { RingBuffers = 9 });
        Assert.Equal(40u, StoredFile.Header(sizeInKb).MaximumFileSize);
        Assert.Equal(8, StoredFile.Events(sizeInKb, 0).Count);

        static void Numbers(EtlWriter writer)
        {
            for (int i = 0; i < 8; i++)
            {
                Log(writer, 0, i);
                writer.EndBuffer(0);
            }
        }
    }

    [Fact]
    public void Events_can_follow_the_header_event_in_its_buffer()
    {
        foreach (bool compress in (bool[])[false, true])
        {
            byte[] file = Written(
                Header(),
                writer =>
                {
                    writer.WriteToHeaderBuffer(EtlEventHeader.System(0x0005, 0, 3, 4, 5), new byte[32]);
                    writer.WriteToHeaderBuffer(EtlEventHeader.System(0x0050, 0, 3, 4, 5), new byte[147]);
                    Assert.Throws<ArgumentException>(
                        () => writer.WriteToHeaderBuffer(EtlEventHeader.System(5, 0, 3, 4, 5), new byte[compress ? 65_535 : 4000]));
                    Log(writer, 0, 4);
                    writer.EndBuffer(0);
                    Assert.Throws<InvalidOperationException>(() => writer.WriteToHeaderBuffer(EtlEventHeader.System(5, 0, 3, 4, 5), []));
                },
                new EtlWriterOptions { Compress = compress });
            StoredBuffer header = StoredFile.Buffers(file)[0];
            Assert.Equal([0, 0x05, 0x50], header.Events().Select(stored => (int)stored.Record[6]));
            Assert.Equal(compress ? 1024 : 4096, header.Size);
            Assert.Single(StoredFile.Events(file, 0));
            Assert.Equal(2u, StoredFile.Header(file).BuffersWritten);
        }
    }

    [Fact]
    public void A_writer_that_is_not_completed_leaves_what_a_crash_leaves()
    {
        using (EtlWriter writer = Open(Header(), out MemoryStream stream))
        {
            Log(writer, 0, 1);
            writer.EndBuffer(0);
            Log(writer, 0, 2);
            writer.AddLostEvents(0, 3);
            writer.Dispose();
            byte[] file = stream.ToArray();
            EtlFileHeader header = StoredFile.Header(file);
            Assert.Equal((0L, 1u, 0u), (header.EndFileTime, header.BuffersWritten, header.EventsLost));
            Assert.Equal([0L, 1], StoredFile.Buffers(file).Select(buffer => buffer.SequenceNumber));
            Assert.Throws<InvalidOperationException>(() => Log(writer, 0, 3));
            Assert.Throws<InvalidOperationException>(() => writer.Complete(Start));
        }
    }

    [Fact]
    public void Nothing_is_written_behind_the_end()
    {
        using EtlWriter writer = Open(Header(), out MemoryStream stream);
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.Complete(Start - 1));
        writer.Complete(Start);
        byte[] file = stream.ToArray();
        Assert.Throws<InvalidOperationException>(() => writer.Complete(Start));
        Assert.Throws<InvalidOperationException>(() => Log(writer, 0, 1));
        Assert.Throws<InvalidOperationException>(() => writer.WriteRecord(0, Record(1, 8)));
        Assert.Throws<InvalidOperationException>(writer.Flush);
        Assert.Throws<InvalidOperationException>(() => writer.EndBuffer(0));
        Assert.Throws<InvalidOperationException>(() => writer.AddLostEvents(0, 1));
        Assert.Equal(file, stream.ToArray());
        Assert.Equal(Start, writer.Header.EndFileTime);
    }

    [Fact]
    public void A_header_that_no_reader_would_take_is_refused_and_the_file_is_left_alone()
    {
        string path = Path.Combine(Path.GetTempPath(), $"tracer-{Guid.NewGuid():N}.etl");
        File.WriteAllText(path, "untouched");
        try
        {
            AssertRefused(Header() with { BufferBytes = 1000 });
            AssertRefused(Header() with { BufferBytes = 0 });
            AssertRefused(Header() with { BufferBytes = (16 * 1024 * 1024) + 1024 });
            AssertRefused(Header() with { ProcessorCount = 0 });
            AssertRefused(Header() with { ProcessorCount = 2049 });
            AssertRefused(Header() with { PointerBytes = 16 });
            AssertRefused(Header() with { Clock = default });
            AssertRefused(Header() with { CpuMhz = 0 });
            AssertRefused(Header() with { PerformanceFrequency = 0 });
            AssertRefused(Header() with { Clock = new TraceClock(TraceClockKind.CpuCycles, 10_000_000, 0, 0) });
            AssertRefused(Header() with { SessionName = "a\0b" });
            AssertRefused(Header() with { FileName = new string('x', 2000) });
            AssertRefused(Header() with { Mode = EtlLogFileMode.NoPerProcessorBuffering });
            AssertRefused(Header(), new EtlWriterOptions { RingBuffers = -1 });
            AssertRefused(Header(), new EtlWriterOptions { RingBuffers = 2, Compress = true });
            AssertRefused(Header(), new EtlWriterOptions { IsWindows7 = true, Compress = true });
            Assert.Equal("untouched", File.ReadAllText(path));
            using (EtlWriter writer = EtlWriter.Create(path, Header()))
            {
                writer.Complete(Start);
            }

            Assert.Equal(4096, new FileInfo(path).Length);
        }
        finally
        {
            File.Delete(path);
        }

        void AssertRefused(EtlFileHeader header, EtlWriterOptions? options = null) =>
            Assert.Throws<ArgumentException>(() => EtlWriter.Create(path, header, options));
    }

    [Fact]
    public void A_file_as_windows_7_merges_it_ends_its_first_buffer_with_the_header_event()
    {
        byte[] file = Written(
            Header(),
            writer =>
            {
                writer.WriteToHeaderBuffer(EtlEventHeader.System(5, 2, 1000, 4, 8, 8), new byte[36]);
                Log(writer, 2, 1010);
            },
            new EtlWriterOptions { IsWindows7 = true, LoggerId = 0x8001 });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        int filled = 72 + 32 + 0x118 + (2 * (8 + 9));
        Assert.NotEqual(0, filled % 8);
        Assert.Equal((4, filled, 0, 0, 1), (
            buffers[0].Type, buffers[0].Filled, buffers[0].SavedOffset, buffers[0].CurrentOffset, buffers[0].Flags));
        Assert.Equal(
            [0x0800, 0x0800, 0x0802], buffers.Select(buffer => BinaryPrimitives.ReadUInt16LittleEndian(buffer.Bytes.AsSpan(0x28))));
        Assert.Equal([1, 0, 1], buffers.Select(buffer => buffer.Flags));
        Assert.Equal([Start, Start + 10], buffers.Skip(1).Select(buffer => buffer.TimeStamp));
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        var seen = new List<(int Cpu, long Ticks)>();
        var sink = new Times(seen);
        Assert.True(reader.Read(EtlOrder.Time, ref sink));
        Assert.Equal([(0, 1000L), (0, 1000L), (2, 1010L)], seen);
        Every.Item(Enum.GetValues<HealthCounter>(), counter => Assert.Equal(0, reader.Health[counter]));
    }

    [Fact]
    public void A_stream_is_written_from_where_it_stands()
    {
        using MemoryStream stream = new();
        stream.Write(new byte[100_000]);
        stream.Position = 10;
        using (EtlWriter writer = EtlWriter.Create(stream, Header(), leaveOpen: true))
        {
            Mixture(writer);
            writer.Complete(Start + 99);
        }

        Assert.Equal(Written(Header(), Mixture), stream.ToArray()[10..]);
        using EtlWriter owner = EtlWriter.Create(stream, Header());
        owner.Dispose();
        Assert.False(stream.CanWrite);
        Assert.Throws<ArgumentException>(() => EtlWriter.Create(stream, Header()));
    }

    [Fact]
    public void Writing_an_event_allocates_nothing()
    {
        byte[] payload = new byte[40];
        EtlExtendedItem[] items = [new(EtlExtendedItemKind.EventKey, new byte[8])];
        using MemoryStream stream = new(2_000_000);
        using EtlWriter writer = EtlWriter.Create(stream, Header(), new EtlWriterOptions { Compress = true });
        LogMany(writer, payload, items);
        long before = GC.GetAllocatedBytesForCurrentThread();
        LogMany(writer, payload, items);
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());

        static void LogMany(EtlWriter writer, byte[] payload, EtlExtendedItem[] items)
        {
            for (int i = 0; i < 500; i++)
            {
                writer.Write(i % 4, EtlEventHeader.PerfInfo(0x0F44, 2, i), payload);
                writer.Write(i % 4, EtlEventHeader.Event(Guid.Empty, 1, 0, i, 1, 2), payload, items);
                writer.Write(i % 4, EtlEventHeader.Message(Guid.Empty, 1, i, 1, 2), payload);
            }
        }
    }

    private readonly struct Times(List<(int Cpu, long Ticks)> seen) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            seen.Add((traceEvent.Cpu, traceEvent.TimestampTicks));
            return true;
        }
    }

    private static EtlFileHeader Header() => new()
    {
        Clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, 1000, Start),
        ProcessorCount = 4,
        BufferBytes = 4096,
        OsBuild = 19041,
        CpuMhz = 3000,
        SessionName = "Session",
        FileName = "file.etl",
    };

    private static byte[] Written(EtlFileHeader header, Action<EtlWriter> log, EtlWriterOptions? options = null)
    {
        using MemoryStream stream = new();
        using EtlWriter writer = EtlWriter.Create(stream, header, options);
        log(writer);
        writer.Complete(Start + 99);
        return stream.ToArray();
    }

    private static EtlWriter Open(EtlFileHeader header, out MemoryStream stream) => EtlWriter.Create(stream = new MemoryStream(), header);

    private static void Log(EtlWriter writer, int cpu, long ticks, int payloadBytes = 8) =>
        writer.Write(cpu, EtlEventHeader.PerfInfo(0x0F44, 2, ticks), new byte[payloadBytes]);

    private static void Mixture(EtlWriter writer)
    {
        for (int i = 0; i < 600; i++)
        {
            writer.Write((i * 7) % 4, EtlEventHeader.System(0x0524, 2, i, 3, 4), new byte[i % 50]);
        }
    }

    private static byte[] Record(long ticks, int payloadBytes)
    {
        byte[] record = new byte[16 + payloadBytes];
        EventRecord.Write(record, EtlEventHeader.PerfInfo(0x0F44, 2, ticks), record.AsSpan(16));
        return record;
    }

    private static long Ticks(StoredEvent stored) => BinaryPrimitives.ReadInt64LittleEndian(stored.Record.AsSpan(8));

    private static (uint Events, uint Buffers, uint Written) Losses(byte[] file)
    {
        EtlFileHeader header = StoredFile.Header(file);
        return (header.EventsLost, header.BuffersLost, header.BuffersWritten);
    }

    private static void AssertZero(ReadOnlySpan<byte> bytes) => Assert.Equal(-1, bytes.IndexOfAnyExcept((byte)0));
}
