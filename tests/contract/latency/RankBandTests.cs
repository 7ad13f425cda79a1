namespace Tracer.Contract.Tests.Latency;

public class RankBandTests
{
    /// <summary>By hand: of 10 a half is beyond 2 to 8 in 97.9 of 100; of 100 at 99 %, none to three are.</summary>
    [Theory]
    [InlineData(10, 0.5, 2, 8)]
    [InlineData(100, 0.01, 0, 3)]
    [InlineData(1_000_000, 0.5, 499_020, 500_980)]
    public void So_many_are_beyond(long count, double beyond, long fewest, long most) =>
        Assert.Equal((fewest, most), RankBand.Of(count, beyond));

    [Fact]
    public void A_percentile_lies_in_its_band_and_the_last_has_no_high_end()
    {
        var histogram = new HdrHistogram(HdrLayout.Latencies);
        for (int i = 1; i <= 1000; i++)
        {
            histogram.Record(i * 1000);
        }

        LatencyDistribution told = LatencyDistributions.Of(LatencyKind.Thread, LatencySource.Probe, new LatencyPart(), histogram);
        LatencyPercentile median = told.Percentiles[0];
        Assert.InRange(median.Low!.Value.Nanoseconds, 465_000, 471_000);
        Assert.InRange(median.High!.Value.Nanoseconds, 529_000, 534_000);
        LatencyPercentile rare = told.Percentiles.Last(percentile => percentile.Value is not null);
        Assert.Equal(99.9m, rare.Percent);
        Assert.Null(rare.High);
        Assert.InRange(rare.Low!.Value.Nanoseconds, 995_000, 998_000);
        Assert.Null(told.Percentiles[^1].Low);
    }
}
