using Tracer.Etl.Decoding;
using Tracer.Etl.Stacks;

namespace Tracer.Etl.Tests.Reading;

/// <param name="Seconds">CPU time for all readings.</param>
/// <param name="HeldBytes">Heap held when all had been read.</param>
/// <param name="Work">Work beyond going through the events, of all readings.</param>
internal readonly record struct FuzzCost(long Bytes, double Seconds, long HeldBytes, long Work);

/// <summary>Reads any bytes as a trace in every way there is, and asserts what must hold whatever they are.</summary>
internal static class FuzzReading
{
    /// <summary>
    /// Most CPU time for all readings, all threads together: so much, and so much for each byte of the file and each event that comes out
    /// of it. Others may use the machine.
    /// </summary>
    public const double FreeSeconds = 4;
    public const double SecondsOfAByte = 5e-6;
    public const double SecondsOfAnEvent = 2e-6;

    /// <summary>
    /// What reading may hold beyond the file itself: blocks of the largest buffer that the format allows, and tables; and so much for
    /// each byte of the file.
    /// </summary>
    public const long FreeHeldBytes = 96 * 1024 * 1024;
    public const long HeldOfAByte = 16;

    /// <summary>Most work of all readings together.</summary>
    public const long FreeWork = 12L * 256 * 1024 * 1024;
    public const long WorkOfAByte = 12 * 300;

