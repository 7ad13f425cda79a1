using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Etl.Tests.Reading;

/// <summary>The buffers that a first reading chose give all events from the chosen time on, in the order of the whole.</summary>
[Trait("Speed", "slow")]
public class SelectionTests
{
    public static TheoryData<string> Files() => [.. Selection.Some(RepositoryFiles.InCorpus("*.etl"), 8)];

    [Theory]
    [MemberData(nameof(Files))]
    public void Real_files_give_what_is_chosen_in_the_order_of_the_whole(string file) =>
        AssertSelection(File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file)));

    [Fact]
    public void Random_files_give_what_is_chosen_in_the_order_of_the_whole()
    {
        Gen<TraceShape> shapes =
            from cpus in Gen.Elements(1, 2, 5, 64)
            from kb in Gen.Elements(2, 4, 16)
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
            };
        Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(Selection.Cases(60)),
            Prop.ForAll(shapes.ToArbitrary(), shape => AssertSelection(WrittenTrace.Of(shape))));
    }

    [Fact]
    public void Buffers_before_the_time_are_not_opened()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 2, Events = 20_000 });
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        List<ReadEvent> all = ReadEvents.Of(reader, EtlOrder.Time);
        BufferSelection last = Choose(reader, all[^10].Ticks);
        Assert.InRange(last.Count, 1, 4);
        var sink = new KeepingSink();
        Assert.True(reader.Read(last, ref sink));
        Assert.InRange(reader.BytesRead, 1, 4 * 4096);
    }

    [Fact]
    public void What_several_threads_chose_is_chosen()
    {
        var one = new BufferSelection(0);
        var other = new BufferSelection(0);
        using EtlReader reader = EtlReader.Open(new MemoryStream(WrittenTrace.Of(new TraceShape())));
        var sink = new Choosing(other);
        Assert.True(reader.Read(EtlOrder.Any, ref sink));
        one.Add(other);
        Assert.Equal(other.Count, one.Count);
        Assert.NotEqual(0, one.Count);
    }

    private static void AssertSelection(byte[] file)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        List<ReadEvent> all = ReadEvents.Of(reader, EtlOrder.Time);
        foreach (int at in new[] { 0, all.Count / 3, all.Count - 1 })
        {
            long from = all.Count == 0 ? 0 : all[at].Ticks;
            BufferSelection chosen = Choose(reader, from);
            var sink = new KeepingSink();
            Assert.True(reader.Read(chosen, ref sink));
            Assert.Equal(all.Where(read => read.Ticks >= from), sink.Events.Where(read => read.Ticks >= from));
        }
    }

    private static BufferSelection Choose(EtlReader reader, long from)
    {
        var chosen = new BufferSelection(from);
        var sink = new Choosing(chosen);
        Assert.True(reader.Read(EtlOrder.Any, ref sink));
        return chosen;
    }

    private readonly struct Choosing(BufferSelection chosen) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            chosen.Look(in traceEvent);
            return true;
        }
    }
}
