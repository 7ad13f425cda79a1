namespace Tracer.Forecast.Tests;

/// <summary>
/// Return levels of made series. How often the intervals hold is measured by bench/forecast on two hundred series of each kind; here one
/// of each shows that it still works as it did.
/// </summary>
public class ReturnLevelTests
{
    private const long HourNs = 3_600_000_000_000;

    [Theory]
    [InlineData("exponential")]
    [InlineData("Pareto")]
    [InlineData("autocorrelated")]
    public void A_known_level_lies_in_the_interval(string name)
    {
        TailFamily family = TailFamily.Known.Single(family => family.Name == name);
        LatencySeries series = family.Make(new RandomNumbers(8));
        ReturnLevels levels = PeaksOverThreshold.Of(series, [HourNs, 8 * HourNs, 11 * HourNs]);
        Assert.Null(levels.Refusal);
        for (int i = 0; i < 2; i++)
        {
            ReturnLevel level = levels.Levels[i];
            Assert.InRange(family.LevelNs(TailFamily.Hour * (level.HorizonNs / (double)HourNs)), level.LowNs!.Value, level.HighNs!.Value);
            Assert.InRange(level.LevelNs!.Value, level.LowNs.Value, level.HighNs.Value);
        }

        Assert.True(levels.Levels[1].LevelNs > levels.Levels[0].LevelNs);
        Assert.Equal(RefusalReason.TooFar, levels.Levels[2].Refusal!.Reason);
        Assert.Null(levels.Levels[2].LevelNs);
    }

    [Fact]
    public void Block_maxima_hold_the_level_too()
    {
        TailFamily family = TailFamily.Known.Single(family => family.Name == "exponential");
        ReturnLevels levels = BlockMaxima.Of(family.Make(new RandomNumbers(7)), [8 * HourNs]);
        Assert.InRange(family.LevelNs(8 * TailFamily.Hour), levels.Levels[0].LowNs!.Value, levels.Levels[0].HighNs!.Value);
    }

    [Theory]
    [InlineData("heavy", RefusalReason.HeavyTail, RefusalReason.HeavyTail)]
    [InlineData("growing", RefusalReason.CountsChange, RefusalReason.SizesChange)]
    [InlineData("ties", RefusalReason.Ties, RefusalReason.Ties)]
    [InlineData("giants", RefusalReason.MixedTail, RefusalReason.HeavyTail)]
    [InlineData("short", RefusalReason.TooShort, RefusalReason.TooShort)]
    public void What_allows_no_forecast_is_refused(string name, RefusalReason peaks, RefusalReason blocks)
    {
        LatencySeries series = TailFamily.Unknowable.Single(family => family.Name == name).Make(new RandomNumbers(7));
        ReturnLevels ofPeaks = PeaksOverThreshold.Of(series, [HourNs]);
        ReturnLevels ofBlocks = BlockMaxima.Of(series, [HourNs]);
        Assert.Equal((peaks, blocks), (ofPeaks.Refusal!.Reason, ofBlocks.Refusal!.Reason));
        Assert.Equal((0, 0), (ofPeaks.Levels.Count, ofBlocks.Levels.Count));
    }

    /// <summary>A watchdog ends what would take longer: six of the longest stand together, and are seen beside four others.</summary>
    [Theory]
    [InlineData(0, null)]
    [InlineData(3, null)]
    [InlineData(6, RefusalReason.TailNotStable)]
    [InlineData(10, RefusalReason.TailNotStable)]
    public void Latencies_that_a_watchdog_ends_are_not_continued(int ended, RefusalReason? refusal)
    {
        var random = new RandomNumbers(5);
        double[] byLength = [.. Enumerable.Range(0, TailFamily.Hour).Select(i => -100e3 * Math.Log((i + 0.5) / TailFamily.Hour))];
        double limit = byLength[ended];
        var recording = new LatencyRecording(0);
        int[] order = [.. Enumerable.Range(0, byLength.Length).OrderBy(_ => random.Uniform())];
        for (int i = 0; i < order.Length; i++)
        {
            double latency = order[i] < ended ? limit * (1 + 0.001 * (ended - order[i])) : byLength[order[i]];
            recording.Add(i * (HourNs / TailFamily.Hour), (long)latency);
        }

        Assert.Equal(refusal, PeaksOverThreshold.Of(recording.End(HourNs), [HourNs]).Refusal?.Reason);
    }

    [Fact]
    public void Nothing_measured_allows_nothing()
    {
        LatencySeries none = new LatencyRecording(0).End(HourNs);
        Assert.Equal(RefusalReason.NothingMeasured, PeaksOverThreshold.Of(none, [HourNs]).Refusal!.Reason);
        Assert.Equal(RefusalReason.NothingMeasured, BlockMaxima.Of(none, [HourNs]).Refusal!.Reason);
    }

    /// <summary>The same latencies, the same forecast, to the last digit.</summary>
    [Fact]
    public void A_forecast_is_the_same_each_time()
    {
        LatencySeries series = TailFamily.Known[1].Make(new RandomNumbers(3));
        Assert.Equal(
            PeaksOverThreshold.Of(series, [HourNs]).Levels, PeaksOverThreshold.Of(series, [HourNs]).Levels);
    }

    /// <summary>
    /// Absurd latencies, which damaged files have, must not hang or throw: all equal, all zero, a few at the end of the range.
    /// </summary>
    [Theory]
    [InlineData(0, 0)]
    [InlineData(1000, 0)]
    [InlineData(1000, 60)]
    [InlineData(long.MaxValue / 8, 5)]
    public void Absurd_latencies_are_refused(long usual, int others)
    {
        var recording = new LatencyRecording(0);
        for (int i = 0; i < 5000; i++)
        {
            recording.Add(i * 1_000_000_000L, i % 80 == 0 && i / 80 < others ? long.MaxValue - i : usual);
        }

        LatencySeries series = recording.End(5000 * 1_000_000_000L);
        LatencyForecast report = ForecastReport.Of(
            new MeasuredLatencies(
                LatencyKind.Thread, LatencySource.Probe, null, new MeasuredTail(series, new HdrHistogram(HdrLayout.Latencies)), [series]),
            new ForecastQuestion { Applications = [new AskedApplication("one", new Buffering(2, 1e7, 0))] });
        Assert.NotNull(report.PeaksOverThreshold.Refusal);
        Assert.NotNull(report.BlockMaxima.Refusal);
    }
}
