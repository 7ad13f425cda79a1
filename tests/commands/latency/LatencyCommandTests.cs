using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace Tracer.Commands.Tests.Latency;

/// <summary><c>analyzer latency</c> as a user meets it: what it prints and writes, and what it refuses.</summary>
public sealed partial class LatencyCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-latency-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void The_text_is_as_stored()
    {
        (int exitCode, string output, string error) = Latency(Sample("nic-behind-ndis.etl"), Sample("masked-interrupts.etl"));
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        GoldenText.AssertEqual("tests/commands/latency/latency.txt", output);
    }

    /// <summary>What the command writes it reads again: a merge of reports is the report of all traces.</summary>
    [Fact]
    public void Reports_merge_as_their_traces_do()
    {
        string one = Write("one.json", Sample("nic-behind-ndis.etl"));
        string other = Write("other.json", Sample("masked-interrupts.etl"));
        string together = Latency(Sample("nic-behind-ndis.etl"), Sample("masked-interrupts.etl"), "--format", "json").Output;
        Assert.Equal(together, Latency(one, other, "--format", "json").Output);
        Assert.Equal(together, Latency(one, Sample("masked-interrupts.etl"), "--format", "json").Output);
        var report = JsonNode.Parse(together)!;
        Assert.Equal("tracer.latency/1", (string?)report["schema"]);
        Assert.StartsWith("HISTFAAA", (string?)report["distributions"]![0]!["histogram"]);
    }

    [Fact]
    public void The_table_has_a_row_for_each_part_that_is_asked_for()
    {
        (int exitCode, string output, _) = Latency(Sample("nic-behind-ndis.etl"), "--per", "cpu+group,process", "--format", "csv");
        string[] lines = output.TrimEnd('\n').Split('\n');
        Assert.Equal(ExitCode.Done, exitCode);
        Assert.StartsWith("kind,source,trace,cpu,priority,group,process,label,rest_of,count,min_us,mean_us,p50_us,p90_us,", lines[0]);
        Assert.StartsWith("thread,ready-thread,,,,,,,,3453,", lines[1]);
        Assert.Contains(lines, line => line.StartsWith("thread,ready-thread,,0,,normal,,,,", StringComparison.Ordinal));
        Assert.Contains(lines, line => line.StartsWith("thread,ready-thread,,,,,System,,,", StringComparison.Ordinal));
        Assert.DoesNotContain(lines, line => line.StartsWith("thread,ready-thread,,,28,", StringComparison.Ordinal));
    }

    [Fact]
    public void The_formats_of_HdrHistogram_are_written()
    {
        string percentiles = Latency(Sample("nic-behind-ndis.etl"), "--format", "hgrm").Output;
        Assert.StartsWith("       Value     Percentile TotalCount 1/(1-Percentile)\n\n", percentiles);
        Assert.Contains("Total count    =         3453]\n", percentiles);
        string log = Latency(Sample("nic-behind-ndis.etl"), "--per", "none", "--format", "hlog").Output;
        Assert.Contains("#[Histogram log format version 1.3]\n", log);
        Assert.Contains("\nTag=thread/ready-thread/all,0.000,3.", log);
    }

    [Fact]
    public void The_picture_is_drawn_beside_the_text()
    {
        string picture = Path.Combine(_folder, "latency.svg");
        Assert.Equal(ExitCode.Done, Latency(Sample("nic-behind-ndis.etl"), "--svg", picture).ExitCode);
        System.Xml.Linq.XDocument drawn = System.Xml.Linq.XDocument.Load(picture);
        Assert.Contains(
            drawn.Descendants(),
            one => one.Value.StartsWith("Thread latency, from ReadyThread to switch: 3,453", StringComparison.Ordinal));
        Assert.Contains(drawn.Descendants(), one => (string?)one.Attribute("fill") == "none");
    }

    [Fact]
    public void A_trace_without_such_records_is_told_what_to_record()
    {
        (int exitCode, string output, string error) = Latency(Sample("nic-behind-ndis.etl"), "--kind", "dpc");
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.Matches(
            "^analyzer: .*nic-behind-ndis.etl: no measured wake-up, .*: Nothing tells when DPCs were queued; record with .*DPC_QUEUE\n$",
            error);
    }

    /// <summary>When threads woke up is told without a wait; a forecast of no wait is refused.</summary>
    [Fact]
    public void A_trace_without_waits_allows_no_forecast()
    {
        string trace = Path.Combine(RepositoryFiles.Corpus(), "randomascii-slowppt.etl.gz");
        Assert.Equal(ExitCode.Done, Latency(trace).ExitCode);
        (int exitCode, string output, string error) = Latency(trace, "--samples", "64");
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.Contains("no measured wake-up", error);
    }

    [Theory]
    [InlineData("--kind", "threads", "--kind: 'threads' is not one of interrupt, dpc, dpc-interrupt, thread, thread-interrupt")]
    [InlineData("--per", "cpu+core", "--per: 'core' is not one of trace, cpu, priority, group, process, label")]
    [InlineData("--source", "", "--source: '' is not one of driver, probe, ready-thread, dpc-queue, dpc-queue-deferred, switch")]
    public void Wrong_values_are_refused(string option, string value, string problem)
    {
        (int exitCode, string output, string error) = Latency(Sample("first.etl"), option, value);
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains(problem, error);
    }

    [Fact]
    public void A_forecast_is_made_where_it_is_asked_for()
    {
        string picture = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName() + ".svg");
        (int exitCode, string output, string error) = Latency(
            Sample("nic-behind-ndis.etl"), "--kind", "thread", "--samples", "64,128", "--buffers", "3", "--usage", "3h/day,7d/week",
            "--tasks", "10ms/2ms/3", "--permit", "100ms", "--svg", picture);
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        Assert.Contains("Forecast: thread latency, from ReadyThread to switch, real-time high (28-31)\n", output);
        Assert.Contains("\n  from 2,993 waits in 3 s, ", output);
        Assert.Contains("used 3h/day,7d/week\n", output);
        Assert.Contains(
            "\n  64 samples at 48 kHz, 3 buffers: 3 waits came too late, too few to tell how often it happens (at most ", output);
        Assert.Contains(" an hour); 128: none in the 3 s measured (at most ", output);
        Assert.Contains(
            "\n  64 samples at 48 kHz, 3 buffers: bears 2.67 ms; one wait in 998 is longer, that is one every 1.33 s; ", output);
        Assert.Contains("\n    mean time to underrun by buffering: 998 ms with 1.33 ms, 2.66 s with 2.67 ms, ", output);
        Assert.Contains("\n  task 10ms/2ms/3: keeps up, done 2.05 ms after it is due at worst", output);
        Assert.Contains("; not replayed: waits follow each other within 1.33 ms in 0 % of the time", output);
        string svg = File.ReadAllText(picture);
        File.Delete(picture);
        Assert.Contains(">Mean time to underrun by buffering</text>", svg);
        Assert.Contains(">an hour</text>", svg);
        Assert.Equal(4, svg.Split("<circle ").Length - 1);
        Assert.Contains("\n  dropouts: not known from 451 waits; it takes 1,000 waits, so record longer\n", output);
        Assert.DoesNotContain("Forecast", Latency(Sample("nic-behind-ndis.etl")).Output);
    }

    [Theory]
    [InlineData("computing for 3 ms in each 2 ms never keeps up", "--buffer", "2ms", "--compute", "3ms")]
    [InlineData("leave one out", "--buffer", "2ms", "--samples", "64")]
    [InlineData("--rate is the rate of samples", "--rate", "48000", "--buffer", "2ms")]
    [InlineData("how long is a buffer?", "--buffers", "3")]
    [InlineData("'tape' is not one of adsl, modem, audio, video", "--application", "audio,tape")]
    [InlineData("did you mean audio?", "--application", "adio")]
    [InlineData("is not a usage pattern", "--usage", "often")]
    [InlineData("'0' is not a whole number from 1 to 16777216", "--samples", "64,0")]
    [InlineData("'1' is not a whole number from 2 to 1024", "--buffers", "2,1", "--buffer", "2ms")]
    [InlineData("--buffer: ", "--buffer", "2ms,soon")]
    [InlineData("64 samples at 48 kHz: computing for 1.4 ms in each 1.33 ms never keeps up", "--samples", "128,64", "--compute", "1400us")]
    [InlineData("kinds of buffering", "--samples", "1,2,3,4,5,6,7,8,9", "--buffers", "2,3,4,5")]
    [InlineData("'x' is not a number of buffers", "--tasks", "10ms/2ms/x")]
    [InlineData("it takes at least two buffers", "--tasks", "10ms/2ms/1")]
    [InlineData("--permit says how often a task may drop out", "--permit", "1h")]
    [InlineData("--permit must be longer than nothing", "--tasks", "10ms/2ms", "--permit", "0s")]
    [InlineData("hgrm and hlog have no place for a forecast", "--samples", "64", "--format", "hlog")]
    [InlineData("'10ms' is not a task", "--tasks", "10ms")]
    public void A_forecast_that_makes_no_sense_is_wrong_usage(string problem, params string[] options)
    {
        (int exitCode, string output, string error) = Latency([Sample("nic-behind-ndis.etl"), .. options]);
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains(problem, error);
    }

    /// <summary>
    /// Behind the rows of the distributions, which are as they were, in columns of their own: one table that a spreadsheet and a script
    /// read.
    /// </summary>
    [Fact]
    public void Forecasts_are_rows_of_the_table()
    {
        string[] asked = [Sample("nic-behind-ndis.etl"), "--kind", "thread", "--per", "group", "--format", "csv"];
        string[] without = Latency(asked).Output.TrimEnd('\n').Split('\n');
        string[] lines = Latency([.. asked, "--samples", "64,128", "--tasks", "10ms/2ms"]).Output.TrimEnd('\n').Split('\n');
        string[] header = lines[0].Split(',');
        Assert.StartsWith(without[0] + ",forecast,name,", lines[0]);
        Every.Item(lines, line => Assert.Equal(header.Length, Cells(line).Length));
        Every.Item(
            without.Zip(lines).Skip(1),
            row => Assert.Equal(row.First + new string(',', header.Length - without[0].Split(',').Length), row.Second));
        const string High = "thread,ready-thread,,,,real-time-high,,,,2993,,";
        string[] high = [.. lines.Where(line => line.StartsWith(High, StringComparison.Ordinal))];
        Assert.Equal(["128 samples at 48 kHz", "64 samples at 48 kHz"], Named("application").Select(line => Cell(line, "name")).Order());
        Assert.Equal("4", Cell(Sound(), "late"));
        double[] ends = [.. new[] { "low_per_hour", "dropouts_per_hour", "high_per_hour" }.Select(column =>
            double.Parse(Cell(Sound(), column), System.Globalization.CultureInfo.InvariantCulture))];
        Assert.Equal(ends.Order(), ends);
        Assert.Equal(["day", "hour", "week"], Named("peaks-over-threshold").Select(line => Cell(line, "name")).Order());
        Every.Item(Named("peaks-over-threshold"), line => Assert.Contains("a tail of two kinds", Cell(line, "why")));
        Every.Item(Named("worst-case"), line => Assert.Equal("not observed for so long", Cell(line, "why")));
        Every.Item(Named("longest-observed"), line => Assert.NotEqual("", Cell(line, "level_us")));
        Assert.Equal(16, Named("underrun").Length);
        Assert.Equal("997666.667", Cell(Named("underrun")[0], "underrun_us"));
        Assert.Contains("waits measured are not enough for that", Cell(Assert.Single(Named("task")), "why"));

        string[] Named(string forecast) => [.. high.Where(line => Cell(line, "forecast") == forecast)];

        string Sound() => Named("application").Single(line => Cell(line, "name").StartsWith("64 ", StringComparison.Ordinal));

        string Cell(string line, string column) => Cells(line)[Array.IndexOf(header, column)];
    }

    /// <summary>A report does not tell when which latency was: what rests on that is refused, part by part, and the rest is told.</summary>
    [Fact]
    public void Merged_reports_are_forecast_as_far_as_histograms_allow()
    {
        string[] asked = ["--kind", "thread", "--samples", "64,128", "--tasks", "10ms/2ms", "--format", "json"];
        string one = Write("one.json", Sample("nic-behind-ndis.etl"), "--samples", "64");
        string other = Write("other.json", Sample("masked-interrupts.etl"));
        JsonNode[] merged = Forecasts(Latency([one, other, .. asked]).Output, "real-time-high");
        string[] traces = [Sample("nic-behind-ndis.etl"), Sample("masked-interrupts.etl")];
        JsonNode together = Forecasts(Latency([.. traces, .. asked]).Output, "real-time-high").Single();
        JsonNode fresh = merged[0];
        Assert.Equal((long)together["waits"]!, (long)fresh["waits"]!);
        Assert.Equal("no-times", (string?)fresh["peaksOverThreshold"]!["reason"]);
        Assert.Null(fresh["worstCases"]![0]!["expectedUs"]);
        Assert.Equal((double)together["worstCases"]![0]!["observedUs"]!, (double)fresh["worstCases"]![0]!["observedUs"]!);
        Assert.Contains("name the traces", (string?)fresh["tasks"]![0]!["refusal"]);
        JsonNode sound = fresh["applications"]![0]!;
        foreach (string number in (string[])["late", "onceInWaits", "everyUs", "dropoutsPerHour", "underrunUs", "slackUs"])
        {
            Assert.Equal((double)together["applications"]![0]![number]!, (double)sound[number]!, 1e-3);
        }

        Assert.Null(sound["dispersion"]);
        Assert.Null(sound["replay"]);
        Assert.EndsWith("if late waits come alone)", (string?)fresh["sentences"]![0]);

        // What the report of a single trace forecast when its times were known stays.
        Assert.Equal("nic-behind-ndis.etl", (string?)merged[1]["trace"]);
        Assert.Contains("replay", merged[1]["applications"]![0]!.ToJsonString());
        Assert.Contains(
            "of nic-behind-ndis.etl alone, as its report has it\n", Latency(one, other, "--usage", "8h/day").Output);
        Assert.Contains(", of nic-behind-ndis.etl alone", Latency(one, other).Output);
        Assert.Equal(File.ReadAllText(one), Latency(one, "--format", "json").Output);

        static JsonNode[] Forecasts(string json, string group) => [.. JsonNode.Parse(json)!["forecasts"]!.AsArray()
            .Where(one => (string?)one!["group"] == group).Select(one => one!)];
    }

    [Theory]
    [InlineData("forecasts")]
    [InlineData("distributions")]
    public void A_report_with_nothing_where_something_must_be_is_refused(string list)
    {
        string path = Write("one.json", Sample("nic-behind-ndis.etl"), "--usage", "8h/day");
        var report = JsonNode.Parse(File.ReadAllText(path))!;
        report[list] = new JsonArray(null as JsonNode);
        File.WriteAllText(path, report.ToJsonString());
        (int exitCode, string output, string error) = Latency(path);
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.StartsWith($"analyzer: {path} is not a report of 'analyzer latency --format json': ", error);
    }

    [Fact]
    public void The_same_input_twice_is_refused()
    {
        (int exitCode, _, string error) = Latency(Sample("first.etl"), Sample("../samples/first.etl"));
        Assert.Equal(ExitCode.WrongUsage, exitCode);
        Assert.Contains("is given twice", error);
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("not JSON")]
    [InlineData("""{"schema":"tracer.blame/1"}""")]
    public void Another_JSON_is_refused(string text)
    {
        string path = Path.Combine(_folder, "bad.json");
        File.WriteAllText(path, text);
        (int exitCode, string output, string error) = Latency(path);
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.StartsWith($"analyzer: {path} is not a report of 'analyzer latency --format json': ", error);
    }

    [Fact]
    public void A_report_whose_histogram_is_damaged_is_refused()
    {
        string path = Write("one.json", Sample("nic-behind-ndis.etl"));
        File.WriteAllText(path, File.ReadAllText(path).Replace("HISTFAAA", "HISTFAAB", StringComparison.Ordinal));
        (int exitCode, _, string error) = Latency(path);
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("the histogram of its distribution 1 cannot be read", error);
    }

    /// <summary>Nothing that was there before is lost where a command fails.</summary>
    [Fact]
    public void A_failure_leaves_the_old_report()
    {
        string target = Path.Combine(_folder, "report.txt");
        File.WriteAllText(target, "old");
        Assert.Equal(ExitCode.Failed, Latency(Sample("nic-behind-ndis.etl"), "--kind", "dpc", "-o", target).ExitCode);
        Assert.Equal("old", File.ReadAllText(target));
    }

    private static string Sample(string name) => Path.Combine("samples", name);

    private static (int ExitCode, string Output, string Error) Latency(params string[] arguments) =>
        CommandRun.Analyzer(["latency", .. arguments]);

    /// <summary>The cells of a line whose quoted cells hold no line end.</summary>
    private static string[] Cells(string line) =>
        [.. CellPattern().Matches(line + ",").Select(match => match.Groups[1].Value.Trim('"'))];

    [GeneratedRegex("(\"(?:[^\"]|\"\")*\"|[^,]*),")]
    private static partial Regex CellPattern();

    private string Write(string name, string trace, params string[] options)
    {
        string path = Path.Combine(_folder, name);
        Assert.Equal(ExitCode.Done, Latency([trace, "--format", "json", "-o", path, .. options]).ExitCode);
        return path;
    }
}
