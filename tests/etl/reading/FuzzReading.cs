using System.Diagnostics;
using Tracer.Etl.Decoding;
using Tracer.Etl.Kernel;

namespace Tracer.Etl.Tests.Reading;

/// <summary>Reads any bytes as a trace in every way there is, and asserts what must hold whatever they are.</summary>
internal static class FuzzReading
{
    public const double MaximumSeconds = 2;

    /// <summary>What reading may hold beyond the file itself: blocks of the largest buffer that the format allows, and tables.</summary>
    public const long MaximumHeldBytes = 64 * 1024 * 1024;

    /// <summary>Reads.</summary>
    /// <returns>Seconds taken, and heap bytes held when all had been read.</returns>
    public static (double Seconds, long HeldBytes) Read(byte[] file, bool isSpooled)
    {
        long before = GC.GetTotalMemory(forceFullCollection: false);
        var watch = Stopwatch.StartNew();
        long held = 0;
        try
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(file, writable: false));
            ReadAll(reader, file.Length);
            held = Held(before, reader);
            ReadPipe(file, reader.HasHeader, isSpooled);
        }
        catch (EtlFormatException refused)
        {
            Assert.DoesNotContain('\n', refused.Message);
            Assert.DoesNotContain("Exception", refused.Message, StringComparison.Ordinal);
        }

        double seconds = watch.Elapsed.TotalSeconds;
        Assert.InRange(seconds, 0, MaximumSeconds);
        Assert.InRange(held, long.MinValue, MaximumHeldBytes);
        return (seconds, held);
    }

    private static void ReadAll(EtlReader reader, long fileBytes)
    {
        var decoding = new DecodingSink();
        Assert.True(reader.Read(EtlOrder.File, ref decoding));
        AssertInRange(reader.Health, fileBytes);
        AssertBounded(decoding, fileBytes);
        string inFileOrder = ReadEvents.Text(reader.Health);
        foreach (EtlOrder order in Enum.GetValues<EtlOrder>())
        {
            var counting = new SummingSink();
            Assert.True(reader.Read(order, ref counting));
            Assert.True(
                (decoding.Events, decoding.Sum) == (counting.Events, counting.Sum),
                $"{order}: {counting.Events} events, by file {decoding.Events}\n{inFileOrder}\n{ReadEvents.Text(reader.Health)}");
            AssertInRange(reader.Health, fileBytes);
        }

        long byCpu = 0;
        Assert.All(reader.Losses, loss => Assert.True(loss.FromTicks <= loss.ToTicks));
        foreach (int cpu in reader.Cpus)
        {
            var counting = new SummingSink();
            Assert.True(reader.ReadCpu(cpu, ref counting));
            byCpu += counting.Events;
        }

        Assert.Equal(decoding.Events, byCpu);
    }

    private static void AssertInRange(TraceHealth health, long fileBytes) =>
        Assert.All(health.Damage, damage => Assert.InRange(damage.FileOffset, 0, fileBytes));

    private static long Held(long before, EtlReader reader)
    {
        long held = GC.GetTotalMemory(forceFullCollection: false) - before;
        if (held > MaximumHeldBytes)
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
    private static void ReadPipe(byte[] file, bool hasHeader, bool isSpooled)
    {
        using EtlReader pipe = EtlReader.Open(new ForwardStream(file, chunk: 5000));
        var sink = new DecodingSink();
        Assert.True(pipe.Read(isSpooled ? EtlOrder.Time : EtlOrder.File, ref sink));
        Assert.Equal(hasHeader, pipe.HasHeader);
        AssertInRange(pipe.Health, file.Length);
        AssertBounded(sink, file.Length);
    }

    /// <summary>8 bytes are the least that an event takes; a compressed buffer may hold 16 MiB of them.</summary>
    private static void AssertBounded(DecodingSink sink, long fileBytes) =>
        Assert.InRange(sink.Events, 0, (fileBytes / 8) + (sink.Buffers * (16L * 1024 * 1024 / 8)));

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

        public void Field(string name, in FieldValue value) => _count += name.Length;

        public void BeginStruct(string name) => _depth++;

        public void EndStruct() => _depth--;

        public void BeginArray(string name) => _depth++;

        public void EndArray() => _depth--;
    }
}
