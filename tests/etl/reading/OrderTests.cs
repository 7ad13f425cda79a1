using FsCheck;
using FsCheck.Fluent;
using Tracer.Etl.Tests.Writing;

namespace Tracer.Etl.Tests.Reading;

/// <summary>Every order gives the same events; which come first is told by a model that sorts all of them in memory.</summary>
[Trait("Speed", "slow")]
public class OrderTests
{
    private static readonly EtlOrder[] Orders = Enum.GetValues<EtlOrder>();

    private static readonly int[] CpuCounts = [1, 2, 3, 8, 64, 320];

    public static TheoryData<string> Files() => [.. Selection.Some(RepositoryFiles.InCorpus("*.etl"), 0, parts: 3)];

    [Theory]
    [MemberData(nameof(Files))]
    public void Real_files_give_the_same_events_in_every_order(string file) =>
        AssertOrders(File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file)));

    [Fact]
    public void Random_files_are_read_as_the_model_reads_them()
    {
        Gen<TraceShape> shapes =
            from cpus in Gen.Elements(CpuCounts)
            from kb in Gen.Elements(2, 4, 16, 64)
            from storing in Gen.Choose(0, 2)
            from events in Gen.Choose(0, 3000)
            from seed in Gen.Choose(0, int.MaxValue - 1)
            from inversions in Gen.Elements(false, true)
            select new TraceShape
            {
                Cpus = cpus,
                BufferBytes = kb * 1024,
                Compress = storing == 1,
                RingBuffers = storing == 2 ? 7 : 0,
                Events = events,
                Seed = seed,
                Inversions = inversions,
                Noise = seed % 3 == 0,
                FirstTicks = seed % 5 == 0 ? -100_000 : 1000,
            };
        Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(Selection.Cases(60)),
            Prop.ForAll(shapes.ToArbitrary(), shape => AssertOrders(WrittenTrace.Of(shape))));
    }

    /// <summary>The first buffer ends with the header event; an event that is earlier stands in the second.</summary>
    [Fact]
    public void An_event_of_the_second_buffer_may_come_before_all_of_the_first() => AssertOrders(WrittenTrace.Of(new TraceShape
    {
        Cpus = 2,
        BufferBytes = 65536,
        Compress = true,
        Events = 1825,
        Seed = 1022365666,
        Inversions = true,
    }));

    [Fact]
    public void Events_of_one_time_come_by_cpu_and_as_written()
    {
        byte[] file = Trace(3, write =>
        {
            for (int i = 0; i < 900; i++)
            {
                write((i * 7) % 3, 5000, i);
            }
        });
        List<ReadEvent> events = ReadEvents.Of(file, EtlOrder.Time);
        Assert.Equal(events.Skip(1).OrderBy(read => read.Cpu).ThenBy(read => PayloadOf(read)), events.Skip(1));
        AssertOrders(file);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-5_000_000_000)]
    [InlineData(long.MinValue)]
    [InlineData(long.MaxValue - 100)]
    public void Clock_stamps_may_be_anything(long first) => AssertOrders(Trace(2, write =>
    {
        for (int i = 0; i < 1000; i++)
        {
            write(i % 2, first + (i / 11), i);
        }
    }));

    [Fact]
    public void Stamps_of_both_extremes_in_one_file_are_sorted() => AssertOrders(Trace(2, write =>
    {
        for (int i = 0; i < 300; i++)
        {
            write(i % 2, long.MinValue, i);
        }

        for (int i = 0; i < 300; i++)
        {
            write(i % 2, i, i);
        }

        for (int i = 0; i < 300; i++)
        {
            write(i % 2, long.MaxValue, i);
        }
    }));

    /// <summary>
    /// An interrupt between the reservation of a buffer's first event and its time stamp: what follows it happened before it, and another
    /// CPU logged in between.
    /// </summary>
    [Fact]
    public void An_inversion_at_a_buffers_start_does_not_break_the_order()
    {
        var events = new List<(int Cpu, long Ticks)>();
        for (int i = 0; i < 4000; i += 4)
        {
            events.Add((0, 1000 + (i * 10) + (i % 100 == 0 ? 35 : 0)));
            events.Add((0, 1000 + (i * 10) + 10));
            events.Add((1, 1000 + (i * 10) + 20));
            events.Add((1, 1000 + (i * 10) + 30));
        }

        byte[] file = Trace(2, write =>
        {
            for (int i = 0; i < events.Count; i++)
            {
                write(events[i].Cpu, events[i].Ticks, i);
            }
        }, endBufferBefore: i => events[i].Cpu == 0 && i % 100 == 0);
        AssertOrders(file);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        ReadEvents.Of(reader, EtlOrder.Time);
        Assert.Equal(40, reader.Health[HealthCounter.TimeInversions]);
    }

    [Fact]
    public void Buffers_of_one_cpu_that_overlap_are_merged()
    {
        byte[] file = Trace(2, write =>
        {
            for (int i = 0; i < 2000; i++)
            {
                write(0, (i % 100 * 50) + (i / 100), i);
            }
        }, endBufferBefore: i => i % 100 == 0);
        AssertOrders(file);
    }

    [Fact]
    public void The_first_event_may_be_one_long_run_of_zeros_behind_its_time()
    {
        using MemoryStream stream = new();
        var shape = new TraceShape { Cpus = 1, Compress = true };
        using (EtlWriter writer = EtlWriter.Create(stream, WrittenTrace.Header(shape), WrittenTrace.Options(shape), leaveOpen: true))
        {
            foreach (long ticks in (long[])[900, 500, 700])
            {
                writer.EndBuffer(0);
                writer.Write(0, EtlEventHeader.System(0x0B42, 2, ticks, 0, 0), new byte[3000]);
            }

            writer.Complete(WrittenTrace.StartFileTime + 1);
        }

        Assert.Equal([500, 700, 900, 1000], ReadEvents.Of(stream.ToArray(), EtlOrder.Cpu).Select(read => read.Ticks));
    }

    [Fact]
    public void A_ring_that_wrapped_comes_in_the_order_of_time_by_cpu_too()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { RingBuffers = 6, Events = 3000, Cpus = 2 });
        AssertOrders(file);
        foreach (IGrouping<int, ReadEvent> cpu in ReadEvents.Of(file, EtlOrder.Cpu).GroupBy(read => read.Cpu))
        {
            Assert.Equal(cpu.Select(read => read.Ticks).Order(), cpu.Select(read => read.Ticks));
        }

        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        ReadEvents.Of(reader, EtlOrder.File);
        Assert.Equal(0, reader.Health[HealthCounter.MissingBuffers]);
        Assert.False(reader.Health.HasDataLoss);
    }

    [Fact]
    public void A_message_without_a_time_stays_behind_the_event_before_it()
    {
        var untimed = new EtlEventHeader { Kind = EtlHeaderKind.Message, Id = 9, TimestampTicks = 0 };
        using MemoryStream stream = new();
        var shape = new TraceShape { Cpus = 2 };
        using (EtlWriter writer = EtlWriter.Create(stream, WrittenTrace.Header(shape), leaveOpen: true))
        {
            for (int i = 0; i < 400; i++)
            {
                if (i % 100 == 0)
                {
                    writer.Flush();
                }

                writer.Write(i % 2, EtlEventHeader.PerfInfo(0x0F44, 2, 2000 + i), new byte[24]);
                writer.Write(i % 2, untimed, [1, 2, 3, 4]);
            }

            writer.Complete(WrittenTrace.StartFileTime + 1);
        }

        using EtlReader reader = EtlReader.Open(new MemoryStream(stream.ToArray()));
        List<ReadEvent> events = ReadEvents.Of(reader, EtlOrder.Time);
        Assert.Equal(0, reader.Health[HealthCounter.TimeInversions]);
        Assert.Equal(801, events.Count);
        for (int i = 1; i < events.Count; i += 2)
        {
            Assert.Equal((2000 + (i / 2), 0), (events[i].Ticks, events[i + 1].Ticks));
            Assert.Equal(events[i].Cpu, events[i + 1].Cpu);
        }
    }

    [Fact]
    public void Messages_without_a_time_at_a_buffers_start_come_with_what_follows_them()
    {
        var untimed = new EtlEventHeader { Kind = EtlHeaderKind.Message, Id = 9, TimestampTicks = 0 };
        using MemoryStream stream = new();
        var shape = new TraceShape { Cpus = 2 };
        using (EtlWriter writer = EtlWriter.Create(stream, WrittenTrace.Header(shape), leaveOpen: true))
        {
            for (int i = 0; i < 40; i++)
            {
                writer.Write(i % 2, untimed, [1, 2, 3, 4]);
                writer.Write(i % 2, EtlEventHeader.PerfInfo(0x0F44, 2, 2000 + i), new byte[24]);
                writer.EndBuffer(i % 2);
            }

            writer.Complete(WrittenTrace.StartFileTime + 1);
        }

        List<ReadEvent> events = ReadEvents.Of(stream.ToArray(), EtlOrder.Time);
        Assert.Equal(Enumerable.Range(0, 40).SelectMany(i => (long[])[0, 2000 + i]), events.Skip(1).Select(read => read.Ticks));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_sink_that_wants_no_more_is_not_called_again(bool compress)
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 5, Events = 2000, Compress = compress });
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        foreach (EtlOrder order in Orders)
        {
            foreach (int wanted in (int[])[1, 2, 3, 100, 101, 102, 103, 1999])
            {
                var sink = new StoppingSink(wanted);
                Assert.False(reader.Read(order, ref sink));
                Assert.Equal(wanted, sink.Calls);
            }

            var all = new StoppingSink(2002);
            Assert.True(reader.Read(order, ref all));
            Assert.Equal(2001, all.Calls);
        }
    }

    [Fact]
    public void Reading_again_gives_the_same_events_and_the_same_health()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 3, Events = 3000, Inversions = true });
        file.AsSpan(4096 * 3, 4).Clear();
        file.AsSpan((4096 * 6) + 400, 300).Fill(0x55);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        foreach (EtlOrder order in (EtlOrder[])[.. Orders, .. Orders])
        {
            List<ReadEvent> events = ReadEvents.Of(reader, order);
            string health = ReadEvents.Text(reader.Health);
            Assert.Equal(2, reader.Health[HealthCounter.DamagedBuffers]);
            Assert.Equal(events, ReadEvents.Of(reader, order));
            Assert.Equal(health, ReadEvents.Text(reader.Health));
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(8)]
    public void Threads_give_what_one_cpu_after_the_other_gives(int threads)
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 9, Events = 5000, Compress = threads == 2 });
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        KeepingSink[] sinks = reader.ReadCpus(threads, _ => new KeepingSink());
        string health = ReadEvents.Text(reader.Health);
        Assert.Equal(reader.Cpus.Count, sinks.Length);
        for (int i = 0; i < sinks.Length; i++)
        {
            var sink = new KeepingSink();
            Assert.True(reader.ReadCpu(reader.Cpus[i], ref sink));
            Assert.Equal(sink.Events, sinks[i].Events);
        }

        Assert.Equal(ReadEvents.Of(reader, EtlOrder.Cpu), sinks.SelectMany(sink => sink.Events));
        Assert.Equal(health, ReadEvents.Text(reader.Health));
        var none = new KeepingSink();
        Assert.True(reader.ReadCpu(77, ref none));
        Assert.Empty(none.Events);
    }

    [Fact]
    public void What_a_sink_throws_on_another_thread_arrives_as_it_was_thrown()
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(WrittenTrace.Of(new TraceShape { Cpus = 4 })));
        var thrown = Assert.Throws<InvalidDataException>(
            () => reader.ReadCpus<KeepingSink>(2, cpu => throw new InvalidDataException($"no sink for {cpu}")));
        Assert.StartsWith("no sink for", thrown.Message, StringComparison.Ordinal);
    }

    /// <summary>Compares all orders with the file as the stored buffers show it.</summary>
    private static bool AssertOrders(byte[] file)
    {
        List<ReadEvent> byFile = ReadEvents.Of(file, EtlOrder.File);
        List<ReadEvent> model = Model(file);
        AssertSame(model, byFile);
        AssertSame(Sorted(model), Sorted(ReadEvents.Of(file, EtlOrder.Any)));
        List<ReadEvent> byCpu = ReadEvents.Of(file, EtlOrder.Cpu);
        AssertSame(Sorted(model), Sorted(byCpu));
        Assert.Equal(byCpu.Select(read => read.Cpu).Order(), byCpu.Select(read => read.Cpu));

        // Within a CPU: buffers by their first events, and of those with the same one as the file has them.
        var firsts = model.GroupBy(read => read.BufferOffset).ToDictionary(buffer => buffer.Key, buffer => buffer.First().Ticks);
        AssertSame([.. model.OrderBy(read => read.Cpu).ThenBy(read => firsts[read.BufferOffset]).ThenBy(read => read.BufferOffset)], byCpu);
        AssertSame([.. byCpu.OrderBy(read => read.Ticks).ThenBy(read => read.Cpu)], ReadEvents.Of(file, EtlOrder.Time));
        return true;
    }

    private static void AssertSame(List<ReadEvent> expected, List<ReadEvent> actual)
    {
        Assert.Equal(expected.Count, actual.Count);
        for (int i = 0; i < expected.Count; i++)
        {
            Assert.True(expected[i] == actual[i], $"event {i} of {expected.Count}: {expected[i]}, but {actual[i]}");
        }
    }

    private static List<ReadEvent> Sorted(List<ReadEvent> events) =>
        [.. events.OrderBy(read => read.BufferOffset).ThenBy(read => read.Ticks).ThenBy(read => read.Record, StringComparer.Ordinal)];

    private static List<ReadEvent> Model(byte[] file)
    {
        List<ReadEvent> events = [];
        foreach (StoredBuffer buffer in StoredFile.Buffers(file))
        {
            foreach (StoredEvent stored in buffer.Events())
            {
                Assert.True(EtlEvent.TryRead(stored.Record, 0, 0, out EtlEvent read));
                events.Add(new ReadEvent(buffer.Cpu, read.TimestampTicks, buffer.At, Convert.ToBase64String(stored.Record)));
            }
        }

        return events;
    }

    private static int PayloadOf(ReadEvent read) => BitConverter.ToInt32(Convert.FromBase64String(read.Record), 16);

    private static byte[] Trace(int cpus, Action<Action<int, long, int>> fill, Func<int, bool>? endBufferBefore = null)
    {
        using MemoryStream stream = new();
        var shape = new TraceShape { Cpus = cpus };
        using (EtlWriter writer = EtlWriter.Create(stream, WrittenTrace.Header(shape), leaveOpen: true))
        {
            fill((cpu, ticks, number) =>
            {
                if (endBufferBefore?.Invoke(number) == true)
                {
                    writer.EndBuffer(cpu);
                }

                writer.Write(cpu, EtlEventHeader.PerfInfo(0x0F44, 2, ticks), BitConverter.GetBytes((long)number));
            });
            writer.Complete(WrittenTrace.StartFileTime + 1);
        }

        return stream.ToArray();
    }

    private struct StoppingSink(int wanted) : IEtlEventSink
    {
        public int Calls { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent) => ++Calls < wanted;
    }
}
