using System.Text.Json.Nodes;
using Tracer.Simulator.Scenarios;
using Tracer.Simulator.Writing;

namespace Tracer.Commands.Tests.Diff;

/// <summary><c>analyzer diff</c> as a user meets it.</summary>
public sealed class DiffCommandTests(DiffTraces traces) : IClassFixture<DiffTraces>
{
    [Fact]
    public void A_driver_that_floods_is_named_and_fails_the_script()
    {
        (int exitCode, string output, string error) = traces.FailedText;
        Assert.Equal((ExitCode.OverThreshold, ""), (exitCode, error));
        string first = output.Split("\n\n")[0].ReplaceLineEndings(" ");
        Assert.StartsWith($"Worse, by {traces.Culprit}, on one machine (", first);
        Assert.Contains("): ", first);
        Assert.Contains($"; {traces.Culprit} is a new culprit", first);
    }

    /// <summary>p99 and the length of episodes fell, and another driver than before has all of them.</summary>
    [Fact]
    public void A_new_culprit_of_weight_is_not_better()
    {
        string[] samples = [.. new[] { "nic-behind-ndis.etl", "masked-interrupts.etl" }
            .Select(name => Path.Combine(RepositoryFiles.Root, "samples", name))];
        (int exitCode, string output, _) = CommandRun.Analyzer("diff", samples[0], samples[1], "--fail-if", "worse");
        Assert.Equal(ExitCode.OverThreshold, exitCode);
        string first = output.Split("\n\n")[0].ReplaceLineEndings(" ");
        Assert.StartsWith("Worse, by rehw.sys, between two different machines (", first);
        Assert.Contains("fell from ", first);
        Assert.Contains("length of an episode", output);
    }

    [Fact]
    public void The_way_back_is_better()
    {
        (int exitCode, string output, _) = CommandRun.Analyzer(
            "diff", traces.Flood, traces.Clean, "--fail-if", "worse", "--format", "json");
        Assert.Equal(ExitCode.Done, exitCode);
        JsonNode report = JsonNode.Parse(output)!;
        Assert.Equal("better", (string?)report["summary"]!["verdict"]);
        Assert.Equal(traces.Culprit, (string?)report["summary"]!["culprit"]);
        Assert.Equal("vanished", (string?)report["culprits"]![0]!["state"]);
    }

    [Fact]
    public void JSON_holds_the_numbers_behind_it_and_is_the_same_each_time()
    {
        JsonNode report = JsonNode.Parse(traces.CleanToFlood)!;
        Assert.Equal("tracer.diff/1", (string?)report["schema"]);
        JsonNode blame = JsonNode.Parse(CommandRun.Analyzer("blame", traces.Flood, "--format", "json").Output)!;
        Assert.Equal((long)blame["summary"]!["episodes"]!, (long)report["episodes"]!["new"]!);
        JsonNode latency = JsonNode.Parse(CommandRun.Analyzer("latency", traces.Flood, "--per", "none", "--format", "json").Output)!;
        foreach (JsonNode? one in latency["distributions"]!.AsArray())
        {
            long told = report["latencies"]!.AsArray()
                .Where(other => (string?)other!["kind"] == (string?)one!["kind"] && (string?)other["source"] == (string?)one["source"])
                .Sum(other => (long)other!["new"]!);
            Assert.Equal((long)one!["count"]!, told);
        }

        Every.Item(report["latencies"]!.AsArray().SelectMany(one => one!["values"]!.AsArray()), value =>
        {
            Assert.InRange((double)value!["new"]!["us"]!, (double)value["new"]!["lowUs"]!, (double)value["new"]!["highUs"]!);
            double? corrected = (double?)value["change"]!["adjusted"];
            Assert.True(corrected is null || corrected >= (double)value["change"]!["p"]!);
        });
        Assert.Equal(traces.CleanToFlood, Text(traces.Clean, traces.Flood));
    }

