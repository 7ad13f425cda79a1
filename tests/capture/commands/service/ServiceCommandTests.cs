using System.CommandLine;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Snap;
using Tracer.Capture.Triggers.Events;
using Tracer.CommandLine;
using Tracer.TracerCommand.Commands.Capture;
using Tracer.TracerCommand.Commands.Service;

namespace Tracer.Capture.Tests;

/// <summary><c>tracer service</c> on a fake machine, and the capture that it hosts.</summary>
public sealed class ServiceCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-service-").FullName;
    private readonly FakeServices _services = new();
    private readonly FakeFolders _folders;
    private readonly FakeCaptureMachine _machine;
    private readonly FakeTrigger _trigger;
    private readonly ServiceMachine _windows;

    public ServiceCommandTests()
    {
        _machine = new FakeCaptureMachine(_folder);
        _trigger = new FakeTrigger(_machine.Clock, TriggerKind.Wakeup);
        _machine.Sessions.WriteSnapshot = path => TinyTrace.WriteSnapshot(path, _machine.Clock, 60);
        _machine.Sessions.WriteRundown = path => TinyTrace.WriteRundown(path, _machine.Clock);
        _folders = new FakeFolders { DefaultFolder = _folder };
        _windows = new ServiceMachine
        {
            Services = _services,
            Folders = _folders,
            Host = new FakeHost(this),
            Patience = TimeSpan.FromMilliseconds(50),
        };
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("install")]
    [InlineData("start")]
    [InlineData("stop")]
    [InlineData("status")]
    [InlineData("remove")]
    public void WithoutWindowsItSaysSo(string command)
    {
        (int status, string text) = Run(null, command);
        Assert.Equal(ExitCode.Failed, status);
        Assert.Contains("'service' needs Windows", text, StringComparison.Ordinal);
    }

    [Fact]
    public void FromInstallToRemoveEachCommandDoesItsPart()
    {
        Assert.Contains("not installed", Done("status"), StringComparison.Ordinal);
        Assert.Contains($"installed; it writes to {_folder}", Done("install", "--threshold", "1ms"), StringComparison.Ordinal);
        ProgramService installed = Assert.Single(_services.Programs);
        Assert.Equal(
            ServiceCommandLine.Of(FakeFolders.Path, ["service", "run", "--folder", _folder, "--threshold", "1ms"]), installed.CommandLine);
        Assert.Equal([_folder], _folders.Made);
        Assert.Contains("stopped; 'tracer service start'", Done("status"), StringComparison.Ordinal);
        Assert.Equal("started\n", Done("start"));
        Assert.Equal("it runs already\n", Done("start"));
        Assert.Contains("running\ncommand: \"" + FakeFolders.Path, Done("status"), StringComparison.Ordinal);
        Assert.Equal("stopped\n", Done("stop"));
        Assert.Equal("it did not run\n", Done("stop"));
        Assert.Contains("removed; its traces stay", Done("remove"), StringComparison.Ordinal);
        Assert.Equal("it was not installed\n", Done("remove"));
        Assert.Empty(_services.Registered);
    }

    [Fact]
    public void EveryOptionIsGivenToTheServiceAsItWas()
    {
        Done(
            "install", "--keep-worst", "3", "--trigger", "dpc,event:Contoso-Audio/33:Endpoint=\"a b\"", "--trigger", "wakeup", "--process",
            "audiodg.exe", "--latency", "3ms", "--no-stacks", "--on-episode", "copy %TRACER_FILE% Z:\\");
        Assert.Equal(
            ServiceCommandLine.Of(
                FakeFolders.Path,
                [
                    "service", "run", "--folder", _folder, "--trigger", "dpc,event:Contoso-Audio/33:Endpoint=\"a b\"", "--trigger",
                    "wakeup", "--process", "audiodg.exe", "--latency", "3ms", "--no-stacks", "--keep-worst", "3", "--on-episode",
                    "copy %TRACER_FILE% Z:\\",
                ]),
            Assert.Single(_services.Programs).CommandLine);
    }

    [Theory]
    [InlineData("--threshold: 0s is not between", "--threshold", "0us")]
    [InlineData("did you mean 'Contoso-Audio'?", "--trigger", "event:Contoso-Audo/33")]
    [InlineData("--duration", "--duration", "8h")]
    [InlineData("unknown option '-o'", "-o", "x.etl")]
    public void WrongUsageIsToldAndNothingIsInstalled(string expected, params string[] arguments)
    {
        (int status, string text) = Run(_windows, ["install", .. arguments]);
        Assert.Equal(ExitCode.WrongUsage, status);
        Assert.Contains(expected, text, StringComparison.Ordinal);
        Assert.Empty(_services.Programs);
        Assert.Empty(_folders.Made);
    }

    [Fact]
    public void WhatOthersCouldChangeDoesNotRunAsSystem()
    {
        _folders.Strangers[FakeFolders.Path] = @"BUILTIN\Users (C:\Downloads)";
        (int status, string text) = Run(_windows, "install");
        Assert.Equal(ExitCode.Failed, status);
        Assert.Contains(@"the service runs as SYSTEM, and BUILTIN\Users (C:\Downloads) could change", text, StringComparison.Ordinal);
        Assert.Contains("Program Files", text, StringComparison.Ordinal);
        _folders.Strangers.Clear();
        _folders.Strangers[_folder] = "Everyone";
        Assert.Contains("and Everyone could change " + _folder, Run(_windows, "install").Text, StringComparison.Ordinal);
        Assert.Empty(_services.Programs);
    }

    [Fact]
    public void WhatWindowsRefusesIsToldInWords()
    {
        _services.Errors["CreateProgram"] = 5;
        Assert.Contains(
            "installing the service failed with error 5: access denied; run this in a console", Run(_windows, "install").Text,
            StringComparison.Ordinal);
        _folders.Program = null;
        Assert.Contains("install the published tracer.exe", Run(_windows, "install").Text, StringComparison.Ordinal);
        Assert.Contains("the service is not installed", Run(_windows, "start").Text, StringComparison.Ordinal);
    }

    [Fact]
    public void TheHostedCaptureWritesItsTracesAndItsLogAndEndsWhenItIsStopped()
    {
        _trigger.Measure(10, 900);
        using var stop = new CancellationTokenSource();
        _machine.Clock.Passed = now =>
        {
            if (now > 1_000_000_000 + (60 * _machine.Clock.QpcHz))
            {
                stop.Cancel();
            }
        };
        Assert.Equal(ExitCode.Done, ServiceRun.Run(_windows.Host, Options(), _folder, stop.Token));
        string log = File.ReadAllText(Path.Combine(_folder, ServiceLog.FileName));
        Assert.Contains("episode 1 at ", log, StringComparison.Ordinal);
        Assert.Contains("ended: cancelled", log, StringComparison.Ordinal);
        Assert.True(File.Exists(Path.Combine(_folder, "capture-1.etl")));
        Assert.True(_trigger.IsDisposed);
    }

    [Fact]
    public void ACaptureThatFailsEndsWithStatus1SoThatWindowsStartsItAgain()
    {
        _machine.Sessions.Refusal = _ => new EtwException("StartTrace", 5, "run as administrator");
        Assert.Equal(ExitCode.Failed, ServiceRun.Run(_windows.Host, Options(), _folder, CancellationToken.None));
        Assert.Contains(
            "failed: the recording could not be started", File.ReadAllText(Path.Combine(_folder, ServiceLog.FileName)),
            StringComparison.Ordinal);
    }

    [Fact]
    public void TracesOfEarlierStartsAreKeptUpToTheirNumberAndNothingElseIsTouched()
    {
        for (int day = 1; day <= 3; day++)
        {
            File.WriteAllText(Path.Combine(_folder, $"capture-2026010{day}-000000-1.etl"), "");
        }

        string other = Path.Combine(_folder, "mine.etl");
        File.WriteAllText(other, "");
        Assert.Equal(1, EarlierRuns.Trim(_folder, 2));
        Assert.Equal(
            ["capture-20260103-000000-1.etl", "capture-20260102-000000-1.etl"], EarlierRuns.Traces(_folder).Select(static one => one.Name));
        Assert.True(File.Exists(other));
        string Named(int day, int hour) => Path.GetFileName(EarlierRuns.PathOf(_folder, new DateTime(2026, 1, day, hour, 0, 0)));
        Assert.Equal("capture-20260104-050000.etl", Named(4, 5));
        Assert.Equal("capture-20260103-000001.etl", Named(3, 0));
        Assert.Equal("capture-20260103-000001.etl", Named(1, 0)); // The clock was set back: the newest stays the newest.
    }

    [Fact]
    public void TheLogIsBounded()
    {
        string path = Path.Combine(_folder, "x.log");
        using var log = new ServiceLog(path, mostBytes: 2000);
        for (int i = 0; i < 200; i++)
        {
            log.OnNote(CaptureNoteLevel.Info, $"line {i}\nof two");
        }

        Assert.InRange(new FileInfo(path).Length, 1, 2100);
        Assert.InRange(new FileInfo(path + ".old").Length, 1000, 2100);
        Assert.EndsWith("line 199 of two", File.ReadAllText(path).TrimEnd(), StringComparison.Ordinal);
    }

    private CaptureOptions Options() => new()
    {
        Threshold = Duration.FromMicroseconds(500),
        OutputPath = Path.Combine(_folder, "capture.etl"),
        KeepWorst = 10,
    };

    private string Done(params string[] arguments)
    {
        (int status, string text) = Run(_windows, arguments);
        Assert.True(status == ExitCode.Done, text);
        return text;
    }

    private static (int Status, string Text) Run(ServiceMachine? machine, params string[] arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        var root = new RootCommand("test") { ServiceCommand.Create(machine) };
        return (CommandProgram.Run(root, "tracer", ["service", .. arguments], output, output), output.ToString());
    }

    private sealed class FakeFolders : IServiceFolders
    {
        public const string Path = "C:\\Program Files\\Tracer\\tracer.exe";

        public string? Program { get; set; } = Path;

        public required string DefaultFolder { get; init; }

        public List<string> Made { get; } = [];

        public Dictionary<string, string> Strangers { get; } = [];

        public string? StrangerWith(string path) => Strangers.GetValueOrDefault(path);

        public void Make(string path) => Made.Add(path);
    }

    private sealed class FakeHost(ServiceCommandTests test) : ICaptureHost
    {
        public IProviderCatalog Providers { get; } = new FakeProviders();

        public ISnapSignals Snap { get; } = new SnapTests.FakeSignals();

        public string? Analyzer => null;

        public string? Open(string page) => "a service has no browser";

        public CaptureMachine Machine() => test._machine.Describe();

        public IReadOnlyList<ITriggerSource> Triggers(CaptureOptions options, IReadOnlyList<EventRule> events, CaptureMachine machine) =>
            [test._trigger];
    }
}
