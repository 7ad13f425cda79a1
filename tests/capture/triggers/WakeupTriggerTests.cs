using Tracer.Capture.Ground;
using Tracer.Capture.Probe;
using Tracer.Capture.Triggers;

namespace Tracer.Capture.Tests;

/// <summary>The whole way from a probe, here on threads of this process, to what the engine hears.</summary>
public sealed class WakeupTriggerTests
{
    private static readonly ProbeSettings Settings = new() { Threshold = Duration.FromMicroseconds(500), Cpus = [0] };

    [Fact]
    public void Late_wakeups_reach_the_engine_with_their_time_and_cpu()
    {
        var machine = new FakeProbeMachine { Late = (cpu, number) => number == 1_000 ? 33_000 : 0 };
        Heard heard = Run(machine, until: heard => heard.Worst.LatencyNs > 500_000, out FakeLauncher launcher, out WakeupTrigger trigger);
        Assert.Equal((TriggerKind.Wakeup, 0), (heard.Worst.Kind, heard.Worst.Cpu));
        Assert.InRange(heard.Worst.LatencyNs, 3_299_000, 3_350_000);
        Assert.True(heard.Worst.StartQpc > 0);
        Assert.InRange(trigger.FloorNs, 1, 20_000);
        Assert.Equal(1_000_150, trigger.Granularity.Nanoseconds, 2_000d);
        Assert.Null(trigger.Process);
        Assert.Equal(0, launcher.Probe!.WatchAllocatedBytes);
        Assert.Equal(1, machine.Log.Count(ProbeEvent.Start));
        Assert.Equal(1, machine.Log.Count(ProbeEvent.Stop));
        Assert.InRange(machine.Log.Count(ProbeEvent.ClockSync), 2, int.MaxValue);
        Assert.Collection(
            trigger.TakeRemarks(),
            remark => Assert.StartsWith("the probe wakes up on 1 CPU at priority 28, by clock ticks every 1", remark.Text),
            remark => Assert.Contains("of one CPU for", remark.Text, StringComparison.Ordinal));
        Assert.Empty(trigger.TakeRemarks());
    }

    [Fact]
    public void A_CPU_with_too_high_a_floor_is_told()
    {
        using var trigger = new WakeupTrigger(Settings with { Cpus = [0, 5] }, new WrittenProbe([11_000, 410_000], [0, 0]));
        trigger.Start();
        Assert.Equal(11_000, trigger.FloorNs);
        Assert.Contains(
            (CaptureNoteLevel.Warning, "CPU 5 is not measured: its floor is 410 us, too high for 500us"), trigger.TakeRemarks());
    }

    [Fact]
    public void A_machine_that_slept_is_told_once()
    {
        using var trigger = new WakeupTrigger(Settings with { Cpus = [0, 5] }, new WrittenProbe([11_000, 12_000], [1, 1]));
        trigger.Start();
        _ = trigger.TakeRemarks();
        trigger.Drain(new Heard());
        trigger.Drain(new Heard());
        Assert.StartsWith("the machine slept", Assert.Single(trigger.TakeRemarks()).Text, StringComparison.Ordinal);
    }

    [Fact]
    public void What_Windows_does_not_grant_is_told()
    {
        var machine = new FakeProbeMachine { GivenPriority = 15, Missing = ["the real-time priority class"] };
        Run(machine, heard => heard.Count > 0, out _, out WakeupTrigger trigger);
        Assert.Contains(
            (CaptureNoteLevel.Warning,
                "the probe was not granted: the real-time priority class; priority 28 was asked for, Windows gave 15"),
            trigger.TakeRemarks());
    }

    [Fact]
    public void A_probe_that_cannot_begin_says_why()
    {
        var launcher = new FakeLauncher(new FakeProbeMachine { Failure = new InvalidOperationException("no timer") });
        using var trigger = new WakeupTrigger(Settings, launcher);
        Assert.Equal(
            "the probe process could not measure: no timer", Assert.Throws<CaptureException>(trigger.Start).Message);
    }

    [Fact]
    public void A_probe_that_dies_at_once_is_noticed()
    {
        using var trigger = new WakeupTrigger(Settings, new FakeLauncher(null));
        Assert.Equal("the probe process ended before it measured anything", Assert.Throws<CaptureException>(trigger.Start).Message);
    }

    [Fact]
    public void The_parents_end_is_the_probes()
    {
        var machine = new FakeProbeMachine();
        var launcher = new FakeLauncher(machine);
        using var trigger = new WakeupTrigger(Settings, launcher);
        trigger.Start();
        machine.IsParentGone = true;
        Assert.True(launcher.WaitForExit(TimeSpan.FromSeconds(100)));
        trigger.Drain(new Heard());
        Assert.Contains((CaptureNoteLevel.Warning, "the probe process has ended"), trigger.TakeRemarks());
    }

    [Fact]
    public void What_nobody_drains_is_counted()
    {
        var launcher = new FakeLauncher(new FakeProbeMachine());
        using var trigger = new WakeupTrigger(Settings, launcher);
        trigger.Start();
        SpinWait.SpinUntil(() => launcher.Machine!.Log.Count(ProbeEvent.Wakeup) > 3 * ProbeRing.Capacity, 100_000);
        var heard = new Heard();
        trigger.Drain(heard);
        Assert.True(heard.Lost > 0);
        Assert.InRange(heard.Count, ProbeRing.Capacity, 2 * ProbeRing.Capacity);
    }

