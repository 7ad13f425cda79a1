using System.Text;
using Tracer.Analysis;
using Tracer.AnalyzerCommand;
using Tracer.AnalyzerCommand.Commands.Blame.Cases;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests.Blame.Cases;

/// <summary><c>analyzer blame --format cases</c>: many traces, a line each.</summary>
public sealed class CasesTests(CaseTraces traces) : IClassFixture<CaseTraces>
{
    [Fact]
    public void Each_trace_has_a_case_in_the_order_of_the_traces_and_a_bad_one_stops_nothing()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("blame", traces.Folder, "--format", "cases", "--recurse");
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("2 traces of 6 could not be judged", error, StringComparison.Ordinal);
        CaseReport[] cases = Cases(output);
        Assert.Equal(6, cases.Length);
        Assert.Equal(
            [Verdict.Process, Verdict.Driver, null, null, Verdict.Driver],
            cases[..5].Select(one => one.Verdict));
        Assert.Equal(["unreadable", "unreadable"], cases[2..4].Select(one => one.Problem!.Kind));
        Assert.True(cases[5].Losses.Truncated || cases[5].Losses.DamagedBuffers > 0);
        (string first, string same) = (Path.Combine(traces.Folder, "e-first.etl"), Path.Combine(traces.Folder, "z-below", "g-same.etl"));
        Assert.Contains($"{same} holds what {first} holds, too", error, StringComparison.Ordinal);
        Assert.Equal(cases[4].Id, Assert.Single(Cases(CommandRun.Analyzer("blame", same, "--format", "cases").Output)).Id);
        Assert.Equal(6, cases.Select(one => one.Id).Distinct().Count());
    }

    [Fact]
    public void A_case_says_what_the_report_says()
    {
        string path = Path.Combine(traces.Folder, "b-nic.etl");
        CaseReport one = Assert.Single(Cases(CommandRun.Analyzer("blame", path, "--format", "cases").Output));
        string json = CommandRun.Analyzer("blame", path, "--format", "json").Output;
        BlameReport report = ReportJson.Read<BlameReport>(Encoding.UTF8.GetBytes(json));
        Assert.Equal(report.Summary.Verdict, one.Verdict);
        Assert.Equal(report.Summary.Episodes, one.Episodes);
        Assert.Equal(report.Summary.OverThreshold, one.OverThreshold);
        Assert.Equal(report.Culprits.Select(culprit => culprit.Name), one.Culprits.Select(culprit => culprit.Name));
        Assert.Equal(report.Episodes.Where(episode => !episode.Secondary).Sum(episode => episode.Latency.Nanoseconds),
            one.Chains.Sum(chain => chain.Latency.Nanoseconds));
        Assert.Equal((report.Culprits[0].Name, report.Culprits[0].Mechanism), (one.Chains[0].Owner, one.Chains[0].Mechanism));
        Assert.Equal(report.Culprits[0].Image!.Version, one.Drivers.Single(driver => driver.Name == one.Chains[0].Owner).Version);
        Every.Item(one.Latencies, latency => Assert.Equal(latency.Count, HdrEncoding.Decode(latency.Histogram)!.Count));
    }

    /// <summary>The maker's name of a device is a word like any other, and may be a person's.</summary>
    [Fact]
    public void Of_a_device_only_common_words_stay_unless_names_are_asked_for()
    {
        string path = Path.Combine(traces.Folder, "b-nic.etl");
        BlameReport report = ReportJson.Read<BlameReport>(
            Encoding.UTF8.GetBytes(CommandRun.Analyzer("blame", path, "--format", "json").Output));
        CaseReport hidden = Assert.Single(Cases(CommandRun.Analyzer("blame", path, "--format", "cases").Output));
        CaseReport shown = Assert.Single(Cases(CommandRun.Analyzer("blame", path, "--format", "cases", "--with-names").Output));
        Assert.NotNull(report.Culprits[0].Device);
        Assert.Equal(report.Culprits[0].Device, shown.Culprits[0].Device);
        Assert.Equal("Gigabit Ethernet Controller", hidden.Culprits[0].Device);
        Assert.Null(new CaseNames(withNames: false, []).Device("Alice's Earbuds"));
    }

    [Fact]
    public void No_name_of_a_computer_a_program_or_a_file_is_in_it_unless_asked_for()
    {
        string path = Path.Combine(traces.Folder, "a-hog.etl");
        (_, string hidden, _) = CommandRun.Analyzer("blame", path, "--format", "cases");
        (_, string shown, _) = CommandRun.Analyzer("blame", path, "--format", "cases", "--with-names");
        string program = traces.Hog.Culprit!;
        CaseReport named = Assert.Single(Cases(shown));
        Assert.Equal((program, path), (named.Culprits[0].Name, named.Trace));
        Assert.StartsWith("DESKTOP-", named.Machine, StringComparison.Ordinal);
        foreach (string secret in new[] { program, named.Machine!, "DESKTOP", "a-hog", traces.Folder })
        {
            Assert.DoesNotContain(secret, hidden, StringComparison.OrdinalIgnoreCase);
        }

        CaseReport one = Assert.Single(Cases(hidden));
        Assert.StartsWith("program-", one.Culprits[0].Name, StringComparison.Ordinal);
        Assert.Equal(one.Culprits[0].Name, one.Chains[0].Owner);
        Assert.Equal(named.Id, one.Id);
    }

    [Fact]
    public void Pseudonyms_follow_from_the_key()
    {
        string path = Path.Combine(traces.Folder, "a-hog.etl");
        string key = Path.Combine(Directory.CreateTempSubdirectory("tracer-key-").FullName, "key");
        File.WriteAllText(key, "a secret");
        string[] line = ["blame", path, "--format", "cases", "--key", key];
        CaseReport one = Assert.Single(Cases(CommandRun.Analyzer(line).Output));
        File.WriteAllText(key, "another secret");
        CaseReport other = Assert.Single(Cases(CommandRun.Analyzer(line).Output));
        Assert.NotEqual(one.Machine, other.Machine);
        Assert.NotEqual(one.Culprits[0].Name, other.Culprits[0].Name);
        File.WriteAllBytes(key, []);
        Assert.Contains("is empty", CommandRun.Analyzer(line).Error, StringComparison.Ordinal);
    }

    [Fact]
    public void A_run_that_was_killed_anywhere_goes_on_and_ends_with_the_same_bytes()
    {
        string folder = Directory.CreateTempSubdirectory("tracer-resume-").FullName;
        string whole = Path.Combine(folder, "whole.jsonl");
        string part = Path.Combine(folder, "part.jsonl");
        CommandRun.Analyzer(Line(whole, "--jobs", "1"));
        byte[] expected = File.ReadAllBytes(whole);
        byte[] paths = File.ReadAllBytes(whole + ".paths");
        foreach ((double ofCases, double ofPaths) in new[] { (0.0, 0.0), (0.3, 0.3), (0.7, 0.5), (0.999, 1.0), (1.0, 0.999), (1.0, 1.0) })
        {
            // What is in the list of paths is in the file already, so a kill cuts the list as early or earlier.
            File.WriteAllBytes(part, expected[..(int)(expected.Length * ofCases)]);
            File.WriteAllBytes(part + ".paths", paths[..(int)(paths.Length * ofPaths)]);
            CommandRun.Analyzer(Line(part, "--resume", "--jobs", "3"));
            Assert.Equal(Ids(expected), Ids(File.ReadAllBytes(part)));
        }

        Assert.Equal(expected, File.ReadAllBytes(part));
        (int exitCode, _, string error) = CommandRun.Analyzer(Line(part, "--resume"));
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("6 traces of 6 judged by an earlier run", error, StringComparison.Ordinal);
        Assert.Contains("2 traces of an earlier run could not be judged", error, StringComparison.Ordinal);
        Assert.Equal(expected, File.ReadAllBytes(part));

        string[] Line(string file, params string[] more) =>
            ["blame", traces.Folder, "--recurse", "--format", "cases", "-o", file, .. more];

        static IEnumerable<string> Ids(byte[] lines) => Cases(Encoding.UTF8.GetString(lines)).Select(one => one.Id).Distinct().Order();
    }

    [Fact]
    public void Many_at_once_and_little_memory_give_the_same_lines_as_one()
    {
        string alone = CommandRun.Analyzer("blame", traces.Folder, "--format", "cases", "--jobs", "1").Output;
        Assert.Equal(alone, CommandRun.Analyzer("blame", traces.Folder, "--format", "cases", "--jobs", "8").Output);
        Assert.Equal(alone, CommandRun.Analyzer("blame", traces.Folder, "--format", "cases", "--jobs", "8", "--memory", "64").Output);
    }

    [Fact]
    public void A_fault_of_the_analysis_is_a_case_and_stops_nothing()
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        int exitCode = CommandProgram.Run(
            AnalyzerCommands.Create((path, reader, request) => path.EndsWith("b-nic.etl", StringComparison.Ordinal)
                ? throw new InvalidOperationException("a fault of ours")
                : BlameAnalysis.Analyze(path, reader, request)),
            "analyzer",
            ["blame", traces.Folder, "--format", "cases"],
            output,
            error);
        CaseReport[] cases = Cases(output.ToString());
        Assert.Equal((ExitCode.Failed, 5), (exitCode, cases.Length));
        Assert.Equal(("failed", "the analysis failed by a defect of its own"), (cases[1].Problem!.Kind, cases[1].Problem!.Message));
        Assert.Equal(Verdict.Driver, cases[4].Verdict);
        Assert.Contains("a fault of ours", error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_list_names_the_traces()
    {
        string list = Path.Combine(Directory.CreateTempSubdirectory("tracer-list-").FullName, "list");
        File.WriteAllLines(list, [Path.Combine(traces.Folder, "b-nic.etl"), "", Path.Combine(traces.Folder, "e-first.etl")]);
        (int exitCode, string output, _) = CommandRun.Analyzer("blame", "@" + list, "--format", "cases");
        Assert.Equal((ExitCode.Done, 2), (exitCode, Cases(output).Length));
    }

    [Fact]
    public void What_was_there_before_is_never_lost()
    {
        string file = Path.Combine(Directory.CreateTempSubdirectory("tracer-before-").FullName, "cases.jsonl");
        string trace = Path.Combine(traces.Folder, "e-first.etl");
        File.WriteAllText(file, "my notes\n");
        (int exitCode, _, string error) = CommandRun.Analyzer("blame", trace, "--format", "cases", "-o", file);
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("go on with it with --resume", error, StringComparison.Ordinal);
        (exitCode, _, error) = CommandRun.Analyzer("blame", trace, "--format", "cases", "-o", file, "--resume");
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("is not a file of 'analyzer blame --format cases'", error, StringComparison.Ordinal);
        Assert.Equal("my notes\n", File.ReadAllText(file));
        File.WriteAllText(file, "my notes");
        (exitCode, _, error) = CommandRun.Analyzer("blame", trace, "--format", "cases", "-o", file, "--resume");
        Assert.Equal((ExitCode.Failed, "my notes"), (exitCode, File.ReadAllText(file)));
        Assert.Contains("its last line is not one", error, StringComparison.Ordinal);
        File.Delete(file);
        CommandRun.Analyzer("blame", trace, "--format", "cases", "-o", file);
        byte[] before = File.ReadAllBytes(file);
        string[] otherwise = ["blame", traces.Folder, "--format", "cases", "-o", file, "--resume", "--threshold", "1ms"];
        (exitCode, _, error) = CommandRun.Analyzer(otherwise);
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("was made with --threshold 500us", error, StringComparison.Ordinal);
        Assert.Equal(before, File.ReadAllBytes(file));
    }

    [Theory]
    [InlineData("--recurse is for --format cases", "--recurse")]
    [InlineData("--jobs is for --format cases", "--jobs", "2")]
    [InlineData("--resume goes on with a file: name it with -o", "--format", "cases", "--resume")]
    [InlineData("--fail-over is for reports", "--format", "cases", "--fail-over", "1ms")]
    [InlineData("--table is for --format csv", "--format", "cases", "--table", "drivers")]
    [InlineData("--key: there is no file nowhere", "--format", "cases", "--key", "nowhere")]
    [InlineData("--machine: a name is expected", "--format", "cases", "--machine", " ")]
    [InlineData("--jobs: '0' is not a whole number", "--format", "cases", "--jobs", "0")]
    public void Wrong_usage_is_told_in_a_sentence(string expected, params string[] options)
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer(["blame", traces.Folder, .. options]);
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }

    private static CaseReport[] Cases(string lines) =>
        [.. lines.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(line => ReportJson.Read<CaseReport>(Encoding.UTF8.GetBytes(line)))];
}
