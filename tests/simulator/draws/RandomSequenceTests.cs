using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Tests;

public class RandomSequenceTests
{
    /// <summary>The published outputs of SplitMix64 for the seed 1234567.</summary>
    [Fact]
    public void It_gives_the_published_numbers()
    {
        var random = new RandomSequence(1234567);
        Assert.Equal(
            [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821],
            Enumerable.Range(0, 5).Select(_ => random.NextBits()));
    }

    [Fact]
    public void Sources_of_one_seed_have_sequences_of_their_own_that_stay()
    {
        Assert.Equal(new RandomSequence(7, "nic").NextBits(), new RandomSequence(7, "nic").NextBits());
        Assert.NotEqual(new RandomSequence(7, "nic").NextBits(), new RandomSequence(7, "disk").NextBits());
        Assert.NotEqual(new RandomSequence(7, "nic").NextBits(), new RandomSequence(8, "nic").NextBits());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(6)]
    [InlineData(1L << 40)]
    [InlineData(long.MaxValue)]
    public void Whole_numbers_stay_below_the_limit(long limit)
    {
        var random = new RandomSequence(42);
        Every.Item(Enumerable.Range(0, 1_000).Select(_ => random.NextBelow(limit)), number => Assert.InRange(number, 0, limit - 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => random.NextBelow(0));
    }

    [Fact]
    public void Each_whole_number_is_as_likely()
    {
        var random = new RandomSequence(42);
        int[] counts = new int[6];
        for (int i = 0; i < 60_000; i++)
        {
            counts[random.NextBelow(6)]++;
        }

        // 10,000 each, standard deviation 91: five of them either way.
        Every.Item(counts, count => Assert.InRange(count, 9_545, 10_455));
    }

    [Fact]
    public void Fractions_fill_the_unit_interval()
    {
        var random = new RandomSequence(42);
        double[] fractions = [.. Enumerable.Range(0, 10_000).Select(_ => random.NextFraction())];
        Every.Item(fractions, fraction => Assert.InRange(fraction, 0, 0.9999999999999999));
        Assert.InRange(fractions.Average(), 0.485, 0.515);
    }
}
