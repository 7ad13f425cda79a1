using System.Text;
using System.Text.Json.Nodes;

namespace Tracer.Commands.Tests.Shared.Options;

/// <summary>
/// Times of the clock on the wall and marks in <c>blame</c>, <c>episodes</c> and <c>dump</c>. The sample was recorded from
/// 2024-09-14 02:43:21.077 UTC on, an hour later by its machine's clock, for three seconds.
/// </summary>
public sealed class TimesTests : IDisposable
{
    private static readonly string Sample = Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl");
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tracer-times-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("03:43:23")]
    [InlineData("2024-09-14T03:43:23")]
    [InlineData("2024-09-14T02:43:23Z")]
    [InlineData("2024-09-14T04:43:23+02:00")]
    public void A_time_of_the_clock_means_the_same_however_it_is_written(string from)
    {
        BlameReport whole = Report();
        BlameReport part = Report("--from", from);
        var time = new DateTime(2024, 9, 14, 2, 43, 23, DateTimeKind.Utc);
        Assert.Equal(
            whole.Episodes.Where(episode => episode.StartUtc >= time).Select(episode => episode.Start),
            part.Episodes.Select(episode => episode.Start));
        Assert.InRange(part.Episodes.Count, 1, whole.Episodes.Count - 1);
        Assert.Equal((time - whole.Trace.StartUtc!.Value).Ticks * 100, part.Settings.From!.Value.Nanoseconds);
        Assert.Equal(60, part.Trace.UtcOffsetMinutes);
    }

    [Theory]
    [InlineData("03:43:20", "this trace is from 2024-09-14 03:43:21 to 2024-09-14 03:43:24 UTC+01:00")]
    [InlineData("2024-09-14T03:43:23Z", "this trace is from 2024-09-14 03:43:21 to 2024-09-14 03:43:24 UTC+01:00")]
    [InlineData("mark:begin", "this trace has no such mark; it has none ('xperf -m NAME' and 'wpr -marker NAME' set them)")]
    public void A_time_outside_the_trace_is_wrong_usage_in_one_sentence(string time, string problem)
    {
        foreach (string command in new[] { "blame", "episodes", "dump" })
        {
            foreach (string option in new[] { "--from", "--to", "--at", "--zero" })
            {
                (int exitCode, string output, string error) = CommandRun.Analyzer(command, Sample, option, time);
                Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
                Assert.Equal($"analyzer: {Sample}: {option} {time}: {problem}\n", error);
            }
        }
    }

    [Theory]
    [InlineData("--at 1s --from 0s", "--at says from when to when by itself; leave --from and --to out")]
    [InlineData("--from 25:00", "--from: '25:00' is not a time of day")]
    [InlineData("--zero 5", "--zero: '5' has no unit; write 5us or 5ms")]
    [InlineData("--at mark:", "--at: 'mark:' names no mark; write mark:NAME")]
    public void Times_that_make_no_sense_are_wrong_usage(string options, string problem)
    {
        foreach (string command in new[] { "blame", "episodes", "dump" })
        {
            (int exitCode, string output, string error) = CommandRun.Analyzer([command, Sample, .. options.Split(' ')]);
            Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
            Assert.StartsWith($"analyzer: {problem}\n", error);
        }
    }

    [Fact]
    public void Episodes_have_the_time_of_the_clock_beside_the_seconds()
    {
        BlameReport report = Report();
        Every.Item(report.Episodes, episode => Assert.InRange(
            (episode.StartUtc!.Value - report.Trace.StartUtc!.Value).Ticks * 100 - episode.Start.Nanoseconds, -100, 100));
        string seconds = (report.Episodes[0].Start.Nanoseconds / 1e9m).ToString("0.000000", CultureInfo.InvariantCulture);
        string clock = report.Episodes[0].StartUtc!.Value.AddHours(1).ToString("HH:mm:ss.fff", CultureInfo.InvariantCulture);
        Assert.Contains($"at {seconds} s ({clock})", CommandRun.Analyzer("blame", Sample, "--full").Output);
        Assert.Contains($"at {seconds} s ({clock})", CommandRun.Analyzer("episodes", Sample, "--id", "0").Output);
        Assert.Contains("2024-09-14 02:43:21 UTC (2024-09-14 03:43:21 UTC+01:00)", CommandRun.Analyzer("info", Sample).Output);
    }

    [Fact]
    public void With_another_zero_all_times_move_and_all_lengths_stay()
    {
        BlameReport whole = Report();
        BlameReport moved = Report("--zero", "1s", "--to", "30s");
        long second = 1_000_000_000;
        Assert.Equal(
            (Duration.FromSeconds(1), Duration.FromSeconds(30)), (moved.Settings.Zero!.Value, moved.Settings.To!.Value));
        Assert.Equal(
            whole.Episodes.Select(episode => (episode.Start.Nanoseconds - second, episode.Latency, episode.StartUtc)),
            moved.Episodes.Select(episode => (episode.Start.Nanoseconds, episode.Latency, episode.StartUtc)));
        Assert.Equal(
            whole.Drivers.Select(driver => (driver.Dpc?.Total, driver.Dpc?.MaxAt?.Nanoseconds - second)),
            moved.Drivers.Select(driver => (driver.Dpc?.Total, driver.Dpc?.MaxAt?.Nanoseconds)));
        Assert.Equal(whole.Summary with { Conclusion = "" }, moved.Summary with { Conclusion = "" });
        string text = CommandRun.Analyzer("blame", Sample, "--zero", "1s").Output.Replace("\n            ", " ", StringComparison.Ordinal);
        Assert.Contains("seconds count from 1 s of the trace", text);
    }

    [Theory]
    [InlineData("event:DPC")]
    [InlineData("event:PerfInfo/DPC")]
    [InlineData("event:perf*/d?c")]
    public void The_first_event_of_a_name_is_a_time_and_may_be_the_zero(string first)
    {
        string path = new StrangeTrace().AddNames("nic.sys", "nic.pdb", "a.exe").AddDpc(StrangeTrace.Second / 10)
            .AddDpc(StrangeTrace.Second * 20).WriteTo(Path.Combine(_folder.FullName, "events.etl"));
        string[] lines = CommandRun.Analyzer("dump", path, "--name", "DPC", "--format", "json").Output.Split('\n');
        decimal us = (decimal)JsonNode.Parse(lines[0])!["timeUs"]!;
        JsonNode settings = JsonNode.Parse(CommandRun.Analyzer("blame", path, "--zero", first, "--format", "json").Output)!["settings"]!;
        Assert.Equal(us, (decimal)settings["zeroUs"]!);
        Assert.Equal("0", JsonNode.Parse(CommandRun.Analyzer(
            "dump", path, "--name", "DPC", "--format", "json", "--zero", first).Output.Split('\n')[0])!["timeUs"]!.ToJsonString());
        (_, string behind, _) = CommandRun.Analyzer("dump", path, "--us", "--name", "DPC", "--from", first);
        Assert.Equal(lines.Length, behind.Split('\n').Length);
    }

    [Theory]
    [InlineData("event:NoSuch", "--zero event:NoSuch: this trace has no event of that name")]
    [InlineData("event:", "--zero: 'event:' names no event; write event:NAME or event:PROVIDER/NAME")]
    public void An_event_that_is_not_there_is_wrong_usage(string zero, string why)
    {
        foreach (string command in new[] { "blame", "episodes", "dump" })
        {
            (int exitCode, string output, string error) = CommandRun.Analyzer(command, Sample, "--zero", zero);
            Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
            Assert.Contains(why, error);
        }
    }

    [Fact]
    public void A_mark_is_a_time_and_may_be_the_zero()
    {
        string path = new StrangeTrace().AddNames("nic.sys", "nic.pdb", "a.exe").AddDpc(StrangeTrace.Second / 10)
            .AddMark(StrangeTrace.Second * 8, "glitch").AddDpc(StrangeTrace.Second * 20)
            .WriteTo(Path.Combine(_folder.FullName, "marked.etl"));
        string json = CommandRun.Analyzer("blame", path, "--at", "mark:Glitch", "--format", "json").Output;
        JsonNode settings = JsonNode.Parse(json)!["settings"]!;
        Assert.Equal("""[3000000,9000000,8000000]""", new JsonArray(
            settings["fromUs"]!.DeepClone(), settings["toUs"]!.DeepClone(), settings["atUs"]!.DeepClone()).ToJsonString());
        string text = CommandRun.Analyzer("blame", path, "--at", "mark:glitch").Output
            .Replace("\n            ", " ", StringComparison.Ordinal);
        Assert.Contains("around 8 s, from 3 s on, up to 9 s", text);
        string dumped = CommandRun.Analyzer("dump", path, "--zero", "mark:glitch", "--from", "-1s", "--format", "json").Output;
        Assert.Equal(
            ["Mark", "Dpc"], dumped.TrimEnd('\n').Split('\n').Select(line => (string?)JsonNode.Parse(line)!["name"]));
        Assert.Equal(0, (double)JsonNode.Parse(dumped.Split('\n')[0])!["timeUs"]!);
    }

    private static BlameReport Report(params string[] options) => ReportJson.Read<BlameReport>(
        Encoding.UTF8.GetBytes(CommandRun.Analyzer(["blame", Sample, .. options, "--format", "json"]).Output));
}