    public static FuzzCost Read(byte[] file, bool isSpooled)
    {
        long before = GC.GetTotalMemory(forceFullCollection: false);
        double from = Environment.CpuUsage.UserTime.TotalSeconds;
        long held = 0;
        long work = 0;
        long events = 0;
        try
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(file, writable: false));
            work += ReadAll(reader, file.Length, out events);
            held = Held(before, reader, file.Length);
            work += ReadPipe(file, reader.HasHeader, isSpooled);
        }
        catch (EtlFormatException refused)
        {
            Assert.DoesNotContain('\n', refused.Message);
            Assert.DoesNotContain("Exception", refused.Message, StringComparison.Ordinal);
        }

        double seconds = Environment.CpuUsage.UserTime.TotalSeconds - from;
        Assert.InRange(seconds, 0, FreeSeconds + (SecondsOfAByte * file.Length) + (SecondsOfAnEvent * events));
        Assert.InRange(held, long.MinValue, FreeHeldBytes + (HeldOfAByte * file.Length));
        Assert.InRange(work, 0, FreeWork + (WorkOfAByte * file.Length));
        return new FuzzCost(file.Length, seconds, held, work);
    }

    private static long ReadAll(EtlReader reader, long fileBytes, out long events)
    {
        long work = 0;
        var decoding = new DecodingSink();
        Assert.True(reader.Read(EtlOrder.File, ref decoding));
        events = decoding.Events;
        AssertInRange(reader.Health, fileBytes);
        AssertBounded(decoding, fileBytes);
        string inFileOrder = ReadEvents.Text(reader.Health);
        var once = new SummingSink();
        Assert.True(reader.Read(EtlOrder.Time, ref once));

        // What is there twice is read twice as the file has it, and once by time.
        bool isRepeated = reader.Health[HealthCounter.RepeatedBuffers] > 0;
        Assert.True(isRepeated ? once.Events <= decoding.Events : (once.Events, once.Sum) == (decoding.Events, decoding.Sum));
        foreach (EtlOrder order in Enum.GetValues<EtlOrder>())
        {
            var counting = new SummingSink();
            Assert.True(reader.Read(order, ref counting));
            Assert.True(
                order is EtlOrder.File or EtlOrder.Any ? (counting.Events, counting.Sum) == (decoding.Events, decoding.Sum)
                    : (counting.Events, counting.Sum) == (once.Events, once.Sum),
                $"{order}: {counting.Events} events, by file {decoding.Events}\n{inFileOrder}\n{ReadEvents.Text(reader.Health)}");
            AssertInRange(reader.Health, fileBytes);
            work += reader.Health.Work;
        }

        long byCpu = 0;
        Assert.All(reader.Losses, loss => Assert.True(loss.FromTicks <= loss.ToTicks));
        var ahead = new SummingSink();
        Assert.True(reader.ReadAhead(ref ahead, 0x0F2E));
        Assert.InRange(ahead.Events, 0, decoding.Events);
        work += reader.Health.Work;
        var rest = new SummingSink();
        Assert.True(reader.ReadCounting(new NoCounter[2], ref rest));
        Assert.Equal((once.Events, once.Sum), (rest.Events, rest.Sum));
        work += reader.Health.Work;
        var stacked = new StackedSink();
        Assert.True(reader.ReadWithStacks(ref stacked));
        work += reader.Health.Work;
        foreach (int cpu in reader.Cpus)
        {
            var counting = new SummingSink();
            Assert.True(reader.ReadCpu(cpu, ref counting));
            byCpu += counting.Events;
        }

        Assert.Equal(once.Events, byCpu);
        return work;
    }

    private static void AssertInRange(TraceHealth health, long fileBytes) =>
        Assert.All(health.Damage, damage => Assert.InRange(damage.FileOffset, 0, fileBytes));

    private static long Held(long before, EtlReader reader, long fileBytes)
    {
        long held = GC.GetTotalMemory(forceFullCollection: false) - before;
        if (held > FreeHeldBytes + (HeldOfAByte * fileBytes))
        {
            held = GC.GetTotalMemory(forceFullCollection: true) - before;
        }

        GC.KeepAlive(reader);
        return held;
    }

    /// <summary>
    /// Of a sound file a pipe gives the same (InputTests). Behind damage they may go on at different places, because a pipe can't go back
    /// to look again; but they agree on the header, and what a pipe gives is bounded too.
    /// </summary>
    private static long ReadPipe(byte[] file, bool hasHeader, bool isSpooled)
    {
        using EtlReader pipe = EtlReader.Open(new ForwardStream(file, chunk: 5000));
        var sink = new DecodingSink();
        Assert.True(pipe.Read(isSpooled ? EtlOrder.Time : EtlOrder.File, ref sink));
        Assert.Equal(hasHeader, pipe.HasHeader);
        AssertInRange(pipe.Health, file.Length);
        AssertBounded(sink, file.Length);
        return pipe.Health.Work;
    }

    /// <summary>8 bytes are the least that an event takes; a compressed buffer may hold 16 MiB of them.</summary>
    private static void AssertBounded(DecodingSink sink, long fileBytes) =>
        Assert.InRange(sink.Events, 0, (fileBytes / 8) + (sink.Buffers * (16L * 1024 * 1024 / 8)));

    private readonly struct NoCounter : IEtlEventCounter
    {
        public bool TryCount(scoped in EtlEvent traceEvent) => false;
    }

    private struct StackedSink : IStackedEventSink
    {
        public long Frames { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack)
        {
            Frames += stack.FrameCount;
            return true;
        }
    }

    /// <summary>Adds up what it gets; the sum does not depend on the order.</summary>
    private struct SummingSink : IEtlEventSink
    {
        public long Events { get; private set; }

        public ulong Sum { get; private set; }

        public static ulong Term(in EtlEvent traceEvent)
        {
            ulong term = unchecked(((ulong)traceEvent.BufferOffset * 31) + ((ulong)traceEvent.TimestampTicks * 131)
                + ((ulong)traceEvent.Record.Length * 7) + ((ulong)traceEvent.Cpu * 8191) + traceEvent.Record[^1]);
            return unchecked(term * 0x9E37_79B9_7F4A_7C15);
        }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Events++;
            Sum = unchecked(Sum + Term(traceEvent));
            return true;
        }
    }

    private sealed class DecodingSink : IEtlEventSink
    {
        private readonly EventDecoder _decoder = new();
        private readonly CountingFields _fields = new();
        private long _buffer = -1;

        public long Events { get; private set; }

        public long Buffers { get; private set; }

        public ulong Sum { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Events++;
            Buffers += traceEvent.BufferOffset != _buffer ? 1 : 0;
            _buffer = traceEvent.BufferOffset;
            Sum = unchecked(Sum + SummingSink.Term(traceEvent));
            _ = EtlEventHeader.Of(traceEvent);
            KernelRecordCatalog.Find(traceEvent, out _, out _)?.WriteFields(traceEvent, _fields);
            _decoder.Learn(traceEvent);
            if (_decoder.TryDescribe(traceEvent, out _))
            {
                _decoder.WriteFields(traceEvent, _fields);
            }

            return true;
        }
    }

    private sealed class CountingFields : IFieldSink
    {
        private long _count;
        private int _depth;

        public void Field(string name, in FieldValue value) => _count += name.Length + value.ToString().Length;

        public void BeginStruct(string name) => _depth++;

        public void EndStruct() => _depth--;

        public void BeginArray(string name) => _depth++;

        public void EndArray() => _depth--;
    }
}
