using Tracer.Measure.Ground;
using Tracer.Measure.Measurements;
using Tracer.Measure.Recording;

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
        Assert.Contains("The clock ticks every 977 us", Assert.Single(report.Notes), StringComparison.Ordinal);
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

    /// <summary>A clock that is a second ahead does not matter: each way is half of both, without the time at the other end.</summary>
    [Fact]
    public void Udp_to_another_machine_takes_half_of_both_ways()
    {
        var request = new MeasureRequest { Duration = Millisecond, WarmUp = Duration.Zero, Peer = "there:1" };
        MeasureReport report = MeasureRun.Run(
            new ModelMachine { Transit = 9_000, Turnaround = 4_025, SendCost = 700 }, request,
            static () => new UdpMeasurement(Duration.FromMicroseconds(50)), TestContext.Current.CancellationToken);
        // 25 ns of the other process are before its first stamp, 25 are the reading here.
        AssertAlways(9_025, report.Series.Single(static one => one.Name == "receive"));
        Assert.Contains("can't be compared", Assert.Single(report.Notes), StringComparison.Ordinal);
    }

    [Fact]
    public void Packets_without_an_answer_are_lost()
    {
        MeasureReport report = Run(
            new ModelMachine { LosesAnswers = true }, Duration.FromMilliseconds(2_500),
            static () => new UdpMeasurement(Duration.FromMilliseconds(10)));
        Assert.Equal((3m, 0L), (Figure(report, "lost packets"), report.Series[0].Count));
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

    [Fact]
    public void Operator_with_a_screen_counts_until_the_answer_is_shown()
    {
        MeasureReport report = Run(
            new ModelMachine { Transit = 9_000, ShowCost = 10, WakeUp = 0 }, Millisecond,
            static () => new OperatorMeasurement(Duration.FromMicroseconds(100), 1_024, isShown: true));
        AssertAlways(18_025 + 10_240, Assert.Single(report.Series));
    }

    [Fact]
    public void Interrupt_tells_when_the_thread_stops_and_when_it_goes_on()
    {
        // Due at a whole iteration: the thread stops with the reading before the one that the interrupt falls into.
        MeasureReport report = Run(
            new ModelMachine { AlarmDelay = 1_000, AlarmLength = 3_000, WakeUp = 0 }, Duration.FromMilliseconds(100),
            static () => new InterruptMeasurement(Millisecond));
        MeasureSeries both = report.Series.Single(static one => one.Name == "interrupt");
        MeasureSeries latency = report.Series.Single(static one => one.Name == "latency");
        MeasureSeries handler = report.Series.Single(static one => one.Name == "handler");
        Assert.InRange(both.Count, 40, 50);
        AssertAlways(3_025, handler);
        Assert.InRange(latency.Minimum.Nanoseconds, 975, 1_000);
        Assert.InRange(latency.Maximum.Nanoseconds, 975, 1_000);
        Assert.Equal(latency.Mean.Nanoseconds + handler.Mean.Nanoseconds, both.Mean.Nanoseconds);
        Assert.Equal((0m, 0m), (Figure(report, "not seen"), Figure(report, "stopped before")));
    }

    [Fact]
    public void Interrupts_of_another_CPU_are_not_seen()
    {
        MeasureReport report = Run(
            new ModelMachine { WakeUp = 0 }, Duration.FromMilliseconds(20),
            static () => new InterruptMeasurement(Millisecond));
        Assert.Equal((0L, true), (report.Series[0].Count, Figure(report, "not seen") > 4));
        Assert.StartsWith("No interrupt of ", report.Result, StringComparison.Ordinal);
    }

    /// <summary>Drummond's loop: what it takes beyond its least time grows with the interrupts that fall into it.</summary>
    [Fact]
    public void Loops_grow_by_the_interrupts_that_fall_into_them()
    {
        var machine = new ModelMachine { WakeUp = 0 };
        for (int i = 0; i < 4_000; i++)
        {
            machine.Interrupt(10_000_000 + (i * 100_000L), 2_000);
        }

        MeasureReport report = Run(machine, Duration.FromMilliseconds(60), static () => new InterruptMeasurement(Millisecond));
        Dictionary<string, IReadOnlyList<decimal?>> rows = Rows(report);
        Assert.InRange(rows["1 ms"][1]!.Value, 18m, 24m);
        Assert.InRange(rows["10 ms"][1]!.Value, 180m, 240m);
        Assert.Equal(100m, rows["10 ms"][3]);
        Assert.InRange(rows["10 us"][3]!.Value, 5m, 15m);
    }

    /// <summary>A host that stops the CPU before the interrupt is due, to be in time for it.</summary>
    [Fact]
    public void A_thread_that_stops_before_the_interrupt_is_due_is_told()
    {
        MeasureReport report = Run(
            new ModelMachine { AlarmDelay = -2_000, AlarmLength = 5_000, WakeUp = 0 }, Duration.FromMilliseconds(20),
            static () => new InterruptMeasurement(Millisecond));
        MeasureSeries latency = report.Series.Single(static one => one.Name == "latency");
        Assert.InRange(latency.Maximum.Nanoseconds, -2_025, -1_975);
        Assert.Equal(latency.Count, Figure(report, "stopped before"));
        Assert.Equal(5_025, report.Series.Single(static one => one.Name == "handler").Maximum.Nanoseconds);
    }

    [Fact]
    public void Background_tells_only_so_many_processes_apart_and_says_so()
    {
        var tally = new BackgroundTally();
        for (uint process = 1; process <= (1 << 16) + 2; process++)
        {
            tally.Add(process, null, process, 0, 1_000);
        }

        tally.EndSecond(long.MaxValue);
        MeasureResult result = tally.ToResult(own: null);
        Assert.Equal(1 << 16, result.Figures[0].Value);
        Assert.Equal(["More than 65536 processes or threads: 2 times one more ran and is in no number of them."], result.Notes);
        Assert.Equal(Duration.FromMicroseconds((1 << 16) + 2), result.Series[0].Maximum);
    }

    [Fact]
    public void Background_finds_the_thread_that_ran_longest_in_one_second()
    {
        MeasureReport report = Run(new ModelMachine(), Duration.FromSeconds(4), static () => new BackgroundMeasurement());
        Dictionary<string, IReadOnlyList<decimal?>> rows = Rows(report);
        Assert.Equal((2m, 71m), (rows["steady (7)"][0], rows["steady (7)"][1]));
        Assert.InRange(rows["steady (7)"][2]!.Value, 99.9m, 100.1m);
        Assert.Equal([1m, 91m, 40m, 1m, 10m], rows["burst (9)"]);
        Assert.InRange(Figure(report, "together"), 139.9m, 140.1m);
        Assert.Equal(4, Assert.Single(report.Series).Count);
    }

    /// <summary>
    /// A keyboard whose keys a thread of normal priority presses is shut out; disk and network go on, where threads take turns.
    /// </summary>
    [Theory]
    [InlineData(100_000)]
    [InlineData(0)]
    public void Interference_shuts_the_keyboard_out_and_the_rest_where_nobody_takes_turns(long slice)
    {
        MeasureReport report = Run(
            new ModelMachine { Slice = slice, DiskTime = 200_000, Transit = 50_000, WakeUp = 0, ReadCost = 1_000 },
            Duration.FromMilliseconds(60), static () => new InterferenceMeasurement());
        Dictionary<string, IReadOnlyList<decimal?>> rows = Rows(report);
        Assert.InRange(rows["keyboard"][0]!.Value, 850m, 1_000m);
        Assert.Equal((0m, 0m), (rows["keyboard"][1]!.Value, rows["keyboard"][2]!.Value));
        Assert.InRange(rows["disk"][0]!.Value, 4_900m, 5_000m);
        Assert.InRange(rows["disk"][1]!.Value, slice == 0 ? 0m : 2_000m, slice == 0 ? 100m : 5_000m);
        Assert.InRange(rows["network"][1]!.Value, slice == 0 ? 0m : 2_000m, slice == 0 ? 100m : 10_000m);
        Assert.Equal(slice != 0, rows["disk"][3] > 10);
    }

    [Fact]
    public void How_fine_timers_are_to_be_is_asked_of_the_machine()
    {
        using var machine = new ModelMachine();
        var request = new MeasureRequest { Duration = Duration.FromMilliseconds(1), WarmUp = Duration.Zero, TimerMilliseconds = 5 };
        _ = MeasureRun.Run(machine, request, static () => new ClockMeasurement(), TestContext.Current.CancellationToken);
        Assert.Equal(5, machine.Wish?.TimerMilliseconds);
    }

    /// <summary>The slice of the system comes out as it is, and nothing where a thread runs until it waits.</summary>
    [Theory]
    [InlineData(100_000)]
    [InlineData(250_000)]
    [InlineData(0)]
    public void A_quantum_is_the_time_slice(long slice)
    {
        MeasureReport report = Run(
            new ModelMachine { Slice = slice, WakeUp = 0, ReadCost = 1_000 }, Duration.FromMilliseconds(10),
            static () => new QuantumMeasurement());
        MeasureSeries turns = report.Series.Single();
        if (slice == 0)
        {
            Assert.Equal(0, turns.Count);
            Assert.Contains("did not take turns", report.Result);
            return;
        }

        // Within two readings of the counter.
        Assert.InRange(turns.Count, (10_000_000 / slice) - 5, 10_000_000 / slice);
        Assert.InRange(turns.Minimum.Nanoseconds, slice - 2_000, slice);
        Assert.InRange(turns.Maximum.Nanoseconds, slice - 2_000, slice + 2_000);
    }

    private static Dictionary<string, IReadOnlyList<decimal?>> Rows(MeasureReport report) =>
        report.Tables[0].Rows.ToDictionary(static row => row.Name, static row => row.Values);

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
