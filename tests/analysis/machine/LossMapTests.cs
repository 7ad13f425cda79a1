using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>Whether records are missing at a time is what a walk over all losses finds.</summary>
public class LossMapTests
{
    [Fact]
    public void Losses_are_found_however_they_came_and_whenever_it_is_asked()
    {
        var random = new Random(9);
        for (int round = 0; round < 300; round++)
        {
            var map = new LossMap();
            List<(int Cpu, long From, long To)> all = [];
            for (int step = 0; step < 60; step++)
            {
                int cpu = random.Next(-1, 3);
                long from = random.Next(100);
                long to = from + (random.Next(4) == 0 ? 1_000 : random.Next(6));
                if (random.Next(3) > 0)
                {
                    map.AddBroken(cpu, from, to);
                    all.Add((cpu, from, to));
                    continue;
                }

                Assert.Equal(all.Exists(loss => loss.From < to && loss.To > from), map.OverlapsAny(from, to));
                Assert.Equal(
                    all.Exists(loss => loss.From < to && loss.To > from && (loss.Cpu < 0 || loss.Cpu == cpu)),
                    map.Overlaps(cpu, from, to));
            }

            Assert.Equal(all.Count, map.Count);
            Assert.Equal(all.Select(loss => loss.From).Order(), map.InOrder().Select(loss => loss.FromTicks));
        }
    }

    /// <summary>A loss that ends when a time begins, or begins when it ends, is none of it.</summary>
    [Theory]
    [InlineData(10, 20, false)]
    [InlineData(10, 21, true)]
    [InlineData(30, 40, false)]
    [InlineData(29, 40, true)]
    public void A_loss_beside_a_time_is_not_in_it(long from, long to, bool isIn)
    {
        var map = new LossMap();
        map.Add(1, from, to);
        Assert.Equal((isIn, isIn, false), (map.OverlapsAny(20, 30), map.Overlaps(1, 20, 30), map.Overlaps(0, 20, 30)));
    }
}
