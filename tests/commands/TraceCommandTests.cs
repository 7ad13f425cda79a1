using System.Text.Json;

namespace Tracer.Commands.Tests;

/// <summary>
/// <c>analyzer info</c> and <c>analyzer dump</c> on the sample, against stored text, on damaged input and on what is no trace.
/// </summary>
[Trait("Speed", "slow")]
public sealed class TraceCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    private static string Sample => Path.Combine(RepositoryFiles.Root, "samples", "first.etl");

    public static TheoryData<string> Traces() => [.. Selection.Some(RepositoryFiles.InCorpus("*.etl"), 0)];

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Dump_is_as_stored()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("dump", Sample, "--limit", "60");
        Assert.Equal((0, ""), (exitCode, error));
        GoldenText.AssertEqual("tests/commands/golden/reports/dump-first.txt", output);
    }

    [Fact]
    public void Dump_as_json_is_one_object_a_line_in_the_order_of_time()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("dump", Sample, "--format", "json");
        Assert.Equal((0, ""), (exitCode, error));
        string[] lines = output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(6907, lines.Length);
        decimal last = decimal.MinValue;
        foreach (string line in lines)
        {
            using var json = JsonDocument.Parse(line);
            decimal time = json.RootElement.GetProperty("timeUs").GetDecimal();
            Assert.True(time >= last, line);
            last = time;
        }

        GoldenText.AssertEqual("tests/commands/golden/reports/dump-first.json", string.Join('\n', lines.Take(60)) + "\n");
    }

    [Theory]
    [InlineData("--name Dpc --cpu 0", 960)]
    [InlineData("--name Dpc --cpu 1", 0)]
    [InlineData("--provider PerfInfo --name Sampled*", 3998)]
    [InlineData("--provider perfinfo --name sampledprofile --cpu 0-1", 3998)]
    [InlineData("--provider ce1dbfb4-137e-4da6-87b0-3f59aa102cbc --name Isr", 960)]
    [InlineData("--provider kernel", 6907)]
    [InlineData("--from 1s --to 1.01s --name SampledProfile --cpu 1", 10)]
    [InlineData("--pid 4", 2)]
    [InlineData("--limit 0", 0)]
    [InlineData("--name Isr --limit 7", 7)]
    public void Dump_prints_what_the_filters_take(string filters, int events)
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer(["dump", Sample, "--us", .. filters.Split(' ')]);
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Equal(events, output.Count(one => one == '\n'));
    }

    [Fact]
    public void Dump_writes_to_a_file()
    {
        string file = Path.Combine(_folder, "out.txt");
        Assert.Equal((0, "", ""), CommandRun.Analyzer("dump", Sample, "--us", "--name", "Isr", "-o", file));
        Assert.Equal(960, File.ReadAllLines(file).Length);
    }

    [Theory]
    [InlineData("dump", "--cpu", "1-0")]
    [InlineData("dump", "--cpu", "x")]
    [InlineData("dump", "--from", "5")]
    [InlineData("dump", "--limit", "-1")]
    [InlineData("dump", "--format", "xml")]
    [InlineData("info", "--top", "-1")]
    public void Wrong_values_are_wrong_usage(string command, string option, string value)
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer(command, Sample, option, value);
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains(option, error);
    }

    [Theory]
    [InlineData("info")]
    [InlineData("dump")]
    public void What_is_no_trace_gives_one_clear_line(string command)
    {
        string empty = Write("empty.etl", []);
        string text = Write("text.etl", "This is a text of some length, and nothing else."u8.ToArray());
        string noise = Write("noise.etl", [.. Enumerable.Range(0, 200_000).Select(i => (byte)((i * 2654435761L) >> 7))]);
        string folder = Directory.CreateDirectory(Path.Combine(_folder, "empty")).FullName;
        foreach (string path in new[] { empty, text, noise, folder, Path.Combine(_folder, "missing.etl") })
        {
            (int exitCode, string output, string error) = CommandRun.Analyzer(command, path);
            Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
            Assert.Equal(1, error.Count(one => one == '\n'));
            Assert.StartsWith("analyzer: ", error);
            Assert.Contains(path, error);
            Assert.DoesNotContain("Exception", error);
        }
    }

    [Fact]
    public void A_damaged_trace_is_read_and_the_damage_is_named()
    {
        byte[] bytes = File.ReadAllBytes(Sample);
        bytes.AsSpan(20_000, 500).Fill(0x5A);
        string damaged = Write("damaged.etl", bytes);
        (int exitCode, string output, string error) = CommandRun.Analyzer("info", damaged, "--format", "json");
        Assert.Equal(0, exitCode);
        Assert.StartsWith("analyzer: warning: ", error);
        InfoReport report = ReportJson.Read<InfoReport>(System.Text.Encoding.UTF8.GetBytes(output));
        Assert.InRange(report.Trace.Events, 1, 6906);
        Assert.NotEmpty(report.Losses.DamagedBuffers);
        Assert.Contains($"0x{report.Losses.DamagedBuffers[0].Offset:x}", error);
    }

    [Fact]
    public void A_trace_that_was_cut_is_read_up_to_the_cut_and_is_not_called_damaged()
    {
        string cut = Write("cut.etl", File.ReadAllBytes(Sample)[..30_000]);
        (int exitCode, string output, string error) = CommandRun.Analyzer("info", cut, "--format", "json");
        Assert.Equal(0, exitCode);
        Assert.Equal($"analyzer: warning: {cut}: the file was cut: 3 buffers missing, 3132 bytes of the last one\n", error);
        InfoReport report = ReportJson.Read<InfoReport>(System.Text.Encoding.UTF8.GetBytes(output));
        Assert.True(report.Trace.Truncated);
        Assert.Equal(3462, report.Trace.Events);
        Assert.Empty(report.Losses.DamagedBuffers);
    }

    [Theory]
    [MemberData(nameof(Traces))]
    public void Real_traces_give_a_report_and_lines(string file)
    {
        string path = Path.Combine(RepositoryFiles.Corpus(), file);
        (int exitCode, string output, string error) = CommandRun.Analyzer("info", path, "--format", "json");
        Assert.Equal((0, ""), (exitCode, error));
        InfoReport report = ReportJson.Read<InfoReport>(System.Text.Encoding.UTF8.GetBytes(output));
        (exitCode, output, error) = CommandRun.Analyzer("dump", path, "--us", "--stacks", "records");
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Equal(report.Trace.Events, output.Count(one => one == '\n'));
    }

    [Fact]
    public void Stacks_are_joined_to_their_events_unless_told_otherwise()
    {
        string path = Path.Combine(RepositoryFiles.Corpus(), "filtrace-etw.etl");
        string[] joined = Dump(path);
        string[] without = Dump(path, "--stacks", "none");
        Assert.Equal(without.Length, joined.Length);
        Assert.DoesNotContain(without, line => line.Contains("stack=", StringComparison.Ordinal));
        Assert.Contains(
            joined, line => line.Contains("SampledProfile", StringComparison.Ordinal) && line.Contains("stack=[ ntoskrnl.exe+0x"));
        Assert.Contains(Dump(path, "--stacks", "records"), line => line.Contains("StackWalk/", StringComparison.Ordinal));

        static string[] Dump(string path, params string[] options)
        {
            (int exitCode, string output, string error) = CommandRun.Analyzer(["dump", path, .. options]);
            Assert.Equal((0, ""), (exitCode, error));
            return output.Split('\n');
        }
    }

    private string Write(string name, byte[] bytes)
    {
        string path = Path.Combine(_folder, name);
        File.WriteAllBytes(path, bytes);
        return path;
    }
}
