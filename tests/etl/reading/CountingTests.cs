using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Etl.Tests.Reading;

/// <summary>Reading with counters on several threads gives each event once: to a counter, or as the file has them to the sink.</summary>
public class CountingTests
{
    public static TheoryData<string> Files() => [.. Selection.Some(RepositoryFiles.InCorpus("*.etl"), 2, parts: 3)];

    [Theory]
    [MemberData(nameof(Files))]
    public void Real_files_are_counted_whole(string file) =>
        AssertEachEventOnce(File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file)));

    [Fact]
    public void Random_files_are_counted_whole()
    {
        Gen<TraceShape> shapes =
            from cpus in Gen.Choose(1, 12)
            from kb in Gen.Elements(2, 64)
            from compress in Gen.Elements(false, true)
            from events in Gen.Choose(0, 3000)
            from seed in Gen.Choose(0, int.MaxValue - 1)
            select new TraceShape
            {
                Cpus = cpus,
                BufferBytes = kb * 1024,
                Compress = compress,
                Events = events,
                Seed = seed,
                Noise = seed % 3 == 0,
            };
        Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(Selection.Cases(60)),
            Prop.ForAll(shapes.ToArbitrary(), shape => AssertEachEventOnce(WrittenTrace.Of(shape))));
    }

    [Fact]
    public void Who_counts_what_follows_from_the_file_alone()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 3, Events = 300_000, BufferBytes = 64 * 1024 });
        long[] first = CountsOf(file);
        Every.Item(first, count => Assert.True(count > 0, "both threads have something to count"));
        foreach (int threads in (int[])[1, 2, 2, 2, 7])
        {
            Assert.Equal(first, CountsOf(file, threads));
        }
    }

    [Fact]
    public void A_counter_is_used_by_one_thread_at_a_time()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 3, Events = 300_000, BufferBytes = 64 * 1024 });
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Threads = 2;
        LoneCounter[] counters = [new LoneCounter(0), new LoneCounter(200)];
        var sink = new EndingSink { Wanted = int.MaxValue };
        Assert.True(reader.ReadCounting(counters, ref sink));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(7)]
    public void A_sink_that_wants_no_more_gets_no_more(int threads)
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 3, Events = 200_000, BufferBytes = 64 * 1024 });
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Threads = threads;
        EvenCounter[] counters = [new EvenCounter(), new EvenCounter()];
        var sink = new EndingSink { Wanted = 70_000 };
        Assert.False(reader.ReadCounting(counters, ref sink));
        Assert.Equal(0, sink.Wanted);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(7)]
    public void Storage_that_fails_is_told_to_the_caller(int threads)
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 3, Events = 200_000, BufferBytes = 64 * 1024 });
        var storage = new FailingStream(file);
        using EtlReader reader = EtlReader.Open(storage);
        _ = reader.Cpus; // The index is made while the storage still works.
        storage.FailsFrom = file.Length / 2;
        reader.Threads = threads;
        EvenCounter[] counters = [new EvenCounter(), new EvenCounter()];
        var sink = new EndingSink { Wanted = int.MaxValue };
        Assert.Equal("the disk is gone", Assert.Throws<IOException>(() => reader.ReadCounting(counters, ref sink)).Message);
    }

    private static long[] CountsOf(byte[] file, int threads = 2)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Threads = threads;
        EvenCounter[] counters = [new EvenCounter(), new EvenCounter()];
        var sink = new KeepingSink();
        Assert.True(reader.ReadCounting(counters, ref sink));
        return [.. counters.Select(counter => (long)counter.Counted.Count)];
    }

    private static bool AssertEachEventOnce(byte[] file)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        List<ReadEvent> all = ReadEvents.Of(reader, EtlOrder.File);
        ReadEvents.Of(reader, EtlOrder.Cpu);
        string health = ReadEvents.Text(reader.Health);
        EvenCounter[] counters = [new EvenCounter(), new EvenCounter(), new EvenCounter()];
        var sink = new KeepingSink();
        Assert.True(reader.ReadCounting(counters, ref sink));
        Assert.Equal(health, ReadEvents.Text(reader.Health));
        Assert.Equal(
            all.Where(read => read.Ticks % 2 == 0).Select(read => (read.Cpu, read.Ticks)).Order(),
            counters.SelectMany(counter => counter.Counted).Order());
        Assert.Equal(InOrder(all.Where(read => read.Ticks % 2 != 0)), InOrder(sink.Events));
        return true;
    }

    private static List<ReadEvent> InOrder(IEnumerable<ReadEvent> events) =>
        [.. events.OrderBy(read => read.BufferOffset).ThenBy(read => read.Ticks).ThenBy(read => read.Record, StringComparer.Ordinal)];

    /// <summary>Takes the events of even times.</summary>
    private readonly struct EvenCounter() : IEtlEventCounter
    {
        public List<(int Cpu, long Ticks)> Counted { get; } = [];

        public bool TryCount(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.TimestampTicks % 2 != 0)
            {
                return false;
            }

            Counted.Add((traceEvent.Cpu, traceEvent.TimestampTicks));
            return true;
        }
    }

    /// <summary>Takes all events, the first one slowly: the other thread has the time to come.</summary>
    private readonly struct LoneCounter(int milliseconds) : IEtlEventCounter
    {
        private readonly int[] _state = [0, milliseconds];

        public bool TryCount(scoped in EtlEvent traceEvent)
        {
            Assert.Equal(0, Interlocked.Exchange(ref _state[0], 1));
            if (_state[1] > 0)
            {
                Thread.Sleep(_state[1]);
                _state[1] = 0;
            }

            Assert.Equal(1, Interlocked.Exchange(ref _state[0], 0));
            return true;
        }
    }

    private struct EndingSink : IEtlEventSink
    {
        public int Wanted { get; set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Assert.True(Wanted > 0, "it is not called again");
            return --Wanted > 0;
        }
    }

    private sealed class FailingStream(byte[] bytes) : MemoryStream(bytes)
    {
        public int FailsFrom { get; set; } = int.MaxValue;

        public override int Read(Span<byte> buffer) =>
            Position >= FailsFrom ? throw new IOException("the disk is gone") : base.Read(buffer);
    }
}
