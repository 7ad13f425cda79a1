namespace Tracer.Forecast.Tests;

/// <summary>What a session keeps of the waits that it is given.</summary>
public class LatencyRecordingTests
{
    private const long Second = 1_000_000_000;

    [Fact]
    public void Each_second_has_its_maximum_and_number_of_waits()
    {
        var recording = new LatencyRecording(5 * Second);
        recording.Add(5 * Second, 10);
        recording.Add(6 * Second - 1, 30);
        recording.Add(8 * Second, 20);
        LatencySeries series = recording.End(8 * Second + Second / 2, 1000);

        Assert.Equal(
            [
                new LatencyBlock(0, Second, 2, 30),
                new LatencyBlock(Second, Second, 0, 0),
                new LatencyBlock(2 * Second, Second, 0, 0),
                new LatencyBlock(3 * Second, Second / 2, 1, 20),
            ],
            series.Blocks);
        Assert.Equal(7 * Second / 2, series.ObservedNs);
        Assert.Equal((3, 60.0, 1000L), (series.Waits, series.SumNs, series.PeriodNs!.Value));
        Assert.Equal(new LatencyPeak(Second - 1, 30), series.Longest);
    }

    [Fact]
    public void What_was_not_observed_counts_once_however_often_it_is_said()
    {
        var recording = new LatencyRecording(0);
        recording.AddUnobserved(Second / 2, 3 * Second / 2);
        recording.AddUnobserved(Second, 5 * Second / 4);
        recording.AddUnobserved(9 * Second, 30 * Second);
        recording.AddUnobserved(7, 7);
        recording.AddUnobserved(9, 8);
        LatencySeries series = recording.End(10 * Second);

        Assert.Equal(8 * Second, series.ObservedNs);
        Assert.Equal([Second / 2, Second / 2, Second, Second, Second, Second, Second, Second, Second, 0],
            series.Blocks.Select(block => block.ObservedNs));
        Assert.Null(series.Longest);
    }

    /// <summary>
    /// A trace that was not observed a hundred thousand times is no reason to run out of memory, or to count a time twice.
    /// </summary>
    [Fact]
    public void Ever_so_many_unobserved_times_stay_bounded_and_inside_the_session()
    {
        var recording = new LatencyRecording(0);
        for (int i = 0; i < 100_000; i++)
        {
            recording.AddUnobserved(i * 1000L, i * 1000L + 500);
        }

        long observed = recording.End(100_000_000).ObservedNs;
        Assert.InRange(observed, 0, 50_000_000);
    }

    [Fact]
    public void Every_latency_above_the_level_is_kept_and_at_least_as_many_as_asked()
    {
        var random = new Random(1);
        long[] latencies = [.. Enumerable.Range(0, 100_000).Select(_ => random.NextInt64(1_000_000_000))];
        var recording = new LatencyRecording(0, peaks: 500);
        for (int i = 0; i < latencies.Length; i++)
        {
            recording.Add(i * 1000L, latencies[i]);
        }

        LatencySeries series = recording.End(100_000_000);
        Assert.InRange(series.Peaks.Count, 500, 1000);
        Assert.Equal(
            latencies.Select((latency, i) => new LatencyPeak(i * 1000L, latency)).Where(peak => peak.LatencyNs > series.PeaksAboveNs),
            series.Peaks);
    }

    /// <summary>A clock of coarse steps gives the same latency over and over: they stay or go together.</summary>
    [Fact]
    public void Equal_latencies_are_kept_or_dropped_together()
    {
        var recording = new LatencyRecording(0, peaks: 10);
        for (int i = 0; i < 10_000; i++)
        {
            recording.Add(i, i % 1000 == 0 ? 200 : 100);
        }

        LatencySeries series = recording.End(10_000);
        Assert.Equal(100, series.PeaksAboveNs);
        Assert.Equal(10, series.Peaks.Count);
    }

    [Fact]
    public void A_long_session_has_longer_blocks_and_the_same_waits()
    {
        var recording = new LatencyRecording(0);
        for (int i = 0; i < 200_000; i++)
        {
            recording.Add(i * Second, i);
        }

        LatencySeries series = recording.End(200_000 * Second);
        Assert.Equal(4 * Second, series.BlockNs);
        Assert.Equal(50_000, series.Blocks.Count);
        Assert.All(series.Blocks, block => Assert.Equal((4, block.StartNs / Second + 3), (block.Waits, block.MaximumNs)));
    }

    [Fact]
    public void An_end_far_behind_the_last_wait_makes_blocks_longer_too()
    {
        var recording = new LatencyRecording(0);
        recording.Add(Second, 1);
        LatencySeries series = recording.End(100_000 * Second);
        Assert.Equal((2 * Second, 50_000), (series.BlockNs, series.Blocks.Count));
    }

    /// <summary>Times and lengths that no clock has come from damaged files.</summary>
    [Theory]
    [InlineData(long.MinValue, long.MaxValue, long.MaxValue)]
    [InlineData(long.MaxValue, long.MinValue, long.MinValue)]
    [InlineData(0, long.MaxValue, -1)]
    public void Absurd_times_do_no_harm(long start, long time, long end)
    {
        var recording = new LatencyRecording(start);
        recording.Add(time, long.MaxValue);
        recording.Add(time, long.MinValue);
        recording.AddUnobserved(long.MinValue, long.MaxValue);
        LatencySeries series = recording.End(end);
        Assert.Equal(2, series.Waits);
        Assert.Equal(0, series.ObservedNs);
        Assert.InRange(series.Blocks.Count, 1, 1 << 16);
        LatencySeries joined = LatencySeries.Join([series, series]);
        Assert.Equal(4, joined.Waits);
        Assert.All(joined.Sessions, session => Assert.True(session.EndNs >= session.StartNs));
    }

    [Fact]
    public void Sessions_stand_one_behind_the_other_and_blocks_do_not_reach_across()
    {
        var one = new LatencyRecording(0, peaks: 4);
        var two = new LatencyRecording(1_000_000 * Second, peaks: 4);
        for (int i = 0; i < 20; i++)
        {
            one.Add(i * Second / 10, i);
            two.Add(1_000_000 * Second + i * Second / 10, 5 + i);
        }

        LatencySeries joined = LatencySeries.Join([one.End(5 * Second / 2, 100), two.End(1_000_002 * Second, 100)]);
        Assert.Equal(
            [
                new LatencySession(0, 5 * Second / 2, 5 * Second / 2),
                new LatencySession(5 * Second / 2, 9 * Second / 2, 2 * Second),
            ],
            joined.Sessions);
        Assert.Equal([0, Second, 2 * Second, 5 * Second / 2, 7 * Second / 2], joined.Blocks.Select(block => block.StartNs));
        Assert.Equal((40, 9 * Second / 2, 100L), (joined.Waits, joined.ObservedNs, joined.PeriodNs!.Value));
        Assert.Equal(new LatencyPeak(5 * Second / 2 + 19 * Second / 10, 24), joined.Longest);
        Assert.All(joined.Peaks, peak => Assert.True(peak.LatencyNs > joined.PeaksAboveNs));
        Assert.Equal(joined.Peaks.Order(Comparer<LatencyPeak>.Create((a, b) => a.TimeNs.CompareTo(b.TimeNs))), joined.Peaks);
        Assert.Null(LatencySeries.Join([one.End(5 * Second, 100), two.End(1_000_002 * Second)]).PeriodNs);
    }
}
