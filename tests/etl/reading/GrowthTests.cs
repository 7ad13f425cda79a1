using Tracer.Adversary;
using Tracer.Etl.Decoding;
using Tracer.Etl.Stacks;

namespace Tracer.Etl.Tests.Reading;

/// <summary>
/// Twice the trace costs twice the work at most, whoever made it: memory taken, work done and text given are linear in the bytes of each
/// hostile family. Times are left to bench/limits.md.
/// </summary>
[Collection(Alone.Name)]
[Trait("Speed", "slow")]
public class GrowthTests
{
    /// <summary>Twice the size may cost this many times as much more; a quadratic cost would be four times.</summary>
    private const double MostGrowth = 2.6;

    /// <summary>
    /// What may differ by chance: tables that double, a collection's lists; and where buffers claim the most that one may have, a block for
    /// one of them, because a thread that reads ahead may take the next before the last is given back.
    /// </summary>
    private const long FreeBytes = 24 * 1024 * 1024;
    private const long FreeBytesOfBombs = FreeBytes + (64 * 1024 * 1024);

    /// <summary>
    /// Units of work for each byte, all orders together: each looks at a byte a few times, and decompression makes more of it.
    /// </summary>
    private const long WorkOfAByte = 400;
    private const long FreeWork = 10L * 256 * 1024 * 1024;

    /// <summary>Characters of names and text that are given for each byte.</summary>
    private const long CharactersOfAByte = 160;
    private const long FreeCharacters = 8192;

    public static TheoryData<string> Families() => [.. ReadingFamilies.All.Select(family => family.Name)];

    /// <summary>One of three by default: each is read in all ways for three sizes.</summary>
    public static TheoryData<string> Some() => [.. Selection.Some(ReadingFamilies.All.Select(family => family.Name), 1, parts: 3)];

    [Theory]
    [MemberData(nameof(Some))]
    public void Cost_is_linear_in_the_size(string name)
    {
        AdversaryFamily family = ReadingFamilies.Find(name)!;
        bool isBomb = name.StartsWith("bombs", StringComparison.Ordinal);
        int bytes = isBomb ? 700 : 96 * 1024;
        Measure(family.Make(bytes)); // Compiles, and makes what is made once.
        byte[][] files = [family.Make(bytes), family.Make(2 * bytes), family.Make(4 * bytes)];
        Cost[] costs = [.. files.Select(Measure)];
        for (int again = 0; again < 2 && !IsLinear(costs, cost => cost.Allocated, isBomb ? FreeBytesOfBombs : FreeBytes); again++)
        {
            // On a busy machine more blocks are in use at once than the reader needs: what it needs is the least of a few times.
            costs = [.. files.Zip(costs).Select(one =>
                one.Second with { Allocated = Math.Min(one.Second.Allocated, Measure(one.First).Allocated) })];
        }

        Assert.True(IsLinear(costs, cost => cost.Allocated, isBomb ? FreeBytesOfBombs : FreeBytes), $"allocated: {Text(costs)}");
        Assert.True(IsLinear(costs, cost => cost.Work, 64 * 1024), $"work: {Text(costs)}");
        Assert.True(IsLinear(costs, cost => cost.BytesRead, 4 * 1024 * 1024), $"bytes read: {Text(costs)}");
        Assert.True(IsLinear(costs, cost => cost.Characters, 64 * 1024), $"characters: {Text(costs)}");
        foreach ((byte[] file, Cost cost) in files.Zip(costs))
        {
            Assert.InRange(cost.Work, 0, FreeWork + (WorkOfAByte * file.Length));
            Assert.InRange(cost.Characters, 0, ((cost.Events + 1) * FreeCharacters) + (CharactersOfAByte * cost.EventBytes));
        }
    }

