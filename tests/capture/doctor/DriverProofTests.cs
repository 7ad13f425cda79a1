using Tracer.Capture.Doctor;
using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Tests;

/// <summary>The driver's lines of the self-test, on a machine that has none, has one, or refuses; afterwards all is as it was.</summary>
public sealed class DriverProofTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-driver-proof-").FullName;
    private readonly FakeServices _services = new();
    private readonly FakeDriver _driver = new();

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
        IReadOnlyList<MachineCheck> told = Run(isVerified: isVerified);
        Assert.Equal(
            ["driver installed", "driver loaded", "driver answers", "driver's wake-ups", "driver under Verifier", "driver's run ends",
                "driver unloaded", "driver removed"],
            told.Select(check => check.Name));
        Every.Item(told, check => Assert.Equal(
            check.Name == other || (isVerified && check.Name == tried) ? CheckOutcome.Skipped : CheckOutcome.Ok, check.Outcome));
        Assert.Contains("7 measured", told.Single(check => check.Name == tried).Finding, StringComparison.Ordinal);
        Assert.Empty(_services.Registered);
        Assert.Empty(Directory.GetFiles(Path.Combine(_folder, "drivers")));
        Assert.False(_driver.IsRunning);
    }

    [Fact]
    public void One_that_was_installed_and_loaded_stays_so()
    {
        string path = Path.Combine(_folder, "drivers", DriverService.FileName);
        _services.Registered.Add(DriverService.Name, new RegisteredService(ServiceState.Running, path));
        IReadOnlyList<MachineCheck> told = Run();
        Assert.Equal(
            [CheckOutcome.Ok, CheckOutcome.Ok, CheckOutcome.Ok, CheckOutcome.Ok, CheckOutcome.Skipped, CheckOutcome.Ok,
                CheckOutcome.Skipped, CheckOutcome.Skipped],
            told.Select(check => check.Outcome));
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

    private List<MachineCheck> Run(string fault = "", bool? isVerified = null)
    {
        DriverMachine machine = FakeDriverMachine.Of(_folder, _services, _driver);
        ((FakePlace)machine.Place).Signature = fault == "unsigned" ? DriverSignature.Missing : DriverSignature.Good;
        _driver.Bend = (code, _, length) =>
        {
            for (ulong number = 1; code == DriverIoctl.Start && _driver.IsRunning && fault != "mute" && number <= 7; number++)
            {
                _driver.Wake(1_000 * number, 200);
            }

            return length;
        };
        List<MachineCheck> told = [];
        var proof = new DriverProof(machine, new Sessions(), new MachineSize(2, 8L << 30), _ => new TraceContents
        {
            Events = 100,
            Tracer = fault == "unheard" ? 0 : 7,
        }, _folder)
        {
            File = TestImages.DriverIn(_folder, DriverService.FileName),
            IsVerified = isVerified,
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
