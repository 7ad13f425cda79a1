using System.CommandLine;
using System.Text.Json;
using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;
using Tracer.CommandLine;
using Tracer.TracerCommand.Commands.Driver;
using Tracer.TracerCommand.Commands.Import;

namespace Tracer.Capture.Tests;

/// <summary><c>tracer driver</c> on a fake machine, and without Windows.</summary>
public sealed class DriverCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;
    private readonly FakeServices _services = new();
    private readonly FakeDriver _driver = new();
    private readonly DriverMachine _machine;

    public DriverCommandTests()
    {
        TestImages.DriverIn(_folder, DriverService.FileName);
        _machine = FakeDriverMachine.Of(_folder, _services, _driver);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("install")]
    [InlineData("start")]
    [InlineData("stop")]
    [InlineData("uninstall")]
    [InlineData("status")]
    public void Without_Windows_it_says_what_can_be_done_instead(string command)
    {
        (int exitCode, string output, string error) = Run(DriverCommand.Create(machine: null), command);
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.Contains("needs Windows", error, StringComparison.Ordinal);
        Assert.Contains("kdriver/baremetal/run.sh", error, StringComparison.Ordinal);
    }

    [Fact]
    public void From_install_to_uninstall_each_command_does_its_part()
    {
        string path = Path.Combine(_folder, "drivers", DriverService.FileName);
        Assert.Contains("not installed", Done("status"), StringComparison.Ordinal);
        Assert.Equal($"{path}: installed; 'tracer driver start' loads it\n", Done("install"));
        Assert.Contains("installed already", Done("install"), StringComparison.Ordinal);
        Assert.Contains("installed, not loaded", Done("status"), StringComparison.Ordinal);
        Assert.StartsWith(
            "run started: timer mode, every 1 ms, threshold 500 us, 2 CPUs, clock qpc at 10,000,000 Hz\n",
            Done("start"),
            StringComparison.Ordinal);
        _driver.Wake(1000, 10);
        Assert.Equal(
            "run ended: 1 wake-ups, 0 at or above 500 us, worst 0 us, 0 records lost\ndriver unloaded\n", Done("stop"));
        Assert.Equal("driver was not loaded\n", Done("stop"));
        Assert.Equal($"{path}: uninstalled\n", Done("uninstall"));
        Assert.Equal("driver was not installed\n", Done("uninstall"));
    }

    [Fact]
    public void Status_tells_capabilities_counts_and_percentiles()
    {
        Done("install");
        Done("start", "--threshold", "1ms", "--period", "1ms");
        _driver.Wake(1000, 10);
        (_driver.Status.WorstNs, _driver.Status.OverThreshold) = (1_200_000, 1);
        _driver.Latencies.Clear();
        _driver.Latencies.AddRange([(28, 15_000), (24, 1_200_000)]);
        (_driver.Status.TickNs, _driver.Status.OwnNs, _driver.Status.RunNs) = (1_000_000, 4_000_000, 1_000_000_000);
        (_driver.Status.LateTimers, _driver.Status.TimerCpu, _driver.Status.LongestLockNs) = (3, 1, 1_500);
        (_driver.Status.Discarded, _driver.Status.UnmeasuredCpus) = (12, 2);
        string text = Done("status");
        Assert.Contains("can use       high-resolution timers, events through ETW\n", text, StringComparison.Ordinal);
        Assert.Contains("counted       1 wake-ups, 1 at or above 1 ms, worst 1.2 ms, 0 records lost\n", text, StringComparison.Ordinal);
        Assert.Contains("floor         20 us\n", text, StringComparison.Ordinal);
        Assert.Contains("clock ticks   every 1 ms\n", text, StringComparison.Ordinal);
        Assert.Contains("timer         last on CPU 1, 3 times late by the threshold\n", text, StringComparison.Ordinal);
        Assert.Contains("own CPU time  4 ms, 0.2 % of all CPUs\n", text, StringComparison.Ordinal);
        Assert.Contains("longest lock  1.5 us\n", text, StringComparison.Ordinal);
        Assert.Contains("discarded     12 (the machine slept", text, StringComparison.Ordinal);
        Assert.Contains("unmeasured    2 CPUs added since the run began\n", text, StringComparison.Ordinal);
        Assert.Contains("total                    2     15.4 us      1.2 ms      1.2 ms      1.2 ms\n", text, StringComparison.Ordinal);
        Assert.Contains("  at 28                  1       15 us       15 us", text, StringComparison.Ordinal);

        using JsonDocument json = JsonDocument.Parse(Done("status", "--format", "json"));
        JsonElement root = json.RootElement;
        Assert.Equal("tracer.driver/1", root.GetProperty("schema").GetString());
        Assert.Equal("loaded", root.GetProperty("service").GetString());
        JsonElement driver = root.GetProperty("driver");
        Assert.Equal((true, 1000m, "timer"), (
            driver.GetProperty("isRunning").GetBoolean(),
            driver.GetProperty("thresholdUs").GetDecimal(),
            driver.GetProperty("mode").GetString()));
        Assert.Equal(JsonValueKind.Null, driver.GetProperty("refusal").ValueKind);
        Assert.Equal((1000m, 4000m, 0.002m, 1, 3, 12, 2, 1.5m), (
            driver.GetProperty("tickUs").GetDecimal(),
            driver.GetProperty("ownUs").GetDecimal(),
            driver.GetProperty("ownShare").GetDecimal(),
            driver.GetProperty("timerCpu").GetInt32(),
            driver.GetProperty("lateTimers").GetInt32(),
            driver.GetProperty("discarded").GetInt32(),
            driver.GetProperty("unmeasuredCpus").GetInt32(),
            driver.GetProperty("longestLockUs").GetDecimal()));
        Assert.Equal(3, root.GetProperty("latencies").GetArrayLength());
    }

    /// <summary>Period and threshold are independent; only a run without a recording stays when its starter is gone.</summary>
    [Fact]
    public void A_run_may_have_a_threshold_beyond_its_period_and_stays_unless_it_is_recorded()
    {
        Done("install");
        Done("start", "--threshold", "2ms");
        Assert.True(_driver.IsRunning);
        Assert.Equal((StartOptions.Stay, 2_000_000ul), (_driver.LastRequest!.Value.Flags, _driver.LastRequest.Value.ThresholdNs));
        Done("stop");
        Done("start", "--record", Path.Combine(_folder, "run.bin"), "--duration", "50ms");
        Assert.Equal(StartOptions.None, _driver.LastRequest!.Value.Flags);
        using (IDriverDevice handle = _driver.Open())
        {
            _ = new DriverClient(handle).Start(new DriverRunPlan());
            Assert.True(_driver.IsRunning);
        }

        Assert.False(_driver.IsRunning);
    }

    [Fact]
    public void A_driver_of_another_version_is_told()
    {
        Done("install");
        _driver.Version = DriverAbi.Version - 1;
        (int exitCode, _, string error) = Run(DriverCommand.Create(_machine), "start");
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("the driver is of another version than this program", error, StringComparison.Ordinal);
    }

    [Fact]
    public void An_older_installation_is_told_and_mended()
    {
        string path = Path.Combine(_folder, DriverService.FileName);
        _services.Create(DriverService.Name, "x", path);
        Assert.Contains("where others than administrators may write; 'tracer driver install' fixes that", Done("status"));
        Assert.Contains($"installed; it was registered as {path}, where others", Done("install"), StringComparison.Ordinal);
        Assert.DoesNotContain("fixes that", Done("status"));
    }

    [Fact]
    public void A_refusal_is_explained_when_it_happens_and_by_status_later()
    {
        Done("install");
        (int exitCode, _, string error) = Run(DriverCommand.Create(_machine), "start", "--mode", "apic");
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("the driver refused the run: this driver has no such mode", error, StringComparison.Ordinal);
        Assert.Contains("refused       this driver has no such mode", Done("status"), StringComparison.Ordinal);
    }

    [Fact]
    public void A_recording_ends_after_its_time_and_can_be_imported()
    {
        string file = Path.Combine(_folder, "run.bin");
        Done("install");
        _driver.Bend = (code, _, length) =>
        {
            if (code == DriverIoctl.Start)
            {
                _driver.Wake(1_000_000, 9_000);
            }

            return length;
        };
        string output = Done("start", "--record", file, "--duration", "100ms", "--all-wakeups");
        Assert.Equal($"{file}: 1 wake-ups, 0 episodes, 0 modules, 0 records lost; 'tracer import {file}' makes a trace of it\n", output);
        Assert.False(_driver.IsRunning);
        (int exitCode, output, _) = Run(ImportCommand.Create(), file);
        Assert.Equal((0, $"{Path.Combine(_folder, "run.etl")}: 1 wake-ups, 0 episodes with 0 samples, 0 modules\n"), (exitCode, output));
    }

    [Fact]
    public void A_recording_that_is_refused_leaves_no_file()
    {
        string file = Path.Combine(_folder, "run.bin");
        Done("install");
        (int exitCode, _, _) = Run(DriverCommand.Create(_machine), "start", "--threshold", "1us", "--record", file);
        Assert.Equal((ExitCode.Failed, false), (exitCode, File.Exists(file)));
    }

    [Theory]
    [InlineData("--priority 0", "not a list of priorities")]
    [InlineData("--priority 28,x", "not a list of priorities")]
    [InlineData("--priority 1,2,3,4,5,6,7,8,9", "at most 8")]
    [InlineData("--mode pit", "neither timer nor apic")]
    [InlineData("--duration 1s", "needs --record")]
    [InlineData("--threshold 0s", "a time above 0")]
    [InlineData("--period 5", "has no unit")]
    public void Wrong_usage_is_told_and_does_nothing(string options, string words)
    {
        (int exitCode, _, string error) = Run(DriverCommand.Create(_machine), ["start", .. options.Split(' ')]);
        Assert.Equal(ExitCode.WrongUsage, exitCode);
        Assert.Contains(words, error, StringComparison.Ordinal);
        Assert.Null(_driver.LastRequest);
    }

    private static (int ExitCode, string Output, string Error) Run(Command command, params string[] arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        int exitCode = CommandProgram.Run(new RootCommand { command }, "tracer", [command.Name, .. arguments], output, error);
        return (exitCode, output.ToString(), error.ToString());
    }

    private string Done(params string[] arguments)
    {
        (int exitCode, string output, string error) = Run(DriverCommand.Create(_machine), arguments);
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        return output;
    }
}
