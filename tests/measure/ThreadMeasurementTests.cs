using Tracer.Contract;

namespace Tracer.Measure.Tests;

/// <summary>Measurements of timers and threads find exactly what was put into a model.</summary>
[Collection("one measurement at a time")]
public sealed class ThreadMeasurementTests
{
    private static readonly Duration Millisecond = Duration.FromMilliseconds(1);

    /// <summary>Jones and Regehr's clock of 1,024 Hz: their mended timer waits two ticks 2.4 % of the times (Table 3).</summary>
    [Fact]
    public void Timer_on_a_clock_of_976_us_waits_two_ticks_now_and_then()
    {
        MeasureReport report = Run(
            new ModelMachine { Tick = 976_562, WakeUp = 0 }, Duration.FromSeconds(10), static () => new TimerMeasurement(Millisecond));
        MeasureSeries intervals = report.Series.Single(static one => one.Name == "intervals");
        Assert.Equal((976_562, 1_953_124), (intervals.Minimum.Nanoseconds, intervals.Maximum.Nanoseconds));
        Assert.InRange(intervals.Mean.Nanoseconds, 999_900, 1_000_100);
        Assert.InRange(Figure(report, "more than one and a half") / intervals.Count, 0.0238m, 0.0242m);
        Assert.Contains("The clock ticks each 976.6 us", Assert.Single(report.Notes), StringComparison.Ordinal);
        Assert.Contains("2.4 % of them a tick longer", report.Notes[0], StringComparison.Ordinal);
    }

    /// <summary>NT's own timer on that clock: 4,880 of 10,000 intervals are next to nothing, the others two ticks (Table 2).</summary>
    [Fact]
    public void Timer_that_never_asks_for_less_than_its_period_alternates_as_in_the_paper()
    {
        MeasureReport report = Run(
            new ModelMachine { Tick = 976_562, WakeUp = 0, TimerNeverAsksForLess = true }, Duration.FromSeconds(10),
            static () => new TimerMeasurement(Millisecond));
        long count = report.Series[0].Count;
        Assert.InRange(Figure(report, "less than half a period") / count, 0.4870m, 0.4890m);
        Assert.InRange(Figure(report, "more than one and a half") / count, 0.5110m, 0.5130m);
        Assert.Equal(count, report.Tables[0].Rows.Sum(static row => row.Values[0]));
    }

    [Fact]
    public void Wakeup_is_late_by_what_waking_takes()
    {
        MeasureReport report = Run(
            new ModelMachine { WakeUp = 3_000 }, Duration.FromMilliseconds(100), static () => new WakeupMeasurement(Millisecond));
        Assert.Equal(["absolute", "relative"], report.Series.Select(static one => one.Name));
        Assert.All(report.Series, static one => AssertAlways(3_025, one));
    }

    [Fact]
    public void Switch_is_half_a_round_trip_without_its_events()
    {
        MeasureReport report = Run(
            new ModelMachine { SwitchCost = 1_500, SetCost = 200 }, Millisecond, static () => new SwitchMeasurement());
        // Two events, two switches and one reading of 25 ns.
        AssertAlways(((2 * 1_500) + (2 * 200) + 25) / 2, Assert.Single(report.Series));
        Assert.Equal((200m, 1_512m), (Figure(report, "events"), Figure(report, "switch")));
    }

    [Fact]
    public void Preemption_is_the_event_the_switch_and_a_reading()
    {
        MeasureReport report = Run(
            new ModelMachine { SwitchCost = 1_500, SetCost = 200 }, Millisecond, static () => new PreemptionMeasurement());
        AssertAlways(200 + 1_500 + 25, Assert.Single(report.Series));
    }

    [Fact]
    public void Preemption_of_the_highest_class_is_refused()
    {
        var request = new MeasureRequest { Duration = Millisecond, WarmUp = Duration.Zero, Priority = MeasurePriority.TimeCritical };
        MeasureException refusal = Assert.Throws<MeasureException>(() => MeasureRun.Run(
            new ModelMachine(), request, static () => new PreemptionMeasurement(), TestContext.Current.CancellationToken));
        Assert.Contains("choose a --priority below", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Calls_take_what_they_take_without_what_undoes_them()
    {
        MeasureReport report = Run(new ModelMachine(), Duration.FromSeconds(1), static () => new CallsMeasurement(100));
        Assert.Equal(
            [("short", 0.425m, 0.425m, 100m), ("long", 7.025m, 7.025m, 100m)],
            report.Tables[0].Rows.Select(static row => (row.Name, row.Values[0]!.Value, row.Values[1]!.Value, row.Values[3]!.Value)));
    }

    [Fact]
    public void Udp_tells_transit_and_sending()
    {
        MeasureReport report = Run(
            new ModelMachine { Transit = 9_000, SendCost = 700 }, Duration.FromMilliseconds(100),
            static () => new UdpMeasurement(Duration.FromMilliseconds(10)));
        AssertAlways(9_025, report.Series.Single(static one => one.Name == "receive"));
        AssertAlways(725, report.Series.Single(static one => one.Name == "send"));
        Assert.Equal(0m, Figure(report, "lost packets"));
    }

    [Fact]
    public void Deadline_counts_the_period_that_was_disturbed_and_the_one_that_never_began()
    {
        var machine = new ModelMachine { WakeUp = 1_000 };
        machine.InterruptAfterSleep(7, 50_000, 2_500_000);
        MeasureReport report = Run(
            machine, Duration.FromMilliseconds(40), static () => new DeadlineMeasurement(Millisecond, Duration.FromMicroseconds(200)));
        // The wake-up and 8,000 readings of 25 ns.
        Assert.Equal(201_000, report.Series[0].Minimum.Nanoseconds);
        Assert.Equal(201_000 + 2_500_000, report.Series[0].Maximum.Nanoseconds);
        Assert.Equal((2m, 1m), (Figure(report, "missed"), Figure(report, "left out")));
        Assert.Equal(Figure(report, "periods"), report.Series[0].Count + 1);
    }

    [Theory]
    [InlineData(9_000, 18_025, false)]
    [InlineData(80_000, 160_025, true)]
    public void Operator_tells_round_trips_and_deadlines(long transit, long expected, bool isMissed)
    {
        MeasureReport report = Run(
            new ModelMachine { Transit = transit, WakeUp = 0 }, Duration.FromMilliseconds(20),
            static () => new OperatorMeasurement(Duration.FromMicroseconds(100), 1_024));
        AssertAlways(expected, Assert.Single(report.Series));
        Assert.Equal(isMissed ? report.Series[0].Count : 0, Figure(report, "missed deadlines"));
        Assert.Equal((expected / 1e6m, 0m, 0m), (Figure(report, "mean"), Figure(report, "variance"), Figure(report, "lost")));
    }

    private static void AssertAlways(long nanoseconds, MeasureSeries series)
    {
        Assert.True(series.Count > 0, series.Name);
        Assert.Equal((nanoseconds, nanoseconds), (series.Minimum.Nanoseconds, series.Maximum.Nanoseconds));
    }

    private static decimal Figure(MeasureReport report, string name) => report.Figures.Single(one => one.Name == name).Value;

    private static MeasureReport Run(ModelMachine machine, Duration duration, Func<IMeasurement> make)
    {
        var request = new MeasureRequest { Duration = duration, WarmUp = Duration.Zero };
        return MeasureRun.Run(machine, request, make, TestContext.Current.CancellationToken);
    }
}
