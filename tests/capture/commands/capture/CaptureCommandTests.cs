using System.CommandLine;
using System.Text.Json;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Snap;
using Tracer.Capture.Triggers.Events;
using Tracer.CommandLine;
using Tracer.TracerCommand.Commands.Capture;

namespace Tracer.Capture.Tests;

/// <summary><c>tracer capture</c> as a user runs it, with a machine of which the sessions are fake and the clock is virtual.</summary>
public sealed class CaptureCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-capture-").FullName;
    private readonly FakeCaptureMachine _machine;
    private readonly FakeTrigger _trigger;

    public CaptureCommandTests()
    {
        _machine = new FakeCaptureMachine(_folder);
        _trigger = new FakeTrigger(_machine.Clock, TriggerKind.Wakeup);
        _machine.Sessions.WriteSnapshot = path => TinyTrace.WriteSnapshot(path, _machine.Clock, 30);
        _machine.Sessions.WriteRundown = path => TinyTrace.WriteRundown(path, _machine.Clock);
    }

    private string Output => Path.Combine(_folder, "x.etl");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>The time of the day comes again when the clock is set back.</summary>
    [Fact]
    public void ATraceWithoutANameTakesNobodysPlace()
    {
        var now = new DateTime(2026, 3, 29, 2, 59, 59);
        Assert.Equal("tracer-20260329-025959.etl", CaptureCommand.DefaultPath(_folder, now));
        File.WriteAllText(Path.Combine(_folder, "tracer-20260329-025959-1.etl"), "");
        File.WriteAllText(Path.Combine(_folder, "tracer-20260329-030000.etl"), "");
        Assert.Equal("tracer-20260329-030001.etl", CaptureCommand.DefaultPath(_folder, now));
    }

    [Fact]
    public void WithoutWindowsItSaysSoAndWhatCanBeDone()
    {
        (int status, string output, string error) = Run(CaptureCommand.Create(null), "--threshold", "500us");
        Assert.Equal(ExitCode.Failed, status);
        Assert.Empty(output);
        Assert.StartsWith("tracer: 'capture' needs Windows.", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--threshold: 0s is not between 1us and 60s", "--threshold", "0us")]
    [InlineData("--threshold: '500' has no unit", "--threshold", "500")]
    [InlineData("--probe-priority: 26 is neither 24 nor 28", "--probe-priority", "26")]
    [InlineData("--trigger: 'dcp' is not one of driver, wakeup, job, dpc, isr and event:PROVIDER/ID[:FIELD>VALUE]", "--trigger", "isr,dcp")]
    [InlineData("--trigger: 'asked-for' is not one of", "--trigger", "asked-for")]
    [InlineData("--trigger: 'event:Contoso-Audio' names no event", "--trigger", "dpc,event:Contoso-Audio")]
    [InlineData("--trigger: 'x' in 'event:Contoso-Audio/x' is not an event id", "--trigger", "event:Contoso-Audio/x")]
    [InlineData("registered on this machine; 'logman query providers' lists those", "--trigger", "event:Contoso-Audo/33")]
    [InlineData("did you mean 'Contoso-Audio'?", "--trigger", "event:Contoso-Audo/33")]
    [InlineData("Contoso-Audio has no event 34; it has 33, 40", "--trigger", "event:Contoso-Audio/34")]
    [InlineData("has no field 'Bytes'; it has BytesAvailable, Endpoint", "--trigger", "event:Contoso-Audio/33:Bytes>1")]
    [InlineData("--latency says how late threads of --process may run: name a process as well", "--latency", "3ms")]
    [InlineData("--process: 'C:/x/audiodg.exe' is neither", "--process", "C:/x/audiodg.exe")]
    [InlineData("--latency: 61s is not between", "--process", "audiodg.exe", "--latency", "61s")]
    [InlineData("--no-driver and --trigger driver contradict", "--no-driver", "--trigger", "driver")]
    [InlineData("--buffer-mb: 'much' is neither auto nor a number", "--buffer-mb", "much")]
    [InlineData("--output: there is no folder", "-o", "/no/such/folder/x.etl")]
    [InlineData("--keep-worst: '0' is not a whole number from 1 to 1000", "--keep-worst", "0")]
    [InlineData("--format: 'xml' is neither text nor json", "--format", "xml")]
    [InlineData("--pre: 2min is not between", "--pre", "120s")]
    public void WrongUsageIsToldAndNothingHappens(string expected, params string[] arguments)
    {
        (int status, string output, string error) = Run(Command(), arguments);
        Assert.Equal(ExitCode.WrongUsage, status);
        Assert.Empty(output);
        Assert.Contains(expected.Replace("2min", "120s", StringComparison.Ordinal), error, StringComparison.Ordinal);
        Assert.Empty(_machine.Sessions.Started);
    }

    [Fact]
    public void NothingOverTheThresholdEndsWithStatus0()
    {
        _trigger.Measure(3, 30);
        (int status, string output, string error) = Run(Command(), "--duration", "5s", "-o", Output);
        Assert.Equal("", error);
        Assert.Equal(ExitCode.Done, status);
        Assert.Contains("nothing reached 500us; the worst latency was 30 us", output, StringComparison.Ordinal);
    }

    [Fact]
    public void AHitEndsWithStatus2AndPrintsPathSizeAndBlame()
    {
        _trigger.Measure(10, 700);
        (int status, string output, string error) = Run(Command(), "--threshold", "600us", "-o", Output, "--buffer-mb", "auto");
        Assert.True(error.Length == 0, error);
        Assert.Equal(ExitCode.OverThreshold, status);
        Assert.Contains($"{Output}: ", output, StringComparison.Ordinal);
        Assert.Contains("700 us (wakeup)", output, StringComparison.Ordinal);
        Assert.Contains("verdict", output, StringComparison.Ordinal);
        Assert.True(File.Exists(Output));
    }

    /// <summary>The program beside it is given the trace and the page; where it fails, what it said is told.</summary>
    [Theory]
    [InlineData("#!/bin/sh\necho \"$1 $2\" > \"$4\"\n", true)]
    [InlineData("#!/bin/sh\necho no room >&2\nexit 1\n", false)]
    public void ApageStandsBesideTheTrace(string analyzer, bool isWritten)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "written for /bin/sh");
        string program = Path.Combine(_folder, "analyzer");
        File.WriteAllText(program, analyzer);
        File.SetUnixFileMode(program, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        _trigger.Measure(10, 700);
        var host = new FakeHost(this) { Analyzer = program };
        (int status, string output, string error) = Run(
            CaptureCommand.Create(host), "--threshold", "600us", "-o", Output, "--open");
        string page = Path.ChangeExtension(Output, ".html");
        Assert.Equal(ExitCode.OverThreshold, status);
        Assert.Equal(isWritten ? [page] : [], host.Opened);
        Assert.Equal(isWritten, output.Contains($"{page}: the same as a page", StringComparison.Ordinal));
        Assert.Equal(isWritten ? $"report {Output}\n" : "", File.Exists(page) ? File.ReadAllText(page) : "");
        Assert.Equal(
            isWritten ? "" : $"tracer: {page} was not written: no room; 'analyzer report {Output} -o {page}' tries again\n", error);
    }

    [Fact]
    public void JsonIsOneObjectALineAndTheBlameIsTheLast()
    {
        _trigger.Measure(10, 700);
        (int status, string output, _) = Run(Command(), "-o", Output, "--format", "json");
        Assert.Equal(ExitCode.OverThreshold, status);
        string[] lines = output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Every.Item(lines, static line => JsonDocument.Parse(line).Dispose());
        using var last = JsonDocument.Parse(lines[^1]);
        Assert.Equal(BlameReport.SchemaName, last.RootElement.GetProperty("schema").GetString());
    }

    [Fact]
    public void WhatWindowsRefusesEndsWithStatus1AndItsWords()
    {
        _machine.Sessions.Refusal = _ => new EtwException("StartTrace", 5, "run as administrator");
        (int status, _, string error) = Run(Command(), "-o", Output);
        Assert.Equal(ExitCode.Failed, status);
        Assert.Contains("StartTrace failed with 5: run as administrator", error, StringComparison.Ordinal);
    }

    [Fact]
    public void EveryOptionArrives()
    {
        var host = new FakeHost(this);
        Run(
            CaptureCommand.Create(host), "--threshold", "1ms", "-o", Output, "--duration", "2s", "--max-episodes", "7", "--pre", "3s",
            "--post", "100ms", "--trigger", "dpc,isr", "--probe-priority", "24", "--profile-interval", "500us", "--no-driver",
            "--no-stacks", "--buffer-mb", "99", "--keep-worst", "4", "--on-episode", "run me", "--trigger",
            "event:Contoso-Audio/33:Endpoint=\"a,b\",wakeup", "--process", "audiodg.exe", "--process", "4711", "--process", "AUDIODG.EXE",
            "--latency", "3ms", "--save-on-exit");
        var expected = new CaptureOptions
        {
            Threshold = Duration.FromMilliseconds(1),
            OutputPath = Output,
            Duration = Duration.FromSeconds(2),
            MaxEpisodes = 7,
            Pre = Duration.FromSeconds(3),
            Post = Duration.FromMilliseconds(100),
            ProbePriority = 24,
            ProfileInterval = Duration.FromMicroseconds(500),
            WithDriver = false,
            WithStacks = false,
            BufferMb = 99,
            KeepWorst = 4,
            OnEpisode = "run me",
            ProcessLatency = Duration.FromMilliseconds(3),
            SaveOnExit = true,
        };
        Assert.Equal([TriggerKind.Dpc, TriggerKind.Isr, TriggerKind.Wakeup], host.Options?.Triggers);
        Assert.Equal(["audiodg.exe", "4711"], host.Options?.Processes);
        Assert.Equal(new FieldTest("Endpoint", FieldComparison.Equal, "a,b"), Assert.Single(host.Options!.Events).Test);
        Assert.Equal(FakeProviders.AudioId, Assert.Single(host.Events!).Provider);
        Assert.Equal(
            expected,
            host.Options with { Triggers = expected.Triggers, Processes = expected.Processes, Events = expected.Events });
    }

    [Fact]
    public void WhatIsAskedForIsSavedAndEndsWithStatus0()
    {
        bool hasAsked = false;
        var signals = new SnapTests.FakeSignals();
        _machine.Clock.Passed = now =>
        {
            if (!hasAsked && now > 1_000_000_000 + (5 * _machine.Clock.QpcHz))
            {
                hasAsked = true;
                signals.Event.Set();
            }

            if (hasAsked && !File.Exists(Path.Combine(_folder, "x-1.etl")))
            {
                Thread.Sleep(20); // For the threads that wait for it and write.
            }
        };
        (int status, string output, _) = Run(
            CaptureCommand.Create(new FakeHost(this) { Snap = signals }), "-o", Output, "--duration", "2min");
        Assert.Equal(ExitCode.Done, status);
        Assert.Contains("nothing reached 500us", output, StringComparison.Ordinal);
        Assert.Contains("asked for, ", output, StringComparison.Ordinal);
        Assert.True(File.Exists(Path.Combine(_folder, "x-1.etl")));
    }

    private static (int Status, string Output, string Error) Run(Command command, params string[] arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        var root = new RootCommand("test") { command };
        int status = CommandProgram.Run(root, "tracer", ["capture", .. arguments], output, error);
        return (status, output.ToString(), error.ToString());
    }

    private Command Command() => CaptureCommand.Create(new FakeHost(this));

    private sealed class FakeHost(CaptureCommandTests test) : ICaptureHost
    {
        public CaptureOptions? Options { get; private set; }

        public IReadOnlyList<EventRule>? Events { get; private set; }

        public IProviderCatalog Providers { get; } = new FakeProviders();

        public ISnapSignals Snap { get; init; } = new SnapTests.FakeSignals();

        public string? Analyzer { get; init; }

        public List<string> Opened { get; } = [];

        public string? Open(string page)
        {
            Opened.Add(page);
            return null;
        }

        public CaptureMachine Machine() => test._machine.Describe();

        public IReadOnlyList<ITriggerSource> Triggers(CaptureOptions options, IReadOnlyList<EventRule> events, CaptureMachine machine)
        {
            Options = options;
            Events = events;
            return [test._trigger];
        }
    }
}
