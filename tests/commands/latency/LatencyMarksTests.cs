using System.Text.Json.Nodes;
using Tracer.Commands.Tests.Report;

namespace Tracer.Commands.Tests.Latency;

/// <summary>The mark that names a workload goes along with its latencies, whatever becomes of them.</summary>
public sealed class LatencyMarksTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tracer-marks-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void Each_label_has_its_latencies()
    {
        Assert.Equal([("", 5, 50), ("first, \"load\"", 10, 200), ("second load", 20, 400)], Labels(Marked()));
    }

    [Fact]
    public void Labels_are_in_text_and_table()
    {
        string trace = Marked();
        string text = CommandRun.Analyzer("latency", trace).Output;
        Assert.Contains("second load", text);
        Assert.Contains("before the first mark", text);
        string[] rows = [.. CommandRun.Analyzer("latency", trace, "--per", "label", "--format", "csv").Output.Split('\n')
            .Where(row => row.StartsWith("thread,", StringComparison.Ordinal))];
        Assert.Contains(rows, row => row.Contains(",\"first, \"\"load\"\"\",", StringComparison.Ordinal));
        Assert.Contains(rows, row => row.Contains(",second load,", StringComparison.Ordinal));
    }

    [Fact]
    public void A_slice_keeps_the_mark_that_was_set_before_it()
    {
        string part = Path.Combine(_folder.FullName, "part.etl");
        (int exitCode, _, string error) = CommandRun.Analyzer("slice", Marked(), "--from", "1.5s", "--to", "3.5s", "-o", part);
        Assert.True(exitCode == ExitCode.Done, error);
        (string Label, long Count, double MostUs)[] labels = Labels(part);
        Assert.Equal(["first, \"load\"", "second load"], labels.Where(one => one.Count > 0).Select(one => one.Label));
        Assert.Equal([200, 400], labels.Select(one => one.MostUs));
    }

    [Fact]
    public void Merged_reports_add_what_has_the_same_label()
    {
        string[] reports = [.. new[] { ("one.json", 500), ("two.json", 490) }.Select(one =>
        {
            (string name, int ticks) = one;
            string trace = Marked(ticks);
            string path = Path.Combine(_folder.FullName, name);
            Assert.Equal(ExitCode.Done, CommandRun.Analyzer("latency", trace, "--per", "label", "--format", "json", "-o", path).ExitCode);
            return path;
        })];
        Assert.Equal(
            [("", 10, 50), ("first, \"load\"", 20, 200), ("second load", 40, 400)], Labels(reports));
    }

    [Fact]
    public void The_page_names_them()
    {
        string page = Path.Combine(_folder.FullName, "page.html");
        (int exitCode, _, string error) = CommandRun.Analyzer("report", Marked(), "-o", page);
        Assert.True(exitCode == ExitCode.Done, error);
        Assert.Equal(
            ["", "first, \"load\"", "second load"],
            ReportPage.Of(page).LatencyJson["distributions"]!.AsArray()
                .Select(one => (string?)one!["part"]!["label"]).OfType<string>().Distinct().Order(StringComparer.Ordinal));
    }

    private static (string Label, long Count, double MostUs)[] Labels(params string[] inputs) =>
    [
        .. JsonNode.Parse(CommandRun.Analyzer(["latency", .. inputs, "--per", "label", "--format", "json"]).Output)!
            ["distributions"]!.AsArray()
            .Where(one => (string?)one!["kind"] == "thread" && one["part"]!["label"] is not null)
            .Select(one => ((string)one!["part"]!["label"]!, (long)one["count"]!, (double)one["maxUs"]!)),
    ];

    /// <summary>Five waits of 50 us before a mark at 1 s, ten of 200 us behind it, and twenty of 400 us behind the one at 3 s.</summary>
    /// <param name="first">How long the first five are, in ticks.</param>
    private string Marked(long first = 500)
    {
        string path = Path.Combine(_folder.FullName, "marked.etl");
        var trace = new StrangeTrace();
        trace.AddNames("nic.sys", "nic.pdb", "a.exe")
            .AddMark(StrangeTrace.Second, "first, \"load\"")
            .AddMark(3 * StrangeTrace.Second, "second load");
        Waits(StrangeTrace.Second / 10, 5, first);
        Waits(StrangeTrace.Second + StrangeTrace.Second / 20, 10, 2000);
        Waits(3 * StrangeTrace.Second + StrangeTrace.Second / 20, 20, 4000);
        return trace.WriteTo(path);

        void Waits(long from, int count, long ticks)
        {
            for (int i = 0; i < count; i++)
            {
                trace.AddWait(from + i * StrangeTrace.Second / 15, ticks);
            }
        }
    }
}
