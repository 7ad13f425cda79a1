using System.Diagnostics;
using Tracer.Capture.Driver;
using Tracer.Capture.Ground;
using Tracer.Capture.Probe;
using Tracer.Capture.Triggers;

namespace Tracer.Capture.Tests;

public sealed class DriverTriggerTests : IDisposable
{
    private const long QpcHz = 10_000_000;

    private readonly FakeDriver _driver = new();
    private readonly Sink _sink = new();

    public void Dispose() => _driver.Dispose();

    [Fact]
    public void A_late_wakeup_arrives_with_its_time_in_the_performance_counter_and_the_histogram_tells_of_all()
    {
        using DriverTrigger trigger = Started();
        Assert.Equal((TriggerKind.Driver, 20_000L, 30.0), (trigger.Kind, trigger.FloorNs, trigger.Delay.TotalMilliseconds));
        Assert.Equal(StartOptions.None, _driver.LastRequest!.Value.Flags);
        _driver.Wake(1_000_000, 250, cpu: 1);
        _driver.Wake(1_010_000, 7_000);
        Wait(trigger, 1);
        Assert.Equal([new TriggerMeasurement(TriggerKind.Driver, 1_010_000, 700_000, 0, 0)], _sink.Measurements);
        Assert.True(SpinWait.SpinUntil(
            () =>
            {
                Thread.Sleep(20);
                trigger.Drain(_sink);
                return _sink.Counted is not null;
            },
            TimeSpan.FromSeconds(100)));
        Assert.Equal((2ul, 700_000L), (_sink.Counted!.Total, _sink.Counted.Max.Nanoseconds));
    }

    [Fact]
    public void A_question_that_is_refused_once_is_asked_again()
    {
        bool isRefused = false;
        using DriverTrigger trigger = Started();
        _driver.Bend = (code, _, length) =>
        {
            bool refuses = code == DriverIoctl.Histogram && !isRefused;
            isRefused |= refuses;
            return refuses ? 0 : length; // A reply of another length is no answer.
        };
        _driver.Wake(1_000_000, 250);
        Assert.True(SpinWait.SpinUntil(
            () =>
            {
                Thread.Sleep(20);
                trigger.Drain(_sink);
                return _sink.Counted is not null;
            },
            TimeSpan.FromSeconds(100)));
        Assert.True(isRefused);
    }

    /// <summary>Each CPU counts from when its own DPC was queued; a late timer is told once, for the CPU that ran its callback.</summary>
    [Fact]
    public void A_late_timer_of_all_CPUs_is_one_measurement()
    {
        using DriverTrigger trigger = Started();
        _driver.WakeByTimer(tick: 1_000_000, callback: 1_006_000, late: 100, timerCpu: 3, cpu: 0);
        _driver.WakeByTimer(tick: 1_000_000, callback: 1_006_000, late: 5_500, timerCpu: 3, cpu: 100);
        _driver.WakeByTimer(tick: 0, callback: 1_080_000, late: 6_000, timerCpu: 3, cpu: 1);
        Wait(trigger, 4);
        Assert.Equal(
            [
                new TriggerMeasurement(TriggerKind.Driver, 1_006_010, 10_000, 0, 0),
                new TriggerMeasurement(TriggerKind.Driver, 1_000_000, 600_000, 3, 0),
                new TriggerMeasurement(TriggerKind.Driver, 1_006_110, 550_000, 100, 0),
                new TriggerMeasurement(TriggerKind.Driver, 1_080_011, 600_000, 1, 0),
            ],
            _sink.Measurements);
        Assert.Equal(0, _sink.Lost);
    }

    [Fact]
    public void A_cycle_counter_is_converted_by_the_latest_tie()
    {
        (_driver.Status.Clock, _driver.Status.ClockHz) = (ProbeClock.Tsc, 2_000_000_000);
        using DriverTrigger trigger = Started();
        _driver.Wake(500, 1_000_000);
        _driver.Emit(Records.Sync(2_000_000_000, 50_000_000));
        _driver.Wake(2_000_000_000 + 2_000_000, 1_000_000);
        Wait(trigger, 1);
        Assert.Equal([new TriggerMeasurement(TriggerKind.Driver, 50_010_000, 500_000, 0, 0)], _sink.Measurements);
        Assert.Equal(1, _sink.Lost);
    }

