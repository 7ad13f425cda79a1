using System.Buffers.Binary;
using System.IO.Compression;
using Tracer.Analysis.Request;

namespace Tracer.Analysis.Tests.Report;

/// <summary>What a file tells and its own records disprove is said first and changes no answer.</summary>
public class DoubtsTests
{
    private const int HeaderPayload = EtlBufferHeader.HeaderBytes + 32;
    private const int NumberOfProcessors = HeaderPayload + 0x0C;
    private const int EndTime = HeaderPayload + 0x10;
    private const int PointerSize = HeaderPayload + 0x2C;

    [Theory]
    [InlineData(PointerSize, 4, "32-bit pointers")]
    [InlineData(NumberOfProcessors, 1, "header says 1 CPU")]
    [InlineData(NumberOfProcessors, 64, "header says 64 CPUs")]
    [InlineData(NumberOfProcessors, EtlBufferHeader.MaximumProcessors, "CPUs, the kernel says")]
    [InlineData(NumberOfProcessors, EtlBufferHeader.MaximumProcessors + 1, "CPU 1 has buffers: 2 CPUs count")]
    [InlineData(NumberOfProcessors, -1, "header says 2,147,483,647 CPUs")]
    [InlineData(EndTime + 4, 1, "the end before the start")]
    public void A_header_of_another_machine_changes_no_answer(int at, int told, string doubt)
    {
        byte[] file = Sample();
        BlameReport whole = Analyze(file);
        Assert.Null(whole.Trace.Doubts);
        BinaryPrimitives.WriteInt32LittleEndian(file.AsSpan(at), told);
        BlameReport report = Analyze(file);
        Assert.Contains(doubt, Assert.Single(report.Trace.Doubts!), StringComparison.Ordinal);
        Assert.Equal(report.Trace.Doubts![0], report.Warnings[0]);
        Assert.Equal(whole.Summary, report.Summary);
        Assert.Equal((whole.Trace.Cpus, whole.Trace.PointerBits), (report.Trace.Cpus, report.Trace.PointerBits));
    }

    [Fact]
    public void What_is_in_the_file_twice_counts_once()
    {
        byte[] file = Sample();
        int buffer = BinaryPrimitives.ReadInt32LittleEndian(file);
        BlameReport whole = Analyze(file);
        BlameReport twice = Analyze([.. file, .. file.AsSpan(buffer)]);
        Assert.EndsWith("twice, byte for byte: they count once.", Assert.Single(twice.Trace.Doubts!), StringComparison.Ordinal);
        Assert.Equal(whole.Summary, twice.Summary);
        Assert.Equal(whole.Episodes.Select(one => one.Latency), twice.Episodes.Select(one => one.Latency));
    }

    [Fact]
    public void One_event_of_another_clock_stretches_nothing()
    {
        BlameReport report = Analyze(Unpacked("one-event-of-another-clock"));
        Assert.StartsWith("1 event has a time", Assert.Single(report.Trace.Doubts!), StringComparison.Ordinal);
        Assert.InRange(report.Trace.Duration!.Value.Nanoseconds, 790_000_000, 810_000_000);
        Assert.Equal(Verdict.Driver, report.Summary.Verdict);
    }

    /// <summary>The times of a whole buffer are FILETIMEs, or lie an hour behind all others: nobody knows when it was written.</summary>
    [Theory]
    [InlineData(1, false)]
    [InlineData(-1, false)]
    [InlineData(-1, true)]
    public void A_buffer_without_a_time_of_the_trace_stops_nobody(int which, bool isAnHour)
    {
        byte[] file = Unpacked("clean", "synthetic");
        List<int> starts = [];
        for (int start = 0; start < file.Length; start += (int)EtlBufferHeader.Read(file.AsSpan(start)).BufferSize)
        {
            starts.Add(start);
        }

        int at = starts[which < 0 ? starts.Count + which : which];
        EtlBufferHeader buffer = EtlBufferHeader.Read(file.AsSpan(at));
        int end = at + (int)buffer.FilledBytes;
        for (at += EtlBufferHeader.HeaderBytes; at < end && EtlEvent.TryRead(file.AsSpan(at, end - at), 0, 0, out EtlEvent read);
            at += (read.Record.Length + 7) & ~7)
        {
            long time = isAnHour ? read.TimestampTicks + 36_000_000_000 : 133_000_000_000_000_000 + (read.TimestampTicks % 1_000_000);
            BinaryPrimitives.WriteInt64LittleEndian(file.AsSpan(at + (read.Kind is EtlHeaderKind.PerfInfo64 ? 8 : 16)), time);
        }

        BlameReport report = Analyze(file);
        Assert.Contains("have times that no other event supports", report.Warnings[0], StringComparison.Ordinal);
        Assert.Contains("buffers are damaged; of CPU 1 the records of", report.Summary.Conclusion, StringComparison.Ordinal);
        Assert.Equal((Verdict.Unknown, 0), (report.Summary.Verdict, report.Episodes.Count));
        Assert.InRange(report.Trace.Duration!.Value.Nanoseconds, 3_990_000_000, 4_010_000_000);
    }

    [Fact]
    public void A_CPU_whose_clock_is_ahead_invents_no_episode()
    {
        BlameReport report = Analyze(Unpacked("clock-of-one-cpu-off-by-3ms"));
        Assert.Contains("CPU 3 by 3 ms ahead", Assert.Single(report.Trace.Doubts!).Replace("2.997", "3", StringComparison.Ordinal),
            StringComparison.Ordinal);
        Assert.Empty(report.Episodes);
        Assert.Empty(report.Culprits);
    }

