using Tracer.Analysis.Latencies;

namespace Tracer.Analysis.Tests.Latencies;

/// <summary>
/// Bernadat's tables 10 to 12, from a machine set up as his: one CPU, the driver's own interrupt each 10 ms, its DPC and a thread at
/// priority 31. Each tenth of his samples is fed in; they are paired by rank, because he does not publish which belong together.
/// </summary>
public class BernadatTests
{
    private const long StartFileTime = 134_000_000_000_000_000;
    private const long Hz = 1_000_000_000;
    private const long PeriodNs = 10_000_000;
    private const int OneOf = 10;
    private const byte Apic = 0;
    private const byte Counter = 1;
    private const byte Priority = 31;

    /// <summary>His numbers by bin, the first of them given in microseconds, each twice as far as the one before.</summary>
    private static readonly Workload[] Workloads =
    [
        new("Idle", (1, [85777, 4202, 18, 3]), (2, [1, 89588, 396, 11, 1, 1, 2]), (16, [89888, 106, 3, 3])),
        // Of CPU one ISR latency below 1 us stands with those of 1 to 2 us.
        new("CPU", (1, [87829, 1890, 277, 4]), (2, [32045, 57081, 851, 17, 2, 2, 2]), (16, [89707, 289, 1, 3])),
        new(
            "Make",
            (1, [3823, 47019, 37956, 1056, 2, 12, 12, 22, 52, 46]),
            (4, [17714, 67096, 4353, 566, 125, 37, 60, 49]),
            (16, [15895, 68966, 4892, 127, 58, 62])),
        new("Java", (1, [6, 67810, 22100, 84]), (4, [20400, 67138, 2411, 43, 4, 4]), (16, [9082, 76113, 4798, 5, 2])),
        new("Disk", (1, [35190, 48672, 6095, 41, 0, 1, 1]), (4, [64284, 24813, 727, 169, 2, 5]), (16, [57022, 32541, 432, 5])),
        new(
            "Net",
            (1, [74636, 14935, 420, 8, 0, 0, 0, 1]),
            (4, [85811, 3765, 257, 128, 35, 3, 1]),
            (16, [85403, 4233, 289, 51, 20, 4])),
        new(
            "Tty",
            (1, [51707, 24944, 177, 240, 470, 943, 1803, 3719, 5408, 589]),
            (4, [61691, 9999, 3015, 2817, 1824, 3765, 5807, 1082]),
            (16, [57236, 18144, 3173, 3690, 6288, 1469])),
        new("CD", (1, [61717, 28108, 172, 3]), (4, [86443, 3299, 183, 72, 3]), (16, [82565, 7380, 55])),
        new("Floppy", (1, [83853, 5977, 164, 5, 0, 0, 0, 1]), (2, [3, 88315, 1616, 54, 6, 2, 4]), (16, [89136, 815, 45, 3, 1])),
    ];

    /// <summary>He counts 90,000 samples of each workload in each table: what is typed in is all of them.</summary>
    [Fact]
    public void All_samples_are_there()
    {
        Assert.Equal(9, Workloads.Length);
        Every.Item(Workloads, load => Assert.Equal(
            (90_000, 90_000, 90_000), (load.Isr.Counts.Sum(), load.Dpc.Counts.Sum(), load.Thread.Counts.Sum())));
    }

    [Fact]
    public void The_tables_come_out_as_they_are_published()
    {
        var request = new LatencyRequest { Splits = [LatencyDimensions.Trace] };
        LatencyReport report = LatencyTraces.Report(
            request, [.. Workloads.Select(load => LatencyTraces.Measure(TraceOf(load), load.Name, request))]);
        foreach (Workload load in Workloads)
        {
            LatencyDistribution isr = Of(LatencyKind.Interrupt);
            LatencyDistribution both = Of(LatencyKind.DpcInterrupt);
            AssertBins(load.Isr, isr);
            AssertBins(load.Dpc, both);
            AssertBins(load.Thread, Of(LatencyKind.ThreadInterrupt));
            // As he observes: averages add up.
            Assert.Equal(both.Total, isr.Total + Of(LatencyKind.Dpc).Total);

            LatencyDistribution Of(LatencyKind kind) =>
                report.Distributions.Single(one => one.Kind == kind && one.Part.Trace == load.Name);
        }

        Assert.Equal(9 * 9000, report.Distributions.Single(one => one.Kind == LatencyKind.Thread && one.Part == LatencyPart.All).Count);
    }

    private static void AssertBins((long FromUs, long[] Counts) published, LatencyDistribution measured)
    {
        for (int i = 0; i < published.Counts.Length; i++)
        {
            long from = published.FromUs * 1000 << i;
            long found = measured.Bins.SingleOrDefault(bin => bin.From.Nanoseconds == from)?.Count ?? 0;
            Assert.InRange(found - (published.Counts[i] / (double)OneOf), -1, 1);
        }

        Assert.Equal(9000, measured.Bins.Sum(bin => bin.Count));
    }

    private static byte[] TraceOf(Workload load)
    {
        using var file = new MemoryStream();
        var header = new EtlFileHeader { Clock = new TraceClock(TraceClockKind.Qpc, Hz, 0, StartFileTime), ProcessorCount = 1 };
        using (EtlWriter writer = EtlWriter.Create(file, header, leaveOpen: true))
        {
            Write(
                writer,
                TracerProvider.Start,
                1,
                [Apic, Counter, .. Bytes(Hz, 10 * PeriodNs, PeriodNs, 0), 1, 0, Priority, .. BitConverter.GetBytes(0u)]);
            long[] isr = Samples(load.Isr);
            long[] dpc = Samples(load.Dpc);
            long[] thread = Samples(load.Thread);
            for (int i = 0; i < isr.Length; i++)
            {
                long due = (i + 1) * PeriodNs;
                Write(
                    writer,
                    TracerProvider.WakeupVersion1,
                    due + thread[i] + 1000,
                    [
                        .. Bytes(i + 1), 0, 0, Apic, .. Bytes(due, due + isr[i], due + dpc[i], due + thread[i]), Priority,
                        .. Bytes(0), 0, 0,
                    ]);
            }

            writer.Complete(StartFileTime);
        }

        return file.ToArray();
    }

    /// <summary>Each tenth of the samples, from the least to the greatest: the middle of its bin, in nanoseconds.</summary>
    private static long[] Samples((long FromUs, long[] Counts) published) =>
    [
        .. published.Counts.SelectMany((count, i) => Enumerable.Repeat(published.FromUs * 1500 << i, (int)count))
            .Where((_, rank) => rank % OneOf == OneOf - 1),
    ];

    private static void Write(EtlWriter writer, ProviderEvent shape, long ticks, byte[] payload)
    {
        TraceLoggingEventSchema schema = shape.Schema();
        writer.Write(0, schema.Header(ticks, 4, 8), payload, schema.Items);
    }

    private static byte[] Bytes(params long[] values) => [.. values.SelectMany(BitConverter.GetBytes)];

    private sealed record Workload(
        string Name, (long FromUs, long[] Counts) Isr, (long FromUs, long[] Counts) Dpc, (long FromUs, long[] Counts) Thread);
}
