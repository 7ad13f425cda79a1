using System.Text.Json.Nodes;

namespace Tracer.Commands.Tests.Slice;

/// <summary><c>analyzer slice</c> as a user meets it: what it writes, what it says, and what it refuses without touching a file.</summary>
public sealed class SliceCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-slice-").FullName;

    private string Target => Path.Combine(_folder, "small.etl");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Blame_of_a_slice_is_that_of_the_part()
    {
        (int exitCode, string output, string error) = Slice("nic-behind-ndis.etl", "--from", "500ms", "--to", "2500ms");
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        Assert.StartsWith(Target + ": ", output);
        Assert.EndsWith("as in the whole trace\n", output);
        JsonNode part = Blame(Sample("nic-behind-ndis.etl"), "--from", "500ms", "--to", "2500ms");
        JsonNode slice = Blame(Target);
        Assert.Equal(part["episodes"]!.ToJsonString(), slice["episodes"]!.ToJsonString());
        Assert.Equal(part["summary"]!.ToJsonString(), slice["summary"]!.ToJsonString());
        Assert.Equal(part["settings"]!.ToJsonString(), slice["settings"]!.ToJsonString());
        Assert.Contains(slice["warnings"]!.AsArray(), warning => ((string)warning!).Contains("slice of a longer one"));
        using EtlReader reader = EtlReader.Open(Target);
        reader.Read(EtlOrder.Time, ref _count);
        Every.Item(Enum.GetValues<HealthCounter>(), odd => Assert.Equal(0, reader.Health[odd]));
    }

    private Counter _count;

    [Fact]
    public void Info_says_that_it_is_a_slice_and_of_what()
    {
        Assert.Equal(ExitCode.Done, Slice("nic-behind-ndis.etl", "--from", "1500ms", "--to", "1700ms").ExitCode);
        string text = CommandRun.Analyzer("info", Target).Output;
        Assert.Contains("slice     of a longer trace: judged is what begins from 1.5 s to 1.7 s, whole from 0.5 s to 1.8 s\n", text);
        JsonNode slice = JsonNode.Parse(CommandRun.Analyzer("info", Target, "--format", "json").Output)!;
        Assert.Equal("1300000", slice["trace"]!["durationUs"]!.ToString());
        Assert.InRange((double)slice["rates"]!["cpuPercent"]!, 14, 18); // Of the 2,600 samples of these 1.3 s 380 are no idle thread's.
    }

    [Fact]
    public void An_episode_is_cut_out_with_what_surrounds_it()
    {
        JsonNode whole = Blame(Sample("nic-behind-ndis.etl"));
        JsonNode worst = whole["episodes"]!.AsArray().MaxBy(one => (decimal)one!["latencyUs"]!)!;
        Assert.Equal(ExitCode.Done, Slice("nic-behind-ndis.etl", "--episode", worst["id"]!.ToString()).ExitCode);
        JsonNode slice = Blame(Target);
        Assert.Contains(slice["episodes"]!.AsArray(), one =>
            one!["startUs"]!.ToString() == worst["startUs"]!.ToString() && one["latencyUs"]!.ToString() == worst["latencyUs"]!.ToString());
    }

    [Fact]
    public void A_slice_is_cut_again()
    {
        Assert.Equal(ExitCode.Done, Slice("nic-behind-ndis.etl", "--from", "200ms", "--to", "2500ms").ExitCode);
        string smaller = Path.Combine(_folder, "smaller.etl");
        Assert.Equal(
            ExitCode.Done, CommandRun.Analyzer("slice", Target, "--from", "500ms", "--to", "1500ms", "-o", smaller).ExitCode);
        Assert.Equal(
            Blame(Sample("nic-behind-ndis.etl"), "--from", "500ms", "--to", "1500ms")["episodes"]!.ToJsonString(),
            Blame(smaller)["episodes"]!.ToJsonString());
        (int exitCode, _, string error) = CommandRun.Analyzer("blame", smaller, "--from", "1600ms");
        Assert.Equal(ExitCode.WrongUsage, exitCode);
        Assert.Contains("this trace ends at 1.5 s", error);
    }

    [Theory]
    [InlineData("", "say which part: --from and --to, --at, or --episode N")]
    [InlineData("--episode 0 --from 1s", "--episode says from when to when by itself")]
    [InlineData("--episode 99999", "--episode: there is no episode 99999; it has ")]
    [InlineData("--from 100s", "--from 100s: this trace ends at ")]
    [InlineData("--from 500100us --to 500100us", "no event lies from 0.5001 s to 0.5001 s; this trace has events from ")]
    [InlineData("--from 2s --to 1s", "--from 2s is later than --to 1s")]
    public void What_the_trace_has_not_is_wrong_usage_and_no_file_is_touched(string options, string why)
    {
        File.WriteAllText(Target, "mine");
        (int exitCode, string output, string error) =
            Slice("nic-behind-ndis.etl", options.Split(' ', StringSplitOptions.RemoveEmptyEntries));
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains(why, error);
        Assert.InRange(error.Count(letter => letter == '\n'), 1, 2); // The second says where help is.
        Assert.Equal("mine", File.ReadAllText(Target));
        Assert.Equal([Target], Directory.GetFiles(_folder));
    }

    [Fact]
    public void What_is_no_trace_fails_and_no_file_is_touched()
    {
        File.WriteAllText(Target, "mine");
        string noTrace = Path.Combine(_folder, "no.etl");
        File.WriteAllText(noTrace, "no trace");
        (int exitCode, _, string error) = CommandRun.Analyzer("slice", noTrace, "--from", "1s", "-o", Target);
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains(noTrace, error);
        Assert.Equal("mine", File.ReadAllText(Target));
    }

    [Fact]
    public void A_trace_is_not_replaced_by_its_slice()
    {
        string copy = Path.Combine(_folder, "copy.etl");
        File.Copy(Sample("first.etl"), copy);
        (int exitCode, _, string error) = CommandRun.Analyzer("slice", copy, "--from", "0s", "-o", copy);
        Assert.Equal(ExitCode.WrongUsage, exitCode);
        Assert.Contains("--output", error);
    }

    private static string Sample(string name) => Path.Combine(RepositoryFiles.Root, "samples", name);

    private static JsonNode Blame(string path, params string[] options)
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer(["blame", path, "--format", "json", .. options]);
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        return JsonNode.Parse(output)!;
    }

    private (int ExitCode, string Output, string Error) Slice(string sample, params string[] options) =>
        CommandRun.Analyzer(["slice", Sample(sample), .. options, "-o", Target]);

    private struct Counter : IEtlEventSink
    {
        public readonly bool OnEvent(scoped in EtlEvent traceEvent) => true;
    }
}
