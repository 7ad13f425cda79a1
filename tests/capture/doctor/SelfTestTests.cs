using Tracer.Capture.Doctor;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

#pragma warning disable CA1416 // Below these sessions is the fake Windows.

namespace Tracer.Capture.Tests;

/// <summary>The self-test on machines that work and that do not: each failure has its own line, and nothing is left behind.</summary>
public sealed class SelfTestTests
{
    private const byte ReadyThread = 0x32;

    [Fact]
    public void A_machine_that_works_passes_and_is_left_as_it_was()
    {
        var sessions = new FakeSessions();
        List<MachineCheck> told = Run(sessions);
        Assert.Equal(
            ["probe process", "probe priority", "places for sessions", "recorder session", "kernel events granted", "stacks taken",
                "snapshot", "recorder's calls", "kernel events arriving", "stacks of samples", "stacks of ready threads",
                "stacks of queued DPCs", "real-time events", "provider events", "end of the session", "ring that wraps", "rundown",
                "machine configuration", "sampling interval", "driver installed", "driver loaded", "driver's wake-ups", "driver's run ends",
                "driver unloaded", "driver under Verifier", "driver removed"],
            told.Select(check => check.Name));
        Every.Item(told, check => Assert.Equal(
            (check.Name, check.Name.StartsWith("driver", StringComparison.Ordinal) ? CheckOutcome.Skipped : CheckOutcome.Ok),
            (check.Name, check.Outcome)));
        Assert.Empty(sessions.Running());
        Assert.True(sessions.HadRecorderBesideTrigger);
        Assert.Equal(10_000u, sessions.ProfileInterval);
    }

    [Theory]
    [InlineData("start", "recorder session")]
    [InlineData("empty", "snapshot")]
    [InlineData("plain flush", "recorder's calls")]
    [InlineData("no provider", "provider events")]
    [InlineData("no stop", "end of the session")]
    [InlineData("interval", "sampling interval")]
    [InlineData("silent", "real-time events")]
    [InlineData("no ISR", "real-time events")]
    [InlineData("late", "real-time events")]
    [InlineData("masks", "kernel events granted")]
    [InlineData("stacks", "stacks taken")]
    [InlineData("places", "places for sessions")]
    [InlineData("priority", "probe priority")]
    [InlineData("lack", "kernel events arriving")]
    [InlineData("no ready stacks", "stacks of ready threads")]
    [InlineData("emptied ring", "ring that wraps")]
    [InlineData("no images", "rundown")]
    [InlineData("lossy rundown", "rundown")]
    [InlineData("no configuration", "machine configuration")]
    public void Each_failure_has_its_line(string fault, string line)
    {
        List<MachineCheck> told = Run(new FakeSessions { Fault = fault });
        MachineCheck bad = told.First(check => check.Outcome is CheckOutcome.Fail or CheckOutcome.Warn);
        Assert.Equal(line, bad.Name);
        Assert.Equal(
            fault is "start" or "empty" or "no provider" or "no stop" or "silent" or "no ISR" or "late" or "no images"
                ? CheckOutcome.Fail : CheckOutcome.Warn,
            bad.Outcome);
    }

    /// <summary>What is not known, or too little to tell, is neither good nor bad.</summary>
    [Theory]
    [InlineData("untold", "kernel events granted")]
    [InlineData("few", "kernel events arriving")]
    [InlineData("no list", "end of the session")]
    [InlineData("no samples", "stacks of samples")]
    [InlineData("taken", "recorder session")]
    public void WhatIsNotToldIsNotShown(string fault, string line)
    {
        List<MachineCheck> told = Run(new FakeSessions { Fault = fault });
        Assert.Equal(CheckOutcome.Skipped, told.Single(check => check.Name == line).Outcome);
        Assert.DoesNotContain(told, check => check.Outcome is CheckOutcome.Fail or CheckOutcome.Warn);
    }

    /// <summary>What Windows has refused is told by its own line; that all arrives is not shown then.</summary>
    [Fact]
    public void WhatIsRefusedDoesNotArrive()
    {
        MachineCheck arriving = Run(new FakeSessions { Fault = "masks", Silent = "PROFILE" })
            .Single(check => check.Name == "kernel events arriving");
        Assert.Equal(CheckOutcome.Skipped, arriving.Outcome);
        Assert.Contains("PROFILE", arriving.Finding, StringComparison.Ordinal);
    }

    /// <summary>Stacks and providers that are missing have lines of their own.</summary>
    [Fact]
    public void WhatIsMissingBesideKernelEventsIsNotTheirs() => Assert.Equal(
        CheckOutcome.Ok,
        Run(new FakeSessions { Fault = "provider missing" }).Single(check => check.Name == "kernel events granted").Outcome);

