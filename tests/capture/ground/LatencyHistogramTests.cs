using FsCheck;
using FsCheck.Fluent;
using Tracer.Capture.Driver;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Tests;

/// <summary>Buckets and percentiles.</summary>
public sealed class LatencyHistogramTests
{
    [Fact]
    public void Buckets_follow_one_another_and_are_at_most_a_sixteenth_wide()
    {
        Assert.Equal(0, LatencyHistogram.Layout.LowestAt(0));
        for (int bucket = 1; bucket < DriverInterface.HistogramBuckets; bucket++)
        {
            long start = LatencyHistogram.Layout.LowestAt(bucket - 1);
            long width = LatencyHistogram.Layout.LowestAt(bucket) - start;
            Assert.InRange(width, 1, Math.Max(1, start / 16));
        }

        Assert.Equal(31L << 31, LatencyHistogram.Layout.LowestAt(DriverInterface.HistogramBuckets - 1));
    }

    [Fact]
    public void A_percentile_is_the_true_one_or_at_most_a_sixteenth_more() => Prop.ForAll(
        Gen.Choose(0, 2_000_000_000).NonEmptyListOf().ToArbitrary(),
        Gen.Choose(1, 1000).ToArbitrary(),
        (latencies, permille) =>
        {
            var driver = new FakeDriver();
            driver.Latencies.AddRange(latencies.Select(ns => ((byte)28, (ulong)ns)));
            using var client = new DriverClient(driver);
            int[] sorted = [.. latencies.Order()];
            long truth = sorted[Math.Max(1, (int)Math.Ceiling(permille / 1000.0 * sorted.Length)) - 1];
            long told = client.Histogram(LatencyPhase.Total)!.Percentile(permille / 1000.0)!.Value.Nanoseconds;
            Assert.InRange(told, truth, truth + (truth / 16));
        }).QuickCheckThrowOnFailure();
}
