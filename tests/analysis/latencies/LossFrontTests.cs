using Tracer.Analysis.Latencies;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Latencies;

public class LossFrontTests
{
    [Fact]
    public void It_answers_as_the_map_does()
    {
        var random = new Random(11);
        var map = new LossMap();
        for (int i = 0; i < 200; i++)
        {
            long from = random.Next(10_000);
            map.Add(random.Next(-1, 4), from, from + random.Next(1, 60));
        }

        var front = new LossFront(map, 4);
        for (long now = 0; now < 11_000; now += random.Next(1, 7))
        {
            front.Reach(now);
            long from = now - random.Next(0, 200);
            int cpu = random.Next(4);
            Assert.Equal(map.Overlaps(cpu, from, now), front.HasSince(cpu, from));
        }
    }

    [Fact]
    public void What_the_reading_finds_counts_from_then_on()
    {
        var front = new LossFront(new LossMap(), 2);
        front.Add(1, 100);
        Assert.True(front.HasSince(1, 99));
        Assert.False(front.HasSince(1, 100));
        Assert.False(front.HasSince(0, 0));
        front.Add(-1, 200);
        Assert.True(front.HasSince(0, 150));
    }
}
