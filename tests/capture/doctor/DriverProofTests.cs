using Tracer.Capture.Doctor;
using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Driver.Verifier;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Tests;

/// <summary>The driver's lines of the self-test, on a machine that has none, has one, or refuses; afterwards all is as it was.</summary>
public sealed class DriverProofTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-driver-proof-").FullName;
    private readonly FakeServices _services = new();
    private readonly FakeDriver _driver = new();
    private readonly FakeVerified _kernel = new();

    public void Dispose()
    {
        _driver.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Theory]
    [InlineData(false, "driver's wake-ups", "driver under Verifier")]
    [InlineData(true, "driver under Verifier", "driver's wake-ups")]
    public void A_driver_is_installed_run_heard_and_gone_again(bool isVerified, string tried, string other)
    {
        _kernel.Tell = isVerified ? Verifying : static () => [];
        IReadOnlyList<MachineCheck> told = Run();
        Assert.Equal(
            ["driver installed", "driver loaded", "driver answers", "driver's wake-ups", "driver's run ends", "driver unloaded",
                "driver under Verifier", "driver removed"],
            told.Select(check => check.Name));
        Every.Item(told, check => Assert.Equal(
            (check.Name, check.Name == other ? CheckOutcome.Skipped : CheckOutcome.Ok), (check.Name, check.Outcome)));
        Assert.Contains("7 measured", told.Single(check => check.Name == tried).Finding, StringComparison.Ordinal);
        Assert.Empty(_services.Registered);
        Assert.Empty(Directory.GetFiles(Path.Combine(_folder, "drivers")));
        Assert.False(_driver.IsRunning);
    }

    /// <summary>The line is confirmed by the running kernel alone, and only where it verified the driver from load to unload.</summary>
    [Theory]
    [InlineData("untold", "does not tell")]
    [InlineData("other driver", "a restart")]
    [InlineData("registry only", "a restart")]
    [InlineData("loaded before", "without being verified")]
    [InlineData("no option", "without an option")]
    [InlineData("taken off", "does not list it any more")]
    public void What_the_kernel_does_not_verify_is_not_confirmed(string fault, string said)
    {
        _kernel.Tell = () => fault switch
        {
            "untold" => null,
            "other driver" => [new VerifiedDriver("TracerLatencyLab.sys", 0x9BB, 1, 0)],
            "registry only" => [],
            "loaded before" => [Row(loads: 0)],
            "no option" => [Row() with { Level = 0 }],
            _ => _services.Registered.Values.Any(one => one.State == ServiceState.Running) ? [Row()] : [],
        };
        MachineCheck told = Run().Single(check => check.Name == "driver under Verifier");
        Assert.Equal(CheckOutcome.Skipped, told.Outcome);
        Assert.Contains(said, told.Finding, StringComparison.Ordinal);
    }

    /// <summary>What fails by Verifier's watch is told of that watch; without it, it was not tried.</summary>
    [Fact]
    public void A_run_that_fails_while_it_is_verified_is_told_there()
    {
        _kernel.Tell = Verifying;
        IReadOnlyList<MachineCheck> told = Run("unheard");
        Assert.Equal(CheckOutcome.Skipped, told.Single(check => check.Name == "driver's wake-ups").Outcome);
        Assert.Equal(CheckOutcome.Warn, told.Single(check => check.Name == "driver under Verifier").Outcome);
    }

    [Fact]
    public void A_run_that_goes_on_does_not_go_well_while_it_is_verified()
    {
        _kernel.Tell = Verifying;
        IReadOnlyList<MachineCheck> told = Run("endless");
        Assert.Equal(CheckOutcome.Warn, told.Single(check => check.Name == "driver's run ends").Outcome);
        Assert.Equal(CheckOutcome.Warn, told.Single(check => check.Name == "driver under Verifier").Outcome);
    }

    [Fact]
    public void One_that_stays_loaded_was_not_tried_to_the_end()
    {
        string path = Path.Combine(_folder, "drivers", DriverService.FileName);
        _services.Registered.Add(DriverService.Name, new RegisteredService(ServiceState.Running, path));
        _kernel.Tell = static () => [Row()];
        MachineCheck told = Run().Single(check => check.Name == "driver under Verifier");
        Assert.Equal(CheckOutcome.Skipped, told.Outcome);
        Assert.Contains("it was not unloaded", told.Finding, StringComparison.Ordinal);
    }

    [Fact]
    public void One_that_was_installed_and_loaded_stays_so()
    {
        string path = Path.Combine(_folder, "drivers", DriverService.FileName);
        _services.Registered.Add(DriverService.Name, new RegisteredService(ServiceState.Running, path));
        IReadOnlyList<MachineCheck> told = Run();
        Assert.Equal(
            [CheckOutcome.Skipped, CheckOutcome.Skipped, CheckOutcome.Ok, CheckOutcome.Ok, CheckOutcome.Ok, CheckOutcome.Skipped,
                CheckOutcome.Skipped, CheckOutcome.Skipped],
            told.Select(check => check.Outcome));
        Every.Item(told.Take(2), check => Assert.Contains("was not tried", check.Finding, StringComparison.Ordinal));
        Assert.Equal(ServiceState.Running, _services.Registered[DriverService.Name].State);
    }

    [Fact]
    public void A_run_of_somebody_else_goes_on()
    {
        _services.Registered.Add(
            DriverService.Name, new RegisteredService(ServiceState.Running, Path.Combine(_folder, "drivers", DriverService.FileName)));
        using var other = new DriverClient(_driver.Open());
        other.Start(new DriverRunPlan());
        MachineCheck told = Run().Single(check => check.Name == "driver's wake-ups");
        Assert.Equal(CheckOutcome.Skipped, told.Outcome);
        Assert.True(_driver.IsRunning);
    }

    /// <summary>A capture needs no driver: what fails is a warning, with what Windows said, and the rest is undone all the same.</summary>
    [Theory]
    [InlineData("unsigned", "driver installed", CheckOutcome.Skipped)]
    [InlineData("refused", "driver loaded", CheckOutcome.Warn)]
    [InlineData("mute", "driver's wake-ups", CheckOutcome.Warn)]
    [InlineData("unheard", "driver's wake-ups", CheckOutcome.Warn)]
    [InlineData("held", "driver unloaded", CheckOutcome.Warn)]
    public void What_fails_has_its_line(string fault, string line, CheckOutcome outcome)
    {
        if (fault == "refused")
        {
            _services.Errors["Start"] = Win32Error.DriverBlocked;
        }

        _services.IsDeviceHeld = fault == "held";
        IReadOnlyList<MachineCheck> told = Run(fault);
        Assert.Equal(outcome, told.Single(check => check.Name == line).Outcome);
        Assert.DoesNotContain(told, check => check.Outcome == CheckOutcome.Fail);
        Assert.Equal(fault == "held" ? 1 : 0, _services.Registered.Count);
        Assert.False(_driver.IsRunning);
    }

    private static VerifiedDriver Row(uint loads = 1, uint unloads = 0) =>
        new(DriverService.FileName.ToLowerInvariant(), 0x9BB, loads, unloads);

    /// <summary>A kernel that verifies the driver, and counts its loads and unloads.</summary>
    private IReadOnlyList<VerifiedDriver> Verifying() =>
        [Row(unloads: _services.Registered.Values.Any(one => one.State == ServiceState.Running) ? 0u : 1)];

    private List<MachineCheck> Run(string fault = "")
    {
        DriverMachine machine = FakeDriverMachine.Of(_folder, _services, _driver) with { Verified = _kernel };
        ((FakePlace)machine.Place).Signature = fault == "unsigned" ? DriverSignature.Missing : DriverSignature.Good;
        _driver.Bend = (code, _, length) =>
        {
            for (ulong number = 1; code == DriverIoctl.Start && _driver.IsRunning && fault != "mute" && number <= 7; number++)
            {
                _driver.Wake(1_000 * number, 200);
            }

            return fault == "endless" && code == DriverIoctl.Stop
                ? throw DriverException.Of(DriverStep.Talk, Win32Error.InsufficientBuffer)
                : length;
        };
        List<MachineCheck> told = [];
        var proof = new DriverProof(machine, new Sessions(), new MachineSize(2, 8L << 30), _ => new TraceContents
        {
            Events = 100,
            DriverWakeups = fault == "unheard" ? 0 : 7,
            Tracer = new Dictionary<uint, long> { [4711] = 900 }, // Somebody's probe.
        }, _folder)
        {
            File = TestImages.DriverIn(_folder, DriverService.FileName),
            Time = TimeSpan.FromMilliseconds(20),
        };
        proof.Run(told.Add);
        return told;
    }

    private sealed class Sessions : ITraceSessions
    {
        public int? Places => 64;

        public uint ProfileInterval { get; set; } = 10_000;

        public ITraceSession Start(SessionPlan plan) => new Session(plan);

        public IReadOnlyList<RunningSession> Running() => [];

        public bool Stop(string name) => true;

        public void ReadEvents(string name, IRealTimeSink sink) => throw new NotSupportedException();

        public void ReadRealTime(string name, IInterruptWorkSink sink) => throw new NotSupportedException();

        private sealed class Session(SessionPlan plan) : ITraceSession
        {
            public SessionPlan Plan => plan;

            public KernelMasks Granted => plan.Masks;

            public bool IsGrantedTold => true;

            public IReadOnlyList<StackRequest> GrantedStacks => plan.Stacks;

            public SessionCounters Query() => default;

            public void Snapshot(string path) => File.WriteAllText(path, "snapshot");

            public void Stop()
            {
            }

            public void Dispose()
            {
            }
        }
    }
}
