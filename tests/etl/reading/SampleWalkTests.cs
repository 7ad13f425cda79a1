namespace Tracer.Etl.Tests.Reading;

/// <summary>A sample of a trace holds all events of the times that it says, and not many more.</summary>
public class SampleWalkTests
{
    [Theory]
    [InlineData(1, 3, false)]
    [InlineData(4, 4, false)]
    [InlineData(4, 16, true)]
    public void Of_the_times_of_a_sample_no_event_is_missing(int cpus, int stretches, bool isUneven)
    {
        for (int seed = 1; seed <= 40; seed++)
        {
            byte[] file = WrittenTrace.Of(new TraceShape { Cpus = cpus, Events = 6000, Seed = seed, Uneven = isUneven });
            using EtlReader reader = EtlReader.Open(new MemoryStream(file));
            var sink = new KeepingSink();
            SampledTimes times = reader.ReadSample(stretches, file.Length / 4, ref sink)!.Value;
            Assert.False(times.IsWhole);
            HashSet<ReadEvent> given = [.. sink.Events];
            ReadEvent[] all = [.. ReadEvents.Of(file, EtlOrder.File)];
            ReadEvent[] held = [.. all.Where(one => times.Holds(one.Ticks))];
            Assert.NotEmpty(held);
            Assert.All(held, one => Assert.True(given.Contains(one), $"seed {seed}: CPU {one.Cpu} at {one.Ticks} of {times}"));
            Assert.InRange(given.Count, 1, all.Length - 1);
            long[] starts = [.. times.Starts()];
            Assert.Equal(stretches, starts.Length);
            Assert.All(starts, start => Assert.True(times.Holds(start + 1)));
        }
    }

    [Fact]
    public void What_is_small_enough_is_given_whole()
    {
        byte[] file = WrittenTrace.Of(new TraceShape { Events = 500 });
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        var sink = new KeepingSink();
        SampledTimes times = reader.ReadSample(16, file.Length, ref sink)!.Value;
        Assert.True(times is { IsWhole: true } && times.Holds(long.MaxValue));
        Assert.Equal(ReadEvents.Of(file, EtlOrder.File).Count, sink.Events.Count);
    }

    /// <summary>However far away a time is that nothing supports, no more is made of it.</summary>
    [Fact]
    public void A_time_behind_the_sample_is_not_of_it()
    {
        var times = new SampledTimes(1_000, 100, 30, 4);
        Assert.Equal([1_000L, 1_100L, 1_200L, 1_300L], times.Starts());
        Assert.Equal(
            [false, true, true, false, true, true, false, false],
            new long[] { 999, 1_000, 1_029, 1_030, 1_329, 1_300, 1_400, long.MaxValue - 7 }.Select(times.Holds));
    }
}