    [Theory]
    [InlineData(0.003)]
    [InlineData(0.0007)]
    public void A_constant_offset_is_put_right(double seconds)
    {
        byte[] file = Unpacked("three-filters-in-one-dpc");
        BlameReport whole = Analyze(file);
        Move(file, cpu: 1, _ => seconds);
        BlameReport report = Analyze(file);
        Assert.StartsWith("The clocks of the CPUs disagree: ", Assert.Single(report.Trace.Doubts!), StringComparison.Ordinal);
        Assert.Equal((whole.Summary.Verdict, whole.Summary.Culprit), (report.Summary.Verdict, report.Summary.Culprit));
        Assert.Equal(whole.Episodes.Count, report.Episodes.Count);
        Assert.InRange(report.Summary.Probes, whole.Summary.Probes - 5, whole.Summary.Probes);
    }

    /// <summary>The clock of a CPU of a healthy machine is set by 2 ms in the middle: it stops nobody, and nobody stood still.</summary>
    [Theory]
    [InlineData("third", "healthy-audio", 0, 0.002)]
    [InlineData("third", "healthy-audio", 2, -0.002)]
    [InlineData("synthetic", "clean", 0, -0.002)]
    [InlineData("synthetic", "clean", 1, 0.002)]
    public void A_clock_that_is_set_while_the_trace_runs_accuses_nobody(string folder, string name, int cpu, double step)
    {
        byte[] file = Unpacked(name, folder);
        BlameReport whole = Analyze(file);
        Assert.Equal((Verdict.None, null), (whole.Summary.Verdict, whole.Trace.Doubts));
        double middle = whole.Trace.Duration!.Value.Nanoseconds / 2e9;
        Move(file, cpu, seconds => seconds > middle ? step : 0);
        BlameReport report = Analyze(file);
        Assert.StartsWith("The clocks of the CPUs disagree", report.Warnings[0], StringComparison.Ordinal);
        Assert.Equal((Verdict.Unknown, 0), (report.Summary.Verdict, report.Episodes.Count));
    }

    [Fact]
    public void Where_clocks_drift_only_what_one_CPU_shows_is_judged()
    {
        byte[] file = Unpacked("three-filters-in-one-dpc");
        BlameReport whole = Analyze(file);
        Move(file, cpu: 1, seconds => 0.001 * seconds);
        BlameReport report = Analyze(file);
        Assert.Contains("not by the same at all times: CPU 1", report.Warnings[0], StringComparison.Ordinal);
        Assert.InRange(report.Episodes.Count, 0, whole.Episodes.Count);
        Assert.Empty(report.Culprits.Select(culprit => culprit.Name).Except(whole.Culprits.Select(culprit => culprit.Name)));
    }

    private static BlameReport Analyze(byte[] file)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        return BlameAnalysis.Analyze("trace.etl", reader, new BlameRequest()).Report;
    }

    private static byte[] Sample() => File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl"));

    private static byte[] Unpacked(string name, string folder = "reports")
    {
        using var packed = new GZipStream(
            File.OpenRead(Path.Combine(RepositoryFiles.Corpus(), folder, name + ".etl.gz")), CompressionMode.Decompress);
        var file = new MemoryStream();
        packed.CopyTo(file);
        return file.ToArray();
    }

    /// <summary>Moves what a CPU's clock told: time stamps, and when its ISRs and DPCs began.</summary>
    /// <param name="bySeconds">By how much, a time after the header event, both in seconds.</param>
    private static void Move(byte[] file, int cpu, Func<double, double> bySeconds)
    {
        TraceClock clock;
        using (EtlReader reader = EtlReader.Open(new MemoryStream(file)))
        {
            clock = reader.Header.Clock;
        }

        EtlBufferHeader buffer;
        for (int start = 0; start < file.Length; start += (int)buffer.BufferSize)
        {
            buffer = EtlBufferHeader.Read(file.AsSpan(start));
            int at = start + EtlBufferHeader.HeaderBytes;
            int end = start + (int)buffer.FilledBytes;
            while (start > 0 && buffer.Cpu == cpu && at < end && EtlEvent.TryRead(file.AsSpan(at, end - at), 0, 0, out EtlEvent read))
            {
                double seconds = (read.TimestampTicks - clock.HeaderTicks) / (double)clock.TicksPerSecond;
                long by = (long)(bySeconds(seconds) * clock.TicksPerSecond);
                int payload = read.Record.Length - read.Payload.Length;
                int next = at + ((read.Record.Length + 7) & ~7);
                bool hasStart = read.HookId is KernelHook.Isr or KernelHook.IsrMessageSignalled or KernelHook.Dpc or KernelHook.TimerDpc
                    or KernelHook.ThreadedDpc or KernelHook.Stack;
                Add(file.AsSpan(at + (read.Kind is EtlHeaderKind.PerfInfo64 ? 8 : 16)), by);
                if (hasStart)
                {
                    Add(file.AsSpan(at + payload), by);
                }

                at = next;
            }
        }
    }

    private static void Add(Span<byte> time, long by) =>
        BinaryPrimitives.WriteInt64LittleEndian(time, BinaryPrimitives.ReadInt64LittleEndian(time) + by);
}
