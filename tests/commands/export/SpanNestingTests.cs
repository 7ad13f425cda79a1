using Tracer.Analysis.Facts;
using Tracer.AnalyzerCommand.Commands.Export;
using Tracer.Etl.Stacks;

namespace Tracer.Commands.Tests.Export;

/// <summary>The order in which a CPU's spans are given, whatever its records say.</summary>
public class SpanNestingTests
{
    private readonly List<string> _said = [];
    private readonly SpanNesting _lane = new(0, new ExportWindow(100, 1000), new ImageTable(8), new FlowNumbers());

    [Fact]
    public void What_interrupts_lies_within()
    {
        _lane.Switch(150, Thread(7, 150), Writer);
        _lane.Add(Routine(CpuSpanKind.Isr, 220, 230), Writer);
        _lane.Add(Routine(CpuSpanKind.Dpc, 200, 300), Writer);
        _lane.Add(Routine(CpuSpanKind.Dpc, 300, 320), Writer);
        _lane.Switch(400, null, Writer);
        Assert.Equal("+Thread150 +Dpc200 +Isr220 -Isr230 -Dpc300 +Dpc300 -Dpc320 -Thread400", string.Join(' ', _said));
    }

    [Fact]
    public void What_begins_together_lies_around_what_ends_first()
    {
        _lane.Add(Routine(CpuSpanKind.Isr, 200, 210), Writer);
        _lane.Add(Routine(CpuSpanKind.Dpc, 200, 300), Writer);
        _lane.Switch(400, null, Writer);
        Assert.Equal("+Dpc200 +Isr200 -Isr210 -Dpc300", string.Join(' ', _said));
    }

    [Fact]
    public void What_reaches_over_the_end_of_another_is_cut_there()
    {
        _lane.Add(Routine(CpuSpanKind.Dpc, 200, 300), Writer);
        _lane.Add(Routine(CpuSpanKind.Isr, 250, 350), Writer);
        _lane.Switch(400, null, Writer);
        Assert.Equal("+Dpc200 +Isr250 -Isr300 -Dpc300", string.Join(' ', _said));
    }

    [Fact]
    public void What_lies_outside_the_window_is_left_out_and_the_rest_is_cut_at_its_ends()
    {
        _lane.Switch(50, Thread(7, 50), Writer);
        _lane.Add(Routine(CpuSpanKind.Dpc, 60, 70), Writer);
        _lane.Add(Routine(CpuSpanKind.Dpc, 90, 120), Writer);
        _lane.Switch(2000, null, Writer);
        Assert.Equal("+Thread100 +Dpc100 -Dpc120 -Thread1000", string.Join(' ', _said));
    }

    [Fact]
    public void Without_context_switches_no_more_is_kept_than_the_limit()
    {
        _lane.Switch(100, Thread(7, 100), Writer);
        for (int i = 0; i < SpanNesting.MostKept; i++)
        {
            _lane.Add(Routine(CpuSpanKind.Isr, 200, 201), Writer);
        }

        Assert.Empty(_said);
        _lane.Add(Routine(CpuSpanKind.Isr, 300, 310), Writer);
        Assert.Equal(2 * (SpanNesting.MostKept + 1), _said.Count);
        _lane.Add(Routine(CpuSpanKind.Dpc, 110, 320), Writer);
        _lane.Switch(400, null, Writer);
        Assert.Equal(1, _lane.RoutinesCut);
        Assert.Equal("+Thread300 +Dpc300 +Isr300 -Isr310 -Dpc320 -Thread400", string.Join(' ', _said[^6..]));
    }

    [Fact]
    public void A_flow_leaves_the_innermost_span_and_reaches_a_DPC()
    {
        CpuSpan isr = Routine(CpuSpanKind.Isr, 200, 210);
        CpuSpan dpc = Routine(CpuSpanKind.Dpc, 215, 300);
        _lane.Switch(150, Thread(7, 150), Writer);
        _lane.Add(205, 41, isEnd: false);
        _lane.Add(isr, Writer);
        _lane.Add(214, 41, isEnd: true);
        _lane.Add(250, 42, isEnd: false);
        _lane.Add(dpc, Writer);
        _lane.Add(350, 43, isEnd: true);
        _lane.Switch(400, null, Writer);
        Assert.Equal([41UL], isr.FlowsOut);
        Assert.Equal([41UL], dpc.FlowsIn);
        Assert.Equal([42UL], dpc.FlowsOut);
        Assert.Equal(1, _lane.EndsLeftOut);
    }

    private Recorder Writer => new(_said);

    private static CpuSpan Thread(uint id, long start) =>
        new() { Kind = CpuSpanKind.Thread, Cpu = 0, StartTicks = start, EndTicks = start, ThreadId = id };

    private static CpuSpan Routine(CpuSpanKind kind, long start, long end) =>
        new() { Kind = kind, Cpu = 0, StartTicks = start, EndTicks = end, Routine = 0xfffff80000001000 };

    private sealed class Recorder(List<string> said) : IScheduleWriter
    {
        public void Open(CpuSpan span) => said.Add($"+{span.Kind}{span.StartTicks}");

        public void Close(CpuSpan span) => said.Add($"-{span.Kind}{span.EndTicks}");

        public void Ready(int cpu, long ticks, uint threadId, ulong flow) => throw new NotSupportedException();

        public void Idle(int cpu, long ticks, uint? state) => throw new NotSupportedException();

        public void Speed(int cpu, long ticks, uint frequency) => throw new NotSupportedException();

        public void Sample(in ExportedSample sample, in EventStack stack) => throw new NotSupportedException();
    }
}