    [Theory]
    [MemberData(nameof(Families))]
    public void A_sound_file_is_read_whole_however_odd_it_is(string name)
    {
        AdversaryFamily family = ReadingFamilies.Find(name)!;
        if (!family.IsSound)
        {
            return;
        }

        byte[] file = family.Make(200_000);
        long? events = null;
        foreach (EtlOrder order in Enum.GetValues<EtlOrder>())
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(file));
            var sink = new CostSink(new EventDecoder());
            Assert.True(reader.Read(order, ref sink));
            Assert.Empty(reader.Health.Damage);
            Assert.Equal(0, reader.Health[HealthCounter.MissingBuffers]);
            Assert.Equal(events ??= sink.Events, sink.Events);
            Assert.True(order != EtlOrder.Time || sink.IsOrdered, "not by time");
        }
    }

    /// <summary>A session that logs little: memory follows the bytes of its events, not the number of its buffers.</summary>
    [Fact]
    public void Reading_ahead_holds_little_of_buffers_that_hold_little()
    {
        byte[] file = ReadingFamilies.Find("tiny-buffers")!.Make(1_456_000);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        var sink = new HeapSink { Before = GC.GetTotalMemory(forceFullCollection: true) };
        Assert.True(reader.ReadAhead(ref sink, 0x0F2E));
        Assert.Equal(14_001, sink.Events);
        Assert.InRange(sink.Most, 0, 16 * 1024 * 1024);
    }

    [Theory]
    [InlineData("bombs")]
    [InlineData("bombs-300-cpus")]
    [InlineData("bombs-of-events")]
    public void Little_is_held_of_buffers_that_become_large(string name)
    {
        byte[] file = ReadingFamilies.Find(name)!.Make(name == "bombs-300-cpus" ? 27_000 : 9000);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        foreach (EtlOrder order in (EtlOrder[])[EtlOrder.Time, EtlOrder.Any])
        {
            var sink = new HeapSink { Before = GC.GetTotalMemory(forceFullCollection: true) };
            Assert.True(order == EtlOrder.Time ? reader.ReadAhead(ref sink, 0x0F2E) : reader.Read(order, ref sink));
            Assert.InRange(sink.Most, 0, 200 * 1024 * 1024);
        }

        // Beyond 256 MiB it is told which buffers were left out.
        Assert.Contains(reader.Health.Damage, damage => damage.Reason.Contains("as much as is allowed", StringComparison.Ordinal));
        Assert.NotEmpty(reader.Losses);
    }

    /// <summary>The increase from the second to the third size is at most that from the first to the second, so many times.</summary>
    private static bool IsLinear(Cost[] costs, Func<Cost, long> of, long free) =>
        of(costs[2]) - of(costs[1]) <= (MostGrowth * Math.Max(0, of(costs[1]) - of(costs[0]))) + free;

    private static string Text(Cost[] costs) => string.Join(
        "; ",
        costs.Select(cost => string.Create(
            CultureInfo.InvariantCulture,
            $"allocated {cost.Allocated}, work {cost.Work}, bytes read {cost.BytesRead}, "
                + $"events {cost.Events}, characters {cost.Characters}")));

    /// <summary>Reads in every way: each order, with stacks, ahead, counting, and as a pipe; decodes once.</summary>
    private static Cost Measure(byte[] file)
    {
        long before = GC.GetTotalAllocatedBytes(precise: true);
        long work = 0;
        long read = 0;
        using EtlReader reader = EtlReader.Open(new MemoryStream(file, writable: false));
        var decoder = new EventDecoder();
        var learning = new LearningSink(decoder);
        reader.Read(EtlOrder.File, ref learning);
        var cost = new CostSink(decoder);
        reader.Read(EtlOrder.File, ref cost);
        foreach (EtlOrder order in Enum.GetValues<EtlOrder>())
        {
            var one = new HeapSink();
            reader.Read(order, ref one);
            _ = reader.Losses.Count;
            work += reader.Health.Work;
            read += reader.BytesRead;
        }

        var ahead = new HeapSink();
        reader.ReadAhead(ref ahead, 0x0F2E);
        work += reader.Health.Work;
        var stacked = new StackedSink();
        reader.ReadWithStacks(ref stacked);
        work += reader.Health.Work;
        var rest = new HeapSink();
        reader.ReadCounting(new NoCounter[2], ref rest);
        work += reader.Health.Work;
        using EtlReader pipe = EtlReader.Open(new ForwardStream(file, 50_000));
        var piped = new HeapSink();
        pipe.Read(EtlOrder.File, ref piped);
        work += pipe.Health.Work;
        return new Cost(
            GC.GetTotalAllocatedBytes(precise: true) - before, work, read, cost.Events, cost.EventBytes, cost.Characters);
    }

    private readonly record struct Cost(long Allocated, long Work, long BytesRead, long Events, long EventBytes, long Characters);

    private readonly struct NoCounter : IEtlEventCounter
    {
        public bool TryCount(scoped in EtlEvent traceEvent) => false;
    }

    private readonly struct LearningSink(EventDecoder decoder) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            decoder.Learn(in traceEvent);
            return true;
        }
    }

    private struct StackedSink : IStackedEventSink
    {
        public long Events { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack)
        {
            Events++;
            return true;
        }
    }

    private struct CostSink(EventDecoder decoder) : IEtlEventSink
    {
        private readonly CharacterCount _fields = new();
        private long _names;
        private long _ticks = long.MinValue;

        public long Events { get; private set; }

        public long EventBytes { get; private set; }

        public bool IsOrdered { get; private set; } = true;

        public readonly long Characters => _names + _fields.Count;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Events++;
            EventBytes += traceEvent.Record.Length;
            IsOrdered &= traceEvent.TimestampTicks >= _ticks;
            _ticks = traceEvent.TimestampTicks;
            if (decoder.TryDescribe(in traceEvent, out EventSchema? schema))
            {
                _names += schema!.ProviderName.Length + schema.EventName.Length;
                decoder.WriteFields(in traceEvent, _fields);
            }

            return true;
        }
    }

    private sealed class CharacterCount : IFieldSink
    {
        public long Count { get; private set; }

        public void Field(string name, in FieldValue value) => Count += name.Length + value.ToString().Length;

        public void BeginStruct(string name) => Count += name.Length;

        public void EndStruct() => Count++;

        public void BeginArray(string name) => Count += name.Length;

        public void EndArray() => Count++;
    }

    /// <summary>Looks at the heap at times, after a collection.</summary>
    private struct HeapSink : IEtlEventSink
    {
        public long Before { get; init; }

        public long Events { get; private set; }

        public long Most { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (Before > 0 && ++Events % (Events < 20_000 ? 2_000 : 500_000) == 1)
            {
                Most = Math.Max(Most, GC.GetTotalMemory(forceFullCollection: true) - Before);
            }

            return true;
        }
    }
}
