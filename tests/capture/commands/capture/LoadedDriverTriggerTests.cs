using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Ground;
using Tracer.TracerCommand.Commands.Capture;

namespace Tracer.Capture.Tests;

/// <summary>The driver as <c>tracer capture</c> uses it: what it can't tell is left to the probe process, and said.</summary>
public sealed class LoadedDriverTriggerTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;
    private readonly FakeServices _services = new();
    private readonly FakeDriver _driver = new();
    private readonly DriverMachine _machine;
    private int _probes;

    public LoadedDriverTriggerTests()
    {
        _machine = FakeDriverMachine.Of(_folder, _services, _driver);
        _machine.Driver().Install(TestImages.DriverIn(_folder, DriverService.FileName));
    }

    public void Dispose()
    {
        _driver.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    /// <summary>The period is 1 ms: a threshold beyond it was refused once.</summary>
    [Fact]
    public void A_threshold_beyond_the_period_is_measured_by_the_driver()
    {
        using (LoadedDriverTrigger trigger = Trigger(Duration.FromMilliseconds(2)))
        {
            trigger.Start();
            Assert.Equal((TriggerKind.Driver, 20_000L, 0), (trigger.Kind, trigger.FloorNs, _probes));
            Assert.Empty(trigger.TakeRemarks());
            Assert.Equal((2_000_000ul, StartOptions.None), (_driver.LastRequest!.Value.ThresholdNs, _driver.LastRequest.Value.Flags));
            Assert.True(_driver.IsRunning);
        }

        Assert.False(_driver.IsRunning);
        Assert.Equal(ServiceState.Stopped, _services.Registered[DriverService.Name].State);
    }

    [Fact]
    public void Where_no_floor_is_known_the_probe_process_measures_and_that_is_said()
    {
        _driver.MeasuredFloorNs = 0;
        using LoadedDriverTrigger trigger = Trigger(Duration.FromMilliseconds(2), isNamed: true);
        trigger.Start();
        Assert.Equal((TriggerKind.Wakeup, 1, false), (trigger.Kind, _probes, _driver.IsRunning));
        Assert.Contains("the probe process measures wake-ups instead", Assert.Single(trigger.TakeRemarks()).Text);
        Assert.Empty(trigger.TakeRemarks());
        Assert.Equal(ServiceState.Stopped, _services.Registered[DriverService.Name].State);
    }

    /// <summary>Who asked for the driver is told why it can't be; who did not, is served.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_driver_that_refuses_ends_only_the_capture_that_asked_for_it(bool isNamed)
    {
        _driver.AlwaysRefuses = DriverRefusal.NoTimer;
        using LoadedDriverTrigger trigger = Trigger(Duration.FromMilliseconds(2), isNamed);
        if (isNamed)
        {
            Assert.Throws<DriverException>(trigger.Start);
            return;
        }

        trigger.Start();
        Assert.Equal(1, _probes);
        Assert.Contains("no high-resolution timers", Assert.Single(trigger.TakeRemarks()).Text);
    }

    /// <summary>The capture answers that as it does for the probe: DPCs and ISRs are watched instead.</summary>
    [Fact]
    public void A_threshold_below_twice_the_floor_leaves_the_floor_to_be_judged()
    {
        using LoadedDriverTrigger trigger = Trigger(Duration.FromMicroseconds(30));
        trigger.Start();
        Assert.Equal((TriggerKind.Driver, 20_000L, 0, false), (trigger.Kind, trigger.FloorNs, _probes, _driver.IsRunning));
    }

    private LoadedDriverTrigger Trigger(Duration threshold, bool isNamed = false) =>
        new(_machine, threshold, 10_000_000, isNamed, () => new Probe(() => _probes++));

    private sealed class Probe(Action started) : ITriggerSource
    {
        public TriggerKind Kind => TriggerKind.Wakeup;

        public TimeSpan Delay => TimeSpan.FromMilliseconds(50);

        public long FloorNs => 9_000;

        public void Start() => started();

        public void Drain(ITriggerSink sink)
        {
        }

        public void Dispose()
        {
        }
    }
}
