using Tracer.Analysis.Contents;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>One reading of a trace collects all that is known before its events make sense.</summary>
public class TraceFactsTests
{
    private const long StartFileTime = 134_000_000_000_000_000;
    private const ulong Nic = 0xFFFF_F800_1000_0000;

    [Fact]
    public void One_reading_collects_all()
    {
        using EtlReader reader = Written(writer =>
        {
            Give(writer, 0, MadeEvent.Kernel(0x0005, 2, 5, MadeEvent.Numbers(0, 0x80, 0, 0, 0, 0, 0, 0, 70)));
            Give(writer, 1, MadeEvent.Kernel(0x0020, 2, 900, MadeEvent.Numbers(1, 0x4, 0, 0, 0, 0, 0, 0, 70)));
            Give(writer, 0, MadeEvent.Kernel(KernelHook.ImageDCEnd, 3, 10, MadeEvent.Image(Nic, 0x1000, 0, @"\d\nic.sys")));
            Give(writer, 0, MadeEvent.Kernel(0x0504, 3, 11, MadeEvent.Thread(4, 40)));
            Give(writer, 0, MadeEvent.Kernel(KernelHook.CollectionStart, 2, 12, MadeEvent.Numbers(0, 10_000, 10_000)));
            Give(writer, 0, MadeEvent.Kernel(KernelHook.SampledProfile, 2, 13, new byte[16]));
            Give(writer, 1, MadeEvent.Kernel(KernelHook.ContextSwitch, 4, 14, new byte[24]));
            Give(writer, 1, MadeEvent.Kernel(KernelHook.ContextSwitch, 4, 15, new byte[24]));
            Give(writer, 1, MadeEvent.Kernel(0x1239, 2, 16, new byte[16]));
            Give(writer, 0, MadeEvent.Kernel(0x1823, 2, 17, new byte[16]));
            Give(writer, 0, MadeEvent.Kernel(KernelHook.HypercallPage, 2, 18, new byte[8]));
        });
        TraceFacts facts = TraceFacts.Read(reader);
        Assert.Equal("nic.sys", facts.Images.Find(Nic, 1)?.Name);
        Assert.Equal(4u, facts.Threads.ProcessOf(40, 1));
        Assert.Equal((1, 10_000), (facts.Stacks.Count, facts.SampleIntervals.At(1)));
        Assert.True(facts.HasGroupMasks && facts.WasOn(0x20000080) && facts.WasOn(0x20000004) && facts.WasOn(1) && !facts.WasOn(2));
        Assert.True(facts.WasOn(0x2000_0080) && facts.WasOn(0x2000_0004));
        Assert.True(facts.HasHypervisor == true && facts.HasPowerEvents);
        Assert.Equal([0, 1], facts.Cpus.Select(cpu => cpu.Cpu));
        Assert.Equal((1, 0), (facts.Cpu(0)!.Samples, facts.Cpu(0)!.ContextSwitches));
        CpuActivity second = facts.Cpu(1)!; // The group masks, at 900, belong to the header.
        Assert.Equal((0, 2, 14, 16), (second.Samples, second.ContextSwitches, second.FirstTicks, second.LastTicks));
        Assert.Null(facts.Cpu(2));
        Assert.Equal((0, 12), (facts.Dropped, facts.Contents.Events)); // The header event counts.
        TraceSummary summary = facts.Summary("t.etl", reader);
        Assert.Equal(("t.etl", 12, true, true), (summary.Path, summary.Events, summary.Has.Samples, summary.Machine.Hypervisor));
    }

    [Fact]
    public void The_summary_is_that_of_the_info_report()
    {
        using EtlReader reader = Written(writer => Give(writer, 1, MadeEvent.Kernel(KernelHook.Dpc, 2, 20, new byte[15])));
        TraceFacts facts = TraceFacts.Read(reader);
        var contents = new TraceContents(() => null);
        contents.Read(reader);
        using var expected = new MemoryStream();
        using var actual = new MemoryStream();
        InfoReport report = InfoReportOfTrace.Make("t.etl", reader, contents);
        ReportJson.Write(expected, report, indented: false);
        ReportJson.Write(actual, report with { Trace = facts.Summary("t.etl", reader) }, indented: false);
        Assert.Equal(expected.ToArray(), actual.ToArray());
    }

    [Fact]
    public void The_sample_interval_is_known_over_time()
    {
        var intervals = new SampleIntervals();
        Give(KernelHook.SetInterval, 500, 0, 1221);
        Give(KernelHook.CollectionStart, 100, 0, 10_000);
        Give(KernelHook.SetInterval, 300, 0, 10_000);
        Give(KernelHook.SetInterval, 300, 27, 65_536);
        Give(0x0F4A, 900, 0, 1221);
        MadeEvent.Give(MadeEvent.Kernel(KernelHook.SetInterval, 2, 1, new byte[11]), intervals.Add);
        intervals.Complete();
        Assert.Equal([(100, 10_000), (500, 1221), (900, 0)], intervals.Changes.Select(change => (change.Ticks, change.Interval100ns)));
        Assert.Equal((10_000, 10_000, 1221, 0), (intervals.At(0), intervals.At(499), intervals.At(500), intervals.At(900)));
        Assert.Equal(1, intervals.Dropped);
        Assert.Null(new SampleIntervals().At(5));

        void Give(ushort hookId, long ticks, uint source, uint interval) =>
            MadeEvent.Give(MadeEvent.Kernel(hookId, 2, ticks, MadeEvent.Numbers(source, interval, 0)), intervals.Add);
    }

    [Fact]
    public void Methods_of_the_firmware_have_a_begin_and_an_end()
    {
        using EtlReader reader = Written(writer =>
        {
            Method(writer, 50, state: 2, elapsed: 77);
            Method(writer, 20, state: 1, elapsed: 0);
            writer.Write(0, EtlEventHeader.Event(AcpiMethods.Provider, 7, 0, 60, 4, 8), new byte[3]);
        });
        AcpiMethods methods = TraceFacts.Read(reader).AcpiMethods;
        AcpiMethodEvent begin = new(20, 0, 8, @"\_SB.EC0._Q49", IsBegin: true);
        Assert.Equal([begin, begin with { Ticks = 50, IsBegin = false }], methods.Events);
        Assert.Equal((3, 1), (methods.Count, methods.Damaged));

        static void Method(EtlWriter writer, long ticks, ushort state, ulong elapsed)
        {
            const string Name = @"\_SB.EC0._Q49";
            byte[] name = MadeEvent.Text(Name)[..^2];
            byte[] payload = [(byte)Name.Length, 0, .. name, (byte)state, 0, .. BitConverter.GetBytes(elapsed)];
            writer.Write(0, EtlEventHeader.Event(AcpiMethods.Provider, 7, 0, ticks, 4, 8), payload);
        }
    }

    private static void Give(EtlWriter writer, int cpu, byte[] record) => writer.WriteRecord(cpu, record);

    private static EtlReader Written(Action<EtlWriter> write)
    {
        using var file = new MemoryStream();
        var clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, 0, StartFileTime);
        var header = new EtlFileHeader { Clock = clock, ProcessorCount = 4 };
        using (EtlWriter writer = EtlWriter.Create(file, header, leaveOpen: true))
        {
            write(writer);
            writer.Complete(StartFileTime);
        }

        return EtlReader.Open(new MemoryStream(file.ToArray()));
    }
}
