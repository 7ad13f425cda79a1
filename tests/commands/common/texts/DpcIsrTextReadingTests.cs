using System.Text;
using Tracer.Analysis.Modules;
using Tracer.AnalyzerCommand.Common.Texts;
using Tracer.Commands.Tests.Blame;

namespace Tracer.Commands.Tests.Common.Texts;

/// <summary>
/// The text of <c>xperf -a dpcisr</c> as an input: what it tells is read, and whatever is not as xperf writes it is refused.
/// </summary>
public sealed class DpcIsrTextReadingTests : IDisposable
{
    private static readonly string Text =
        File.ReadAllText(Path.Combine(RepositoryFiles.Root, "tests", "commands", "blame", "dpcisr.txt")).ReplaceLineEndings("\n");

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    public static TheoryData<string> Genuine => [.. RepositoryFiles.InCorpus("*.dpcisr.txt", "win11/")];

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void What_it_tells_is_read()
    {
        TextReport report = Read(Text);
        Assert.Equal(4_250_600_000, report.Measured.Nanoseconds);
        Assert.Empty(report.Notes);
        Assert.Equal(
            ["DPC ", "DPC GIMOXO.SYS", "DPC alfa.sys", "DPC zeta.sys", "ISR ", "ISR alfa.sys"],
            report.RunTimes.Select(one => $"{(one.Isr ? "ISR" : "DPC")} {one.Driver}"));
        ToldRunTimes alfa = report.RunTimes[2];
        Assert.Equal((RunTimeSource.Xperf, 19, 62_208_000), (alfa.Source, alfa.Count, alfa.Total!.Value.Nanoseconds));
        Assert.Equal(64_000, alfa.Percentiles[0].Value!.Value.Nanoseconds); // 16 of 19 took over 32 and at most 64 us.
        Assert.Equal((90m, 32_768_000), (alfa.Percentiles[1].Percent, alfa.Percentiles[1].Value!.Value.Nanoseconds));
        Assert.Null(alfa.Percentiles[2].Value); // Less than one of 19 lies beyond 99 %.
        Assert.Equal(32_768_000, alfa.Longest!.Value.Nanoseconds);
        Assert.Equal(new RunTimeBucket(new Duration(32_000), new Duration(64_000), 16), alfa.Buckets[6]);
    }

    [Fact]
    public void Ends_of_lines_and_encodings_are_those_of_any_program()
    {
        string path = Write(Text);
        (int exitCode, string expected, _) = CommandRun.Analyzer("latency", path, "--format", "json");
        Assert.Equal(0, exitCode);
        Assert.Contains("\"runTimes\"", expected);
        Encoding[] encodings = [Encoding.Unicode, new UTF8Encoding(true), Encoding.Latin1];
        foreach (Encoding encoding in encodings)
        {
            File.WriteAllText(path, Text.Replace("\n", "\r\n", StringComparison.Ordinal), encoding);
            Assert.Equal((0, expected, ""), CommandRun.Analyzer("latency", path, "--format", "json"));
        }
    }

    [Fact]
    public void What_is_cut_short_is_refused_wherever_it_ends()
    {
        string whole = Text.TrimEnd('\n');
        int[] ends = [.. Enumerable.Range(0, whole.Length).Where(i => whole[i] == '\n' || i > whole.Length - 60 || i % 397 == 0)];
        foreach (int end in ends)
        {
            IOException refused = Assert.Throws<IOException>(() => Read(whole[..end]));
            Assert.DoesNotContain('\n', refused.Message);
        }
    }

    [Theory]
    [InlineData("69.57%", "69,57%", "line 23 is not as 'xperf -a dpcisr' writes it")]
    [InlineData("61440   1.45", "61.440  1.45", "line 13 is not as")]
    [InlineData("     16, or  69.57%", "     17, or  69.57%", "line 33: its buckets do not add up to 23")]
    [InlineData("All Module =     23", "All Module =     24", "its modules do not add up to 23")]
    [InlineData("for module alfa.sys", "for module beta.sys", "is not as")]
    [InlineData("usecs AND <=        8 usecs", "usecs AND <=        3 usecs", "is not as")]
    [InlineData("Total = 23", "Total = 99999999999999999999", "is not as")]
    [InlineData("CPU Usage from 0 us to 4250600 us:", "CPU Usage from 0 us to 4,250,600 us:", "line 8 is not as")]
    public void What_is_not_as_xperf_writes_it_is_one_sentence(string old, string changed, string expected)
    {
        int at = Text.IndexOf(old, StringComparison.Ordinal);
        Assert.True(at >= 0, old);
        string path = Write(Text[..at] + changed + Text[(at + old.Length)..]);
        string trace = Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl");
        foreach (string[] command in (string[][])[["latency", path], ["diff", path, trace]])
        {
            (int exitCode, string output, string error) = CommandRun.Analyzer(command);
            Assert.Equal((1, ""), (exitCode, output));
            Assert.Contains(expected, error);
            Assert.Equal(1, error.Count(letter => letter == '\n'));
        }
    }

    [Fact]
    public void Modules_called_Unknown_are_nobody_s()
    {
        string text = Text.Replace("zeta.sys", "\"Unknown\"", StringComparison.Ordinal);
        string path = Write(text);
        Assert.Contains(Read(text).RunTimes, one => one.Driver == "Unknown");
        (int exitCode, string output, _) = CommandRun.Analyzer("diff", path, WriteAs("other.txt", text), "--format", "json");
        Assert.Equal(0, exitCode);
        Assert.DoesNotContain("\"Unknown\"", output);
        Assert.Contains("called Unknown is not known", output);
        Assert.Contains("alfa.sys", output);
    }