    [Fact]
    public void An_updated_driver_is_among_the_files()
    {
        string old = Path.Combine(traces.Folder, "older.etl");
        new ScenarioRun(ScenarioCatalog.Find("clean")!, 2) { Duration = Duration.FromMilliseconds(300) }.WriteTo(old);
        JsonNode report = Json(old, Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl"));
        Assert.Contains(report["files"]!.AsArray(), file => (string?)file!["name"] == "afd.sys"
            && (string?)file["what"] == "updated"
            && (string?)file["base"]![0] == "10.0.26200.1973" && (string?)file["new"]![0] == "10.0.26200.1140");
        Assert.Contains(report["warnings"]!.AsArray(), warning => ((string?)warning)!.Contains("different machines"));
    }

    [Fact]
    public void Too_little_data_cannot_tell_and_says_what_to_record()
    {
        string first = Path.Combine(RepositoryFiles.Root, "samples", "first.etl");
        string second = Written("clean", 2, 300, "short.etl");
        (int exitCode, string output, _) = CommandRun.Analyzer("diff", first, second, "--fail-if", "worse");
        Assert.Equal(ExitCode.Unknown, exitCode);
        Assert.StartsWith("Can't tell, ", output);
        Assert.Contains("record both", output.Split("\n\n")[0].ReplaceLineEndings(" "));
    }

    [Fact]
    public void Traces_with_other_records_are_not_compared_by_episodes()
    {
        string firmware = Path.Combine(RepositoryFiles.Root, "samples", "masked-interrupts.etl");
        string real = Path.Combine(traces.Folder, "poor.etl");
        new ScenarioRun(ScenarioCatalog.Find("clean")!, 5)
        {
            Duration = Duration.FromSeconds(1),
            ChangeRecording = options => options with { Kinds = RecordKinds.Interrupts | RecordKinds.Dpcs },
        }.WriteTo(real);
        (int exitCode, string output, string error) = CommandRun.Analyzer("diff", firmware, real);
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.StartsWith("analyzer: nothing can be compared: the two sides have no latency of one kind in common, and ", error);
    }

    [Fact]
    public void The_page_has_the_answer_and_runs_one_program_that_sorts()
    {
        (_, string output, _) = traces.FailedText;
        string html = File.ReadAllText(traces.Page);
        Assert.StartsWith("<!doctype html>\n", html);
        Assert.Contains($"<strong>Worse: {traces.Culprit}</strong>", html);
        Assert.Contains($"<h1>{output[..output.IndexOf('\n', StringComparison.Ordinal)][..40]}", html);
        Assert.Contains("<svg class=\"change worse\"", html);
        Assert.Equal(2, html.Split("<script").Length);
        Assert.Equal(
            ExitCode.WrongUsage, CommandRun.Analyzer("diff", traces.Clean, traces.Flood, "--html", traces.Clean).ExitCode);
        string missing = Path.Combine(traces.Folder, "none", "page.html");
        Assert.NotEqual(ExitCode.Done, CommandRun.Analyzer("diff", traces.Clean, traces.Flood, "--html", missing).ExitCode);
    }

    [Fact]
    public void Drivers_and_routines_that_took_more_are_told_and_steady_ones_are_not()
    {
        JsonNode report = JsonNode.Parse(traces.CleanToFlood)!;
        JsonNode culprit = report["drivers"]!.AsArray().First(one => (string?)one!["name"] == traces.Culprit && !(bool)one["isr"]!)!;
        Assert.Equal("worse", (string?)culprit["change"]!["direction"]);
        Assert.Contains(report["routines"]!.AsArray(), one => ((string?)one!["name"])!.StartsWith(traces.Culprit, StringComparison.Ordinal)
            && (string?)one["change"]!["direction"] == "worse");
        Assert.Contains(report["drivers"]!.AsArray(), one => one!["change"] is { } change && (string?)change["direction"] == "not-shown");
        string frameworks = Written("ndis-miniport", 3, 1000, "frameworks.etl");
        JsonNode blame = JsonNode.Parse(CommandRun.Analyzer("blame", frameworks, "--format", "json").Output)!;
        string behind = (string)blame["drivers"]!.AsArray().First(one => one!["through"]!.AsArray().Count > 0)!["name"]!;
        string like = Written("ndis-miniport", 3, 1200, "longer-frameworks.etl");
        Assert.Contains(
            Json(frameworks, like)["drivers"]!.AsArray(), one => (string?)one!["name"] == behind && one["change"] is null);
    }

    [Fact]
    public void A_percentile_that_rose_by_less_than_asked_does_not_count()
    {
        JsonNode usual = JsonNode.Parse(traces.CleanToFlood)!;
        Assert.Equal(50, (double)usual["settings"]!["leastUs"]!);
        JsonNode all = JsonNode.Parse(CommandRun.Analyzer(
            "diff", traces.Clean, traces.Flood, "--least-time", "10us", "--format", "json").Output)!;
        Assert.Equal(10, (double)all["settings"]!["leastUs"]!);
        Assert.Equal(("not-shown", "worse"), (P99(usual), P99(all)));

        static string P99(JsonNode report) => (string)report["latencies"]!.AsArray()
            .First(one => (bool?)one!["prioritised"] == true)!["values"]!.AsArray()
            .First(value => (string?)value!["name"] == "p99")!["change"]!["direction"]!;
    }

    /// <summary>The driver of the first machine logs late wake-ups alone, that of the other all.</summary>
    [Fact]
    public void Late_wakeups_alone_are_not_compared_with_all_of_them()
    {
        string[] paths = [.. new[] { 1UL, 5UL }.Select(seed =>
        {
            string path = Path.Combine(traces.Folder, $"driver{seed}.etl");
            new ScenarioRun(ScenarioCatalog.Find("clock-owner-driver")!, seed)
            {
                Duration = Duration.FromSeconds(3), HasFewPrograms = true,
            }.WriteTo(path);
            return path;
        })];
        JsonNode below = Compare("100us");
        Assert.Null(below["episodes"]);
        Assert.Contains(below["warnings"]!.AsArray(), warning => (string?)warning
            == $"Episodes are not compared: {paths[0]} has only wake-ups of 500us or later, and others have more: compare with "
                + "'--threshold 500us'.");
        Assert.NotNull(Compare("500us")["episodes"]);

        JsonNode Compare(string threshold) => JsonNode.Parse(
            CommandRun.Analyzer("diff", paths[0], paths[1], "--threshold", threshold, "--format", "json").Output)!;
    }

    [Fact]
    public void Other_firmware_is_among_what_changed()
    {
        string other = Path.Combine(traces.Folder, "other.etl");
        new ScenarioRun(ScenarioCatalog.Find("clean")!, 6) { Duration = Duration.FromSeconds(1), HasFewPrograms = true }.WriteTo(other);
        JsonNode report = Json(traces.Clean, other);
        List<string> told = [.. new[] { traces.Clean, other }.Select(path => (string)JsonNode.Parse(
            CommandRun.Analyzer("info", path, "--format", "json").Output)!["trace"]!["machine"]!["firmware"]!)];
        Assert.NotEqual(told[0], told[1]);
        JsonNode row = report["machine"]!.AsArray().First(one => (string?)one!["name"] == "firmware")!;
        Assert.Equal(told, new List<string> { (string)row["base"]!, (string)row["new"]! });
        Assert.Equal("power plan", (string?)Assert.Single(report["notRecorded"]!.AsArray()));
    }

    [Fact]
    public void Six_traces_a_side_are_blocks_themselves()
    {
        string[] sides = [.. Enumerable.Range(0, 12).SelectMany(i =>
        {
            return new[] { i < 6 ? "--base" : "--new", Written("clean", 20 + (ulong)i, 300, $"many{i}.etl") };
        })];
        JsonNode report = JsonNode.Parse(CommandRun.Analyzer(["diff", .. sides, "--format", "json"]).Output)!;
        Assert.Null(report["settings"]!["blockUs"]);
        Assert.Equal(6, (int)report["base"]!["blocks"]!);
        Assert.Equal(6, report["new"]!["traces"]!.AsArray().Count);
        Assert.DoesNotContain(report["warnings"]!.AsArray(), warning => ((string?)warning)!.Contains("one run to the next"));
    }

    [Theory]
    [InlineData("", "two sides are compared: write 'analyzer diff BASE NEW'")]
    [InlineData("a.etl", "two sides are compared: write 'analyzer diff BASE NEW'")]
    [InlineData("--base a.etl", "two sides are compared")]
    [InlineData("a.etl b.etl --base c.etl", "name the traces either as BASE NEW or with --base and --new")]
    [InlineData("a.etl ./a.etl", "./a.etl is given twice; each trace belongs to one side, once")]
    [InlineData("- b.etl", "standard input (-) can be read only once")]
    [InlineData("a.etl b.etl --threshold 0s", "--threshold: write a duration above 0 such as 500us")]
    [InlineData("a.etl b.etl --least-change -1", "--least-change: '-1' is not a whole number from 0 to 1000")]
    [InlineData("a.etl b.etl --fail-if better", "better")]
    [InlineData("a.etl b.etl --html x.html -o x.html", "--html and the report can't go to the same place")]
    public void Wrong_usage_is_told(string arguments, string why)
    {
        (int exitCode, string output, string error) =
            CommandRun.Analyzer(["diff", .. arguments.Split(' ', StringSplitOptions.RemoveEmptyEntries)]);
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains(why, error);
    }

    [Fact]
    public void A_missing_file_and_what_is_no_trace_fail()
    {
        string none = Path.Combine(traces.Folder, "none.etl");
        (int exitCode, string output, string error) = CommandRun.Analyzer("diff", none, traces.Clean);
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.Contains("none.etl", error);
        string text = Path.Combine(traces.Folder, "text.etl");
        File.WriteAllText(text, "no trace");
        Assert.Equal(ExitCode.Failed, CommandRun.Analyzer("diff", traces.Clean, text).ExitCode);
    }

    /// <summary>Writes another recording of a machine.</summary>
    private string Written(string scenario, ulong seed, int milliseconds, string name)
    {
        string path = Path.Combine(traces.Folder, name);
        new ScenarioRun(ScenarioCatalog.Find(scenario)!, seed)
        {
            // Of the same chance the shorter one would be the beginning of the longer.
            Chance = (ulong)milliseconds,
            Duration = Duration.FromMilliseconds(milliseconds),
            HasFewPrograms = true,
        }.WriteTo(path);
        return path;
    }

    private static string Text(string old, string now) => CommandRun.Analyzer("diff", old, now, "--format", "json").Output;

    private static JsonNode Json(string old, string now) => JsonNode.Parse(Text(old, now))!;
}

/// <summary>A quiet machine, and the same one with a driver that floods it with DPCs.</summary>
public sealed class DiffTraces : IDisposable
{
    private string? _cleanToFlood;