    [Fact]
    public void AnIntervalThatWindowsRoundsIsTheOneAskedFor() => Assert.Equal(
        CheckOutcome.Ok, Run(new FakeSessions { Fault = "rounded" }).Single(check => check.Name == "sampling interval").Outcome);

    /// <summary>Without rights, or places for sessions, each line says what Windows said; none of them ends the test.</summary>
    [Theory]
    [InlineData(false, "failed with 5: access denied")]
    [InlineData(true, "Logger 3")]
    public void WhatWindowsRefusesIsInEachLine(bool isAdministrator, string said)
    {
        using var windows = new FakeWindows(FakeMachines.Of("ndis-miniport", Duration.FromSeconds(6)), new FakeOptions
        {
            IsAdministrator = isAdministrator,
            Others = [.. Enumerable.Range(1, 8).Select(number => ($"Logger {number}", true))],
        });
        IReadOnlyList<string> before = windows.SessionNames;
        List<MachineCheck> told = Run(new EtwSessions(), "");
        foreach (string line in (string[])["recorder session", "ring that wraps", "rundown", "machine configuration"])
        {
            MachineCheck check = told.Single(one => one.Name == line);
            Assert.Equal((line, CheckOutcome.Fail), (check.Name, check.Outcome));
            Assert.Contains(said, check.Finding, StringComparison.Ordinal);
        }

        Assert.Equal(
            isAdministrator ? CheckOutcome.Ok : CheckOutcome.Warn, told.Single(one => one.Name == "sampling interval").Outcome);
        Assert.Equal(before, windows.SessionNames);
        Assert.Equal(10_000u, windows.ProfileInterval);
    }

    [Fact]
    public void SlownessHasItsOwnLines()
    {
        List<MachineCheck> told = Run(new FakeSessions(), longDeafness: TimeSpan.Zero);
        Assert.Equal(
            ["slow snapshot", "slow rundown"], told.Where(check => check.Outcome == CheckOutcome.Warn).Select(check => check.Name));
    }

    [Fact]
    public void ARingThatNeverFillsProvesNothing()
    {
        MachineCheck ring = Run(new FakeSessions { Fault = "quiet" }).Single(check => check.Name == "ring that wraps");
        Assert.Equal(CheckOutcome.Skipped, ring.Outcome);
    }

    [Fact]
    public void A_probe_that_does_not_start_is_told_and_the_rest_goes_on()
    {
        List<MachineCheck> told = Run(new FakeSessions(), new SilentProbe { Failure = "no timer" });
        Assert.Equal((CheckOutcome.Fail, "no timer"), (told[0].Outcome, told[0].Finding));
        Assert.Equal(CheckOutcome.Skipped, told.Single(check => check.Name == "provider events").Outcome);
        Assert.Equal(CheckOutcome.Fail, Run(new FakeSessions(), new SilentProbe())[0].Outcome);
    }

    /// <summary>Both log to one provider: a probe beside it would be taken for a driver that is heard.</summary>
    [Fact]
    public void TheProbeHasEndedWhenTheDriverIsTried()
    {
        var probe = new BusyProbe { Priority = 28 };
        List<(string Name, bool HasEnded)> told = [];
        Run(new FakeSessions(), probe, check => told.Add((check.Name, probe.HasEnded)));
        Every.Item(told, one => Assert.Equal(
            (one.Name, one.Name.StartsWith("driver", StringComparison.Ordinal)), (one.Name, one.HasEnded)));
    }

    private static List<MachineCheck> Run(
        FakeSessions sessions, ITriggerSource? probe = null, Action<MachineCheck>? also = null, TimeSpan? longDeafness = null) =>
        Run(sessions, sessions.Fault, probe, also, longDeafness, sessions.Silent);

    private static List<MachineCheck> Run(
        ITraceSessions sessions,
        string fault,
        ITriggerSource? probe = null,
        Action<MachineCheck>? also = null,
        TimeSpan? longDeafness = null,
        string? silent = null)
    {
        List<MachineCheck> told = [];
        long first = 0;
        var size = new MachineSize(2, 8L << 30);
        var driver = new DriverProof(
            FakeDriverMachine.Of(Path.GetTempPath(), new FakeServices(), new FakeDriver()), sessions, size, _ => new TraceContents(),
            Path.GetTempPath());
        new SelfTest(
            sessions, size, driver,
            () => probe ?? new BusyProbe { Priority = fault == "priority" ? 13 : 28 },
            _ => new TraceContents
            {
                Events = fault == "empty" ? 0 : 1_000,
                Tracer = new Dictionary<uint, long> { [fault == "no provider" ? 4711u : BusyProbe.Id] = 10 },
                FirstTicks = fault == "quiet" ? 1 : ++first,
                LastTicks = fault == "emptied ring" ? first : 1_000_000,
                TellsSilent = fault != "few",
                Silent = fault == "lack" ? ["DPC_QUEUE"] : silent is not null ? [silent] : [],
                Stacks = RecordedEvents.Stacks.ToDictionary(one => one, one => fault == "no ready stacks" && one.Opcode == ReadyThread
                    || fault == "no samples" && one == RecordedEvents.Stacks[0] ? 0L : 5),
                WithoutStack = fault == "no ready stacks" ? [.. RecordedEvents.Stacks.Where(one => one.Opcode == ReadyThread)] : [],
                KernelImages = fault == "no images" ? 0 : 150,
                Lost = fault == "lossy rundown" ? 3 : 0,
                Configuration = fault == "no configuration" ? 0 : 40,
            },
            Path.GetTempPath(),
            time: TimeSpan.FromMilliseconds(20))
        {
            LongDeafness = longDeafness ?? TimeSpan.FromSeconds(100),
        }.Run(check =>
            {
                told.Add(check);
                also?.Invoke(check);
            });
        return told;
    }

