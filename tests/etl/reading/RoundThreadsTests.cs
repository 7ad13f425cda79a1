namespace Tracer.Etl.Tests.Reading;

/// <summary>Rounds hold the same with any number of threads, whichever is faster; and what goes wrong in one arrives once.</summary>
public class RoundThreadsTests
{
    private static readonly int[] Threads = [1, 2, 3, 7];

    public static TheoryData<int> Numbers() => [.. Threads];

    [Theory]
    [InlineData(1, false, false)]
    [InlineData(2, true, false)]
    [InlineData(6, false, false)]
    [InlineData(6, true, true)]
    [InlineData(256, false, true)]
    public void Rounds_are_the_same_with_any_number_of_threads_and_any_delays(int cpus, bool compress, bool uneven)
    {
        byte[] file = WrittenTrace.Of(new TraceShape
        {
            Cpus = cpus,
            Events = 6_000,
            Seed = cpus,
            Compress = compress,
            Uneven = uneven,
            Inversions = true,
        });
        AssertSame(file, 60);
        AssertSame(file, 100_000);
    }

    /// <summary>Buffers of one CPU are gone in the middle.</summary>
    [Fact]
    public void Lost_buffers_in_one_lane_change_nothing_of_that()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Cpus = 4, Events = 6_000, Seed = 3 });
        long[] buffers = [.. ReadEvents.Of(file, EtlOrder.Time).Where(read => read.Cpu == 2).Select(read => read.BufferOffset).Distinct()];
        Assert.True(buffers.Length > 6);
        foreach (long lost in buffers.AsSpan(2, 3))
        {
            file.AsSpan((int)lost + 80, 3_000).Fill(0xA5);
        }

        AssertSame(file, 60);
        file.AsSpan((int)buffers[5], 4_096).Clear();
        AssertSame(file, 60);
    }

    [Theory]
    [MemberData(nameof(Numbers))]
    public void What_one_lane_throws_arrives_as_it_was_thrown_and_its_round_does_not_end(int threads)
    {
        using EtlReader reader = Read(threads, new TraceShape { Cpus = 5, Events = 3_000 });
        int ends = 0;
        Exception thrown = Assert.Throws<InvalidDataException>(() => reader.ReadRounds(
            cpu => new LaneSink(cpu == 3 ? _ => throw new InvalidDataException("enough") : _ => true), _ => ends++, [], 20));
        Assert.Equal(("enough", 0), (thrown.Message, ends));
        AssertReadsOn(reader);
    }

    [Theory]
    [MemberData(nameof(Numbers))]
    public void What_the_end_of_a_round_throws_ends_the_reading(int threads)
    {
        using EtlReader reader = Read(threads, new TraceShape { Cpus = 5, Events = 3_000 });
        int ends = 0;
        Assert.Throws<OperationCanceledException>(() => reader.ReadRounds(
            _ => new LaneSink(_ => true), _ => throw new OperationCanceledException($"after round {++ends}"), [], 20));
        Assert.Equal(1, ends);
        AssertReadsOn(reader);
    }

    /// <summary>In the last part of what follows, and in one that a later part waits for.</summary>
    [Theory]
    [MemberData(nameof(Numbers))]
    public void What_follows_on_a_round_ends_the_reading_with_what_it_throws(int threads)
    {
        using EtlReader reader = Read(threads, new TraceShape { Cpus = 5, Events = 3_000 });
        int ends = 0;
        Assert.Throws<InvalidDataException>(() => reader.ReadRounds(
            _ => new LaneSink(_ => true), _ => ends++, [() => { }, () => throw new InvalidDataException($"after round {ends}")], 20));
        Assert.Equal(1, ends);
        AssertReadsOn(reader);
        using var begins = new ManualResetEventSlim();
        (ends, int later) = (0, 0);
        Assert.Throws<InvalidDataException>(() => reader.ReadRounds(
            _ => new LaneSink(_ => true),
            _ => ends++,
            [
                () =>
                {
                    begins.Set();
                    throw new InvalidDataException($"after round {ends}");
                },
                () => later += begins.Wait(10_000) ? 1 : 100,
            ],
            20));
        Assert.Equal(1, ends);
        Assert.InRange(later, 0, 1);
        AssertReadsOn(reader);
    }

    [Fact]
    public void A_lane_that_wants_no_more_ends_the_reading_with_its_round()
    {
        HashSet<int> ends = [];
        foreach (int threads in Threads)
        {
            using EtlReader reader = Read(threads, new TraceShape { Cpus = 5, Events = 3_000 });
            (int given, int ended) = (0, 0);
            Assert.False(reader.ReadRounds(cpu => new LaneSink(_ => cpu != 3 || ++given < 30), _ => ended++, [], 20));
            Assert.Equal(30, given);
            ends.Add(ended);
        }

        Assert.True(Assert.Single(ends) > 0);
    }

    [Theory]
    [MemberData(nameof(Numbers))]
    public void What_the_storage_throws_arrives_as_it_was_thrown(int threads)
    {
        var storage = new ReadAheadTests.FailingStream(WrittenTrace.Of(new TraceShape { Cpus = 5, Events = 20_000 }));
        using EtlReader reader = EtlReader.Open(storage);
        reader.Threads = threads;
        Assert.NotEmpty(reader.Cpus);
        storage.Fails = true;
        Exception thrown = Assert.Throws<IOException>(() => reader.ReadRounds(_ => new LaneSink(_ => true), _ => { }, [], 20));
        Assert.Equal("gone", thrown.Message);
        storage.Fails = false;
        AssertReadsOn(reader);
    }

    private static EtlReader Read(int threads, TraceShape shape)
    {
        EtlReader reader = EtlReader.Open(new MemoryStream(WrittenTrace.Of(shape)));
        reader.Threads = threads;
        return reader;
    }

    private static void AssertReadsOn(EtlReader reader) => Assert.NotEmpty(ReadEvents.Of(reader, EtlOrder.Time));

    private static void AssertSame(byte[] file, int most)
    {
        string[] one = Rounds(file, 1, most, delays: null);
        Assert.Contains(one, line => line.StartsWith('0'));
        foreach (int threads in Threads)
        {
            Assert.Equal(one, Rounds(file, threads, most, new Random(threads)));
        }
    }

    /// <summary>What the rounds hold, and where they end.</summary>
    /// <param name="delays">Draws how long lanes and the ends of rounds take; null for no time.</param>
    private static string[] Rounds(byte[] file, int threads, int most, Random? delays)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        reader.Threads = threads;
        SortedDictionary<int, List<string>> lanes = [];
        List<string> all = [];
        List<long> toFollow = [];
        List<long> followed = [];
        int begun = 0;
        Assert.True(reader.ReadRounds(
            cpu =>
            {
                List<string> read = lanes[cpu] = [];
                Random? own = delays is null ? null : new Random(delays.Next());
                return new LaneSink(line =>
                {
                    read.Add($"{cpu} {line}");
                    Delay(own);
                    return true;
                });
            },
            end =>
            {
                Delay(delays);
                foreach (List<string> read in lanes.Values)
                {
                    all.AddRange(read);
                    read.Clear();
                }

                all.Add($"until {end}");
                toFollow.Add(end);
            },
            [
                () =>
                {
                    Delay(delays is null ? null : new Random(followed.Count));
                    Volatile.Write(ref begun, begun + 1);
                },
                () =>
                {
                    SpinWait.SpinUntil(() => Volatile.Read(ref begun) > followed.Count); // The later part may wait for the earlier one.
                    Delay(delays is null ? null : new Random(-followed.Count));
                    followed.Add(Assert.Single(toFollow));
                    toFollow.Clear();
                },
            ],
            most));
        Assert.Equal(begun, followed.Count);
        Assert.Empty(toFollow);
        all.AddRange(followed.Select(end => $"followed {end}"));
        all.Add(ReadEvents.Text(reader.Health));
        return [.. all];
    }

    private static void Delay(Random? random)
    {
        switch (random?.Next(200))
        {
            case 0:
                Thread.Yield();
                break;
            case 1:
                Thread.SpinWait(random.Next(20_000));
                break;
        }
    }

    private readonly record struct LaneSink(Func<string, bool> Take) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent) =>
            Take($"{traceEvent.TimestampTicks} {traceEvent.BufferOffset} {Convert.ToBase64String(traceEvent.Record)}");
    }
}
