using System.IO.Compression;
using System.Text;
using Tracer.Analysis.Latencies;
using Tracer.Simulator.Background;

namespace Tracer.Analysis.Tests.Latencies;

/// <summary>What is measured on simulated machines, and on the real trace.</summary>
public class SimulatedLatencyTests
{
    [Theory]
    [InlineData("hal-beat")]
    [InlineData("clock-owner-driver")]
    [InlineData("clock-owner-probe")]
    [InlineData("dpc-low-importance")]
    [InlineData("dpc-other-cpu")]
    public void The_latencies_of_a_simulated_machine_are_as_stored(string name)
    {
        var request = new LatencyRequest { Splits = [LatencyDimensions.Group, LatencyDimensions.Cpu] };
        LatencyReport report = LatencyTraces.Report(request, LatencyTraces.Measure(LatencyTraces.Simulated(name, 2), name, request));
        GoldenText.AssertEqual($"tests/analysis/latencies/{name}.txt", LatencyTraces.Described(report));
    }

    /// <summary>
    /// What Ramamritham, Shen and others recommend real-time priorities for: beside a program that computes without end, threads at normal
    /// priority wait for quanta of it, and threads at real-time priority hardly at all.
    /// </summary>
    [Fact]
    public void Real_time_priorities_wait_less_beside_a_busy_program()
    {
        var request = new LatencyRequest
        {
            Kinds = new HashSet<LatencyKind> { LatencyKind.Thread },
            Splits = [LatencyDimensions.Group, LatencyDimensions.Priority],
        };
        LatencyReport report = LatencyTraces.Report(
            request, LatencyTraces.Measure(LatencyTraces.Simulated("clean", 3, BackgroundLoad.Cpu, cpus: 1), "clean", request));
        LatencyDistribution normal = report.Distributions.Single(one => one.Part.Group == PriorityGroup.Normal);
        LatencyDistribution[] realTime = [.. report.Distributions.Where(one => one.Part.Group > PriorityGroup.Normal)];
        Assert.True(normal.Maximum > Duration.FromMilliseconds(5), $"normal threads waited {normal.Maximum} at most");
        Every.Item(realTime, one => Assert.True(one.Maximum < Duration.FromMilliseconds(1), $"{one.Part.Group} waited {one.Maximum}"));
        GoldenText.AssertEqual("tests/analysis/latencies/priorities.txt", LatencyTraces.Described(report));
    }

    /// <summary>Its context switches have no ReadyThread beside them: no latency, but when periodic threads woke up.</summary>
    [Fact]
    public void The_real_trace_tells_what_it_can()
    {
        using var trace = new MemoryStream();
        using (var packed = new GZipStream(
            File.OpenRead(Path.Combine(RepositoryFiles.Corpus(), "randomascii-slowppt.etl.gz")), CompressionMode.Decompress))
        {
            packed.CopyTo(trace);
        }

        LatencyReport report = LatencyTraces.Report(new LatencyRequest(), LatencyTraces.Measure(trace.ToArray(), "slowppt.etl"));
        Assert.Empty(report.Distributions);
        GoldenText.AssertEqual("tests/analysis/latencies/windows-7.txt", LatencyTraces.Described(report));
    }

    [Fact]
    public void Merging_traces_is_measuring_them_together()
    {
        LatencyFindings one = LatencyTraces.Measure(LatencyTraces.Simulated("clean", 1), "one");
        LatencyFindings other = LatencyTraces.Measure(LatencyTraces.Simulated("hal-beat", 1), "other");
        LatencyReport merged = LatencyTraces.Report(new LatencyRequest(), one, other);
        LatencyDistribution all = merged.Distributions[0];
        Assert.Equal(merged.Distributions.Where(part => Same(part, all) && part.Part.Trace is not null).Sum(part => part.Count), all.Count);

        // Through JSON, in two steps, with nothing lost.
        var read = new LatencyMerge(new LatencyRequest());
        Assert.Null(read.Add(Again(LatencyTraces.Report(
            new LatencyRequest(), LatencyTraces.Measure(LatencyTraces.Simulated("clean", 1), "one")))));
        Assert.Null(read.Add(Again(LatencyTraces.Report(
            new LatencyRequest(), LatencyTraces.Measure(LatencyTraces.Simulated("hal-beat", 1), "other")))));
        Assert.Equal(Text(merged), Text(read.Report()));
    }

    [Fact]
    public void Every_latency_of_the_distributions_is_told_to_the_sink()
    {
        var sink = new Sink();
        LatencyFindings findings = LatencyTraces.Measure(LatencyTraces.Simulated("clock-owner-driver", 1), "one", sink: sink);
        Assert.Equal(findings.Parts.Where(part => part.Part == LatencyPart.All).Sum(part => part.Histogram.Count), sink.Count);
        Assert.True(sink.Count > 0);
        Assert.Null(sink.Period);
    }

    /// <summary>The period of the timer that the driver measured with goes to who forecasts, exact though due times are rounded.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(8)]
    public void The_period_of_the_timer_is_told_to_the_sink(int seed)
    {
        var sink = new Sink();
        LatencyTraces.Measure(LatencyTraces.Simulated("hal-beat", seed), "one", sink: sink);
        Assert.InRange(sink.Period ?? 0, 999_950, 1_000_050);
    }

    /// <summary>What is told apart adds up to the whole, whichever way it is told apart.</summary>
    [Fact]
    public void Parts_add_up()
    {
        LatencyFindings findings = LatencyTraces.Measure(LatencyTraces.Simulated("clean", 1), "one");
        MeasuredPart all = findings.Parts.Single(part => part is { Kind: LatencyKind.Thread, Source: LatencySource.ReadyThread }
            && part.Part == LatencyPart.All);
        Func<LatencyPart, bool>[] splits =
        [
            part => part.Cpu is not null,
            part => part.Priority is not null,
            part => part.Group is not null,
            part => part.Process is not null,
        ];
        Every.Item(splits, split => Assert.Equal(
            all.Histogram.Count,
            findings.Parts.Where(part => part.Kind == all.Kind && part.Source == all.Source && split(part.Part))
                .Sum(part => part.Histogram.Count)));
    }

    private static bool Same(LatencyDistribution one, LatencyDistribution other) => one.Kind == other.Kind && one.Source == other.Source;

    private static LatencyReport Again(LatencyReport report) => ReportJson.Read<LatencyReport>(Bytes(report));

    private static string Text(LatencyReport report) => Encoding.UTF8.GetString(Bytes(report));

    private static byte[] Bytes(LatencyReport report)
    {
        using var json = new MemoryStream();
        ReportJson.Write(json, report, indented: true);
        return json.ToArray();
    }

    private sealed class Sink : ILatencySink
    {
        public long Count { get; private set; }

        public void Begin(long fromNs) => Assert.Equal(0, Count);

        public long? Period { get; private set; }

        public void End(long toNs, Func<LatencySource, long?> periodOf)
        {
            Assert.True(toNs > 0);
            Period = periodOf(LatencySource.Driver);
            Assert.Null(periodOf(LatencySource.ReadyThread));
        }

        public void Add(in MeasuredLatency latency) => Count += latency.Nanoseconds >= 0 ? 1 : 0;

        public void AddUnobserved(long fromNs, long toNs) => Assert.True(fromNs < toNs);

        public void AddJobs(CallbackIntervals thread, IReadOnlyList<MeasuredJob> jobs) => Assert.Equal(thread.Jobs, jobs.Count);
    }
}
