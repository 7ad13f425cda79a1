using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Delays;

/// <summary>A wake-up is followed back to the DPC that did it and the ISR that queued that, at the edges of their runs.</summary>
public class WakeupPathTests
{
    private const ulong Isr = 0x1000;
    private const ulong Dpc = 0x2000;

    /// <summary>The DPC runs from 1 000 to 2 000.</summary>
    [Theory]
    [InlineData(999, true, false)]
    [InlineData(1_000, true, true)]
    [InlineData(1_000, false, false)]
    [InlineData(1_001, false, true)]
    [InlineData(1_999, false, true)]
    [InlineData(2_000, false, false)]
    [InlineData(2_000, true, true)]
    [InlineData(2_001, true, false)]
    public void A_dpc_that_the_record_does_not_tell_of_counts_well_inside_only(long ready, bool isFromDpc, bool isFound)
    {
        Wake wake = Woken(ready, queued: 900) with { IsFromDpc = isFromDpc };
        Assert.Equal(isFound, WakeupPaths.Find(new(Cpu(0, Run(LevelKind.Dpc, Dpc, 1_000, 2_000))), in wake) is not null);
    }

    [Fact]
    public void An_isr_within_it_is_passed_over()
    {
        Wake wake = Woken(1_500, queued: 900);
        CpuHistory cpu = Cpu(0, Run(LevelKind.Isr, Isr, 1_400, 1_600), Run(LevelKind.Dpc, Dpc, 1_000, 2_000));
        Assert.Equal(1_000, WakeupPaths.Find(new(cpu), in wake)!.Dpc.StartTicks);
    }

    [Theory]
    [InlineData(999, true)]
    [InlineData(1_000, true)]
    [InlineData(1_001, false)]
    public void A_dpc_that_began_before_it_was_queued_is_another(long queued, bool isFound)
    {
        Wake wake = Woken(1_500, queued);
        Assert.Equal(isFound, WakeupPaths.Find(new(Cpu(0, Run(LevelKind.Dpc, Dpc, 1_000, 2_000))), in wake) is not null);
    }

    [Fact]
    public void So_is_one_of_another_routine_and_nothing_is_known_without_an_enqueue()
    {
        var cpus = new CpuHistories(Cpu(0, Run(LevelKind.Dpc, Isr, 1_000, 2_000)), null);
        Wake wake = Woken(1_500, 900);
        Assert.Null(WakeupPaths.Find(cpus, in wake));
        Assert.Null(WakeupPaths.Find(new(Cpu(0, Run(LevelKind.Dpc, Dpc, 1_000, 2_000))), Woken(1_500, 900) with { HasDpc = false }));
        Assert.Null(WakeupPaths.Find(cpus, Woken(1_500, 900) with { Cpu = 1 }));
    }

    /// <summary>The ISR runs from 800 to 900 on the CPU that queued the DPC.</summary>
    [Theory]
    [InlineData(799, false)]
    [InlineData(800, true)]
    [InlineData(900, true)]
    [InlineData(901, false)]
    public void The_interrupt_is_what_ran_when_the_dpc_was_queued(long queued, bool isKnown)
    {
        var cpus = new CpuHistories(Cpu(0, Run(LevelKind.Dpc, Dpc, 1_000, 2_000)), Cpu(1, Run(LevelKind.Isr, Isr, 800, 900)));
        Wake wake = Woken(1_500, queued, queuedOn: 1);
        Assert.Equal(isKnown, WakeupPaths.Find(cpus, in wake)!.Interrupt is not null);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(-1)]
    public void A_processor_that_is_not_there_has_none(int cpu)
    {
        var cpus = new CpuHistories(Cpu(0, Run(LevelKind.Dpc, Dpc, 1_000, 2_000)), null);
        Wake wake = Woken(1_500, 900, queuedOn: cpu);
        Assert.Null(WakeupPaths.Find(cpus, in wake)!.Interrupt);
    }

    private static Wake Woken(long ready, long queued, int queuedOn = 0) => new()
    {
        ReadyTicks = ready,
        HasDpc = true,
        Dpc = new DpcStart { Ticks = 1_000, Routine = Dpc, Queued = new QueuedDpc { Ticks = queued, Cpu = queuedOn } },
    };

    private static LevelSpan Run(LevelKind kind, ulong routine, long from, long to) =>
        new() { Kind = kind, Routine = routine, StartTicks = from, EndTicks = to };

    private static CpuHistory Cpu(int cpu, params LevelSpan[] spans)
    {
        var history = new CpuHistory(cpu, 1_024, new SampleClock(0, 500));
        foreach (LevelSpan span in spans)
        {
            Assert.True(history.TryAddSpan(in span, 0));
        }

        return history;
    }
}
