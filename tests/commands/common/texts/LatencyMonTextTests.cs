using System.Text.RegularExpressions;
using Tracer.AnalyzerCommand.Common.Texts;

namespace Tracer.Commands.Tests.Common.Texts;

/// <summary>
/// Reports of LatencyMon. The fixture is of our own writing; its labels, and what it may contradict itself in, are those of reports of 2018
/// to 2025 in public forums.
/// </summary>
public sealed class LatencyMonTextTests : IDisposable
{
    private static readonly string Text =
        File.ReadAllText(Path.Combine(RepositoryFiles.Root, "tests/commands/common/texts/latencymon.txt")).ReplaceLineEndings("\n");

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void What_it_tells_is_read()
    {
        TextReport report = Read(Text);
        Assert.Equal(Duration.FromSeconds(120), report.Measured);
        Assert.DoesNotContain(report.Notes, note => note.Contains("contradicts", StringComparison.Ordinal));
        Assert.Equal(
            ["ISR ", "ISR gimoxo.sys", "DPC ", "DPC tugfx.sys", "DPC gimoxo.sys"],
            report.RunTimes.Select(one => $"{(one.Isr ? "ISR" : "DPC")} {one.Driver}"));
        ToldRunTimes dpcs = report.RunTimes[2];
        Assert.Equal((10_000, 100_000_000, 1_500_250), (dpcs.Count, dpcs.Total!.Value.Nanoseconds, dpcs.Longest!.Value.Nanoseconds));
        Assert.Equal(
            [250_000, 250_000, 250_000, 500_000, 1_000_000, null],
            dpcs.Percentiles.Select(percentile => percentile.Value?.Nanoseconds));
        ToldRunTimes tugfx = report.RunTimes[3];
        Assert.Equal((null, null, new Duration(1_500_250)), (tugfx.Count, tugfx.Total, tugfx.Longest));
        Assert.Equal((75_000_000, null), (report.RunTimes[4].Total!.Value.Nanoseconds, report.RunTimes[4].Longest)); // Three quarters.
        Assert.Equal(100_500, report.RunTimes[0].Percentiles[0].Value!.Value.Nanoseconds); // No run was longer than the longest.
    }

    [Theory]
    [InlineData(',', "\n")]
    [InlineData('.', "\r\n")]
    [InlineData(',', "\r\n")]
    public void Decimals_and_ends_of_lines_are_those_of_the_user(char separator, string newLine)
    {
        string text = Regex.Replace(Text, @"(?<=\d)\.(?=\d)", separator.ToString());
        IReadOnlyList<ToldRunTimes> expected = Read(Text).RunTimes;
        Assert.Equivalent(expected, Read(text.Replace("\n", newLine, StringComparison.Ordinal)).RunTimes);
        string thousands = text.Replace("9960", separator == ',' ? "9.960" : "9,960", StringComparison.Ordinal);
        Assert.Equivalent(expected, Read(thousands).RunTimes);
        Assert.Equivalent(expected, Read(text.Replace("(µs)", "(us)", StringComparison.Ordinal)).RunTimes);
        Assert.Equivalent(expected, Read(text.Replace(" µs)", " ?s)", StringComparison.Ordinal)).RunTimes);
    }

    [Theory]
    [InlineData(
        "ISR routine execution time (µs):              100.5", "ISR routine execution time (µs):              321.5",
        "its longest ISR took 321.5 us, and it counts 0 of 250-500 us")]
    [InlineData("250-500 µs):                30", "250-500 µs):                31", "its CPUs had 10,000 DPCs")]
    [InlineData(
        "DPC count (execution time 500-1000 µs)", "DPC count (execution time 500-10000 µs)", "500-10000 us overlaps those after it")]
    [InlineData("to DPC latency (µs):       458.90", "to DPC latency (µs):       958.90", "a part of that to the process")]
    public void What_contradicts_itself_is_told(string old, string changed, string expected)
    {
        string path = Write(Replaced(old, changed));
        (int exitCode, string output, _) = CommandRun.Analyzer("latency", path);
        Assert.Equal(0, exitCode);
        Assert.Contains("LatencyMon contradicts itself", output);
        Assert.Contains(expected, output);
    }

    /// <summary>Runs of 250 to 500 us stand in the row behind: no bound is below what can be.</summary>
    [Fact]
    public void Bounds_hold_where_rows_are_wrong()
    {
        string shifted = Text.Replace("250-500 µs):                30", "250-500 µs):                0", StringComparison.Ordinal);
        shifted = Regex.Replace(shifted, @"DPC count \(execution time 500-1000 µs\): +9", "DPC count (execution time 500-10000 µs): 39");
        ToldRunTimes dpcs = Read(shifted).RunTimes[2];
        Assert.Equal(1_500_250, dpcs.Percentiles[3].Value!.Value.Nanoseconds);
        Assert.Equal(250_000, dpcs.Percentiles[2].Value!.Value.Nanoseconds);
    }

    [Theory]
    [InlineData("500-1000 µs", "500-999 µs", "is from an old LatencyMon")]
    [InlineData("0:02:00  (h:mm:ss)", "two minutes", "it does not tell for how long it measured")]
    [InlineData("ISR count (execution time 250-500 µs)", "ISR Anzahl", "it does not tell 'ISR count (execution time 250-500)'")]
    [InlineData("1500.250000", "1.500.250000", "is not a number as LatencyMon writes them")]
    [InlineData("1500.250000", "1500,250", "'1500,250' is not a number")]
    [InlineData("9960", "9.960", "'9.960' is not a count")]
    [InlineData("9960", "٩٩٦٠", "it does not tell 'DPC count")]
    [InlineData("                                   2", "                                   3", "'CPU 2 ISR")]
    [InlineData("                                   2", "                                   99999999", "far too large")]
    public void What_is_old_or_strange_is_one_sentence(string old, string changed, string expected)
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("latency", Write(Replaced(old, changed)));
        Assert.Equal((1, ""), (exitCode, output));
        Assert.Contains(expected, error);
        Assert.Equal(1, error.Count(letter => letter == '\n'));
    }

    [Fact]
    public void What_is_cut_short_is_refused_wherever_it_ends()
    {
        string whole = Text[..(Text.LastIndexOf("100", StringComparison.Ordinal) + 2)];
        for (int end = 200; end <= whole.Length; end += end > whole.Length - 40 ? 1 : 61)
        {
            Assert.Throws<IOException>(() => Read(whole[..end]));
        }
    }

    [Fact]
    public void A_report_is_compared_with_a_trace()
    {
        string trace = Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl");
        (int exitCode, string output, string error) = CommandRun.Analyzer("diff", Write(Text), trace);
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Contains("ndis.sys DPC: not known ->", output);
        Assert.Contains("tugfx.sys DPC: longest 1.5 ms ->", output);
    }

    private static string Replaced(string old, string changed)
    {
        Assert.Contains(old, Text);
        return Text.Replace(old, changed, StringComparison.Ordinal);
    }

    private TextReport Read(string text) => TextReport.Read(Write(text));

    private string Write(string text)
    {
        string path = Path.Combine(_folder, "latmon.txt");
        File.WriteAllText(path, text);
        return path;
    }
}
