using Tracer.Capture.Doctor;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Sessions;
using Tracer.TracerCommand.Commands.Doctor;

namespace Tracer.Capture.Tests;

/// <summary>What the doctor says of machines that a test makes.</summary>
public sealed class MachineChecksTests
{
    private static readonly DoctorFacts Good = new()
    {
        Build = 26_100,
        IsAdministrator = true,
        SecureBoot = true,
        TestSigning = false,
        MemoryIntegrity = true,
        Hypervisor = "Microsoft Hv",
        IsHypervisorRoot = true,
        InvariantTsc = true,
        QpcHz = 10_000_000,
        ClockPeriods = (156_250, 5_000, 10_000),
        PowerPlan = "Balanced",
        PowerPlanId = new Guid("381b4222-f694-41f0-9685-ff5bb260df2e"),
        Sessions = [new RunningSession("EventLog-System", false), new RunningSession("Circular Kernel Context Logger", true)],
        ProfileInterval = 10_000,
        Driver = new RegisteredService(ServiceState.Running, @"C:\Tracer\TracerLatency.sys"),
        Cpus = 8,
        MemoryBytes = 16L << 30,
        FreeMemoryBytes = 8L << 30,
        FreeDiskBytes = 100L << 30,
    };

    /// <summary>What is wrong, the check that has to say so, and how.</summary>
    public static TheoryData<string, string, CheckOutcome> Troubles() => new()
    {
        { "wine", "windows", CheckOutcome.Fail },
        { "old", "windows", CheckOutcome.Fail },
        { "older timer", "windows", CheckOutcome.Warn },
        { "user", "administrator", CheckOutcome.Fail },
        { "sessions not told", "trace sessions", CheckOutcome.Warn },
        { "left over", "trace sessions", CheckOutcome.Warn },
        { "loggers taken", "trace sessions", CheckOutcome.Fail },
        { "sessions taken", "trace sessions", CheckOutcome.Fail },
        { "loggers nearly taken", "trace sessions", CheckOutcome.Warn },
        { "hpet", "clock", CheckOutcome.Warn },
        { "acpi timer", "clock", CheckOutcome.Warn },
        { "varying tsc", "clock", CheckOutcome.Warn },
        { "no timer told", "timer resolution", CheckOutcome.Warn },
        { "coarse timer", "timer resolution", CheckOutcome.Warn },
        { "fast sampling", "sampling interval", CheckOutcome.Warn },
        { "no sampling", "sampling interval", CheckOutcome.Warn },
        { "saving power", "power plan", CheckOutcome.Warn },
        { "no plan", "power plan", CheckOutcome.Warn },
        { "guest", "hypervisor", CheckOutcome.Warn },
        { "driver on its way", "driver", CheckOutcome.Warn },
        { "little memory", "memory", CheckOutcome.Warn },
        { "little disk", "disk", CheckOutcome.Warn },
        { "no disk told", "disk", CheckOutcome.Warn },
    };

    [Theory]
    [MemberData(nameof(Troubles))]
    public void Each_trouble_is_told_by_its_own_check_only(string trouble, string check, CheckOutcome outcome)
    {
        MachineCheck[] odd = [.. MachineChecks.Of(With(trouble)).Where(one => one.Outcome != CheckOutcome.Ok)];
        MachineCheck told = Assert.Single(odd);
        Assert.Equal((check, outcome), (told.Name, told.Outcome));
        Assert.NotNull(told.Why);
    }

    [Fact]
    public void A_good_machine_has_nothing_to_mend() =>
        Every.Item(MachineChecks.Of(Good), check => Assert.Equal((CheckOutcome.Ok, null), (check.Outcome, check.Fix)));

    [Fact]
    public void Who_holds_the_places_for_system_loggers_is_named() => Assert.Contains(
        "5 running, 5 of them system loggers: a, b, c, d, e",
        MachineChecks.Sessions(With("loggers taken")).Finding,
        StringComparison.Ordinal);

    [Theory]
    [InlineData("good")]
    [InlineData("wine")]
    [InlineData("loggers taken")]
    public void The_text_is_as_stored(string machine) => GoldenText.AssertEqual(
        $"tests/capture/doctor/golden/doctor-{machine.Replace(' ', '-')}.txt", Printed(machine, isJson: false));

    [Fact]
    public void The_JSON_is_as_stored() =>
        GoldenText.AssertEqual("tests/capture/doctor/golden/doctor-good.json", Printed("good", isJson: true));

    [Fact]
    public void A_failed_check_is_a_failed_command()
    {
        Assert.Equal(0, DoctorCommand.Run(Good, null, isJson: false, TextWriter.Null));
        Assert.Equal(0, DoctorCommand.Run(With("guest"), null, isJson: false, TextWriter.Null));
        Assert.Equal(1, DoctorCommand.Run(With("user"), null, isJson: true, TextWriter.Null));
        Assert.Equal(1, DoctorCommand.Run(
            Good, tell => tell(new MachineCheck("snapshot", CheckOutcome.Fail, "no event in it")), isJson: false, TextWriter.Null));
    }

    private static string Printed(string machine, bool isJson)
    {
        using var text = new StringWriter { NewLine = "\n" };
        DoctorCommand.Run(With(machine), tell => tell(MachineCheck.Ok("recorder session", "started")), isJson, text);
        return text.ToString();
    }

    private static DoctorFacts With(string trouble) => trouble switch
    {
        "good" => Good,
        "wine" => Good with { WineVersion = "8.0" },
        "old" => Good with { Build = 9_600 },
        "older timer" => Good with { Build = 16_299 },
        "user" => Good with { IsAdministrator = false },
        "sessions not told" => Good with { Sessions = null },
        "left over" => Good with { Sessions = [new RunningSession("Tracer.Recorder", true)] },
        "loggers taken" => Good with { Sessions = [.. "abcde".Select(name => new RunningSession(name.ToString(), true))] },
        "sessions taken" => Good with { Sessions = [.. Enumerable.Range(0, 63).Select(number => new RunningSession($"{number}", false))] },
        "loggers nearly taken" => Good with
        {
            Sessions = [.. "abcd".Select(name => new RunningSession(name.ToString(), true)), new RunningSession("NT Kernel Logger", true)],
        },
        "hpet" => Good with { QpcHz = 14_318_180 },
        "acpi timer" => Good with { QpcHz = 3_579_545 },
        "varying tsc" => Good with { InvariantTsc = false },
        "no timer told" => Good with { ClockPeriods = null },
        "coarse timer" => Good with { ClockPeriods = (156_250, 156_250, 156_250) },
        "fast sampling" => Good with { ProfileInterval = 1_221 },
        "no sampling" => Good with { ProfileInterval = null },
        "saving power" => Good with { PowerPlan = "Power saver", PowerPlanId = new Guid("a1841308-3541-4fab-bc81-f71556f20b4a") },
        "no plan" => Good with { PowerPlan = null, PowerPlanId = null },
        "guest" => Good with { Hypervisor = "KVMKVMKVM", IsHypervisorRoot = false },
        "driver on its way" => Good with { Driver = new RegisteredService(ServiceState.StopPending, @"C:\t.sys") },
        "little memory" => Good with { FreeMemoryBytes = 100 << 20 },
        "little disk" => Good with { FreeDiskBytes = 1 << 30 },
        "no disk told" => Good with { FreeDiskBytes = null },
        _ => throw new ArgumentException(trouble),
    };
}
