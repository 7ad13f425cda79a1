using System.Buffers.Binary;
using Tracer.Etl.Tests.Writing;

namespace Tracer.Etl.Tests.Reading;

/// <summary>Where in time events are missing: all that is missing lies in a loss, and a whole trace has none.</summary>
public class LossTests
{
    [Theory]
    [InlineData(1, false, 0)]
    [InlineData(2, true, 0)]
    [InlineData(4, false, 0)]
    [InlineData(4, false, 8)]
    public void A_whole_trace_has_no_loss(int cpus, bool compress, int ringBuffers)
    {
        byte[] file = WrittenTrace.Of(
            new TraceShape { Cpus = cpus, Compress = compress, RingBuffers = ringBuffers, Events = 5000, Inversions = true });
        Assert.Empty(Losses(file));
    }

    [Theory]
    [InlineData(1, false, 0)]
    [InlineData(2, false, 0)]
    [InlineData(3, true, 0)]
    [InlineData(8, false, 0)]
    [InlineData(4, false, 16)]
    public void Whatever_is_missing_lies_in_a_loss(int cpus, bool compress, int ringBuffers)
    {
        for (int seed = 1; seed <= 60; seed++)
        {
            var random = new Random(seed);
            byte[] file = WrittenTrace.Of(new TraceShape
            {
                Cpus = cpus,
                Compress = compress,
                RingBuffers = ringBuffers,
                Events = random.Next(200, 4000),
                Seed = seed,
                Noise = true,
            });
            List<StoredBuffer> buffers = StoredFile.Buffers(file);
            int[] removed = [.. Enumerable.Range(1, buffers.Count - 1)
                .OrderBy(_ => random.Next()).Take(Math.Min(random.Next(1, 4), buffers.Count - 2))];
            byte[] rest = [.. buffers.Where((_, index) => !removed.Contains(index)).SelectMany(buffer => buffer.Bytes)];
            HashSet<long> removedOffsets = [.. removed.Select(index => (long)buffers[index].At)];
            Dictionary<long, long> numbers = buffers.ToDictionary(buffer => (long)buffer.At, buffer => buffer.SequenceNumber);
            long[] firsts = [.. StoredFile.Buffers(rest).Where(buffer => buffer.SequenceNumber > 0)
                .GroupBy(buffer => buffer.Cpu).Select(ones => ones.Min(buffer => buffer.SequenceNumber))];
            long knownFrom = ringBuffers == 0 ? 0 : firsts.Length < cpus ? long.MaxValue : firsts.Max();
            IReadOnlyList<TraceLoss> losses = Losses(rest);
            foreach (ReadEvent lost in ReadEvents.Of(file, EtlOrder.File).Where(one => removedOffsets.Contains(one.BufferOffset)))
            {
                // What is missing of a ring with a number from before all CPUs have a buffer may have been overwritten.
                bool isBeforeAll = numbers[lost.BufferOffset] < knownFrom;
                Assert.True(
                    isBeforeAll || losses.Any(loss => loss.Covers(lost.Cpu, lost.Ticks)),
                    $"seed {seed}: {lost.Cpu} {lost.Ticks} of {string.Join(' ', removed)} in {string.Join('\n', losses)}");
            }
        }
    }

    /// <summary>
    /// Buffers are missing, and neither their numbers nor the header tell: only that a CPU is silent right behind a full buffer, for far
    /// longer than ever within one.
    /// </summary>
    /// <param name="removed">How many buffers of CPU 1.</param>
    /// <param name="gap">How long CPU 1 is silent in the midst of a buffer, in microseconds.</param>
    [Theory]
    [InlineData(0, 0, false)]
    [InlineData(1, 0, true)]
    [InlineData(3, 0, true)]
    [InlineData(1, 100_000, false)]
    [InlineData(0, 100_000, false)]
    public void Buffers_that_nothing_counts_as_missing_leave_a_gap(int removed, int gap, bool isFound)
    {
        byte[] file = Steady(gap);
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        HashSet<int> out1 = [.. Enumerable.Range(0, buffers.Count).Where(at => buffers[at].Cpu == 1).Skip(6).Take(removed)];
        byte[] rest = [.. buffers.Where((_, at) => !out1.Contains(at)).SelectMany(buffer => buffer.Bytes)];
        List<StoredBuffer> left = StoredFile.Buffers(rest);
        for (int number = 1; number < left.Count; number++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(rest.AsSpan(left[number].At + BufferHeaderLayout.SequenceNumber), number);
        }

        const int BuffersWritten = EtlBufferHeader.HeaderBytes + 32 + 0x24; // Behind the header of the file's first event.
        Assert.Equal(buffers.Count, BinaryPrimitives.ReadInt32LittleEndian(rest.AsSpan(BuffersWritten)));
        BinaryPrimitives.WriteInt32LittleEndian(rest.AsSpan(BuffersWritten), left.Count);
        IReadOnlyList<TraceLoss> losses = Losses(rest);
        Assert.Equal(isFound, losses.Count > 0);
        if (isFound)
        {
            ReadEvent[] lost = [.. ReadEvents.Of(file, EtlOrder.File).Where(one => out1.Any(at => buffers[at].At == one.BufferOffset))];
            TraceLoss loss = Assert.Single(losses);
            Assert.Equal((1, LossKind.MissingBuffer), (loss.Cpu, loss.Kind));
            Every.Item(lost, one => Assert.True(loss.Covers(one.Cpu, one.Ticks)));
        }
    }

