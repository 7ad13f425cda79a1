using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.TracerCommand.Commands.Capture;

namespace Tracer.Capture.Tests;

/// <summary>What watching costs is measured, and told in one line.</summary>
public sealed class CostMeterTests : IDisposable
{
    private static readonly LeftProcess Probe = new(5, DateTime.UnixEpoch);

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-cost-").FullName;
    private readonly FakeCaptureMachine _machine;
    private TimeSpan _own = TimeSpan.FromSeconds(3);
    private TimeSpan? _probe = TimeSpan.FromSeconds(1);
    private uint? _clock = 156_250;

    public CostMeterTests() => _machine = new FakeCaptureMachine(_folder);

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void OurProcessesAndTheClocksRateAreCounted()
    {
        CostMeter meter = Begin();
        Pass(10, own: 0.4, probe: 0.2);
        _clock = 5_000;
        meter.Look();
        Pass(10, own: 0.1, probe: 0.1);
        _probe = null; // It ends; what it took stays.
        _clock = 10_000;
        meter.Look();
        CaptureCost cost = meter.Cost(null, 10_000);
        Assert.Equal(Duration.FromMilliseconds(1_600), cost.OwnCpu); // 0.5 of ours since then; of the probe 1.1 that were seen.
        Assert.Equal(8.0, cost.OwnCpuPercent!.Value, 3);
        Assert.Equal((Duration.FromMicroseconds(15_625), Duration.FromMicroseconds(500)), (cost.ClockPeriodBefore, cost.ClockPeriod));
        Assert.Equal(Duration.FromMilliseconds(1), cost.SampleInterval);
        Assert.Null(cost.EventsPerSecond);
    }

    [Fact]
    public void ItIsToldInOneLine()
    {
        CaptureCost cost = new()
        {
            OwnCpu = Duration.FromSeconds(1),
            OwnCpuPercent = 1.26,
            EventsPerSecond = 84_123.4,
            StacksPerSecond = 9_000,
            ClockPeriodBefore = Duration.FromMicroseconds(15_625),
            ClockPeriod = Duration.FromMicroseconds(500),
            SampleInterval = Duration.FromMilliseconds(1),
        };
        Assert.Equal(
            "watching took 1.3 % of one CPU and recorded 84,123 events a second, 9,000 of them stacks; "
            + "the clock ticked every 500 us instead of 15.6 ms",
            CostText.Of(cost));
        Assert.EndsWith(
            "; the clock went on ticking every 15.6 ms",
            CostText.Of(cost with { ClockPeriod = Duration.FromMicroseconds(15_600) }),
            StringComparison.Ordinal);
        Assert.Equal(
            "watching took 1.3 % of one CPU", CostText.Of(cost with { EventsPerSecond = null, ClockPeriod = null }));
        Assert.Null(CostText.Of(null));
    }

    private CostMeter Begin()
    {
        var meter = new CostMeter(_machine.Describe() with
        {
            OwnCpuTime = () => _own,
            CpuTimeOf = process => process == Probe ? _probe : null,
            ClockPeriod100ns = () => _clock,
        });
        meter.Begin();
        meter.Watch(Probe);
        _probe = TimeSpan.FromSeconds(0.9);
        return meter;
    }

    private void Pass(double seconds, double own, double probe)
    {
        _machine.Clock.Wait(TimeSpan.FromSeconds(seconds), CancellationToken.None);
        _own += TimeSpan.FromSeconds(own);
        _probe += TimeSpan.FromSeconds(probe);
    }
}