    [Fact]
    public void Any_file_named_as_a_text_is_a_text_or_refused()
    {
        string path = WriteAs("notes.txt", "nothing of the kind\n");
        Assert.Equal(
            (1, "", $"analyzer: {path}: it is neither the text of 'xperf -a dpcisr' nor a report of LatencyMon\n"),
            CommandRun.Analyzer("latency", path));
        Assert.False(TextReport.Is(Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl")));
    }

    [Fact]
    public void Damage_is_never_more_than_a_sentence()
    {
        var random = new Random(11);
        for (int i = 0; i < 150; i++)
        {
            char[] text = Text.ToCharArray();
            for (int change = random.Next(1, 4); change > 0; change--)
            {
                text[random.Next(text.Length)] = (char)random.Next(1, 128);
            }

            try
            {
                Assert.True(Read(new string(text)).RunTimes.Count > 0);
            }
            catch (IOException refused)
            {
                Assert.DoesNotContain('\n', refused.Message);
            }
        }
    }

    /// <summary>A customer's text and a trace of the same machine: each row is the same on both sides.</summary>
    [Fact]
    public void A_trace_of_the_same_runs_is_the_same()
    {
        LevelUsage usage = Blame.DpcIsrText.Read(Text);
        string trace = new UsageTrace(usage).WriteTo(Path.Combine(_folder, "t.etl"));
        (int exitCode, string output, string error) = CommandRun.Analyzer("diff", Write(Text), trace, "--format", "json");
        Assert.Equal((0, ""), (exitCode, error));
        DiffReport report = ReportJson.Read<DiffReport>(Encoding.UTF8.GetBytes(output));
        Assert.Equal(DiffVerdict.CantTell, report.Summary.Verdict);
        Assert.Equal(6, report.RunTimes!.Count);
        Every.Item(report.RunTimes, row =>
        {
            Assert.Equal((RunTimeSource.Xperf, RunTimeSource.Trace), (row.Base!.Source, row.New!.Source));
            Assert.Equal(row.Base.Buckets, row.New.Buckets);
            Assert.Equal(row.Base.Percentiles, row.New.Percentiles);
            Assert.InRange(row.New.Total!.Value.Nanoseconds - row.Base.Total!.Value.Nanoseconds, -2000, 2000);
        });
        Assert.Equal(3, CommandRun.Analyzer("diff", Write(Text), trace, "--fail-if", "worse").ExitCode);
        Assert.Equal(64, CommandRun.Analyzer("diff", "--base", Write(Text), "--base", WriteAs("b.txt", Text), "--new", trace).ExitCode);
    }

    [Fact]
    public void A_trace_without_runs_is_not_compared()
    {
        var trace = new StrangeTrace();
        trace.AddNames(@"\SystemRoot\nic.sys", "nic.pdb", "p.exe").AddWait(1000, 100).AddWait(500_000, 100);
        string path = trace.WriteTo(Path.Combine(_folder, "t.etl"));
        Assert.Equal(
            (1, "", $"analyzer: nothing can be compared: {path} has no records of ISRs and DPCs: record DPC and INTERRUPT\n"),
            CommandRun.Analyzer("diff", Write(Text), path));
    }

    [Fact]
    public void A_report_of_texts_is_read_again_and_asked_for_what_it_has()
    {
        string text = Write(Text);
        string json = Path.Combine(_folder, "r.json");
        Assert.Equal(0, CommandRun.Analyzer("latency", text, "--format", "json", "-o", json).ExitCode);
        Assert.Equal(CommandRun.Analyzer("latency", text), CommandRun.Analyzer("latency", json));
        List<string[]> rows = [.. CsvRows.Of(CommandRun.Analyzer("latency", text, "--format", "csv").Output)];
        Assert.Equal(7, rows.Count);
        Assert.Equal("driver", rows[0][^2]);
        Every.Item(rows, row => Assert.Equal(rows[0].Length, row.Length));
        Assert.Equal(("dpc-run-time", "xperf", "alfa.sys", "19"), (rows[3][0], rows[3][1], rows[3][^2], rows[3][9]));
        Assert.Equal(64, CommandRun.Analyzer("latency", text, "--format", "hgrm").ExitCode);
        Assert.Equal(64, CommandRun.Analyzer("latency", text, "--svg", Path.Combine(_folder, "x.svg")).ExitCode);
    }

    [Theory]
    [MemberData(nameof(Genuine))]
    public void A_genuine_text_is_read_whole(string name)
    {
        string path = Path.Combine(RepositoryFiles.Corpus(), name);
        TextReport report = TextReport.Read(path);
        LevelUsage usage = Blame.DpcIsrText.Read(File.ReadAllText(path));
        Assert.Equal(usage.Span, report.Measured);
        Assert.Equal(2 + usage.Dpcs.Count + usage.Isrs.Count, report.RunTimes.Count);
        Assert.Equal(usage.Dpcs.Sum(module => module.Histogram.Sum()), report.RunTimes[0].Count);
    }

    private TextReport Read(string text) => TextReport.Read(Write(text));

    private string Write(string text) => WriteAs("customer.txt", text);

    private string WriteAs(string name, string text)
    {
        string path = Path.Combine(_folder, name);
        File.WriteAllText(path, text);
        return path;
    }
}
