using System.Buffers.Binary;
using Tracer.Analysis.Contents;
using Tracer.Analysis.Request;

namespace Tracer.Analysis.Tests.Report;

/// <summary>What of a trace is not there is not judged: a clock, CPUs, a stretch of time.</summary>
public class UnjudgedTraceTests
{
    private const int HeaderPayload = 72 + 32;
    private const int LogFileMode = HeaderPayload + 0x20;
    private const int PerfFreq = HeaderPayload + 0x100;
    private const int ClockKind = HeaderPayload + 0x110;

    [Fact]
    public void Without_its_first_buffer_a_trace_has_no_verdict_and_no_lengths()
    {
        byte[] file = Sample();
        file.AsSpan(0, 200).Fill(0x77);
        AssertUnjudged(Analyze(file), "its clock is not known, because its first buffer, which tells the clock, cannot be read.");
    }

    [Fact]
    public void Without_a_rate_the_clock_is_not_known()
    {
        byte[] file = Sample();
        BinaryPrimitives.WriteInt64LittleEndian(file.AsSpan(PerfFreq), 0);
        AssertUnjudged(Analyze(file), "its clock is not known, because its header gives the clock no rate.");
    }

    [Fact]
    public void A_clock_of_a_kind_that_is_not_known_is_none()
    {
        byte[] file = Sample();
        file[ClockKind] = 7;
        AssertUnjudged(Analyze(file), "its clock is not known, because its header names a clock that is not known (7).");

        // A session that asks for none has the performance counter.
        file[ClockKind] = 0;
        Assert.Equal("gimoxowifi.sys", Analyze(file).Summary.Culprit);
    }

    [Fact]
    public void Where_CPUs_are_not_told_apart_nobody_is_blamed()
    {
        byte[] file = Sample();
        file[LogFileMode + 3] |= 0x10;
        BlameReport report = Analyze(file);
        AssertUnblamed(report);
        Assert.Equal("This trace can't tell: it does not tell its CPUs apart.", report.Summary.Conclusion);
        Assert.Contains("EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING", Assert.Single(report.Warnings), StringComparison.Ordinal);
        Assert.NotNull(report.Trace.Duration);
    }

    [Fact]
    public void An_episode_in_a_stretch_whose_buffer_is_blank_is_not_told()
    {
        byte[] file = Sample();
        BlameReport whole = Analyze(file);
        Episode worst = whole.Episodes.MaxBy(episode => episode.Latency)!;
        long[] hit = [.. BuffersAt(file, worst)];
        Assert.NotEmpty(hit);
        foreach (long at in hit)
        {
            file.AsSpan((int)at, BinaryPrimitives.ReadInt32LittleEndian(file.AsSpan((int)at))).Clear();
        }

        BlameReport report = Analyze(file);
        Assert.Equal(hit.Length, report.Trace.DamagedBuffers);
        Assert.DoesNotContain(report.Episodes, episode => Overlaps(episode, worst));
        Assert.DoesNotContain(report.Culprits, culprit => culprit.Confidence == Confidence.Certain);
        Assert.Contains(report.Warnings, warning => warning.StartsWith("No conclusion is drawn", StringComparison.Ordinal)
            && warning.Contains("where a buffer is missing", StringComparison.Ordinal));
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        var contents = new TraceContents(() => null);
        contents.Read(reader);
        InfoReport info = InfoReportOfTrace.Make("trace.etl", reader, contents);
        Assert.Contains(info.Losses.Places, place => place.Cpu == worst.Cpu
            && (place.From is null || place.From <= worst.Start) && (place.To is null || place.To >= worst.Start));
    }

    private static bool Overlaps(Episode one, Episode other) =>
        one.Start < other.Start + other.Latency && other.Start < one.Start + one.Latency;

    /// <summary>Buffers of an episode's CPU with events inside it.</summary>
    private static HashSet<long> BuffersAt(byte[] file, Episode episode)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        var sink = new BuffersSink(reader.Header.Clock, episode);
        reader.Read(EtlOrder.File, ref sink);
        return sink.Buffers;
    }

    private static void AssertUnjudged(BlameReport report, string reason)
    {
        AssertUnblamed(report);
        Assert.Equal("This trace can't tell: " + reason, report.Summary.Conclusion);
        Assert.Equal((null, null, null), (report.Trace.Duration, report.Trace.Clock, report.Trace.StartUtc));
    }

    private static void AssertUnblamed(BlameReport report)
    {
        Assert.Equal((Verdict.Unknown, null, 0, null), (
            report.Summary.Verdict, report.Summary.Culprit, report.Summary.Episodes, report.Summary.Worst));
        Assert.Empty(report.Culprits);
        Assert.Empty(report.Episodes);
        Assert.Empty(report.Drivers);
        Assert.True(report.Trace.Events > 0);
    }

    private static byte[] Sample() => File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl"));

    private static BlameReport Analyze(byte[] file)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        return BlameAnalysis.Analyze("trace.etl", reader, new BlameRequest()).Report;
    }

    private readonly struct BuffersSink(TraceClock clock, Episode episode) : IEtlEventSink
    {
        public HashSet<long> Buffers { get; } = [];

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            var time = new Duration(clock.NanosecondsFromHeader(traceEvent.TimestampTicks));
            if (traceEvent.Cpu == episode.Cpu && time >= episode.Start && time <= episode.Start + episode.Latency)
            {
                Buffers.Add(traceEvent.BufferOffset);
            }

            return true;
        }
    }
}
