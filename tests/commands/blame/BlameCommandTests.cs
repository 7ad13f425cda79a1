using System.Text;
using System.Text.Json.Nodes;
using FsCheck;
using FsCheck.Fluent;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand;
using Tracer.AnalyzerCommand.Commands.Blame;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests.Blame;

/// <summary>
/// <c>analyzer blame</c> and <c>analyzer episodes</c> as a user runs them, with reports made by hand in the place of the analysis: formats,
/// files, several traces, exit status; and what holds for any report.
/// </summary>
public sealed class BlameCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    private BlameRequest? _asked;

    private static string OtherSample => Path.Combine(RepositoryFiles.Root, "samples", "masked-interrupts.etl");

    private static string Sample => Path.Combine(RepositoryFiles.Root, "samples", "first.etl");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void The_text_is_the_report() => Assert.Equal(
        (0, Stored("blame-driver.txt"), ""), Run(Result("driver"), "blame", Sample, "--full"));

    [Fact]
    public void One_trace_gives_indented_json_and_several_give_one_line_each()
    {
        string one = Run(Result("driver"), "blame", Sample, "--format", "json").Output;
        Assert.StartsWith("{\n  \"schema\": \"tracer.blame/1\",\n", one);
        Assert.Equal(8, ReportJson.Read<BlameReport>(Encoding.UTF8.GetBytes(one)).Episodes.Count);
        string[] lines = Run(Result("driver"), "blame", Sample, OtherSample, "--format", "json").Output.Split('\n');
        Assert.Equal(3, lines.Length);
        Every.Item(lines[..2], line => Assert.Equal(8, ReportJson.Read<BlameReport>(Encoding.UTF8.GetBytes(line)).Episodes.Count));
        Assert.Equal("", lines[2]);
    }

    [Fact]
    public void Several_texts_stand_below_their_paths()
    {
        string text = Run(Result("none"), "blame", Sample, OtherSample).Output;
        Assert.Equal(2, text.Split("none.etl\n========\n  measured  ").Length - 1);
        Assert.Contains("\n\nnone.etl\n", text);
    }

    [Fact]
    public void The_table_has_its_header_once_and_a_row_for_each_cause()
    {
        (int exitCode, string output, string error) = Run(Result("driver"), "blame", Sample, OtherSample, "--format", "csv");
        Assert.Equal((0, ""), (exitCode, error));
        string[] lines = output.Split('\n');
        Assert.Equal("trace,episode,probe,start_us,latency_us,cpu,pid,tid,process,priority,culprit,mechanism,us,routine", lines[0]);
        Assert.Equal(
            "driver.etl,0,thread,1875392.6,6167.001,0,1408,12500,audiodg.exe,24,e1x64.sys,dpc,6020.5,ndis.sys!ndisInterruptDpc", lines[1]);
        Assert.Equal("driver.etl,0,thread,1875392.6,6167.001,0,1408,12500,audiodg.exe,24,,unexplained,72.751,", lines[4]);
        Assert.Equal(1 + (2 * 8 * 4) + 1, lines.Length);
    }

    [Fact]
    public void What_has_commas_or_quotes_is_quoted_in_the_table_and_what_looks_like_a_formula_is_none()
    {
        BlameReport report = BlameSamples.All["process"];
        Episode episode = report.Episodes[0];
        report = report with
        {
            Episodes = [episode with { Causes = [BlameSamples.Cause("=a,\"b\"\n.exe", Mechanism.Thread, 1, "-1")] }],
        };
        string row = Run(new BlameResult(report, []), "blame", Sample, "--format", "csv").Output.Split('\n', 2)[1];
        Assert.Contains(",\"'=a,\"\"b\"\"\\u000a.exe\",thread,1,\"'-1\"\n", row);
    }

    [Fact]
    public void The_report_goes_to_a_file_as_utf_8_with_line_feeds()
    {
        string file = Path.Combine(_folder, "report.txt");
        Assert.Equal((0, "", ""), Run(Result("driver"), "blame", Sample, "--full", "-o", file));
        Assert.Equal(Encoding.UTF8.GetBytes(Stored("blame-driver.txt")), File.ReadAllBytes(file));
    }

    [Theory]
    [InlineData("500us", 2)]
    [InlineData("6.59575ms", 2)]
    [InlineData("6.595751ms", 2)]
    [InlineData("6.595752ms", 0)]
    [InlineData("1s", 0)]
    public void The_exit_status_tells_whether_a_latency_reached_the_limit(string limit, int expected) =>
        Assert.Equal(expected, Run(Result("driver"), "blame", Sample, "--fail-over", limit).ExitCode);

    /// <summary>What nobody measured waited for, and waits that only the timer's granularity explains, do not fail a build.</summary>
    [Theory]
    [InlineData(false, 0, 2)]
    [InlineData(true, 0, 0)]
    [InlineData(false, 1500, 2)]
    [InlineData(false, 1501, 0)]
    public void Only_episodes_of_the_first_ranking_reach_the_limit(bool isSecondary, int tickUs, int expected)
    {
        BlameReport report = BlameSamples.All["driver"];
        Episode episode = report.Episodes[0] with
        {
            Latency = Duration.FromMicroseconds(2000),
            Secondary = isSecondary,
            Causes = [BlameSamples.Cause("-", Mechanism.TimerTick, tickUs, null)],
        };
        var result = new BlameResult(report with { Episodes = [episode] }, []);
        Assert.Equal(expected, Run(result, "blame", Sample, "--fail-over", "2ms").ExitCode);
    }

    /// <summary>That something is late is certain, whoever did it.</summary>
    [Fact]
    public void A_limit_that_is_reached_goes_before_a_verdict_that_is_unknown()
    {
        BlameReport report = BlameSamples.All["driver"];
        var result = new BlameResult(report with { Summary = report.Summary with { Verdict = Verdict.Unknown, Culprit = null } }, []);
        Assert.Equal(ExitCode.OverThreshold, Run(result, "blame", Sample, "--fail-over", "1ms").ExitCode);
        Assert.Equal(ExitCode.Unknown, Run(result, "blame", Sample, "--fail-over", "1min").ExitCode);
        Assert.Equal(ExitCode.Done, Run(result, "blame", Sample).ExitCode);
    }

    [Theory]
    [InlineData("--threshold 0us", "--threshold: '0s' is not a latency; write a duration above 0 such as 500us")]
    [InlineData("--threshold -1ms", "--threshold: '-1ms' is not a latency; write a duration above 0 such as 500us")]
    [InlineData("--threshold 500", "--threshold: '500' has no unit; write 500us or 500ms")]
    [InlineData(
        "--fail-over 100us",
        "--fail-over: '100us' is below the threshold of 500us, and nothing shorter is an episode; write --threshold 100us, too")]
    [InlineData("--probe threads", "--probe: 'threads' is not one of auto, glitch, wakeup, job, thread, level, gap")]
    [InlineData("--min-priority 32", "--min-priority: '32' is not a whole number from 0 to 31")]
    [InlineData("--min-priority high", "--min-priority: 'high' is not a whole number from 0 to 31")]
    [InlineData("--thread -1", "--thread: '-1' is not a whole number of at least 0")]
    [InlineData("--top -1", "--top: '-1' is not a whole number from 0 to 2147483647")]
    [InlineData("--cpu 3-1", "--cpu: '3-1' is neither a number nor a range; write 0,2-4")]
    [InlineData("--cpu 0-70000", "--cpu: no CPU has the number 70000; the largest is 65535")]
    [InlineData("--from 2s --to 1s", "--from 2s is later than --to 1s")]
    [InlineData("--format xml", "--format: 'xml' is not one of text, json, csv, cases")]
    [InlineData("- -", "standard input (-) can be read only once")]
    public void Wrong_values_are_wrong_usage_with_a_hint(string options, string expected)
    {
        (int exitCode, string output, string error) = Run(Result("driver"), ["blame", Sample, .. options.Split(' ')]);
        Assert.Equal((ExitCode.WrongUsage, "", $"analyzer: {expected}\nSee 'analyzer blame --help'.\n"), (exitCode, output, error));
        Assert.Null(_asked);
    }

    /// <summary>The machine slept, or it hung: whether something as long as the limit was late nobody can tell.</summary>
    [Theory]
    [InlineData("10s", ExitCode.Unknown)]
    [InlineData("12s", ExitCode.Unknown)]
    [InlineData("12001ms", ExitCode.Done)]
    public void A_pause_as_long_as_the_limit_is_no_pass(string limit, int expected)
    {
        BlameResult result = Result("none");
        result = result with
        {
            Report = result.Report with
            {
                Pauses = [new MachinePause(Duration.FromSeconds(1), Duration.FromSeconds(6)),
                    new MachinePause(Duration.FromSeconds(31), Duration.FromSeconds(12))],
            },
        };
        (int exitCode, _, string error) = Run(result, "blame", Sample, "--fail-over", limit);
        Assert.Equal(expected, exitCode);
        Assert.Equal(
            expected == ExitCode.Done ? ""
                : $"analyzer: {Sample}: the machine stood still at 31 s for 12 s, and no record tells whether it slept\n",
            error);
    }

    [Fact]
    public void A_report_never_takes_the_place_of_its_trace()
    {
        string trace = Path.Combine(_folder, "a.etl");
        File.Copy(Sample, trace);
        (int exitCode, _, string error) = Run(Result("driver"), "blame", trace, "-o", Path.Combine(_folder, ".", "a.etl"));
        Assert.Equal(ExitCode.WrongUsage, exitCode);
        Assert.Contains("which is read by this command; write to another", error);
        Assert.Equal(new FileInfo(Sample).Length, new FileInfo(trace).Length);
    }

    [Fact]
    public void What_cannot_be_read_is_told_and_the_other_traces_are_done()
    {
        string missing = Path.Combine(_folder, "missing.etl");
        (int exitCode, string output, string error) =
            Run(Result("driver"), "blame", missing, Sample, "--format", "json", "--fail-over", "1ms");
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.StartsWith("analyzer: ", error);
        Assert.Contains(missing, error);
        Assert.Equal(1, error.Count(one => one == '\n'));
        Assert.Equal("driver.etl", JsonNode.Parse(output)!["trace"]!["path"]!.GetValue<string>());
    }

    [Fact]
    public void A_trace_that_tells_nothing_of_latency_says_so_and_is_no_failure()
    {
        (int exitCode, string output, string error) = Run(Result("unknown"), "blame", Sample);
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Contains("This trace cannot tell", output);
        (exitCode, output, error) = Run(Result("unknown"), "episodes", Sample);
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Contains("This trace cannot tell", output);
    }

    [Fact]
    public void The_analysis_is_asked_what_the_user_asked()
    {
        Run(
            Result("driver"), "blame", Sample, "--threshold", "1ms", "--probe", "gap", "--min-priority", "8", "--process", "audiodg.exe",
            "--thread", "7", "--cpu", "3,0-1", "--from", "-1s", "--to", "2s");
        Assert.Equal([0, 1, 3], _asked!.Cpus);
        Assert.Equal(
            new BlameRequest
            {
                Threshold = Duration.FromMilliseconds(1),
                Probe = ProbeChoice.Gap,
                MinPriority = 8,
                Process = "audiodg.exe",
                Thread = 7,
                From = Duration.FromSeconds(-1),
                To = Duration.FromSeconds(2),
                WithTables = false,
            },
            _asked with { Cpus = null, Names = null });
        Run(Result("driver"), "episodes", Sample);
        Assert.NotNull(_asked.Names);
        Assert.Equal(new BlameRequest { WithStrips = true }, _asked with { Names = null });
    }

    [Fact]
    public void An_episode_is_shown_as_stored()
    {
        (int exitCode, string output, string error) = Run(Result("driver"), "episodes", Sample, "--id", "0");
        Assert.Equal((0, ""), (exitCode, error));
        Assert.StartsWith("Analysis of latency episode number 0\n", output);
        Assert.Contains("       4 samples in e1x64.sys function +0x4f10\n", output);
        Assert.Contains("       6 total samples in episode\n", output);
        GoldenText.AssertEqual("tests/commands/golden/reports/episodes-driver-0.txt", output);
    }

    [Fact]
    public void Episodes_stand_by_time_or_the_worst_first()
    {
        Assert.Equal(Enumerable.Range(0, 8), Numbers(Run(Result("driver"), "episodes", Sample).Output));
        Assert.Equal([7, 6], Numbers(Run(Result("driver"), "episodes", Sample, "--top", "2").Output));

        static IEnumerable<int> Numbers(string text) =>
            text.Split('\n').Where(line => line.StartsWith("Analysis", StringComparison.Ordinal))
                .Select(line => int.Parse(line.Split(' ')[^1], CultureInfo.InvariantCulture));
    }

    [Fact]
    public void Episodes_as_json_hold_what_ran_on_the_cpus()
    {
        JsonNode json = JsonNode.Parse(Run(Result("driver"), "episodes", Sample, "--id", "3", "--format", "json").Output)!;
        Assert.Equal("tracer.episodes/1", json["schema"]!.GetValue<string>());
        JsonNode one = Assert.Single(json["episodes"]!.AsArray())!;
        Assert.Equal(3, one["episode"]!["id"]!.GetValue<int>());
        Assert.Equal("{\"startUs\":0,\"us\":212,\"kind\":\"isr\",\"label\":\"ndis.sys\"}", one["cpus"]![0]!["spans"]![0]!.ToJsonString());
    }

    [Theory]
    [InlineData("driver", "8", "it has 0 to 7")]
    [InlineData("process", "1", "it has only 0")]
    [InlineData("none", "0", "it has none at this threshold")]
    public void An_episode_that_is_not_there_is_wrong_usage_and_the_range_is_told(string name, string id, string range)
    {
        (int exitCode, string output, string error) = Run(Result(name), "episodes", Sample, "--id", id);
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.StartsWith($"analyzer: --id: there is no episode {id} in {Sample}; {range}\n", error);
    }

    [Fact]
    public void Whatever_the_report_no_line_is_too_wide_and_none_steers_a_terminal() => ForAnyReport(result =>
    {
        string text = Run(result, "blame", Sample).Output + Run(result, "episodes", Sample).Output;
        Every.Item(text.Split('\n'), line => Assert.InRange(line.Length, 0, ReportPage.UsualColumns));
        Assert.DoesNotContain(text, letter => char.IsControl(letter) && letter != '\n');
        Every.Item(text.Split('\n'), line => Assert.False(line.EndsWith(' '), line));
    });

    [Fact]
    public void The_same_report_gives_the_same_bytes() => ForAnyReport(result =>
    {
        string[] formats = ["text", "csv"];
        Every.Item(formats, format => Assert.Equal(
            Run(result, "blame", Sample, "--format", format), Run(result, "blame", Sample, "--format", format)));
    });

    [Fact]
    public void The_rows_of_an_episode_add_up_to_its_latency() => ForAnyReport(result =>
    {
        using var text = new StringReader(Run(result, "blame", Sample, "--format", "csv").Output);
        List<string[]> rows = [.. CsvRows.Of(text.ReadToEnd()).Skip(1)];
        Assert.All(rows, row => Assert.Equal(14, row.Length));
        Assert.Equal(result.Report.Episodes.Select(one => $"{one.Id}"), rows.Select(row => row[1]).Distinct());
        foreach (IGrouping<string, string[]> episode in rows.GroupBy(row => row[1]))
        {
            Assert.Equal(Microseconds(episode.First()[4]), episode.Sum(row => Microseconds(row[12])));
        }

        static decimal Microseconds(string cell) => decimal.Parse(cell, CultureInfo.InvariantCulture);
    });

    [Fact]
    public void The_suspect_and_what_a_style_needs_are_asked_of_the_analysis()
    {
        Run(Result("suspect"), "blame", Sample, "--suspect", "tcpip.sys");
        Assert.Equal(("tcpip.sys", false), (_asked!.Suspect, _asked.WithUsage));
        Run(Result("suspect"), "blame", Sample, "--style", "xperf");
        Assert.Equal((null, true), (_asked.Suspect, _asked.WithUsage));
    }

    [Theory]
    [InlineData("--style xperf --format json", "--style xperf is a kind of text, and --format asks for json; leave one of them out")]
    [InlineData("--style rtla --format csv", "--style rtla is a kind of text, and --format asks for csv; leave one of them out")]
    [InlineData("--style wpa", "--style: 'wpa' is not one of own, xperf, rtla")]
    [InlineData("--suspect  ", "--suspect: a name such as nvlddmkm.sys is expected")]
    [InlineData("--suspekt a.sys", "unknown option '--suspekt'; the nearest valid option is '--suspect'")]
    public void Wrong_suspects_and_styles_are_told(string options, string expected)
    {
        (int exitCode, string output, string error) = Run(Result("driver"), ["blame", Sample, .. options.Split(' ')]);
        Assert.Equal((64, ""), (exitCode, output));
        Assert.StartsWith($"analyzer: {expected}\n", error.Replace("analyzer blame:", "analyzer:", StringComparison.Ordinal));
    }

    [Fact]
    public void A_style_of_text_goes_with_the_format_of_text() => Assert.StartsWith(
        "rtla timerlat hit stop tracing\n", Run(Result("driver"), "blame", Sample, "--style", "rtla", "--format", "text").Output);

    [Theory]
    [InlineData(
        "none", "rtla", "nothing to print: Nobody is to blame: no latency of 500 us or more in 2,403 wake-ups; the longest was 104 us.")]
    [InlineData("unknown", "xperf", "no ISR and no DPC is recorded, so the tables are empty: record DPC and INTERRUPT")]
    [InlineData("driver", "rtla", "")]
    public void Why_a_text_of_a_style_is_empty_is_told_beside_it(string name, string style, string note) => Assert.Equal(
        note.Length == 0 ? "" : $"analyzer: {Sample}: {note}\n", Run(Result(name), "blame", Sample, "--style", style).Error);

    [Fact]
    public void Any_report_has_a_text_in_the_style_of_rtla() => ForAnyReport(result =>
    {
        using var text = new StringWriter();
        RtlaText.Write(result.Report, int.MaxValue, text);
        Assert.Equal(result.Report.Episodes.Count, text.ToString().Split("## CPU ").Length - 1);
        Assert.DoesNotContain(text.ToString(), letter => char.IsControl(letter) && letter != '\n');
    });

    private static void ForAnyReport(Action<BlameResult> holds) =>
        Prop.ForAll(ArbMap.Default.ArbFor<DoNotSize<int>>(), seed => holds(new RandomReports(seed.Item).Make())).QuickCheckThrowOnFailure();

    private static string Stored(string name) =>
        File.ReadAllText(Path.Combine(RepositoryFiles.Root, "tests", "commands", "golden", "reports", name));

    private static BlameResult Result(string name)
    {
        BlameReport report = BlameSamples.All[name];
        return new BlameResult(report, [.. report.Episodes.Select(episode => BlameSamples.Strips(episode.Id, episode.Latency))]);
    }

    private (int ExitCode, string Output, string Error) Run(BlameResult result, params IEnumerable<string> arguments)
    {
        using var output = new StringWriter();
        using var error = new StringWriter { NewLine = "\n" };
        int exitCode = CommandProgram.Run(
            AnalyzerCommands.Create((_, _, request) =>
            {
                _asked = request;
                return result;
            }),
            "analyzer",
            [.. arguments],
            output,
            error);
        return (exitCode, output.ToString(), error.ToString());
    }
}