    /// <summary>Two CPUs that log something each 50 us, one of them not for a while.</summary>
    private static byte[] Steady(int gap)
    {
        var stream = new MemoryStream();
        var shape = new TraceShape { Cpus = 2 };
        EtlFileHeader header = WrittenTrace.Header(shape) with { BufferBytes = 16 * 1024 };
        using (EtlWriter writer = EtlWriter.Create(stream, header, WrittenTrace.Options(shape), leaveOpen: true))
        {
            long last = 0;
            for (int number = 0; number < 12_000; number++)
            {
                last = shape.FirstTicks + (number * 500L) + (number >= 9_000 ? gap * 10L : 0);
                for (int cpu = 0; cpu < 2; cpu++)
                {
                    writer.Write(cpu, new EtlEventHeader
                    {
                        Kind = EtlHeaderKind.PerfInfo64,
                        HookId = 0x0F2E,
                        Version = 2,
                        TimestampTicks = last,
                        ThreadId = EtlEvent.NotInHeader,
                        ProcessId = EtlEvent.NotInHeader,
                    }, new byte[16]);
                }
            }

            writer.Complete(WrittenTrace.StartFileTime + (last - shape.FirstTicks));
        }

        return stream.ToArray();
    }

    [Fact]
    public void A_loss_of_a_busy_CPU_is_told_within_a_few_buffers_and_holds_nothing_that_is_there()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 4, Events = 20_000, Noise = true });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        int removed = buffers.Count / 2;
        byte[] rest = [.. buffers.Where((_, index) => index != removed).SelectMany(buffer => buffer.Bytes)];
        IReadOnlyList<TraceLoss> losses = Losses(rest);
        Assert.Contains(losses, loss => loss.Cpu == buffers[removed].Cpu);
        Every.Item(losses, loss => Assert.Equal(LossKind.MissingBuffer, loss.Kind));
        List<ReadEvent> left = ReadEvents.Of(rest, EtlOrder.Cpu);
        foreach (TraceLoss loss in losses)
        {
            Assert.InRange(left.Count(one => loss.Covers(one.Cpu, one.Ticks)), 0, 4); // Its two ends, and equal times.
        }
    }

    [Theory]
    [InlineData(3, new byte[] { 0x11 })] // The marker of its first event.
    [InlineData(-72, new byte[] { 0xFF, 0xFF, 0xFF, 0xFF })] // Its size.
    [InlineData(-72 + 0x30, new byte[] { 0x01 })] // Its end.
    public void A_damaged_buffer_is_a_loss_on_its_CPU(int offset, byte[] damage)
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 2, Events = 3000, Noise = true });
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        StoredBuffer hit = buffers[buffers.Count / 2];
        List<ReadEvent> all = [.. ReadEvents.Of(file, EtlOrder.File).Where(one => one.BufferOffset == hit.At)];
        damage.CopyTo(file, hit.At + 72 + offset);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        HashSet<string> left = [.. ReadEvents.Of(reader, EtlOrder.Any).Select(one => one.Record)];
        IReadOnlyList<TraceLoss> losses = reader.Losses;
        Every.Item(all.Where(one => !left.Contains(one.Record)), one => Assert.Contains(losses, loss => loss.Covers(one.Cpu, one.Ticks)));
        Assert.NotEmpty(losses);
    }

    [Fact]
    public void A_file_that_ends_early_lacks_the_end_of_each_CPU()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 3, Events = 3000, Noise = true });
        List<ReadEvent> all = ReadEvents.Of(file, EtlOrder.File);
        byte[] cut = file[..(file.Length * 2 / 3)];
        HashSet<string> left = [.. ReadEvents.Of(cut, EtlOrder.File).Select(one => one.Record)];
        IReadOnlyList<TraceLoss> losses = Losses(cut);
        Assert.Contains(losses, loss => loss is { Kind: LossKind.CutOff, ToTicks: long.MaxValue });
        Every.Item(all.Where(one => !left.Contains(one.Record)), one => Assert.Contains(losses, loss => loss.Covers(one.Cpu, one.Ticks)));
    }

    [Fact]
    public void What_the_writer_says_it_lost_is_told_where_it_says_so()
    {
        using var stream = new MemoryStream();
        using (EtlWriter writer = EtlWriter.Create(stream, WrittenTrace.Header(new TraceShape { Cpus = 3 }), leaveOpen: true))
        {
            for (int i = 0; i < 300; i++)
            {
                if (i == 100)
                {
                    writer.AddLostBuffers(0, 2);
                }

                if (i == 200)
                {
                    writer.AddLostEvents(1, 7);
                }

                for (int cpu = 0; cpu < 3; cpu++)
                {
                    writer.Write(cpu, EtlEventHeader.PerfInfo(KernelHook.ReadyThread, 2, 2000 + (10 * i) + cpu), new byte[8]);
                    if (i % 20 == 19)
                    {
                        writer.EndBuffer(cpu);
                    }
                }
            }

            writer.Complete(WrittenTrace.StartFileTime + 1);
        }

        IReadOnlyList<TraceLoss> losses = Losses(stream.ToArray());
        Assert.Contains(new TraceLoss(0, 2990, 3000, LossKind.BufferLost), losses);
        Assert.Contains(new TraceLoss(1, 3991, 4201, LossKind.EventsLost), losses);
        Assert.Equal([0, 1], losses.Where(loss => loss.Kind != LossKind.MissingBuffer).Select(loss => loss.Cpu));
        Every.Item(losses, loss => Assert.InRange(loss.FromTicks, 2790, 3991));
    }

    private static IReadOnlyList<TraceLoss> Losses(byte[] file)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        return reader.Losses;
    }
}
