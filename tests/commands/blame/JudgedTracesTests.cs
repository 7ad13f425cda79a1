using System.Text;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests.Blame;

/// <summary><c>analyzer blame --summary</c>: a line for each trace, whatever became of it.</summary>
public sealed class JudgedTracesTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-judged-").FullName;

    public JudgedTracesTests()
    {
        Copy("nic-behind-ndis.etl", "a.etl");
        Copy("firmware-blackout.etl", "b.etl");
        Directory.CreateDirectory(At("below"));
        Copy("masked-interrupts.etl", Path.Combine("below", "c.etl"));
        File.WriteAllText(At("broken.etl"), "no trace");
        File.WriteAllBytes(At("empty.etl"), []);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Each_trace_has_a_line_in_json()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("blame", _folder, "--summary", "--format", "json");
        JudgedTrace[] lines = [.. output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(
            line => ReportJson.Read<JudgedTrace>(Encoding.UTF8.GetBytes(line)))];
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Equal(["a.etl", "b.etl", "broken.etl", "empty.etl"], lines.Select(line => Path.GetFileName(line.Trace)));
        Assert.Equal([Verdict.Driver, Verdict.Hardware, null, null], lines.Select(line => line.Verdict));
        Assert.Equal(("gimoxowifi.sys", Mechanism.Dpc), (lines[0].Culprit, lines[0].Mechanism));
        Assert.All(lines[..2], line => Assert.True(line is { Problem: null, Episodes: > 0, Worst: not null, Share: > 0.5 }));
        Assert.All(lines[2..], line =>
        {
            Assert.Contains(line.Trace, line.Problem, StringComparison.Ordinal);
            Assert.Contains($"analyzer: {line.Problem}\n", error, StringComparison.Ordinal);
        });
    }

    [Fact]
    public void Folders_below_count_where_that_is_asked_for()
    {
        string text = CommandRun.Analyzer("blame", _folder, "--summary", "--recurse").Output;
        string[] lines = text.Split('\n');
        Assert.Equal(6, lines.TakeWhile(line => line.Length > 0).Count());
        Assert.All(lines, line => Assert.InRange(line.Length, 0, ReportPage.UsualColumns));
        Assert.Contains("5 traces: 2 driver (", text, StringComparison.Ordinal);
        Assert.StartsWith("a.etl ", lines[1], StringComparison.Ordinal); // Without the folder of all.
        Assert.EndsWith("gimoxowifi.sys", lines[1].Split(" (")[0], StringComparison.Ordinal);
        Assert.Contains("1 hardware (hardware/firmware 1), 2 not read.", text, StringComparison.Ordinal);
        string error = CommandRun.Analyzer("blame", _folder, "--recurse").Error;
        Assert.Contains("--recurse is for --format cases and --summary", error, StringComparison.Ordinal);
    }

    [Fact]
    public void A_table_has_the_same_lines()
    {
        string[] csv = CommandRun.Analyzer("blame", _folder, "--summary", "--format", "csv").Output
            .Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(5, csv.Length);
        Assert.StartsWith("trace,problem,recorded_utc,verdict,culprit,", csv[0], StringComparison.Ordinal);
        Assert.Contains("driver,gimoxowifi.sys,", csv[1], StringComparison.Ordinal);
    }

    /// <summary>Five reports one after the other are too many; four are not.</summary>
    [Theory]
    [InlineData(4, false)]
    [InlineData(5, true)]
    public void Many_traces_are_told_of_the_summary(int count, bool isTold)
    {
        string few = Directory.CreateDirectory(At("few")).FullName;
        for (int number = 0; number < count; number++)
        {
            File.WriteAllText(Path.Combine(few, $"{number}.etl"), $"no trace {number}");
        }

        string error = CommandRun.Analyzer("blame", few).Error;
        Assert.Equal(isTold, error.Contains("--summary prints one line for each", StringComparison.Ordinal));
    }

    private string At(string name) => Path.Combine(_folder, name);

    private void Copy(string sample, string name) => File.Copy(Path.Combine(RepositoryFiles.Root, "samples", sample), At(name));
}