    [Fact]
    public void What_the_driver_dropped_and_what_makes_no_sense_is_lost()
    {
        using DriverTrigger trigger = Started();
        _driver.Emit(new WakeupRecord
        {
            Header = Records.Header<WakeupRecord>(DriverRecordType.Wakeup),
            Expected = 1000,
            Thread = 999,
        });
        _driver.Status.Dropped = 40;
        _driver.Wake(1, 5_000);
        Wait(trigger, 1);
        // What is lost with a batch is told behind its wake-ups.
        SpinWait.SpinUntil(
            () =>
            {
                trigger.Drain(_sink);
                return _sink.Lost >= 41;
            },
            TimeSpan.FromSeconds(100));
        Assert.Equal(41, _sink.Lost);
    }

    [Fact]
    public void What_nobody_drains_is_bounded_and_counted()
    {
        using DriverTrigger trigger = Started();
        const int Wakeups = 20_000;
        for (uint i = 0; i < Wakeups; i++)
        {
            _driver.Wake(1000 + i, 5_000);
        }

        long patience = Stopwatch.GetTimestamp() + (100 * Stopwatch.Frequency);
        while (_sink.Measurements.Count + _sink.Lost < Wakeups && Stopwatch.GetTimestamp() < patience)
        {
            Thread.Sleep(200);
            trigger.Drain(_sink);
        }

        Assert.Equal(Wakeups, _sink.Measurements.Count + _sink.Lost);
    }

    [Fact]
    public void A_run_that_somebody_else_ends_is_told()
    {
        using DriverTrigger trigger = Started();
        Assert.Null(trigger.Failure);
        _driver.EndRun();
        Assert.True(SpinWait.SpinUntil(() => trigger.Failure is not null, TimeSpan.FromSeconds(100)));
    }

    [Fact]
    public void A_threshold_below_twice_the_floor_is_left_to_the_capture_to_answer()
    {
        using var trigger = new DriverTrigger(
            new DriverClient(_driver), new DriverRunPlan { Threshold = new Duration(39_999) }, QpcHz);
        Assert.Equal(0, trigger.FloorNs);
        trigger.Start();
        Assert.Equal((20_000L, false), (trigger.FloorNs, _driver.IsRunning));
        Assert.NotNull(ProbeFloor.Refusal(new Duration(39_999), new Duration(trigger.FloorNs)));
        Assert.Null(ProbeFloor.Refusal(new Duration(40_000), new Duration(trigger.FloorNs)));
    }

    [Fact]
    public void Any_other_refusal_is_told_when_it_starts()
    {
        _driver.AlwaysRefuses = DriverRefusal.NoTimer;
        using var trigger = new DriverTrigger(new DriverClient(_driver), new DriverRunPlan(), QpcHz);
        Assert.Contains("no high-resolution timers", Assert.Throws<DriverException>(trigger.Start).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Disposed_it_has_ended_the_run_and_closed_the_device()
    {
        Started().Dispose();
        Assert.Equal((false, true), (_driver.IsRunning, _driver.IsDisposed));
        Assert.Throws<ObjectDisposedException>(() => _driver.Control(DriverIoctl.Status, [], [], CancellationToken.None));
    }

    private DriverTrigger Started()
    {
        var trigger = new DriverTrigger(new DriverClient(_driver), new DriverRunPlan(), QpcHz);
        trigger.Start();
        return trigger;
    }

    private void Wait(DriverTrigger trigger, int measurements) => Assert.True(SpinWait.SpinUntil(
        () =>
        {
            trigger.Drain(_sink);
            return _sink.Measurements.Count >= measurements;
        },
        TimeSpan.FromSeconds(100)));

    private sealed class Sink : ITriggerSink
    {
        public List<TriggerMeasurement> Measurements { get; } = [];

        public long Lost { get; private set; }

        public LatencyHistogram? Counted { get; private set; }

        public void OnAll(TriggerKind kind, LatencyHistogram all) => Counted = all;

        public void OnMeasurement(in TriggerMeasurement measurement) => Measurements.Add(measurement);

        public void OnLost(TriggerKind kind, long count) => Lost += count;
    }
}
