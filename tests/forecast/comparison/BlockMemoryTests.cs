namespace Tracer.Forecast.Tests;

/// <summary>How much blocks of time depend on each other, on series of which that is known.</summary>
public class BlockMemoryTests
{
    [Fact]
    public void Blocks_without_memory_count_in_full()
    {
        double[] inflations = [.. Enumerable.Range(0, 50).Select(seed =>
        {
            (double[] old, double[] now) = (Load(2 * seed, 30, 0), Load(2 * seed + 1, 30, 0));
            return BlockMemory.Of(old, now).Inflation(old, now);
        })];
        Assert.InRange(inflations.Average(), 1, 1.35);
        Assert.InRange(inflations.Count(one => one == 1), 15, 40);
    }

    /// <summary>The mean of n values that keep r of the last one varies as that of n (1 - r) / (1 + r): 19 times less at 0.9.</summary>
    [Theory]
    [InlineData(0.5, 2, 5)]
    [InlineData(0.9, 8, 40)]
    public void A_load_that_lasts_makes_blocks_count_for_less(double kept, double least, double most)
    {
        double[] inflations = [.. Enumerable.Range(0, 50).Select(seed =>
        {
            (double[] old, double[] now) = (Load(2 * seed, 60, kept), Load(2 * seed + 1, 60, kept));
            return BlockMemory.Of(old, now).Inflation(old, now);
        }).Order()];
        Assert.InRange(inflations[25], least, most);
    }

    [Fact]
    public void What_follows_a_load_in_part_is_alike_for_as_long()
    {
        double[] load = Load(1, 60, 0.9);
        double[] noise = Load(2, 60, 0);
        double[] value = [.. load.Zip(noise, (one, other) => one + 1.5 * other)];
        Assert.True(BlockMemory.Of(load).Inflation(value) > 1.5 * BlockMemory.None.Inflation(value));
    }

    [Fact]
    public void Few_blocks_and_ones_that_do_not_change_tell_nothing()
    {
        Assert.Equal(0, BlockMemory.Of([1, 2, 3, 4, 5]).Persistence);
        Assert.Equal(0, BlockMemory.Of([.. Enumerable.Repeat(7.0, 40)]).Persistence);
        Assert.Equal(1, BlockMemory.None.Inflation([1, 2, 1, 2, 1, 2, 1, 2]));
        Assert.Equal(0, BlockMemory.Of([1, 2, 1, 2, 1, 2, 1, 2]).Persistence);
    }

    [Fact]
    public void Dependent_blocks_widen_intervals_and_raise_chances()
    {
        CountedBlock[] old = [.. Load(3, 40, 0.9).Select(load => new CountedBlock(1, (long)(10 * Math.Exp(0.5 * load))))];
        CountedBlock[] now = [.. Load(4, 40, 0.9).Select(load => new CountedBlock(1, (long)(20 * Math.Exp(0.5 * load))))];
        Compared alone = RateComparison.Of(Shuffled(old), Shuffled(now));
        Compared inOrder = RateComparison.Of(old, now, new BlockMemory(0.9));
        Assert.Equal(alone.Ratio, inOrder.Ratio);
        Assert.True(inOrder.Low < alone.Low && inOrder.High > alone.High);
        Assert.True(inOrder.P > 5 * alone.P);
    }

    private static CountedBlock[] Shuffled(CountedBlock[] blocks)
    {
        CountedBlock[] mixed = [.. blocks];
        new Random(5).Shuffle(mixed);
        return mixed;
    }

    private static double[] Load(int seed, int blocks, double kept)
    {
        var random = new Random(seed + 1000);
        double load = Normal();
        return [.. Enumerable.Range(0, blocks).Select(_ => load = kept * load + Math.Sqrt(1 - kept * kept) * Normal())];

        double Normal() => Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
    }
}
