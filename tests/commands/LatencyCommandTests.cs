using System.Text.Json.Nodes;
using Tracer.Contract;
using Tracer.Tests;

namespace Tracer.Commands.Tests;

/// <summary><c>analyzer latency</c> as a user meets it: what it prints and writes, and what it refuses.</summary>
public sealed class LatencyCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-latency-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void The_text_is_as_stored()
    {
        (int exitCode, string output, string error) = Latency(Sample("nic-behind-ndis.etl"), Sample("masked-interrupts.etl"));
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        GoldenText.AssertEqual("tests/commands/latency.txt", output);
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

    [Theory]
    [InlineData("--kind", "threads", "--kind: 'threads' is none of interrupt, dpc, dpc-interrupt, thread, thread-interrupt")]
    [InlineData("--per", "cpu+core", "--per: 'core' is none of trace, cpu, priority, group, process, label")]
    [InlineData("--source", "", "--source: '' is none of driver, probe, ready-thread, dpc-queue, dpc-queue-deferred, switch")]
    public void Wrong_values_are_refused(string option, string value, string problem)
    {
        (int exitCode, string output, string error) = Latency(Sample("first.etl"), option, value);
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains(problem, error);
    }

    [Fact]
    public void A_forecast_is_made_where_it_is_asked_for()
    {
        (int exitCode, string output, string error) = Latency(
            Sample("nic-behind-ndis.etl"), "--kind", "thread", "--samples", "64", "--buffers", "3", "--usage", "3h/day,7d/week");
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        Assert.Contains("Forecast: thread latency, from ReadyThread to switch, real-time high (28-31)\n", output);
        Assert.Contains("\n  from 2,993 waits in 3 s, ", output);
        Assert.Contains("used 3h/day,7d/week\n", output);
        Assert.Contains("\n  64 samples at 48 kHz: ", output);
        Assert.Contains("\n    bears 2.667 ms, ", output);
        Assert.DoesNotContain("Forecast", Latency(Sample("nic-behind-ndis.etl")).Output);
    }

    [Theory]
    [InlineData("computing for 3 ms in each 2 ms never keeps up", "--buffer", "2ms", "--compute", "3ms")]
    [InlineData("leave one out", "--buffer", "2ms", "--samples", "64")]
    [InlineData("--rate is the rate of samples", "--rate", "48000", "--buffer", "2ms")]
    [InlineData("how long is a buffer?", "--buffers", "3")]
    [InlineData("'tape' is none of adsl, modem, audio, video", "--application", "audio,tape")]
    [InlineData("is no usage pattern", "--usage", "often")]
    [InlineData("'10ms' is no task", "--tasks", "10ms")]
    public void A_forecast_that_makes_no_sense_is_wrong_usage(string problem, params string[] options)
    {
        (int exitCode, string output, string error) = Latency([Sample("nic-behind-ndis.etl"), .. options]);
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains(problem, error);
    }

    [Fact]
    public void A_report_does_not_do_for_a_forecast()
    {
        (int exitCode, _, string error) = Latency(Write("one.json", Sample("nic-behind-ndis.etl")), "--usage", "8h/day");
        Assert.Equal(ExitCode.WrongUsage, exitCode);
        Assert.Contains("name its trace", error);
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
        Assert.StartsWith($"analyzer: {path} is no report of 'analyzer latency --format json': ", error);
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

    private string Write(string name, string trace)
    {
        string path = Path.Combine(_folder, name);
        Assert.Equal(ExitCode.Done, Latency(trace, "--format", "json", "-o", path).ExitCode);
        return path;
    }
}
