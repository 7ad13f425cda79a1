namespace Tracer.Forecast.Tests;

/// <summary>Comparisons of rates and percentiles, on numbers of which the answer is known.</summary>
public class ComparisonTests
{
    /// <summary>
    /// 10 and 20 events in equal times: the interval of 20 of 30 by Clopper and Pearson is 0.4719 to 0.8271, so that the ratio is 0.894
    /// to 4.78; at least 20 of 30 heads have the chance 0.04937.
    /// </summary>
    [Fact]
    public void Events_that_come_alone_have_the_exact_interval()
    {
        Compared compared = RateComparison.Of(Even(10), Even(20));
        Assert.Equal(1, compared.Dispersion);
        Assert.Equal(2, compared.Ratio!.Value, 9);
        Assert.Equal(0.4719 / 0.5281, compared.Low, 3);
        Assert.Equal(0.8271 / 0.1729, compared.High, 2);
        Assert.Equal(2 * 0.04937, compared.P, 4);
    }

    [Fact]
    public void Bursts_count_for_less_than_events_that_come_alone()
    {
        CountedBlock[] quiet = [.. Enumerable.Range(0, 20).Select(i => new CountedBlock(1, i == 3 ? 10 : 0))];
        CountedBlock[] loud = [.. Enumerable.Range(0, 20).Select(i => new CountedBlock(1, i is 2 or 9 or 17 ? 10 : 0))];
        Compared bursts = RateComparison.Of(quiet, loud);
        Compared alone = RateComparison.Of(Even(10), Even(30));
        Assert.True(bursts.Dispersion > 5);
        Assert.True(alone.P < 0.01);
        Assert.True(bursts.P > 0.2);
        Assert.True(bursts.Low < alone.Low && bursts.High > alone.High);
    }

    [Fact]
    public void Where_the_base_had_none_there_is_a_low_end_and_no_ratio()
    {
        Compared compared = RateComparison.Of(Even(0), Even(12));
        Assert.Null(compared.Ratio);
        Assert.Null(compared.Detectable);
        Assert.True(compared.Low > 1);
        Assert.Equal(double.PositiveInfinity, compared.High);
        Assert.Equal(2 / 4096.0, compared.P, 6);
        Assert.Equal(1, RateComparison.Of(Even(0), Even(0)).P);
        Assert.Throws<ArgumentException>(() => RateComparison.Of([], Even(1)));
    }

    /// <summary>The example of Benjamini and Hochberg 1995, section 3.2: Holm keeps 3 of 15 at 5 %, the false discovery rate 4.</summary>
    [Fact]
    public void Corrections_are_those_of_the_published_example()
    {
        double[] chances =
        [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1,
        ];
        Assert.Equal(3, Corrections.Holm(chances).Count(one => one < 0.05));
        Assert.Equal(4, Corrections.BenjaminiHochberg(chances).Count(one => one < 0.05));
        Assert.Equal(0.0015, Corrections.Holm(chances)[0], 9);
        Assert.Equal([0.03, 0.02], Corrections.Holm([0.03, 0.01]).Order().Reverse());
        Assert.Empty(Corrections.Holm([]));
    }

    [Fact]
    public void A_longer_tail_is_shown_and_an_equal_one_is_not()
    {
        HdrHistogram[] before = Blocks(1, 40, 1);
        IReadOnlyList<ComparedPercentile> longer = LatencyComparison.Of(before, Blocks(2, 40, 2), [50, 99, 99.9, 99.999]);
        Assert.Equal([50, 99, 99.9, 100], longer.Select(one => one.Percent));
        ComparedPercentile p99 = longer[1];
        Assert.Equal(0.001, p99.Change.P, 9);
        Assert.InRange(p99.Change.Ratio!.Value, 1.8, 2.2);
        Assert.True(p99.Change.Low > 1.5 && p99.Change.High < 2.5);
        Assert.InRange(p99.Change.Detectable!.Value, 1.01, 1.5);
        Assert.True(p99.Old.Low <= p99.Old.Value && p99.Old.Value <= p99.Old.High);
        Assert.Empty(LatencyComparison.Of([new HdrHistogram(HdrLayout.Latencies)], before, [50]));

        // Of 40 pairs of equal machines, a chance below 5 % comes to 2; 7 or more come once in 250 such tests.
        int alarms = Enumerable.Range(0, 40).Count(pair =>
            LatencyComparison.Of(Blocks(100 + pair, 20, 1), Blocks(200 + pair, 30, 1), [99])[0].Change.P < 0.05);
        Assert.InRange(alarms, 0, 6);
    }

    [Fact]
    public void The_longest_of_a_longer_time_is_no_change()
    {
        ComparedPercentile longest = LatencyComparison.Of(Blocks(1, 10, 1), Blocks(2, 100, 1), [])[0];
        Assert.Equal(100, longest.Percent);
        Assert.True(longest.Now.Value > longest.Old.Value);
        Assert.True(longest.Change.Low < 1 && longest.Change.High > 1);
    }

    [Fact]
    public void Bins_become_longer_and_lose_nothing()
    {
        var bins = new LatencyTimeBins(1_000);
        for (int second = 0; second < 300; second++)
        {
            bins.Add(1_000 + second * 1_000_000_000L, 5_000 + second);
        }

        Assert.Equal(8 * LatencyTimeBins.FirstLengthNs, bins.LengthNs);
        HdrHistogram[] blocks = bins.Blocks(bins.LengthNs * 32, 10);
        Assert.Equal([32, 32, 32, 32, 32, 32, 32, 32, 32, 12], blocks.Select(block => block.Count));
        Assert.Equal(5_299, blocks[^1].Maximum);
        bins.Add(long.MaxValue, long.MaxValue);
        bins.Add(long.MinValue, -1);
        Assert.Equal(302, bins.Blocks(bins.LengthNs, 3).Sum(block => block.Count));
    }

    private static CountedBlock[] Even(int count) =>
        [.. Enumerable.Range(0, 20).Select(i => new CountedBlock(1, (i + 1) * count / 20 - i * count / 20))];

    private static HdrHistogram[] Blocks(int seed, int blocks, double scale)
    {
        var random = new Random(seed);
        return [.. Enumerable.Range(0, blocks).Select(_ =>
        {
            var block = new HdrHistogram(HdrLayout.Latencies);
            for (int i = 0; i < 400; i++)
            {
                block.Record((long)(scale * 10_000 * -Math.Log(1 - random.NextDouble())));
            }

            return block;
        })];
    }
}
