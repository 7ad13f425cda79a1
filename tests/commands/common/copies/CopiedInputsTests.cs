using System.IO.Compression;
using System.Text.Json.Nodes;
using Tracer.Simulator.Scenarios;

namespace Tracer.Commands.Tests.Common.Copies;

/// <summary>The commands that take several traces or reports: a copy beside its original counts once, and that is told.</summary>
public sealed class CopiedInputsTests(CopiedInputs inputs) : IClassFixture<CopiedInputs>
{
    [Fact]
    public void A_copied_trace_is_blamed_once()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("blame", inputs.Traces, "--format", "json");
        Assert.Equal(ExitCode.Done, exitCode);
        Assert.Equal([inputs.One, inputs.Other], output.TrimEnd('\n').Split('\n').Select(line =>
            (string?)JsonNode.Parse(line)!["trace"]!["path"]));
        Assert.Equal($"analyzer: warning: {inputs.Copy} holds what {inputs.One} holds, too: it counts once\n", error);
    }

    [Fact]
    public void A_copied_trace_has_one_case_and_a_run_that_goes_on_knows_it()
    {
        string cases = inputs.At("cases.jsonl");
        string[] command = ["blame", inputs.Traces, "--format", "cases", "-o", cases, "--resume"];
        (int exitCode, _, string error) = CommandRun.Analyzer(command);
        Assert.Equal((ExitCode.Done, 2), (exitCode, File.ReadLines(cases).Count()));
        Assert.Contains($"{inputs.Copy} holds what {inputs.One} holds", error, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer(command).ExitCode);
        Assert.Equal(2, File.ReadLines(cases).Distinct().Count());

        // The same cases under another name, and one of them beside others.
        string again = inputs.At("again.jsonl");
        File.Copy(cases, again, overwrite: true);
        string some = inputs.At("some.jsonl");
        File.WriteAllText(some, File.ReadLines(cases).First() + "\n");
        (_, string report, error) = CommandRun.Analyzer("fleet", cases, again, some, "--format", "json");
        Assert.Equal(2, (int)JsonNode.Parse(report)!["summary"]!["cases"]!);
        Assert.Equal(
            $"analyzer: warning: {again} holds what {cases} holds, too: it counts once\n"
            + $"analyzer: warning: {some}: 1 case of recordings that {cases} has, too: each counts once\n",
            error);
        Assert.Equal("", CommandRun.Analyzer("fleet", cases, "--format", "json").Error);
    }

    [Fact]
    public void Latencies_of_a_copy_count_once()
    {
        (_, string alone, _) = CommandRun.Analyzer("latency", inputs.One, inputs.Other, "--format", "json");
        (_, string copied, string error) = CommandRun.Analyzer("latency", inputs.Traces, "--format", "json");
        Assert.Equal(CountOf(alone), CountOf(copied));
        Assert.Equal($"analyzer: warning: {inputs.Copy} holds what {inputs.One} holds, too: it counts once\n", error);
        Assert.Contains(JsonNode.Parse(copied)!["warnings"]!.AsArray(), one => (string?)one ==
            $"{inputs.Copy} holds what {inputs.One} holds, too: it counts once.");
    }

    /// <summary>Of reports there is no trace to compare: what they say of their traces, and what was measured, is compared.</summary>
    [Fact]
    public void Latencies_of_a_report_of_the_same_trace_count_once_however_it_is_written()
    {
        string one = Report("one.json", inputs.One);
        JsonNode moved = JsonNode.Parse(File.ReadAllText(one))!;
        moved["traces"]![0]!["path"] = "elsewhere/other.etl";
        File.WriteAllText(inputs.At("moved.json"), moved.ToJsonString());
        string both = Report("both.json", inputs.One, inputs.Other);
        int once = CountOf(File.ReadAllText(one));
        int all = CountOf(File.ReadAllText(both));
        Assert.True(all > once);
        Counts(once, inputs.At("moved.json"), one, inputs.At("moved.json"));
        Counts(once, one, one, inputs.One);
        Counts(all, one, one, both);

        // Others count: another trace, and other latencies of the same one.
        Counts(all, null, one, Report("other.json", inputs.Other));
        string dpcs = Report("dpcs.json", inputs.One, "--kind", "dpc");
        string threads = Report("threads.json", inputs.One, "--kind", "thread");
        Counts(CountOf(File.ReadAllText(dpcs)) + CountOf(File.ReadAllText(threads)), null, dpcs, threads);

        void Counts(int expected, string? leftOut, params string[] given)
        {
            (int exitCode, string output, string error) = CommandRun.Analyzer(["latency", .. given, "--format", "json"]);
            Assert.Equal((ExitCode.Done, expected), (exitCode, CountOf(output)));
            Assert.Equal(
                leftOut is null ? "" : $"analyzer: warning: {leftOut} holds what {given.First(path => path != leftOut)} holds, too: "
                    + "it counts once\n",
                error);
        }
    }

    [Fact]
    public void Reports_that_share_some_latencies_cannot_be_taken_apart_and_are_refused()
    {
        string first = Report("first.json", inputs.One, inputs.Other);
        string second = Report("second.json", inputs.Other, inputs.Third);
        (int exitCode, string output, string error) = CommandRun.Analyzer("latency", first, second);
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.Equal($"analyzer: {first} and {second} have latencies of the same recording, which would count twice, and others besides: "
            + "measure each trace once\n", error);
    }

    /// <summary>A slice beside a report, or a case, of its whole counts once; beside that of another trace it counts.</summary>
    [Fact]
    public void A_slice_counts_with_what_is_told_of_its_whole()
    {
        string slice = inputs.At("slice.etl");
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer("slice", inputs.One, "--from", "0.1s", "--to", "0.3s", "-o", slice).ExitCode);
        string whole = Report("whole-of-slice.json", inputs.One);
        (int exitCode, string output, string error) = CommandRun.Analyzer("latency", whole, slice, "--format", "json");
        Assert.Equal((ExitCode.Done, CountOf(File.ReadAllText(whole))), (exitCode, CountOf(output)));
        Assert.Equal($"analyzer: warning: {slice} is a part of {whole}: it counts once\n", error);
        string other = Report("other-than-slice.json", inputs.Other);
        (exitCode, output, error) = CommandRun.Analyzer("latency", other, slice, "--format", "json");
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        Assert.True(CountOf(output) > CountOf(File.ReadAllText(other)));

        string ofSlice = Cases("case-of-slice.jsonl", slice);
        string ofWhole = Cases("case-of-whole.jsonl", inputs.One);
        string ofOther = Cases("case-of-other.jsonl", inputs.Other);
        foreach (string[] given in new string[][] { [ofSlice, ofWhole], [ofWhole, ofSlice] })
        {
            (_, output, error) = CommandRun.Analyzer(["fleet", .. given, "--format", "json"]);
            Assert.Equal(1, (int)JsonNode.Parse(output)!["summary"]!["cases"]!);
            Assert.Equal(
                $"analyzer: warning: {ofSlice}: 1 case of slices of recordings that {ofWhole} has whole: each counts once\n", error);
        }

        (_, output, error) = CommandRun.Analyzer("fleet", ofSlice, ofOther, "--format", "json");
        Assert.Equal((2, ""), ((int)JsonNode.Parse(output)!["summary"]!["cases"]!, error));

        string Cases(string name, string trace)
        {
            string path = inputs.At(name);
            Assert.Equal(ExitCode.Done, CommandRun.Analyzer("blame", trace, "--format", "cases", "-o", path).ExitCode);
            return path;
        }
    }

    [Fact]
    public void Copies_on_one_side_of_a_comparison_are_one_trace()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer(
            "diff", "--base", inputs.Traces, "--new", inputs.Third, "--format", "json", "--fail-if", "worse");
        Assert.Equal(ExitCode.Unknown, exitCode);
        JsonNode report = JsonNode.Parse(output)!;
        Assert.Equal(2, report["base"]!["traces"]!.AsArray().Count);
        Assert.StartsWith($"{inputs.Copy} holds what {inputs.One} holds", (string?)report["warnings"]![0]);
        Assert.Contains($"analyzer: warning: {inputs.Copy} holds what {inputs.One} holds", error, StringComparison.Ordinal);
    }

    [Fact]
    public void A_recording_on_both_sides_is_refused()
    {
        string[] line = ["diff", "--base", inputs.One, "--base", inputs.Other, "--new", inputs.Third, "--new", inputs.Copy];
        (int exitCode, string output, string error) = CommandRun.Analyzer(line);
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.Equal(ExitCode.Unknown, CommandRun.Analyzer([.. line, "--fail-if", "worse"]).ExitCode);
        Assert.StartsWith(
            $"analyzer: nothing can be compared: {inputs.Copy} of the new side holds the same recording as {inputs.One}", error);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_part_on_one_side_of_its_whole_is_refused(bool isOfBase)
    {
        string whole = Path.Combine(RepositoryFiles.Root, "samples", "masked-interrupts.etl");
        string part = Path.Combine(Directory.CreateTempSubdirectory("tracer-part-").FullName, "part.etl");
        byte[] bytes = File.ReadAllBytes(whole);
        File.WriteAllBytes(part, bytes[..(bytes.Length / 2)]);
        (int exitCode, string output, string error) =
            CommandRun.Analyzer("diff", isOfBase ? part : whole, isOfBase ? whole : part);
        Directory.Delete(Path.GetDirectoryName(part)!, recursive: true);
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.StartsWith($"analyzer: nothing can be compared: {part} of {(isOfBase ? "the base" : "the new side")} is a part of ", error);
    }

    private static int CountOf(string report) => JsonNode.Parse(report)!["distributions"]!.AsArray()
        .Where(one => one!["part"]!.AsObject().Count == 0).Sum(one => (int)one!["count"]!);

    private string Report(string name, params string[] arguments)
    {
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer(["latency", .. arguments, "--format", "json", "-o", inputs.At(name)]).ExitCode);
        return inputs.At(name);
    }
}

/// <summary>Traces of one machine, minutes apart and equally long, and a packed copy of one.</summary>
public sealed class CopiedInputs : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-copied-").FullName;

    public CopiedInputs()
    {
        Directory.CreateDirectory(Traces);
        One = Path.Combine(Traces, "one.etl");
        Other = Path.Combine(Traces, "two.etl");
        Copy = Path.Combine(Traces, "one2.etl.gz");
        Third = At("three.etl");
        foreach ((string path, ulong seed) in new[] { (One, 2UL), (Other, 3UL), (Third, 4UL) })
        {
            new ScenarioRun(ScenarioCatalog.Find("clean")!, seed) { Duration = Duration.FromMilliseconds(300), HasFewPrograms = true }
                .WriteTo(path);
        }

        using var packed = new GZipStream(File.Create(Copy), CompressionLevel.Fastest);
        packed.Write(File.ReadAllBytes(One));
    }

    /// <summary>A folder with two traces and a copy.</summary>
    public string Traces => At("traces");

    public string One { get; }

    public string Other { get; }

    public string Copy { get; }

    public string Third { get; }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    internal string At(string name) => Path.Combine(_folder, name);
}