    [Fact]
    public void Each_CPU_has_a_thread_of_its_own()
    {
        var launcher = new FakeLauncher(new FakeProbeMachine());
        using var trigger = new WakeupTrigger(Settings with { Cpus = [0, 5, 63] }, launcher);
        trigger.Start();
        var heard = new Heard();
        Assert.True(SpinWait.SpinUntil(
            () =>
            {
                trigger.Drain(heard);
                return heard.Cpus.Count == 3;
            },
            100_000));
        Assert.Equal([0, 5, 63], heard.Cpus.Order());
    }

    [Theory]
    [InlineData(500, 250_000, true)]
    [InlineData(500, 250_001, false)]
    [InlineData(500, 0, true)]
    public void Thresholds_below_twice_the_floor_are_refused(int thresholdUs, long floorNs, bool isAllowed)
    {
        string? refusal = ProbeFloor.Refusal(Duration.FromMicroseconds(thresholdUs), new Duration(floorNs));
        Assert.Equal(isAllowed, refusal is null);
        Assert.True(isAllowed || refusal!.Contains("510 us", StringComparison.Ordinal), refusal);
    }

    [Fact]
    public void The_probe_is_started_as_this_program()
    {
        System.Diagnostics.ProcessStartInfo start = ProbeLauncher.StartOf(Settings with { ParentId = 42 }, "Tracer.Probe.x");
        Assert.Equal("0", start.Environment["DOTNET_TieredCompilation"]);
        Assert.Equal("0", start.Environment["DOTNET_gcConcurrent"]);
        Assert.True(start.CreateNoWindow);
        Assert.Equal(
            [
                "probe", "--memory", "Tracer.Probe.x", "--parent", "42", "--cpus", "0", "--threshold", "500us", "--period", "1ms",
                "--priority", "28",
            ],
            start.ArgumentList.SkipWhile(argument => argument != ProbeLauncher.Command));
    }

    [Theory]
    [InlineData(true, false, 4, 28)]
    [InlineData(true, false, 0, 24)]
    [InlineData(true, false, 15, 31)]
    [InlineData(true, false, -15, 16)]
    [InlineData(false, true, 0, 13)]
    [InlineData(false, true, 4, 15)]
    [InlineData(false, true, 15, 15)]
    [InlineData(false, false, 2, 10)]
    [InlineData(false, false, -15, 1)]
    public void Priorities_are_computed_as_Windows_does(bool isRealTime, bool isHigh, int level, int priority)
    {
        Assert.Equal(priority, ProbePriority.Of(isRealTime, isHigh, level));
        Assert.True(!isRealTime || level is 15 or -15 || ProbePriority.Level(priority) == level);
    }

    private static Heard Run(FakeProbeMachine machine, Func<Heard, bool> until, out FakeLauncher launcher, out WakeupTrigger trigger)
    {
        launcher = new FakeLauncher(machine);
        trigger = new WakeupTrigger(Settings, launcher);
        var heard = new Heard();
        trigger.Start();
        Assert.NotNull(trigger.Process);
        WakeupTrigger running = trigger;
        Assert.True(SpinWait.SpinUntil(
            () =>
            {
                running.Drain(heard);
                return until(heard);
            },
            100_000));
        trigger.Dispose();
        return heard;
    }

    private sealed class Heard : ITriggerSink
    {
        public TriggerMeasurement Worst { get; private set; }

        public HashSet<int> Cpus { get; } = [];

        public long Count { get; private set; }

        public long Lost { get; private set; }

        public void OnMeasurement(in TriggerMeasurement measurement)
        {
            Count++;
            Cpus.Add(measurement.Cpu);
            Worst = measurement.LatencyNs > Worst.LatencyNs ? measurement : Worst;
        }

        public void OnLost(TriggerKind kind, long count) => Lost += count;
    }

    /// <summary>What a probe has written: floors and resumes by CPU.</summary>
    private sealed class WrittenProbe(long[] floors, long[] resumes) : IProbeLauncher, ILaunchedProbe
    {
        public LeftProcess Process => new(1234, DateTime.UnixEpoch);

        public ILaunchedProbe Start(ProbeSettings settings, string memoryName)
        {
            using var memory = ProbeMemory.Open(memoryName, settings.Cpus.Count);
            memory.Status.QpcHz = 10_000_000;
            memory.Status.FloorNs = floors.Min();
            for (int i = 0; i < floors.Length; i++)
            {
                ProbeRing ring = memory.Ring(i);
                ring.FloorNs = floors[i];
                ring.Resumes = resumes[i];
            }

            memory.State = ProbeState.Running;
            return this;
        }

        public bool WaitForExit(TimeSpan time) => true;

        public void Kill() => Assert.Fail("It has to end by itself.");

        public void Dispose()
        {
        }
    }

    private sealed class FakeLauncher(FakeProbeMachine? machine) : IProbeLauncher, ILaunchedProbe
    {
        private Thread? _thread;

        public FakeProbeMachine? Machine => machine;

        public ProbeProcess? Probe { get; private set; }

        public LeftProcess Process => new(1234, DateTime.UnixEpoch);

        public ILaunchedProbe Start(ProbeSettings settings, string memoryName)
        {
            _thread = new Thread(() =>
            {
                if (machine is not null)
                {
                    using var memory = ProbeMemory.Open(memoryName, settings.Cpus.Count);
                    Probe = new ProbeProcess(machine, settings, memory);
                    Probe.Run();
                }
            });
            _thread.Start();
            return this;
        }

        public bool WaitForExit(TimeSpan time) => _thread!.Join(time);

        public void Kill() => Assert.Fail("It has to end by itself.");

        public void Dispose()
        {
        }
    }
}
