using Tracer.Measure.Ground;
using Tracer.Measure.Measurements;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Tests;

/// <summary>Measurements of a model find exactly what was put into it.</summary>
[Collection("one measurement at a time")]
public sealed class MeasurementTests
{
    [Fact]
    public void Clock_finds_steps_and_costs()
    {
        MeasureReport report = Run(new ModelMachine(), Duration.FromMilliseconds(5), static () => new ClockMeasurement());
        MeasureTable table = Assert.Single(report.Tables);
        Assert.Equal(["fine", "coarse"], table.Rows.Select(static row => row.Name));
        // Each batch has one reading of the counter (25 ns) for 1,000 of the clock, and so has the empty loop: it is taken off.
        Assert.Equal([20m, 1m, 20m, 20m], table.Rows[0].Values.Take(4).Select(static one => one!.Value));
        Assert.Equal([1_000m, 1_000m, 50m, 50m], table.Rows[1].Values.Take(4).Select(static one => one!.Value));
        Assert.Equal(0m, table.Rows[0].Values[5]);
        Assert.Equal(0.02m, Assert.Single(report.Figures).Value);
        Assert.StartsWith("fine is the cheapest clock", report.Result, StringComparison.Ordinal);
    }

    [Fact]
    public void Sleep_on_a_timer_of_its_own_is_late_by_the_wake_up()
    {
        MeasureSeries series = SleepSeries(new ModelMachine { WakeUp = 3_000 }, spread: Duration.FromMilliseconds(1));
        // The reading that ends a sleep takes 25 ns.
        Assert.Equal((3_025, 3_025, 3_025, 0), Numbers(series));
        Assert.Equal(series.Count, series.Bins.Sum(static bin => bin.Count));
        Assert.InRange(series.Count, 15, 20);
    }

    [Fact]
    public void Sleep_on_a_tick_is_late_by_up_to_a_tick_and_by_one_at_most()
    {
        MeasureSeries series = SleepSeries(new ModelMachine { Tick = 1_000_000, WakeUp = 0 }, spread: Duration.FromMilliseconds(1));
        Assert.InRange(series.Maximum.Nanoseconds, 500_000, 1_000_050);
        Assert.InRange(series.Minimum.Nanoseconds, 0, 400_000);
    }

    /// <summary>Without a random time before it each sleep begins at a tick and lasts a tick longer: Bernadat's stroboscope.</summary>
    [Fact]
    public void Sleep_without_a_random_time_is_always_a_tick_late()
    {
        MeasureSeries series = SleepSeries(new ModelMachine { Tick = 1_000_000, WakeUp = 0 }, spread: Duration.Zero);
        Assert.True(series.Percentiles[0].Value >= Duration.FromMicroseconds(999), series.Percentiles[0].Value.ToString());
    }

    [Fact]
    public void Sleep_that_is_shorter_than_wanted_is_told_below_0()
    {
        var series = new TimeSeries("x", "y", isSigned: true);
        foreach (long value in (long[])[-2_000, -1_000, 0, 1_000])
        {
            series.Record(7, value);
        }

        MeasureSeries report = series.ToReport();
        Assert.Equal((-2_000, -500, 1_000, 1_118), Numbers(report));
        Assert.Equal(-1_000, series.AtPercentile(50));
        Assert.Equal([(-4_000L, -2_000L, 1L), (-2_000, -1_000, 1), (0, 125, 1)],
            report.Bins.Where(static bin => bin.Count > 0).Take(3)
                .Select(static bin => (bin.From.Nanoseconds, bin.To.Nanoseconds, bin.Count)));
        Assert.Equal([1_000L, 0, -1_000, -2_000], report.Worst.Select(static one => one.Value.Nanoseconds));
    }

    [Fact]
    public void Preempt_finds_every_interruption_and_nothing_else()
    {
        var machine = new ModelMachine { WakeUp = 0 };
        // The first two interrupt before it measures (the cost of the counter, the base time); each takes so long beyond an iteration.
        long[] lengths = [99, 100, 5_000, 250_000];
        for (int i = 0; i < lengths.Length; i++)
        {
            machine.Interrupt(20_000_000 + (i * 200_000), lengths[i]);
        }

        MeasureReport report = Run(
            machine, Duration.FromMilliseconds(30),
            static () => new PreemptMeasurement(Duration.FromMilliseconds(30), Duration.FromMilliseconds(10), 4));
        Assert.Equal((25m, 100m), (Figure(report, "base iteration"), Figure(report, "filter")));
        // 4 times 25 ns is the filter: 99 ns lie below it.
        MeasureSeries series = Assert.Single(report.Series);
        Assert.Equal([250_000L, 5_000, 100], series.Worst.Select(static one => one.Value.Nanoseconds));
        Assert.Equal(3m, Figure(report, "interruptions"));
        Assert.Equal(Math.Round(3 / (Figure(report, "active time")), 0), Math.Round(Figure(report, "interruptions per second"), 0));
        Assert.Equal(1m, Figure(report, "active periods"));
    }

    [Fact]
    public void Preempt_computes_and_sleeps_in_turn()
    {
        MeasureReport report = Run(
            new ModelMachine { WakeUp = 0 }, Duration.FromMilliseconds(60),
            static () => new PreemptMeasurement(Duration.FromMilliseconds(5), Duration.FromMilliseconds(15), 4));
        Assert.Equal(3m, Figure(report, "active periods"));
        Assert.Equal(0.02m, Math.Round(Figure(report, "active time"), 2, MidpointRounding.ToPositiveInfinity));
        Assert.Equal(0m, Figure(report, "interruptions"));
        Assert.StartsWith("Never interrupted for more than 100 ns", report.Result, StringComparison.Ordinal);
    }

    /// <summary>A counter of 10 MHz steps by 100 ns where an iteration takes 25: a step is no interruption.</summary>
    [Fact]
    public void Preempt_takes_no_step_of_a_coarse_counter_for_an_interruption()
    {
        MeasureReport report = Run(
            new ModelMachine { TicksPerSecond = 10_000_000 }, Duration.FromMilliseconds(10),
            static () => new PreemptMeasurement(Duration.FromMilliseconds(5), Duration.Zero, 1));
        Assert.Equal(0m, Figure(report, "interruptions"));
        Assert.Equal(200m, Figure(report, "filter"));
    }

    private static MeasureSeries SleepSeries(ModelMachine machine, Duration spread) => Assert.Single(Run(
        machine, Duration.FromMilliseconds(100), () => new SleepMeasurement(Duration.FromMilliseconds(5), spread)).Series);

    private static (long Minimum, long Mean, long Maximum, long Deviation) Numbers(MeasureSeries series) =>
        (series.Minimum.Nanoseconds, series.Mean.Nanoseconds, series.Maximum.Nanoseconds, series.Deviation.Nanoseconds);

    private static decimal Figure(MeasureReport report, string name) => report.Figures.Single(one => one.Name == name).Value;

    private static MeasureReport Run(ModelMachine machine, Duration duration, Func<IMeasurement> make)
    {
        var request = new MeasureRequest { Duration = duration, WarmUp = Duration.Zero };
        return MeasureRun.Run(machine, request, make, TestContext.Current.CancellationToken);
    }
}