    private class SilentProbe : ITriggerSource
    {
        public string? Failure { get; init; }

        public TriggerKind Kind => TriggerKind.Wakeup;

        public TimeSpan Delay => TimeSpan.Zero;

        public long FloorNs => 10_000;

        public void Start()
        {
            if (Failure is not null)
            {
                throw new CaptureException(Failure);
            }
        }

        public virtual void Drain(ITriggerSink sink)
        {
        }

        public bool HasEnded { get; private set; }

        public void Dispose()
        {
            HasEnded = true;
            GC.SuppressFinalize(this);
        }
    }

    private sealed class BusyProbe : SilentProbe, IOwnPriority, IOwnProcess
    {
        public const int Id = 77;

        public LeftProcess? Process => HasEnded ? null : new LeftProcess(Id, DateTime.UnixEpoch);

        public int? Priority { get; init; }

        public override void Drain(ITriggerSink sink) => sink.OnMeasurement(new TriggerMeasurement(Kind, 1, 12_000, 0, 0));
    }

    private sealed class FakeSessions : ITraceSessions
    {
        private readonly List<string> _running = [];
        private uint _interval = 10_000;

        public string Fault { get; init; } = "";

        /// <summary>A group of which nothing arrives; null for none.</summary>
        public string? Silent { get; init; }

        public bool HadRecorderBesideTrigger { get; private set; }

        public int? Places => Fault == "places" ? null : 64;

        public uint ProfileInterval
        {
            get => _interval;
            set => _interval = Fault == "interval" ? _interval : Fault == "rounded" ? value + 9 : value;
        }

        public ITraceSession Start(SessionPlan plan)
        {
            if (Fault is "start" or "taken")
            {
                throw new EtwException("StartTrace", Fault == "start" ? 5 : 183, "refused");
            }

            HadRecorderBesideTrigger |= plan.Role == SessionRole.Trigger && _running.Contains(SessionPlans.RecorderName);
            _running.Add(plan.Name);
            return new Session(this, plan);
        }

        public IReadOnlyList<RunningSession> Running() => Fault == "no list"
            ? throw new EtwException("QueryAllTraces", 87, "refused")
            : [.. _running.Select(name => new RunningSession(name, true))];

        public bool Stop(string name) => _running.Remove(name);

        public void ReadEvents(string name, IRealTimeSink sink) => throw new NotSupportedException();

        public void ReadRealTime(string name, IInterruptWorkSink sink)
        {
            if (Fault != "silent")
            {
                if (Fault == "late")
                {
                    SpinWait.SpinUntil(() => !_running.Contains(name));
                }

                sink.OnWork(new InterruptWork(false, 0, 1, 2, 3));
                if (Fault != "no ISR")
                {
                    sink.OnWork(new InterruptWork(true, 0, 1, 2, 3));
                }
            }
        }

        private sealed class Session(FakeSessions all, SessionPlan plan) : ITraceSession
        {
            public SessionPlan Plan => plan;

            public KernelMasks Granted => all.Fault == "masks" ? default : plan.Masks;

            public bool IsGrantedTold => all.Fault != "untold";

            public IReadOnlyList<StackRequest> GrantedStacks => all.Fault == "stacks" ? [] : plan.Stacks;

            public IReadOnlyList<string> Missing => all.Fault == "provider missing"
                ? ["Microsoft-Windows-X"]
                : RecordedEvents.Missing(plan.Masks, Granted);

            public IReadOnlyList<string> Refusals => all.Fault == "plain flush" ? ["ControlTrace (flush) failed with 87"] : [];

            public SessionCounters Query() => default;

            public void Snapshot(string path) => File.WriteAllText(path, "snapshot");

            public void Stop()
            {
                if (all.Fault != "no stop")
                {
                    all.Stop(plan.Name);
                }
            }

            public void Dispose() => all.Stop(plan.Name);
        }
    }
}
