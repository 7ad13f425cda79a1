using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Contract.Tests.Latency;

public class HdrHistogramTests
{
    /// <summary>Values of all lengths up to the highest: nanoseconds of 0 to an hour.</summary>
    private static readonly Arbitrary<long[]> Values = Arb.From(
        Gen.Choose(0, 40).SelectMany(bits => Gen.Choose(0, int.MaxValue).Select(part => (long)(((1L << bits) + 0.0) * part / int.MaxValue)))
            .ArrayOf());

    internal static bool AreSame(HdrHistogram one, HdrHistogram other) =>
        (one.Layout, one.Count, one.Sum, one.Minimum, one.Maximum) == (other.Layout, other.Count, other.Sum, other.Minimum, other.Maximum)
        && Enumerable.Range(0, one.Layout.Counters).All(index => one.CountAt(index) == other.CountAt(index));

    [Fact]
    public void The_layout_is_that_of_three_digits_over_an_hour()
    {
        HdrLayout layout = HdrLayout.Latencies;
        Assert.Equal((2048, 32, 33 * 1024), (layout.SubBuckets, layout.Buckets, layout.Counters));
    }

    /// <summary>Below 2,048 each nanosecond has its counter, then two of them share one, then four.</summary>
    [Theory]
    [InlineData(0, 0, 0, 0)]
    [InlineData(1, 1, 1, 1)]
    [InlineData(2047, 2047, 2047, 2047)]
    [InlineData(2048, 2048, 2048, 2049)]
    [InlineData(2049, 2048, 2048, 2049)]
    [InlineData(4095, 3071, 4094, 4095)]
    [InlineData(4096, 3072, 4096, 4099)]
    [InlineData(8191, 4095, 8188, 8191)]
    [InlineData(8192, 4096, 8192, 8199)]
    public void Edges_of_buckets_are_where_HdrHistogram_has_them(long value, int index, long lowest, long highest)
    {
        HdrLayout layout = HdrLayout.Latencies;
        Assert.Equal(index, layout.IndexOf(value));
        Assert.Equal((lowest, highest), (layout.LowestAt(index), layout.HighestAt(index)));
    }

    [Fact]
    public void Counters_follow_each_other_without_a_gap()
    {
        HdrLayout layout = new(1, 1_000_000, 2);
        for (int index = 0; index + 1 < layout.Counters; index++)
        {
            Assert.Equal(layout.HighestAt(index) + 1, layout.LowestAt(index + 1));
            Assert.Equal((index, index), (layout.IndexOf(layout.LowestAt(index)), layout.IndexOf(layout.HighestAt(index))));
        }
    }

    [Theory]
    [InlineData(0, 100, 3)]
    [InlineData(1, 1, 3)]
    [InlineData(1, 100, 0)]
    [InlineData(1, 100, 6)]
    public void An_impossible_layout_is_refused(long lowest, long highest, int digits) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new HdrLayout(lowest, highest, digits));

    [Theory]
    [InlineData(-1)]
    [InlineData(3_600_000_000_001)]
    public void What_is_outside_the_layout_is_refused(long value) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new HdrHistogram(HdrLayout.Latencies).Record(value));

    [Fact]
    public void An_empty_one_has_zeros()
    {
        var histogram = new HdrHistogram(HdrLayout.Latencies);
        Assert.Equal((0, 0, 0, 0, 0), (histogram.Count, histogram.Minimum, histogram.Maximum, histogram.Mean, histogram.AtPercentile(99)));
    }

    /// <summary>99.9 % of 1,000 is the 999th, although 99.9 times 1,000 comes out a little above.</summary>
    [Fact]
    public void A_percentile_is_the_value_of_that_rank()
    {
        HdrHistogram histogram = Of([.. Enumerable.Range(1, 1000).Select(value => (long)value)]);
        Assert.Equal(
            [1, 1, 500, 900, 990, 999, 1000, 1000],
            new[] { 0, 0.01, 50, 90, 99, 99.9, 99.95, 100 }.Select(histogram.AtPercentile));
    }

    [Fact]
    public void Recording_into_a_page_that_is_there_allocates_nothing()
    {
        HdrHistogram histogram = Of([1000]);
        histogram.Record(1000);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1000; i++)
        {
            histogram.Record(1000 + (i % 8));
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }

    [Fact]
    public void Merging_is_recording_both() => Prop.ForAll(Values, Values, (one, other) =>
    {
        HdrHistogram merged = Of(one);
        merged.Add(Of(other));
        return AreSame(merged, Of([.. one, .. other]));
    }).QuickCheckThrowOnFailure();

    [Fact]
    public void Another_layout_is_not_merged() => Assert.Throws<ArgumentException>(
        () => Of([1]).Add(new HdrHistogram(new HdrLayout(1, 1000, 2))));

    /// <summary>Three digits: a percentile is at most a thousandth above the value of its rank, and never below.</summary>
    [Fact]
    public void Percentiles_are_within_three_digits() => Prop.ForAll(Values, Arb.From(Gen.Choose(1, 100_000)), (values, thousandths) =>
    {
        if (values.Length == 0)
        {
            return true;
        }

        long[] sorted = [.. values.Order()];
        double percent = thousandths / 1000.0;
        long exact = sorted[Math.Max(1, (int)Math.Ceiling((decimal)thousandths * sorted.Length / 100_000)) - 1];
        long found = Of(values).AtPercentile(percent);
        return found >= exact && found - exact <= exact / 1000.0;
    }).QuickCheckThrowOnFailure();

    [Fact]
    public void Bins_hold_every_value_once() => Prop.ForAll(Values, values =>
    {
        IReadOnlyList<LatencyBin> bins = LatencyDistributions.BinsOf(Of(values));
        return bins.Sum(bin => bin.Count) == values.Length
            && bins.All(bin => bin.Count == values.Count(value => value >= bin.From.Nanoseconds && value < bin.To.Nanoseconds));
    }).QuickCheckThrowOnFailure();

    [Fact]
    public void A_percentile_beyond_the_measurements_is_not_known()
    {
        LatencyDistribution few = LatencyDistributions.Of(
            LatencyKind.Thread, LatencySource.Driver, LatencyPart.All, Of([.. Enumerable.Range(1, 100).Select(value => (long)value)]));
        Assert.Equal([50, 90, 99, null, null, null], few.Percentiles.Select(percentile => percentile.Value?.Nanoseconds));
    }

    internal static HdrHistogram Of(IEnumerable<long> values)
    {
        var histogram = new HdrHistogram(HdrLayout.Latencies);
        foreach (long value in values)
        {
            histogram.Record(value);
        }

        return histogram;
    }
}
