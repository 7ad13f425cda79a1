using System.CommandLine;
using System.Text.Json;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.CommandLine;
using Tracer.TracerCommand.Commands.Monitor;
using Tracer.TracerCommand.Common.Screen;

#pragma warning disable CA1416 // Below these sessions is the fake Windows.

namespace Tracer.Capture.Tests;

/// <summary><c>tracer monitor</c> on a fake Windows: from the session to what is printed, saved and compared.</summary>
public sealed class MonitorCommandTests : IDisposable
{
    private static readonly Duration Length = Duration.FromSeconds(3);
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-monitor-").FullName;
    private readonly FakeWindows _windows = new(Machine);

    private static MachineTrace Machine => FakeMachines.Of("hard-faults", Length);

    private string Saved => Path.Combine(_folder, "summary.json");

    public void Dispose()
    {
        _windows.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public void TheSessionGivesWhatTheMachineDid()
    {
        (int status, string output, string error) = Run("--duration", "2s", "--format", "json");
        Assert.True(status == ExitCode.Done, error);
        string[] lines = output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        JsonElement summary = JsonDocument.Parse(lines[^1]).RootElement;
        Assert.Equal(("tracer.monitor/1", "summary"), (summary.GetProperty("schema").GetString(), summary.GetProperty("type").GetString()));
        MonitorTable expected = Fed();
        string[] drivers = [.. summary.GetProperty("drivers").EnumerateArray().Select(Text)];
        Assert.Equal([.. expected.Counts(Length).Drivers.Select(static one => Text(one))], drivers);
        Assert.True(drivers.Length >= 5);
        Assert.True(summary.GetProperty("processes").GetArrayLength() > 0);
        Assert.Equal(Machine.Header.ProcessorCount, summary.GetProperty("cpus").GetArrayLength());
        Assert.DoesNotContain(SessionPlans.MonitorName, _windows.SessionNames);
        Assert.Empty(Directory.EnumerateFiles(_folder, "*.state"));
    }

    [Fact]
    public void TheSummaryIsPrintedSavedAndComparedWithItself()
    {
        (int status, string output, string error) = Run("--duration", "2s", "-o", Saved, "--sort", "name");
        Assert.True(status == ExitCode.Done, error);
        Assert.Contains("hard faults", output, StringComparison.Ordinal);
        Assert.Contains("own cost ", output, StringComparison.Ordinal);
        MonitorCounts saved = MonitorJson.Read(Saved);
        string[] names = [.. saved.Drivers.Select(static one => one.Name)];
        Assert.Equal(names.Order(StringComparer.OrdinalIgnoreCase), names);
        Assert.Equal(
            MonitorJson.Line("summary", saved, MonitorSort.Name),
            MonitorJson.Line("summary", MonitorJson.Read(Saved), MonitorSort.Name));

        MonitorCounts half = saved with { Elapsed = new Duration(saved.Elapsed.Nanoseconds / 2), Drivers = [.. saved.Drivers.Skip(1)] };
        IReadOnlyList<MonitorComparison.Row> rows = MonitorComparison.Rows(saved, half);
        Assert.Equal(saved.Drivers.Count, rows.Count);
        Assert.Null(rows.Single(row => row.Name == saved.Drivers[0].Name).Now);
        using var text = new StringWriter();
        MonitorComparison.Of(saved, half, "before.json").Write(text);
        Assert.Contains("compared with before.json", text.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("no json")]
    [InlineData("{\"schema\":\"tracer.monitor/1\",\"type\":\"summary\",\"elapsedUs\":0}")]
    [InlineData("{\"schema\":\"tracer.monitor/1\",\"type\":\"summary\",\"elapsedUs\":1e40,\"events\":1}")]
    [InlineData("{\"schema\":\"tracer.monitor/2\",\"type\":\"summary\"}")]
    [InlineData("[1]")]
    public void WhatIsNoSummaryIsToldBeforeAnythingStarts(string text)
    {
        string path = Path.Combine(_folder, "x.json");
        File.WriteAllText(path, text);
        (int status, _, string error) = Run("--compare", path, "--duration", "1s");
        Assert.Equal(ExitCode.Failed, status);
        Assert.Contains("is not a summary of a monitor: 'tracer monitor -o FILE' writes one", error, StringComparison.Ordinal);
        Assert.Equal(_windows.Machine.FirstTicks, _windows.Now);
        Assert.Equal(text, File.ReadAllText(path));
    }

    [Theory]
    [InlineData("--sort: 'size' is not one of total, max, p99, count, isr, dpc, name", "--sort", "size")]
    [InlineData("--duration: 500ms is less than 1s", "--duration", "500ms")]
    [InlineData("--output: there is no folder", "-o", "/no/such/folder/x.json")]
    public void WrongUsageIsTold(string expected, params string[] arguments)
    {
        (int status, _, string error) = Run(arguments);
        Assert.Equal(ExitCode.WrongUsage, status);
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }

    [Fact]
    public void WithoutWindowsItSaysSo()
    {
        (int status, _, string error) = Run(MonitorCommand.Create(null));
        Assert.Equal(ExitCode.Failed, status);
        Assert.Contains("'monitor' needs Windows", error, StringComparison.Ordinal);
    }

    [Fact]
    public void AMissingFileToCompareWithIsToldAndNothingIsWritten()
    {
        (int status, _, string error) = Run("--compare", Path.Combine(_folder, "none.json"), "-o", Saved);
        Assert.Equal(ExitCode.Failed, status);
        Assert.Contains("none.json", error, StringComparison.Ordinal);
        Assert.False(File.Exists(Saved));
    }

    [Fact]
    public void ASecondMonitorIsRefusedAndACrashedOnesSessionStopped()
    {
        using (new FileStream(Path.Combine(_folder, "m.state"), FileMode.Create, FileAccess.ReadWrite, FileShare.None))
        {
            (int status, _, string error) = Run("--duration", "1s");
            Assert.Equal(ExitCode.Failed, status);
            Assert.Contains("another 'tracer monitor' is running", error, StringComparison.Ordinal);
        }

        File.Delete(Path.Combine(_folder, "m.state"));
        new EtwSessions().Start(SessionPlans.Monitor(Describe().Size, withJobs: false)); // Left running.
        (int again, string output, string message) = Run("--duration", "1s");
        Assert.True(again == ExitCode.Done, message);
        Assert.Contains("stopped the session that an earlier monitor had left running", output, StringComparison.Ordinal);
    }

    [Fact]
    public void WhatWindowsRefusesEndsItWithWords()
    {
        _windows.Refuse("StartTraceW", WindowsCode.AccessDenied, SessionPlans.MonitorName);
        (int status, _, string error) = Run("--duration", "1s");
        Assert.Equal(ExitCode.Failed, status);
        Assert.Contains("the monitor could not be started: StartTrace failed with 5", error, StringComparison.Ordinal);
    }

    /// <summary>One refusal ends no monitor: what it loses is not known then, which is told once.</summary>
    [Theory]
    [InlineData("ControlTraceW.0", "what 'Tracer.Monitor' loses is not known")]
    [InlineData("QueryAllTracesW", "whether an earlier monitor left a session running is not known")]
    public void WhatIsNotToldEndsNothing(string function, string told)
    {
        _windows.Refuse(function, WindowsCode.InvalidParameter);
        (int status, string output, string error) = Run("--duration", "2s");
        Assert.Equal(ExitCode.Done, status);
        Assert.Equal(2, (output + error).Split(told).Length);
    }

    [Fact]
    public void AProbeThatDoesNotStartIsToldAndTheRestGoesOn()
    {
        MonitorMachine machine = Describe() with
        {
            Probe = () => new TruthTrigger(_windows, TriggerKind.Wakeup) { Obstacle = new IOException("no") },
        };
        (int status, _, string error) = Run(MonitorCommand.Create(_ => machine), "--duration", "1s");
        Assert.Equal(ExitCode.Done, status);
        Assert.Equal("tracer: no wake-ups are measured: no\n", error);
        MonitorMachine measured = Describe() with
        {
            Probe = () => new TruthTrigger(_windows, TriggerKind.Wakeup),
            ProbeShare = _ => 0.0125,
        };
        (_, string output, _) = Run(MonitorCommand.Create(_ => measured), "--duration", "1s");
        Assert.Contains("worst wake-up ", output, StringComparison.Ordinal);
        Assert.Contains("the probe 1.25 %", output, StringComparison.Ordinal);
    }

    [Fact]
    public void DriversAreSortedAsAskedAndByKeys()
    {
        MonitorDriver a = Driver("a.sys", isrs: 9, isrUs: 1, dpcs: 1, dpcUs: 50);
        MonitorDriver b = Driver("B.sys", isrs: 1, isrUs: 40, dpcs: 1, dpcUs: 45);
        Assert.Equal(["B.sys", "a.sys"], Names(MonitorSort.Total));
        Assert.Equal(["a.sys", "B.sys"], Names(MonitorSort.Max));
        Assert.Equal(["a.sys", "B.sys"], Names(MonitorSort.Count));
        Assert.Equal(["B.sys", "a.sys"], Names(MonitorSort.Isr));
        Assert.Equal(["a.sys", "B.sys"], Names(MonitorSort.Dpc));
        Assert.Equal(["a.sys", "B.sys"], Names(MonitorSort.Name));
        Assert.Equal(
            Enum.GetValues<MonitorSort>(),
            ((ConsoleKey[])[ConsoleKey.T, ConsoleKey.M, ConsoleKey.P, ConsoleKey.C, ConsoleKey.I, ConsoleKey.D, ConsoleKey.N])
                .Select(static key => MonitorSorting.OfKey(key)!.Value));
        Assert.Null(MonitorSorting.OfKey(ConsoleKey.X));

        IEnumerable<string> Names(MonitorSort sort) => MonitorSorting.Sorted([b, a], sort).Select(static one => one.Name);
    }

    [Fact]
    public void ThePageIsAsStored()
    {
        var counts = new MonitorCounts
        {
            Elapsed = Duration.FromSeconds(3725),
            Events = 12_345_678,
            EventsLost = 3,
            Damaged = 1,
            Drivers =
            [
                Driver("ndis.sys", 1234, 12, 98_765, 480), Driver("a-driver-with-a-long-name.sys", 0, 0, 7, 3), Driver("x.sys", 1, 1, 0, 0),
            ],
            Processes = [new MonitorProcess("game.exe", Times(12, 9000), 12_345_678)],
            Cpus =
            [
                new MonitorCpu(0, Times(1234, 12), Times(98_765, 480), Duration.FromMicroseconds(700)),
                new MonitorCpu(1, default, default, null),
            ],
            Wakeups = new MonitorWakeups(
                99_999, Duration.FromMicroseconds(9), Duration.FromMicroseconds(48), Duration.FromMicroseconds(700), 0, 2),
            Cost = new MonitorCost(Duration.FromSeconds(9), 0.0042),
        };
        using var text = new StringWriter { NewLine = "\n" };
        CaptureNote[] notes = [new(CaptureNoteLevel.Warning, "a warning")];
        MonitorView.Of(counts, MonitorSort.Total, most: 2, notes, hasKeys: true).Write(text);
        GoldenText.AssertEqual("tests/capture/commands/monitor/golden/page.txt", text.ToString());
        GoldenText.AssertEqual("tests/capture/commands/monitor/golden/line.txt", PlainMonitor.Line(counts) + "\n");
    }

    private static MonitorTimes Times(long count, long us) => count == 0
        ? default
        : new(count, Duration.FromMicroseconds(count * us), Duration.FromMicroseconds(us), Duration.FromMicroseconds(us));

    private static MonitorDriver Driver(string name, long isrs, long isrUs, long dpcs, long dpcUs) =>
        new(name, Times(isrs, isrUs), Times(dpcs, dpcUs));

    private static string Text(JsonElement driver) => string.Join(
        ' ', driver.GetProperty("name"), driver.GetProperty("isr"), driver.GetProperty("dpc"));

    private static string Text(MonitorDriver driver) =>
        Text(JsonDocument.Parse(MonitorJson.Line("x", new MonitorCounts
        {
            Elapsed = Length,
            Events = 0,
            EventsLost = 0,
            Damaged = 0,
            Drivers = [driver],
            Processes = [],
            Cpus = [],
            Wakeups = null,
        }, MonitorSort.Total)).RootElement.GetProperty("drivers")[0]);

    /// <summary>A table that was given the machine's own records up to now.</summary>
    private MonitorTable Fed()
    {
        var table = new MonitorTable(_windows.Clock.QpcHz, []);
        foreach (byte[] alive in Machine.AliveAtStart)
        {
            Assert.True(EtlEvent.TryRead(alive, 0, 0, out EtlEvent one));
            table.OnEvent(in one);
        }

        foreach (MachineEvent one in Machine.Events)
        {
            if (one.Ticks <= _windows.Now && !Machine.Kinds[one.Kind].IsStack && Machine.Kinds[one.Kind].Provider == Guid.Empty)
            {
                Assert.True(EtlEvent.TryRead(Machine.Record(in one), one.Cpu, 0, out EtlEvent stored));
                table.OnEvent(in stored);
            }
        }

        return table;
    }

    private MonitorMachine Describe() => new()
    {
        Sessions = new EtwSessions(),
        Clock = _windows.Clock,
        Size = new MachineSize(Machine.Header.ProcessorCount, 8L << 30),
        Modules = new FakeModules(),
        LockFile = Path.Combine(_folder, "m.state"),
        CpuTime = static () => TimeSpan.FromMilliseconds(20),
        Probe = null,
    };

    private (int Status, string Output, string Error) Run(params string[] arguments) =>
        Run(MonitorCommand.Create(_ => Describe()), arguments);

    private static (int Status, string Output, string Error) Run(Command command, params string[] arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        var root = new RootCommand("test") { command };
        int status = CommandProgram.Run(root, "tracer", ["monitor", .. arguments], output, error);
        return (status, output.ToString(), error.ToString());
    }
}
