namespace Tracer.Forecast.Tests;

/// <summary>Plain maxima, as OSDI'99 Table 3 has them.</summary>
public class WorstCaseTests
{
    private const long Second = 1_000_000_000;
    private const long HourNs = 3600 * Second;

    /// <summary>Against all choices, counted one by one: of 1 to 5, the ten pairs have maxima that add up to 40.</summary>
    [Fact]
    public void The_mean_maximum_is_that_of_all_choices()
    {
        long[] numbers = [1, 2, 3, 4, 5];
        Assert.Equal(3, WorstCase.MeanMaximum(numbers, 1), 9);
        Assert.Equal(4, WorstCase.MeanMaximum(numbers, 2), 9);
        Assert.Equal(3.5, WorstCase.MeanMaximum(numbers, 1.5), 9);
        Assert.Equal(5, WorstCase.MeanMaximum(numbers, 5), 9);
        Assert.Equal(5, WorstCase.MeanMaximum(numbers, 9), 9);
    }

    /// <summary>
    /// Four hours with four long latencies, 10, 20, 30 and 40 ms: an hour of chosen minutes has the longest with a chance of 0.25, else the
    /// next with nearly that chance, and so on; 19.9 ms in the mean. A time longer than the observed has no plain maximum.
    /// </summary>
    [Fact]
    public void An_hour_is_put_together_from_minutes()
    {
        var recording = new LatencyRecording(0);
        for (int second = 0; second < 4 * 3600; second++)
        {
            recording.Add(second * Second, second % 3600 == 1800 ? (second / 3600 + 1) * 10_000_000L : 1_000_000);
        }

        LatencySeries series = recording.End(4 * HourNs);
        WorstCase hour = WorstCase.Of(series, HourNs);
        Assert.InRange(hour.ExpectedNs!.Value, 19_800_000, 19_920_000);
        Assert.Equal(40_000_000, hour.ObservedNs);
        Assert.Equal(40_000_000, WorstCase.Of(series, 4 * HourNs).ExpectedNs);
        Assert.Equal(new WorstCase(5 * HourNs, null, 40_000_000), WorstCase.Of(series, 5 * HourNs));
    }

    [Fact]
    public void Nothing_measured_has_no_worst_case() =>
        Assert.Equal(new WorstCase(HourNs, null, null), WorstCase.Of(new LatencyRecording(0).End(2 * HourNs), HourNs));
}
