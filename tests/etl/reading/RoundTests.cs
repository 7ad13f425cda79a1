namespace Tracer.Etl.Tests.Reading;

/// <summary>Events by rounds: CPU by CPU, and each round behind the one before it.</summary>
public class RoundTests
{
    [Theory]
    [InlineData(1, 1, false)]
    [InlineData(1, 2, false)]
    [InlineData(7, 1, true)]
    [InlineData(7, 3, true)]
    [InlineData(64, 2, true)]
    [InlineData(100_000, 1, false)]
    [InlineData(100_000, 3, true)]
    public void All_events_come_each_cpus_by_time_and_rounds_behind_each_other(int most, int threads, bool compress)
    {
        for (int seed = 1; seed <= 6; seed++)
        {
            var shape = new TraceShape
            {
                Cpus = 1 + seed,
                Events = 900,
                Seed = seed,
                Compress = compress,
                Inversions = seed % 2 == 0,
                RingBuffers = seed == 5 && !compress ? 9 : 0,
            };
            using EtlReader reader = EtlReader.Open(new MemoryStream(WrittenTrace.Of(shape)));
            reader.Threads = threads;
            List<ReadEvent> byTime = ReadEvents.Of(reader, EtlOrder.Time);
            string health = ReadEvents.Text(reader.Health);
            List<List<ReadEvent>> rounds = [];
            List<long> ends = [];
            Dictionary<int, List<ReadEvent>> lanes = [];
            Assert.True(reader.ReadRounds(
                cpu => new LaneSink(lanes[cpu] = []), end => EndRound(lanes, rounds, ends, end), [], most));
            Assert.Equal(health, ReadEvents.Text(reader.Health));
            Assert.Equal(long.MaxValue, ends[^1]);
            Assert.All(lanes, lane => Assert.Empty(lane.Value));
            List<ReadEvent> all = [.. rounds.SelectMany(round => round)];
            foreach (int cpu in reader.Cpus)
            {
                Assert.Equal(byTime.Where(read => read.Cpu == cpu), all.Where(read => read.Cpu == cpu));
            }

            Assert.Equal(byTime.Count, all.Count);
            for (int round = 0; round < ends.Count; round++)
            {
                AssertIsRound(rounds[round], round > 0 ? ends[round - 1] : long.MinValue, ends[round], most);
            }
        }
    }

    [Fact]
    public void A_round_has_room_for_an_event()
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(WrittenTrace.Of(new TraceShape { Cpus = 1, Events = 1 })));
        Assert.Throws<ArgumentOutOfRangeException>(() => reader.ReadRounds(_ => new LaneSink([]), _ => { }, [], 0));
    }

    private static void AssertIsRound(List<ReadEvent> round, long fromTicks, long untilTicks, int most)
    {
        // What is left over of an end's own time may have come with the round before.
        Assert.All(round, read => Assert.True(read.Ticks >= fromTicks && (read.Ticks < untilTicks || untilTicks == long.MaxValue)
            || read.Ticks == untilTicks, $"{read.Ticks} is not from {fromTicks} to {untilTicks}"));
        foreach (IGrouping<int, ReadEvent> ofCpu in round.GroupBy(read => read.Cpu))
        {
            Assert.True(ofCpu.Count() <= most || ofCpu.Select(read => read.Ticks).Distinct().Count() == 1, $"{ofCpu.Count()} of a CPU");
        }
    }

    private static void EndRound(
        Dictionary<int, List<ReadEvent>> lanes, List<List<ReadEvent>> rounds, List<long> ends, long end)
    {
        ends.Add(end);
        rounds.Add([.. lanes.Values.SelectMany(lane => lane)]);
        foreach (List<ReadEvent> lane in lanes.Values)
        {
            lane.Clear();
        }
    }

    private readonly record struct LaneSink(List<ReadEvent> Read) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Read.Add(new ReadEvent(
                traceEvent.Cpu, traceEvent.TimestampTicks, traceEvent.BufferOffset, Convert.ToBase64String(traceEvent.Record)));
            return true;
        }
    }
}
