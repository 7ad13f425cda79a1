namespace Tracer.Forecast.Tests;

/// <summary>What a forecast promises an application is at the application's own rate of waits.</summary>
public class PromiseTests
{
    private const long Ms = 1_000_000;
    private const long HourNs = 3_600_000_000_000;
    private const long ProbeNs = HourNs / TailFamily.Hour;

    private static readonly long[] Uses = [HourNs, 8 * HourNs];

    private static readonly MeasuredTail Exponential = Tail(TailFamily.Known.Single(family => family.Name == "exponential"));

    private static readonly TailLaw Law = PeaksOverThreshold.Of(Exponential.Series, [HourNs]).Law!;

    /// <summary>
    /// A slack above what the probe's waits exceed once in 8 h is exceeded far more often by an application that waits 50 times as often.
    /// </summary>
    [Fact]
    public void A_faster_application_is_promised_less()
    {
        double slack = Law.Level(8 * HourNs).HighNs!.Value * 1.01;
        Assert.Equal(8 * HourNs, TailPromise.Of(Exponential, new Buffering(2, ProbeNs, ProbeNs - slack), Law, Uses, "wait").TimeNs);
        TailPromise fast = TailPromise.Of(Exponential, new Buffering(2, slack, 0), Law, Uses, "wait");
        Assert.Null(fast.TimeNs);
        Assert.Contains(" waits, and 72,000 measured are too few for that: record waits every 1", fast.Why);
        Assert.Contains("more is not known: in 1 h it has ", DropoutSentence.Of(
            "it", Dropouts.Of(Exponential, new Buffering(2, slack, 0))!, fast, "wait"));
    }

    /// <summary>A dropout is permitted in a time of the task, and nine come.</summary>
    [Theory]
    [InlineData(9, false)]
    [InlineData(1.05, null)]
    [InlineData(0.02, true)]
    public void A_task_keeps_up_by_its_own_waits(double dropouts, bool? keepsUp)
    {
        const double Permitted = HourNs / 4.0;
        double slack = 100e3 * Math.Log(Permitted / ProbeNs / dropouts);
        TaskForecast task = TaskReport.Of(LatencyKind.Thread, Exponential, Law, new ForecastQuestion
        {
            Tasks = [new PeriodicTask("task", new Buffering(2, ProbeNs, ProbeNs - slack))], PermittedNs = (long)Permitted,
        })[0];
        Assert.Equal(keepsUp, task.KeepsUp);
        Assert.Equal(keepsUp is null, task.Refusal is not null);
        Assert.InRange(task.Rare!.Value.Nanoseconds, task.RareLow!.Value.Nanoseconds, task.RareHigh!.Value.Nanoseconds);
    }

    /// <summary>Half an hour of a task each millisecond has more waits than an hour of a probe each 50 ms; no law goes so far.</summary>
    [Fact]
    public void Waits_that_were_not_measured_are_asked_for()
    {
        TaskForecast task = TaskReport.Of(LatencyKind.Thread, Exponential, null, new ForecastQuestion
        {
            Tasks = [new PeriodicTask("task", new Buffering(4, Ms, 0))], PermittedNs = HourNs / 2,
        })[0];
        Assert.Null(task.KeepsUp);
        Assert.Contains("it waits 1,800,000 times, and 72,000 waits measured are not enough", task.Refusal);
    }

    /// <summary>Bursts in coarse steps, equal at the edge of the fifty longest, once counted as waits that come alone.</summary>
    [Fact]
    public void Equal_latencies_narrow_no_interval()
    {
        var recording = new LatencyRecording(0);
        for (int i = 0; i < TailFamily.Hour; i++)
        {
            recording.Add(i * ProbeNs, i / 20 % 360 == 7 ? 4 * Ms : i % 3 * 1000);
        }

        LatencySeries series = recording.End(HourNs);
        Assert.InRange(Dispersion.Of(series, 4 * Ms), 15, 30);
        Assert.InRange(Dispersion.Of(series, 3 * Ms), 15, 30);
    }

    /// <summary>Waits 50 ms apart say nothing of buffers of 2.67 ms; those a millisecond apart do, and count a stall's buffers.</summary>
    [Theory]
    [InlineData(50, false)]
    [InlineData(1, true)]
    public void A_replay_needs_waits_that_cover_the_time(int eachMs, bool isReplayed)
    {
        const long Minute = 60_000 * Ms;
        var recording = new LatencyRecording(0);
        var histogram = new HdrHistogram(HdrLayout.Latencies);
        for (long at = 0; at < 10 * Minute; at += eachMs * Ms)
        {
            long into = at % (5000 * Ms);
            long latency = into < 12 * Ms ? 12 * Ms - into : 1000;
            recording.Add(at, latency);
            histogram.Record(latency);
        }

        LatencySeries series = recording.End(10 * Minute);
        ToleranceForecast told = ToleranceReport.Of(
            new MeasuredTail(series, histogram), [series],
            new ForecastQuestion { Applications = [new AskedApplication("it", new Buffering(2, 2.667 * Ms, 0))] }, null)[0].Told;
        Assert.Equal(isReplayed, told.Replay!.Refusal is null);
        Assert.Equal(isReplayed, told.Replay.Missed is not null);
        Assert.InRange(told.Replay.Covered!.Value, isReplayed ? 0.99m : 0, isReplayed ? 1 : 0.01m);
        if (isReplayed)
        {
            // A stall of 12 ms each 5 s is met by each phase, and makes three or four buffers late.
            Assert.InRange(told.DropoutsPerHour, 720 * 3, 720 * 4.5m);
            Assert.InRange((decimal)told.Replay.Missed!.Value / told.Replay.Cycles!.Value * 3_600_000 / 2.667m,
                told.LowPerHour, told.HighPerHour);
        }
    }

    [Fact]
    public void Three_late_waits_bound_a_rate_and_tell_none()
    {
        Dropouts dropouts = Dropouts.Of(Exponential, new Buffering(2, ProbeNs, ProbeNs - LongestButThree()))!;
        Assert.Equal(3, dropouts.Late);
        Assert.StartsWith(
            "it: 3 waits came too late, too few to tell how often it happens (at most ",
            DropoutSentence.Of("it", dropouts, default, "wait"));

        static double LongestButThree() =>
            Exponential.Series.Peaks.Select(peak => peak.LatencyNs).OrderDescending().ElementAt(3);
    }

    /// <summary>A forecast holds on the same workload, and does not where that changed.</summary>
    [Fact]
    public void A_forecast_tests_itself()
    {
        IReadOnlyList<ForecastSelfTest> steady = SelfTest.Of(Exponential.Series, With(700e3));
        Assert.Equal([true, true], steady.Select(test => test.IsHit));
        Assert.Equal((long)Exponential.CountAbove(700e3), steady[0].Late
            + Exponential.Series.Cut(HourNs / 2).Before.Peaks.Count(peak => peak.LatencyNs > 700e3));
        LatencySeries changed = TailFamily.Unknowable.Single(family => family.Name == "another workload").Make(new RandomNumbers(3));
        Assert.False(SelfTest.Of(changed, With(1000e3))[0].IsHit);

        static ForecastQuestion With(double slackNs) => new()
        {
            Applications = [new AskedApplication("it", new Buffering(2, ProbeNs, ProbeNs - slackNs))],
        };
    }

    private static MeasuredTail Tail(TailFamily family)
    {
        LatencySeries series = family.Make(new RandomNumbers(8));
        var histogram = new HdrHistogram(HdrLayout.Latencies);
        histogram.Record(100_000, series.Waits);
        return new MeasuredTail(series, histogram);
    }
}
