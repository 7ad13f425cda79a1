using System.Buffers.Binary;
using Tracer.Etl.Reading;
using Tracer.Etl.Tests.Writing;

namespace Tracer.Etl.Tests.Reading;

/// <summary>A time that no neighbour supports is nobody's time: it is counted, and the event comes with the one before it.</summary>
public class StrayTimeTests
{
    private const long Hour = 3600L * 10_000_000;
    private const long FirstTicks = 50 * Hour;

    /// <summary>A FILETIME, nothing, garbage of both signs, an hour off; at the ends and in the middle of some buffers.</summary>
    public static TheoryData<long, int, int> Times()
    {
        var data = new TheoryData<long, int, int>();
        foreach (long time in (long[])
            [WrittenTrace.StartFileTime + 5, 0, -7, long.MaxValue, long.MinValue, FirstTicks + Hour, FirstTicks - Hour])
        {
            foreach (int buffer in (int[])[1, 4, -1])
            {
                foreach (int which in (int[])[0, 3, -1])
                {
                    data.Add(time, buffer, which);
                }
            }
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Times))]
    public void One_stray_time_changes_no_other(long time, int buffer, int which)
    {
        byte[] file = Trace();
        List<ReadEvent> whole = Settled(file, EtlOrder.Time, out long none);
        Assert.Equal(0, none);
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        int[] events = EventsOf(file, buffers[buffer < 0 ? buffers.Count - 1 : buffer]);
        int at = which < 0 ? events[^1] : events[Math.Min(which, events.Length - 1)];
        BinaryPrimitives.WriteInt64LittleEndian(file.AsSpan(at + EventHeaderLayout.TimeOffset(file.AsSpan(at))), time);
        foreach (EtlOrder order in Enum.GetValues<EtlOrder>())
        {
            List<ReadEvent> read = Settled(file, order, out long stray);
            Assert.Equal(1, stray);
            Assert.Equal(whole.Count, read.Count);
            Assert.InRange(read.Min(one => one.Ticks), whole[0].Ticks, whole[0].Ticks + 10_000);
            Assert.InRange(read.Max(one => one.Ticks), whole[^1].Ticks - 10_000, whole[^1].Ticks);
            Assert.InRange(read.Select(one => one.Ticks).Except(whole.Select(one => one.Ticks)).Count(), 0, 1);
        }

        // As it stands in the file for whoever does not ask.
        Assert.Contains(ReadEvents.Of(file, EtlOrder.Time), one => one.Ticks == time);
    }

    /// <summary>What an event with a stray time tells of took no time; one that is right keeps its beginning.</summary>
    [Fact]
    public void A_routine_of_a_stray_time_is_as_long_as_nothing()
    {
        byte[] file = Trace();
        int[] events = EventsOf(file, StoredFile.Buffers(file)[2]);
        Put(file, events[2], WrittenTrace.StartFileTime);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Settle();
        var lengths = new LengthSink([]);
        Assert.True(reader.Read(EtlOrder.Time, ref lengths));
        Assert.Equal(249, lengths.All.Count(length => length == 50));
        Assert.Equal(0, Assert.Single(lengths.All, length => length != 50));
    }

    private readonly struct LengthSink(List<long> all) : IEtlEventSink
    {
        public List<long> All => all;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.HookId == KernelHook.Dpc && DpcRecord.TryRead(in traceEvent, out DpcRecord dpc))
            {
                all.Add(traceEvent.TimestampTicks - dpc.InitialTime);
            }

            return true;
        }
    }

    [Fact]
    public void Several_stray_times_of_one_buffer_are_left_out()
    {
        byte[] file = Trace();
        List<ReadEvent> whole = Settled(file, EtlOrder.Time, out _);
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        int[] last = EventsOf(file, buffers.Last(buffer => EventsOf(file, buffer).Length > 3));
        int[] first = EventsOf(file, buffers[1]);
        Put(file, last[^1], WrittenTrace.StartFileTime + Hour);
        Put(file, last[^2], WrittenTrace.StartFileTime);
        Put(file, first[0], 0);
        Put(file, first[1], 1);
        Put(file, first[5], long.MaxValue);
        List<ReadEvent> read = Settled(file, EtlOrder.Time, out long stray);
        Assert.Equal(5, stray);
        long length = whole[^1].Ticks - whole[0].Ticks;
        Assert.InRange(read[^1].Ticks - read[0].Ticks, length - 20_000, length);
    }

    /// <summary>All of it, and its flush, too: the header tells that the session had ended.</summary>
    [Fact]
    public void A_last_buffer_an_hour_behind_the_end_is_stray()
    {
        byte[] file = Trace();
        List<ReadEvent> whole = Settled(file, EtlOrder.Time, out _);
        StoredBuffer last = StoredFile.Buffers(file)[^1];
        int[] events = EventsOf(file, last);
        foreach (int at in events)
        {
            Put(file, at, BinaryPrimitives.ReadInt64LittleEndian(file.AsSpan(at + 8)) + Hour);
        }

        long flush = BinaryPrimitives.ReadInt64LittleEndian(file.AsSpan(last.At + 0x10));
        BinaryPrimitives.WriteInt64LittleEndian(file.AsSpan(last.At + 0x10), flush + Hour);
        List<ReadEvent> read = Settled(file, EtlOrder.Time, out long stray);
        Assert.Equal(events.Length, stray);
        Assert.InRange(read[^1].Ticks, whole[0].Ticks, whole[^1].Ticks);
    }

    /// <summary>
    /// Buffers whose times are all FILETIMEs, in the middle and at the end, as many of a CPU as are looked at and more: they may be of any
    /// time between those beside them, so that nothing is concluded there. One time that is right places all others.
    /// </summary>
    [Theory]
    [InlineData(-1, 1, false)]
    [InlineData(-4, 4, false)]
    [InlineData(3, 1, false)]
    [InlineData(3, 6, false)]
    [InlineData(3, 1, true)]
    public void A_buffer_without_a_time_of_the_trace_is_a_hole(int first, int count, bool isOneLeft)
    {
        byte[] file = Trace(events: 3000);
        List<ReadEvent> whole = Settled(file, EtlOrder.Time, out _);
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        int altered = 0;
        List<StoredBuffer> strays = buffers.GetRange(first < 0 ? buffers.Count + first : first, count);
        foreach (StoredBuffer buffer in strays)
        {
            foreach (int at in EventsOf(file, buffer).Skip(isOneLeft ? 1 : 0))
            {
                Put(file, at, WrittenTrace.StartFileTime + BinaryPrimitives.ReadInt64LittleEndian(file.AsSpan(at + 8)) - FirstTicks);
                altered++;
            }
        }

        List<ReadEvent> read = Settled(file, EtlOrder.Time, out long stray);
        Assert.Equal((altered, whole.Count), (stray, read.Count));
        Assert.InRange(read.Max(one => one.Ticks), whole[0].Ticks, whole[^1].Ticks);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Settle();
        read = ReadEvents.Of(reader, EtlOrder.Cpu);
        Assert.Equal(isOneLeft ? 0 : count, reader.Health[HealthCounter.DamagedBuffers]);
        Assert.Equal(isOneLeft, reader.Losses.All(loss => loss.Kind == LossKind.StrayTimes));
        HashSet<long> places = [.. isOneLeft ? [] : strays.Select(buffer => (long)buffer.At)];
        Assert.All(read.Where(one => places.Contains(one.BufferOffset)), one => Assert.Contains(
            reader.Losses, loss => loss.Cpu == one.Cpu && loss.FromTicks <= one.Ticks && one.Ticks <= loss.ToTicks));
    }

    /// <summary>What is there with another time happened somewhere between its neighbours.</summary>
    [Fact]
    public void Between_the_neighbours_of_a_stray_time_something_is_missing()
    {
        byte[] file = Trace();
        StoredBuffer buffer = StoredFile.Buffers(file)[2];
        int[] events = EventsOf(file, buffer);
        Put(file, events[3], 0);
        Put(file, events[4], 1);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Settle();
        ReadEvents.Of(reader, EtlOrder.Cpu);
        TraceLoss loss = Assert.Single(reader.Losses);
        Assert.Equal(
            new TraceLoss(buffer.Cpu, TimeOf(file, events[2]), TimeOf(file, events[5]), LossKind.StrayTimes), loss);
    }

    /// <summary>A minute off, at the ends of two CPUs: they support each other, but their buffers were written long before.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(10)]
    public void Times_behind_the_flush_of_their_own_buffers_are_stray(int each)
    {
        byte[] file = Trace(events: 600);
        List<ReadEvent> whole = Settled(file, EtlOrder.Time, out _);
        foreach (IGrouping<int, StoredBuffer> cpu in StoredFile.Buffers(file).Skip(1).GroupBy(buffer => buffer.Cpu))
        {
            foreach (int at in EventsOf(file, cpu.Last()).TakeLast(each))
            {
                Put(file, at, TimeOf(file, at) + (Hour / 60));
            }
        }

        List<ReadEvent> read = Settled(file, EtlOrder.Time, out long stray);
        Assert.Equal(2 * each, stray);
        Assert.InRange(read[^1].Ticks, whole[0].Ticks, whole[^1].Ticks);
    }

    private static long TimeOf(byte[] file, int at) =>
        BinaryPrimitives.ReadInt64LittleEndian(file.AsSpan(at + EventHeaderLayout.TimeOffset(file.AsSpan(at))));

    [Fact]
    public void The_time_of_the_header_is_one_of_the_trace()
    {
        byte[] file = Trace();
        int header = EtlBufferHeader.HeaderBytes;
        foreach (long time in (long[])[0, WrittenTrace.StartFileTime, -1])
        {
            Put(file, header, time);
            using EtlReader reader = EtlReader.Open(new MemoryStream(file));
            reader.Settle();
            HeaderContradiction found = Assert.Single(reader.Contradictions);
            Assert.Equal((HeaderStatement.HeaderTicks, time), (found.Statement, found.Told));
            Assert.InRange(reader.Header.Clock.HeaderTicks, FirstTicks, FirstTicks + 10_000);
            Assert.Equal(WrittenTrace.StartFileTime, reader.Header.Clock.StartFileTime);
        }
    }

    [Fact]
    public void The_flush_of_a_buffer_proves_nothing_where_it_is_stray_itself()
    {
        byte[] file = Trace();
        List<ReadEvent> whole = Settled(file, EtlOrder.Time, out _);
        foreach (long time in (long[])[0, long.MaxValue, WrittenTrace.StartFileTime])
        {
            foreach (StoredBuffer buffer in StoredFile.Buffers(file))
            {
                BinaryPrimitives.WriteInt64LittleEndian(file.AsSpan(buffer.At + 0x10), time);
            }

            Assert.Equal(whole, Settled(file, EtlOrder.Time, out long stray));
            Assert.Equal(0, stray);
        }
    }

    /// <summary>Hours without an event, in the middle, behind the header, before the last; and a ring whose header is days old.</summary>
    [Theory]
    [InlineData(250, 0, false)]
    [InlineData(0, 0, false)]
    [InlineData(495, 0, false)]
    [InlineData(499, 0, false)]
    [InlineData(0, 8, true)]
    [InlineData(250, 8, true)]
    public void A_real_gap_is_no_stray_time(int from, int ringBuffers, bool isOld)
    {
        byte[] file = Trace(from, isOld ? 100 * Hour : 8 * Hour, ringBuffers);
        List<ReadEvent> raw = ReadEvents.Of(file, EtlOrder.Time);
        Assert.Equal(raw, Settled(file, EtlOrder.Time, out long stray));
        Assert.Equal(0, stray);
    }

    [Fact]
    public void Intact_traces_of_all_shapes_stay_as_they_are()
    {
        foreach (TraceShape shape in (TraceShape[])
            [
                new(), new() { Cpus = 1, Events = 3 }, new() { Compress = true }, new() { RingBuffers = 6 },
                new() { Inversions = true }, new() { Cpus = 64 },
            ])
        {
            byte[] file = WrittenTrace.Of(shape);
            using EtlReader reader = EtlReader.Open(new MemoryStream(file));
            List<ReadEvent> raw = ReadEvents.Of(reader, EtlOrder.Cpu);
            EtlFileHeader header = reader.Header;
            reader.Settle();
            Assert.Empty(reader.Contradictions);
            Assert.Equal(header, reader.Header);
            Assert.Equal(raw, ReadEvents.Of(reader, EtlOrder.Cpu));
            Assert.Equal(0, reader.Health[HealthCounter.StrayTimes]);
        }
    }

    [Fact]
    public void A_CPU_whose_clock_is_off_moves_with_what_its_records_tell()
    {
        byte[] file = Trace();
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        List<ReadEvent> raw = ReadEvents.Of(reader, EtlOrder.Cpu);
        reader.MoveClock(1, -300);
        List<ReadEvent> moved = ReadEvents.Of(reader, EtlOrder.Cpu);
        Assert.Equal(raw.Select(one => one.Ticks - (one.Cpu == 1 ? 300 : 0)), moved.Select(one => one.Ticks));
        foreach ((ReadEvent before, ReadEvent after) in raw.Zip(moved).Where(pair => pair.First.Cpu == 1))
        {
            byte[] record = Convert.FromBase64String(before.Record);
            Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent read));
            bool hasStart = read.HookId == 0x0F44; // A DPC tells when it began.
            long start = BinaryPrimitives.ReadInt64LittleEndian(read.Payload);
            Assert.True(EtlEvent.TryRead(Convert.FromBase64String(after.Record), 0, 0, out EtlEvent changed));
            Assert.Equal(hasStart ? start - 300 : start, BinaryPrimitives.ReadInt64LittleEndian(changed.Payload));
        }

        List<ReadEvent> byTime = ReadEvents.Of(reader, EtlOrder.Time);
        Assert.Equal(byTime.OrderBy(one => one.Ticks).Select(one => one.Ticks), byTime.Select(one => one.Ticks));
    }

    private static List<ReadEvent> Settled(byte[] file, EtlOrder order, out long stray)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Settle();
        List<ReadEvent> read = ReadEvents.Of(reader, order);
        stray = reader.Health[HealthCounter.StrayTimes];
        return read;
    }

    private static void Put(byte[] file, int at, long time) =>
        BinaryPrimitives.WriteInt64LittleEndian(file.AsSpan(at + EventHeaderLayout.TimeOffset(file.AsSpan(at))), time);

    private static int[] EventsOf(byte[] file, StoredBuffer buffer)
    {
        var times = new EventTimes();
        times.Take(file.AsSpan(buffer.At, buffer.Filled));
        return [.. times.All.ToArray().Select(stamp => buffer.At + stamp.Place)];
    }

    /// <summary>Two CPUs, 500 events of a tenth of a millisecond each, and a gap before one of them.</summary>
    private static byte[] Trace(int gapBefore = -1, long gap = 0, int ringBuffers = 0, int events = 500)
    {
        var stream = new MemoryStream();
        var shape = new TraceShape { FirstTicks = FirstTicks, RingBuffers = ringBuffers };
        EtlFileHeader header = WrittenTrace.Header(shape);
        using (EtlWriter writer = EtlWriter.Create(stream, header, WrittenTrace.Options(shape), leaveOpen: true))
        {
            long ticks = FirstTicks;
            byte[] payload = new byte[32];
            for (int i = 0; i < events; i++)
            {
                ticks += 1000 + (i == gapBefore ? gap : 0);
                BinaryPrimitives.WriteInt64LittleEndian(payload, ticks - 50);
                var event64 = new EtlEventHeader
                {
                    Kind = EtlHeaderKind.PerfInfo64,
                    HookId = i % 2 == 0 ? (ushort)0x0F44 : (ushort)0x0F2E,
                    Version = 2,
                    TimestampTicks = ticks,
                    ThreadId = EtlEvent.NotInHeader,
                    ProcessId = EtlEvent.NotInHeader,
                };
                writer.Write(i / 2 % 2, event64, payload);
            }

            writer.Complete(WrittenTrace.StartFileTime + (ticks - FirstTicks));
        }

        return stream.ToArray();
    }
}
