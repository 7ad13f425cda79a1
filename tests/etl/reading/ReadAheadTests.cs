using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Etl.Tests.Reading;

/// <summary>Reading ahead gives what reading by time gives, less the stacks that nobody asked for.</summary>
public class ReadAheadTests
{
    public static TheoryData<string> Files() => [.. Selection.Some(RepositoryFiles.InCorpus("*.etl"), 1, parts: 3)];

    [Theory]
    [MemberData(nameof(Files))]
    public void Real_files_lose_only_the_stacks_of_other_events(string file) =>
        AssertOnlyStacksAreLeftOut(File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file)));

    [Fact]
    public void Random_files_lose_only_the_stacks_of_other_events()
    {
        Gen<TraceShape> shapes =
            from cpus in Gen.Choose(1, 12)
            from kb in Gen.Elements(2, 4, 64)
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
                Inversions = seed % 2 == 0,
                Noise = seed % 3 == 0,
            };
        Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(Selection.Cases(60)),
            Prop.ForAll(shapes.ToArbitrary(), shape => AssertOnlyStacksAreLeftOut(WrittenTrace.Of(shape))));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(7)]
    public void A_sink_that_wants_no_more_is_not_called_again(int threads)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(WrittenTrace.Of(new TraceShape { Cpus = 5, Events = 2000 })));
        reader.Threads = threads;
        foreach (int wanted in (int[])[1, 2, 100, 1999])
        {
            var sink = new CountingSink(wanted, Failure: null);
            Assert.False(reader.ReadAhead(ref sink));
            Assert.Equal(wanted, sink.Calls);
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(7)]
    public void What_a_sink_throws_arrives_as_it_was_thrown(int threads)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(WrittenTrace.Of(new TraceShape { Cpus = 5, Events = 2000 })));
        reader.Threads = threads;
        var sink = new CountingSink(100, new InvalidDataException("enough"));
        Assert.Equal("enough", Assert.Throws<InvalidDataException>(() => reader.ReadAhead(ref sink)).Message);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(7)]
    public void What_the_storage_throws_on_another_thread_arrives_as_it_was_thrown(int threads)
    {
        var storage = new FailingStream(WrittenTrace.Of(new TraceShape { Cpus = 5, Events = 20_000 }));
        using EtlReader reader = EtlReader.Open(storage);
        reader.Threads = threads;
        Assert.NotEmpty(reader.Cpus);
        storage.Fails = true;
        var sink = new CountingSink(int.MaxValue, Failure: null);
        Assert.Equal("gone", Assert.Throws<IOException>(() => reader.ReadAhead(ref sink)).Message);
        Assert.Equal("gone", Assert.Throws<IOException>(() => reader.Read(EtlOrder.Time, ref sink)).Message);
        storage.Fails = false;
        var whole = new KeepingSink();
        Assert.True(reader.Read(EtlOrder.Time, ref whole));
        Assert.NotEmpty(whole.Events);
    }

    [Fact]
    public void Less_than_one_thread_is_refused()
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(WrittenTrace.Of(new TraceShape { Cpus = 1, Events = 1 })));
        Assert.Throws<ArgumentOutOfRangeException>(() => reader.Threads = 0);
        Assert.Equal(Environment.ProcessorCount, reader.Threads);
    }

    private static bool AssertOnlyStacksAreLeftOut(byte[] file)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Threads = 1;
        List<ReadEvent> all = ReadEvents.Of(reader, EtlOrder.Time);
        string health = ReadEvents.Text(reader.Health);
        var sink = new KeepingSink();
        Assert.True(reader.ReadAhead(ref sink, KernelHook.SampledProfile));
        Assert.Equal(health, ReadEvents.Text(reader.Health));
        foreach (int threads in (int[])[2, 7])
        {
            reader.Threads = threads;
            Assert.Equal(all, ReadEvents.Of(reader, EtlOrder.Time));
            Assert.Equal(health, ReadEvents.Text(reader.Health));
            var other = new KeepingSink();
            Assert.True(reader.ReadAhead(ref other, KernelHook.SampledProfile));
            Assert.Equal(sink.Events, other.Events);
            Assert.Equal(health, ReadEvents.Text(reader.Health));
        }

        var samples = all.Where(read => HookOf(read) == KernelHook.SampledProfile).Select(read => (read.Cpu, read.Ticks)).ToHashSet();
        int kept = 0;
        foreach (ReadEvent read in all)
        {
            if (kept < sink.Events.Count && sink.Events[kept] == read)
            {
                kept++;
                continue;
            }

            Assert.True(HookOf(read) is KernelHook.Stack or KernelHook.StackKernelKey, $"{read} was left out");
            Assert.DoesNotContain((read.Cpu, BitConverter.ToInt64(Convert.FromBase64String(read.Record), 16)), samples);
        }

        Assert.Equal(sink.Events.Count, kept);
        return true;
    }

    private static ushort HookOf(ReadEvent read) =>
        EtlEvent.TryRead(Convert.FromBase64String(read.Record), 0, 0, out EtlEvent traceEvent) ? traceEvent.HookId : (ushort)0;

    private sealed record CountingSink(int Wanted, Exception? Failure) : IEtlEventSink
    {
        public int Calls { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent) =>
            ++Calls < Wanted || (Failure is null ? false : throw Failure);
    }

    internal sealed class FailingStream(byte[] bytes) : MemoryStream(bytes)
    {
        public bool Fails { get; set; }

        public override int Read(Span<byte> buffer) => Fails && Position > 100_000 ? throw new IOException("gone") : base.Read(buffer);
    }
}
