using System.Text.Json;
using System.Text.RegularExpressions;

namespace Tracer.Commands.Tests.Dump;

/// <summary>The providers that <c>analyzer dump</c> lists and suggests, and the names of addresses that it prints unasked.</summary>
[Trait("Speed", "slow")]
public sealed partial class DumpProviderTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    private static string Sample => Path.Combine(RepositoryFiles.Root, "samples", "first.etl");

    public static TheoryData<string> Traces() => [.. RepositoryFiles.InCorpus("*.etl")];

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Providers_are_listed_with_their_counts_the_most_frequent_first()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("dump", Sample, "--list-providers");
        Assert.Equal((0, ""), (exitCode, error));
        GoldenText.AssertEqual("tests/commands/golden/reports/dump-providers-first.txt", output);
    }

    [Theory]
    [MemberData(nameof(Traces))]
    public void Counts_of_providers_add_up_to_the_events_of_the_trace(string file)
    {
        string path = Path.Combine(RepositoryFiles.Corpus(), file);
        (_, string info, _) = CommandRun.Analyzer("info", path, "--format", "json");
        (int exitCode, string output, string error) = CommandRun.Analyzer("dump", path, "--list-providers", "--format", "json");
        Assert.Equal((0, ""), (exitCode, error));
        long sum = 0;
        foreach (string line in output.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            using var json = JsonDocument.Parse(line);
            long events = json.RootElement.GetProperty("events").GetInt64();
            Assert.InRange(events, 1, long.MaxValue);
            Assert.NotEqual(Guid.Empty, json.RootElement.GetProperty("provider").GetGuid());
            sum += events;
        }

        Assert.Equal(ReportJson.Read<InfoReport>(System.Text.Encoding.UTF8.GetBytes(info)).Trace.Events, sum);
    }

    [Fact]
    public void Filters_decide_which_events_are_counted()
    {
        (_, string lines, _) = CommandRun.Analyzer(
            "dump", Sample, "--us", "--stacks", "records", "--from", "1s", "--to", "1.1s", "--cpu", "1");
        (int exitCode, string output, string error) = CommandRun.Analyzer(
            "dump", Sample, "--list-providers", "--from", "1s", "--to", "1.1s", "--cpu", "1");
        Assert.Equal((0, ""), (exitCode, error));
        long sum = output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Sum(line => long.Parse(line.Split(' ', 2,
            StringSplitOptions.RemoveEmptyEntries)[0], System.Globalization.CultureInfo.InvariantCulture));
        Assert.Equal(lines.Count(one => one == '\n'), sum);
        Assert.NotEqual(0, sum);
    }

    [Fact]
    public void Each_listed_provider_can_be_asked_for_and_gives_as_many_events()
    {
        string path = Path.Combine(RepositoryFiles.Corpus(), "filtrace-etw.etl");
        (_, string output, _) = CommandRun.Analyzer("dump", path, "--list-providers");
        foreach (string line in output.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            string[] cells = line.Split((char[]?)null, 3, StringSplitOptions.RemoveEmptyEntries);
            (_, string events, string error) = CommandRun.Analyzer(
                "dump", path, "--provider", cells[2] == "-" ? cells[1] : cells[2], "--stacks", "records", "--us");
            Assert.Equal("", error);
            Assert.Equal(cells[0], $"{events.Count(one => one == '\n')}");
        }
    }

    [Fact]
    public void A_provider_that_the_trace_lacks_is_told_with_the_nearest_that_it_has()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("dump", Sample, "--provider", "PerfInof", "--us");
        Assert.Equal((0, ""), (exitCode, output));
        Assert.Matches(UnknownProvider(), error);
    }

    [Fact]
    public void A_provider_that_only_the_asked_time_lacks_is_not_called_unknown()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("dump", Sample, "--provider", "PerfInfo", "--from", "1h", "--us");
        Assert.Equal((0, "", ""), (exitCode, output, error));
    }

    [Fact]
    public void One_unknown_provider_of_two_is_told_beside_the_events_of_the_other()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer(
            "dump", Sample, "--provider", "PerfInfo", "--provider", "nobody", "--provider", "Perf*");
        Assert.Equal(0, exitCode);
        Assert.NotEmpty(output);
        Assert.Contains("--provider nobody: no event is from such a provider", error);
        Assert.DoesNotContain("Perf*", error);
    }

    [Theory]
    [InlineData("text")]
    [InlineData("json")]
    public void Addresses_of_known_images_are_named_unasked(string format)
    {
        string trace = Path.Combine(_folder, "alone.etl"); // No PDB lies beside it.
        File.Copy(Path.Combine(RepositoryFiles.Root, "samples", "with-symbols", "nic.etl"), trace);
        (int exitCode, string output, string error) = CommandRun.Analyzer("dump", trace, "--name", "Dpc", "--us", "--format", format);
        Assert.Equal((0, ""), (exitCode, error));
        string line = output.Split('\n')[0];
        Assert.Matches(format == "json" ? LabelInJson() : LabelInText(), line);
    }

    [Fact]
    public void Frames_of_stacks_are_named_unasked()
    {
        string path = Path.Combine(RepositoryFiles.Corpus(), "filtrace-etw.etl");
        (_, string output, _) = CommandRun.Analyzer("dump", path, "--name", "SampledProfile", "--format", "json");
        int named = 0;
        int frames = 0;
        foreach (string line in output.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            using var json = JsonDocument.Parse(line);
            bool hasStack = json.RootElement.TryGetProperty("stack", out JsonElement stack);
            foreach (JsonElement frame in hasStack ? stack.EnumerateArray() : default)
            {
                frames++;
                Assert.Matches(Frame(), frame.GetString());
                named += frame.GetString()!.Contains('+') ? 1 : 0;
            }
        }

        Assert.NotEqual(0, frames);
        Assert.InRange(named, 1, frames);
    }

    [GeneratedRegex(@"^analyzer: warning: \S+first\.etl: --provider PerfInof: no event is from such a provider; nearest, with their "
        + @"events: PerfInfo \(\d+\)(, [^,;]+ \(\d+\))*; --list-providers lists all\n$")]
    private static partial Regex UnknownProvider();

    [GeneratedRegex(@" Routine=0x[0-9a-f]+ \(\w+\.(sys|exe)\+0x[0-9a-f]+\)")]
    private static partial Regex LabelInText();

    [GeneratedRegex("\"symbols\":\\{\"Routine\":\"\\w+\\.(sys|exe)\\+0x[0-9a-f]+\"")]
    private static partial Regex LabelInJson();

    [GeneratedRegex(@"^(0x[0-9a-f]+|.+\+0x[0-9a-f]+)$")]
    private static partial Regex Frame();
}
