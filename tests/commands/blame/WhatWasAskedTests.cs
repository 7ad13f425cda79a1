using System.Text;
using System.Text.Json.Nodes;

namespace Tracer.Commands.Tests.Blame;

/// <summary>
/// Filters of <c>analyzer blame</c> give no false all-clear: what they leave empty is unknown or wrong usage, what was asked stands in the
/// report, and its counts are of that part alone.
/// </summary>
public sealed class WhatWasAskedTests
{
    [Theory]
    [InlineData("first.etl", "--probe wakeup", "it has no wake-ups measured by Tracer's driver or probe")]
    [InlineData("first.etl", "--process nosuch.exe", "no process nosuch.exe is in it")]
    [InlineData("first.etl", "--process 999999", "no process 999999 is in it")]
    [InlineData("first.etl", "--thread 999999", "it names no thread 999999, and no wait of one was measured")]
    [InlineData("first.etl", "--probe thread --min-priority 31", "no thread of priority 31 or more was seen to wait for a CPU")]
    public void What_the_trace_lacks_is_unknown(string sample, string options, string why)
    {
        (int exitCode, string output, string error) = Blame(sample, [.. options.Split(' '), "--fail-over", "1ms"]);
        Assert.Equal((ExitCode.Unknown, ""), (exitCode, error));
        Assert.Contains("This trace can't tell: " + why, output.Replace("\n", " ", StringComparison.Ordinal));
        Assert.Contains("  verdict   unknown: this trace does not tell\n", output);
        Assert.Equal(ExitCode.Done, Blame(sample, options.Split(' ')).ExitCode);
    }

    [Theory]
    [InlineData("--cpu 99", "--cpu 99: this trace has no such CPU; it has 0,1")]
    [InlineData("--cpu 98,100-102", "--cpu 98,100-102: this trace has no such CPU; it has 0,1")]
    [InlineData("--from 100s", "--from 100s: this trace ends at ")]
    [InlineData("--to -100s", "--to -100s: this trace begins at ")]
    public void What_the_trace_cannot_have_is_wrong_usage(string options, string why)
    {
        (int exitCode, string output, string error) = Blame("firmware-blackout.etl", options.Split(' '));
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains(why, error);
        Assert.Equal(1, error.Count(letter => letter == '\n'));
    }

    [Fact]
    public void A_time_without_events_is_unknown()
    {
        BlameReport all = Report("first.etl");
        double end = all.Trace.Duration!.Value.Nanoseconds;
        string between = $"{(long)(end / 2)}ns";
        (int exitCode, string output, _) = Blame("first.etl", ["--from", between, "--to", between, "--fail-over", "1ms"]);
        Assert.Equal(ExitCode.Unknown, exitCode);
        Assert.Contains("This trace can't tell: it has no event from ", output);
    }

    [Fact]
    public void Every_filter_stands_in_the_text_and_in_the_settings()
    {
        string[] asked = "--process System --cpu 0-1 --from 100ms --to 1s --without a.sys --suspect b.sys".Split(' ');
        string text = Blame("first.etl", asked).Output.Replace("\n            ", " ", StringComparison.Ordinal);
        Assert.Contains(
            "asked     threshold 500us, probe auto, threads of System only, of any priority, CPU 0,1, from 0.1 s on, up to 1 s", text);
        JsonNode settings = JsonNode.Parse(Blame("first.etl", [.. asked, "--format", "json"]).Output)!["settings"]!;
        Assert.Equal("System", (string?)settings["process"]);
        Assert.Equal("[0,1]", settings["cpus"]!.ToJsonString());
        Assert.Equal((100_000, 1_000_000), ((double)settings["fromUs"]!, (double)settings["toUs"]!));
        Assert.Equal(("a.sys", "b.sys"), ((string?)settings["without"], (string?)settings["suspect"]));
        settings = JsonNode.Parse(Blame("first.etl", ["--thread", "7", "--format", "json"]).Output)!["settings"]!;
        Assert.Equal(7, (int)settings["thread"]!);
    }

    [Theory]
    [InlineData("first.etl")]
    [InlineData("nic-behind-ndis.etl")]
    public void Counts_and_tables_of_the_parts_add_up_to_those_of_the_whole(string sample)
    {
        BlameReport whole = Report(sample);
        string middle = $"{whole.Trace.Duration!.Value.Nanoseconds / 2}ns";
        string behind = $"{(whole.Trace.Duration!.Value.Nanoseconds / 2) + 1}ns";
        BlameReport[] halves = [Report(sample, "--to", middle), Report(sample, "--from", behind)];
        BlameReport[] cpus =
            [.. Enumerable.Range(0, whole.Trace.Cpus!.Value).Select(cpu => Report(sample, "--cpu", $"{cpu}"))];
        Assert.Equal(whole.Episodes.Count, halves.Sum(part => part.Episodes.Count));
        foreach (BlameReport[] parts in new[] { halves, cpus })
        {
            Assert.Equal(whole.Summary.Probes, parts.Sum(part => part.Summary.Probes));
            Assert.Equal(Runs(whole), parts.Sum(Runs));
            Assert.True(Runs(whole) > 0);
        }
    }

    private static long Runs(BlameReport report) =>
        report.Drivers.Sum(driver => (driver.Isr?.Count ?? 0) + (driver.Dpc?.Count ?? 0));

    private static BlameReport Report(string sample, params string[] options) =>
        ReportJson.Read<BlameReport>(Encoding.UTF8.GetBytes(Blame(sample, [.. options, "--format", "json"]).Output));

    private static (int ExitCode, string Output, string Error) Blame(string sample, params string[] options) =>
        CommandRun.Analyzer(["blame", Path.Combine(RepositoryFiles.Root, "samples", sample), .. options]);
}