    private (int ExitCode, string Output, string Error)? _failedText;

    public DiffTraces()
    {
        Clean = Path.Combine(Folder, "clean.etl");
        Flood = Path.Combine(Folder, "flood.etl");
        Simulate("clean", Clean);
        Culprit = Simulate("dpc-flood", Flood).Culprits[0].Name!;
    }

    public string Folder { get; } = Directory.CreateTempSubdirectory("tracer-diff-").FullName;

    public string Clean { get; }

    public string Flood { get; }

    public string Culprit { get; }

    /// <summary>Where <see cref="FailedText"/> writes its page.</summary>
    public string Page => Path.Combine(Folder, "page.html");

    /// <summary>What is said in words of the second one against the first, with a page, in a script that fails by it.</summary>
    public (int ExitCode, string Output, string Error) FailedText =>
        _failedText ??= CommandRun.Analyzer("diff", Clean, Flood, "--fail-if", "worse", "--html", Page);

    /// <summary>What is said in JSON of the second one against the first.</summary>
    public string CleanToFlood => _cleanToFlood ??= CommandRun.Analyzer("diff", Clean, Flood, "--format", "json").Output;

    public void Dispose() => Directory.Delete(Folder, recursive: true);

    private static TruthReport Simulate(string scenario, string path) =>
        new ScenarioRun(ScenarioCatalog.Find(scenario)!, 5) { Duration = Duration.FromSeconds(6), HasFewPrograms = true }.WriteTo(path);
}
