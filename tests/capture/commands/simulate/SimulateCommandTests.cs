using Tracer.Commands.Tests;
using Tracer.Simulator.Scenarios;

namespace Tracer.Capture.Tests.Commands.Simulate;

/// <summary><c>tracer simulate</c> on the command line.</summary>
[Trait("Speed", "slow")]
public sealed class SimulateCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_trace_and_its_truth_are_written_and_the_trace_is_sound()
    {
        string trace = Path.Combine(_folder, "kmdf.etl");
        (int exitCode, string output, string error) = BuiltCommand.Run(
            "tracer", "simulate", "kmdf-client", "--seed", "7", "--cpus", "3", "--duration", "2s", "--load", "disk", "-o", trace);
        Assert.Equal((0, ""), (exitCode, error));
        TruthReport truth = ReportJson.Read<TruthReport>(File.ReadAllBytes(Path.Combine(_folder, "kmdf.truth.json")));
        Assert.Equal((7ul, 3, Duration.FromSeconds(2)), (truth.Seed, truth.Cpus, truth.Duration));
        Assert.StartsWith($"{trace}: 2s on 3 CPUs, {truth.Episodes.Count} episodes; driver {truth.Culprit} (dpc)\n", output);
        (exitCode, output, error) = CommandRun.Analyzer("info", trace, "--format", "json");
        Assert.Equal((0, ""), (exitCode, error));
        InfoReport report = ReportJson.Read<InfoReport>(System.Text.Encoding.UTF8.GetBytes(output));
        Assert.Empty(report.Losses.Counters);
        Assert.True(report.Trace.Has.Wdf && report.Trace.Has.Stacks && report.Trace.Has.Images);
    }

    [Fact]
    public void The_list_explains_every_scenario_in_100_columns()
    {
        (int exitCode, string output, string error) = BuiltCommand.Run("tracer", "simulate", "--list");
        Assert.Equal((0, ""), (exitCode, error));
        Every.Item(output.Split('\n'), line => Assert.InRange(line.Length, 0, 100));
        Every.Item(ScenarioCatalog.All, scenario => Assert.Contains("\n" + scenario.Name + " ", "\n" + output));
        Assert.Equal(ScenarioCatalog.All.Count, output.Split("  verdict ").Length - 1);
    }

    [Theory]
    [InlineData("simulate nic-autsense", "unknown scenario 'nic-autsense'; the nearest is 'nic-autosense', and --list explains all")]
    [InlineData("simulate", "a scenario is required; --list explains all")]
    [InlineData("simulate clean --cpus 129", "--cpus: clean runs on 1 to 128 CPUs")]
    [InlineData("simulate raised-irql --cpus 1", "--cpus: raised-irql runs on 2 to 128 CPUs")]
    [InlineData("simulate clean --duration 0s", "--duration: a time above 0 is expected")]
    [InlineData("simulate clean --duration 5", "--duration: '5' has no unit; write 5us or 5ms")]
    public void Wrong_usage_writes_nothing_and_says_what_is_wrong(string line, string expected)
    {
        (int exitCode, string output, string error) = BuiltCommand.Run("tracer", line.Split(' '));
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Equal($"tracer: {expected}", error.Split('\n')[0]);
    }
}
