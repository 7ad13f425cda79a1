using System.Buffers.Binary;
using System.CommandLine;
using System.Runtime.InteropServices;
using System.Text;
using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Tests;
using Tracer.CommandLine;
using Tracer.TracerCommand.Commands.Measure;

namespace Tracer.Measure.Tests;

/// <summary>
/// What the driver measures beside <c>wakeup</c> and <c>interrupt</c>: the records of its own core, as it wrote them on bare metal
/// (kdriver/baremetal/run.sh clean OUT.etl --cpus 2 --milliseconds 60 --records FILE, with --timer one and without), and its refusals.
/// </summary>
[Collection("one measurement at a time")]
public sealed class DriverMeasureTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-measure-").FullName;
    private readonly FakeServices _services = new();
    private readonly FakeDriver _driver = new();
    private readonly DriverMachine _machine;

    public DriverMeasureTests()
    {
        _machine = FakeDriverMachine.Of(_folder, _services, _driver);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>Each number from the bytes themselves, by the offsets of kdriver/include/tracer_ioctl.h.</summary>
    [Theory]
    [InlineData("timer", DriverService.FileName)]
    [InlineData("apic", DriverService.LaboratoryFileName)]
    public void Its_own_records_are_counted_to_the_nanosecond(string mode, string file)
    {
        Install(file);
        _driver.IsLaboratory = file == DriverService.LaboratoryFileName;
        byte[] bytes = File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "tests/measure/driver", mode + ".records"));
        ulong hz = Feed(bytes);
        MeasureReport report = Report("wakeup", "--duration", "20ms", "--interval", "1ms");
        AssertDriver(report, ("not loaded", $"a run in {mode} mode", $"a run in {mode} mode", null, true));
        bool isTimer = mode == "timer";
        Dictionary<string, (int From, int To)> parts = isTimer
            ? new() { ["timer"] = (64, 72), ["DPC"] = (80, 32), ["thread"] = (32, 40), ["wake-up"] = (80, 40) }
            : new() { ["interrupt"] = (16, 24), ["DPC"] = (24, 32), ["thread"] = (32, 40), ["wake-up"] = (16, 40) };
        Assert.Equal(parts.Keys.Select(static one => "driver: " + one), report.Series.Skip(2).Select(static one => one.Name));
        foreach ((string name, (int from, int to)) in parts)
        {
            long[] expected =
                [.. Wakeups(bytes).Select(record => (long)((UInt128)(At(record, to) - At(record, from)) * 1_000_000_000 / hz))];
            Assert.True(expected.Length > 100);
            MeasureSeries series = report.Series.First(one => one.Name == "driver: " + name);
            Assert.Equal(
                (expected.Length, expected.Min(), expected.Max(), (long)Math.Round(expected.Average(), MidpointRounding.AwayFromZero)),
                (series.Count, series.Minimum.Nanoseconds, series.Maximum.Nanoseconds, series.Mean.Nanoseconds));
        }

        Assert.Equal(0, report.Figures.First(static one => one.Name == "driver: lost").Value);
        Assert.Equal((24, 1_000_000ul), (_driver.LastRequest!.Value.Priorities[0], _driver.LastRequest.Value.PeriodNs));
        Assert.Equal(StartOptions.AllWakeups, _driver.LastRequest.Value.Flags);
    }

    [Fact]
    public void Wake_ups_of_the_CPU_that_is_measured_count_and_what_cannot_be_is_lost()
    {
        Install(DriverService.FileName);
        _services.Start(DriverService.Name);
        OnStart(() =>
        {
            _driver.WakeByTimer(tick: 1_000, callback: 1_020, late: 60, timerCpu: 0, cpu: 0);
            _driver.WakeByTimer(tick: 11_000, callback: 11_040, late: 80, timerCpu: 0, cpu: 1);
            _driver.WakeByTimer(tick: 21_000, callback: 21_040, late: ulong.MaxValue - 30_000, timerCpu: 0, cpu: 1);
            _driver.Status.Dropped = 3;
        });
        MeasureReport report = Report("interrupt", "--duration", "20ms", "--cpu", "1");
        AssertDriver(report, ("loaded", "a run in timer mode", "a run in timer mode", null, true));
        Assert.Equal(
            [("driver: timer", 1, 4_000), ("driver: DPC", 1, 4_000), ("driver: thread", 1, 4_000), ("driver: wake-up", 1, 8_000)],
            report.Series.Skip(3).Select(static one => (one.Name, one.Count, one.Maximum.Nanoseconds)));
        Assert.Equal(
            [("driver: lost", 4), ("driver: floor", 20)], report.Figures.TakeLast(2).Select(static one => (one.Name, one.Value)));
        Assert.Equal(ServiceState.Running, _services.Find(DriverService.Name)!.State);
        Assert.False(_driver.IsRunning);
    }

    [Fact]
    public void A_laboratory_driver_without_its_interrupt_measures_by_a_timer_and_that_is_told()
    {
        Install(DriverService.LaboratoryFileName);
        OnStart(() => _driver.WakeByTimer(tick: 1_000, callback: 1_020, late: 60, timerCpu: 0, cpu: 0));
        MeasureReport report = Report("wakeup", "--duration", "20ms");
        MeasureSetting setting = report.Settings.First(static one => one.Name == "driver");
        Assert.Equal(("a run in apic mode", "a run in timer mode", true), (setting.Wanted, setting.Got, setting.IsRestored));
        Assert.Contains("'apic' needs the laboratory driver", setting.Refusal, StringComparison.Ordinal);
        Assert.Equal(1, report.Series[^1].Count);
    }

    [Fact]
    public void A_floor_above_the_usual_threshold_is_no_hindrance()
    {
        Install(DriverService.FileName);
        _driver.MeasuredFloorNs = 700_000;
        MeasureReport report = Report("wakeup", "--duration", "20ms");
        Assert.Null(report.Settings.First(static one => one.Name == "driver").Refusal);
        Assert.Equal(1_400_000ul, _driver.LastRequest!.Value.ThresholdNs);
    }

    [Fact]
    public void Where_it_is_not_installed_that_is_told_and_measured_without()
    {
        MeasureReport report = Report("wakeup", "--duration", "20ms");
        AssertDriver(report, (
            "not installed", "a run in timer mode", "not installed",
            "loading the driver failed with error 1060: the driver is not installed; 'tracer driver install' does that", true));
        Assert.Equal(["absolute", "relative"], report.Series.Select(static one => one.Name));
        (int status, string output, string error) = Run("wakeup", "--duration", "20ms", "--require");
        Assert.Equal((ExitCode.Failed, ""), (status, output));
        Assert.StartsWith("tracer: the system refused the driver 'a run in timer mode' (loading the driver failed", error);
        Assert.DoesNotContain(
            Report("wakeup", "--duration", "20ms", "--no-driver", "--require").Settings, static one => one.Name == "driver");
    }

    [Fact]
    public void A_run_that_somebody_has_on_stays_on()
    {
        Install(DriverService.FileName);
        _services.Start(DriverService.Name);
        new DriverClient(_driver.Open()).Start(new DriverRunPlan { Stay = true });
        MeasureReport report = Report("wakeup", "--duration", "20ms");
        Assert.Contains(
            "a run is on already; 'tracer driver stop' ends it",
            report.Settings.First(static one => one.Name == "driver").Refusal,
            StringComparison.Ordinal);
        Assert.True(_driver.IsRunning);
    }

    [Fact]
    public void A_reply_that_cannot_be_used_is_told_and_the_driver_unloaded()
    {
        Install(DriverService.FileName);
        _driver.Bend = static (code, _, length) => code == DriverIoctl.Read ? length - 8 : length;
        MeasureReport report = Report("wakeup", "--duration", "20ms");
        MeasureSetting setting = report.Settings.First(static one => one.Name == "driver");
        Assert.Contains("batch of records", setting.Refusal, StringComparison.Ordinal);
        Assert.Equal(("not loaded", true, false), (setting.Got, setting.IsRestored, _driver.IsRunning));
    }

    [Fact]
    public void Bernadats_figures_of_ISRs_and_DPCs_are_the_drivers()
    {
        Install(DriverService.FileName);
        OnStart(() => _driver.WakeByTimer(tick: 1_000, callback: 1_020, late: 60, timerCpu: 0, cpu: 0));
        (int status, string output, string error) = Run(
            "all", "--profile", "paper-bernadat", "--duration", "20ms", "--warm-up", "0s", "--format", "csv");
        Assert.Equal((ExitCode.Done, ""), (status, error));
        string[] lines = output.Split('\n');
        Assert.Contains(lines, static line => line.Contains("Table 11", StringComparison.Ordinal) && line.EndsWith(",5.19,3,us"));
        Assert.Contains(lines, static line => line.Contains("Table 12", StringComparison.Ordinal) && line.EndsWith(",20.69,6,us"));
    }

    private static void AssertDriver(MeasureReport report, (string Before, string Wanted, string Got, string? Refusal, bool IsRestored) all)
    {
        MeasureSetting one = report.Settings.First(static one => one.Name == "driver");
        Assert.Equal(all, (one.Before, one.Wanted, one.Got, one.Refusal, one.IsRestored));
    }

    private static IEnumerable<byte[]> Wakeups(byte[] bytes)
    {
        for (int at = 0; at < bytes.Length; at += BinaryPrimitives.ReadUInt16LittleEndian(bytes.AsSpan(at + 2)))
        {
            if (BinaryPrimitives.ReadUInt16LittleEndian(bytes.AsSpan(at)) == (ushort)DriverRecordType.Wakeup)
            {
                yield return bytes[at..(at + BinaryPrimitives.ReadUInt16LittleEndian(bytes.AsSpan(at + 2)))];
            }
        }
    }

    private static ulong At(byte[] record, int offset) => BinaryPrimitives.ReadUInt64LittleEndian(record.AsSpan(offset));

    private void Install(string file) => new DriverService(_services, _machine.Place, _machine.Patience)
        .Install(TestImages.DriverIn(_folder, file));

    /// <summary>Has the driver give the records of a recording when a run begins; gives their clock's rate.</summary>
    private ulong Feed(byte[] bytes)
    {
        List<byte[]> records = [];
        for (int at = 0; at < bytes.Length; at += records[^1].Length)
        {
            records.Add(bytes[at..(at + BinaryPrimitives.ReadUInt16LittleEndian(bytes.AsSpan(at + 2)))]);
        }

        byte[] start = records.First(static one => DriverBatch.TypeOf(one) == DriverRecordType.Start);
        StartRecord begun = MemoryMarshal.Read<StartRecord>(start);
        (_driver.Status.Clock, _driver.Status.ClockHz) = (begun.Clock, begun.ClockHz);
        OnStart(() => records.Where(static one => DriverBatch.TypeOf(one) is DriverRecordType.ClockSync or DriverRecordType.Wakeup)
            .ToList().ForEach(one => _driver.EmitBytes(one)));
        return begun.ClockHz;
    }

    private void OnStart(Action feed) => _driver.Bend = (code, _, length) =>
    {
        if (code == DriverIoctl.Start && _driver.IsRunning)
        {
            feed();
        }

        return length;
    };

    private MeasureReport Report(params string[] arguments)
    {
        (int status, string output, string error) = Run([.. arguments, "--warm-up", "0s", "--format", "json"]);
        Assert.Equal((ExitCode.Done, ""), (status, error));
        return ReportJson.Read<MeasureReport>(Encoding.UTF8.GetBytes(output));
    }

    private (int Status, string Output, string Error) Run(params string[] arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        var root = new RootCommand { MeasureCommand.Create(static () => new ModelMachine(), _machine) };
        int status = CommandProgram.Run(root, "tracer", ["measure", .. arguments], output, error);
        return (status, output.ToString(), error.ToString());
    }
}
