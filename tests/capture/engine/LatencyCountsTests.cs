using FsCheck.Fluent;
using Tracer.Capture.Engine;

namespace Tracer.Capture.Tests;

/// <summary>Latencies are counted in buckets a quarter of a power of two wide, and nothing is lost.</summary>
public sealed class LatencyCountsTests
{
    [Fact]
    public void BeforeTheFirstThereIsNothing()
    {
        var counts = new LatencyCounts();
        Assert.Null(counts.Percentile(0.5));
        Assert.Empty(counts.Buckets());
    }

    [Fact]
    public void APercentileIsTheUpperEndOfItsBucketAndNeverAboveTheWorst()
    {
        var counts = new LatencyCounts();
        for (int i = 0; i < 99; i++)
        {
            counts.Add(10_000);
        }

        counts.Add(600_000);
        Assert.Equal(new Duration(10_239), counts.Percentile(0.5)); // 8192 and a quarter more: 10240 is the next bucket.
        Assert.Equal(new Duration(600_000), counts.Percentile(0.999));
        Assert.Equal(600_000, counts.WorstNs);
    }

    [Fact]
    public void BucketsCoverAllThatWasCounted() => FsCheck.Check.QuickThrowOnFailure(Prop.ForAll<long[]>(latencies =>
    {
        var counts = new LatencyCounts();
        foreach (long latency in latencies)
        {
            counts.Add(latency);
        }

        long most = latencies.Length == 0 ? 0 : Math.Max(0, latencies.Max());
        IReadOnlyList<LatencyBucket> buckets = counts.Buckets();
        return buckets.Sum(bucket => bucket.Count) == latencies.Length
            && buckets.Zip(buckets.Skip(1)).All(pair => pair.First.To == pair.Second.From)
            && (latencies.Length == 0 || (buckets[0].Count > 0 && buckets[^1].Count > 0 && buckets[^1].To.Nanoseconds > most - 1))
            && (counts.Percentile(1)?.Nanoseconds ?? 0) == most;
    }));

    [Fact]
    public void TheLongestLatencyHasAPlace()
    {
        var counts = new LatencyCounts();
        counts.Add(long.MaxValue);
        counts.Add(0);
        Assert.Equal(2, counts.Buckets().Sum(bucket => bucket.Count));
        Assert.Equal(new Duration(long.MaxValue), counts.Percentile(1));
    }
}
