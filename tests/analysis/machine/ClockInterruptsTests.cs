using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>The clock's routine is the one that comes at fixed intervals.</summary>
public class ClockInterruptsTests
{
    private const ulong Clock = 0x1000;
    private const ulong Call = 0x2000;

    [Theory]
    [InlineData(15, false)]
    [InlineData(16, true)]
    public void So_many_runs_at_a_fixed_interval_are_the_clock(int runs, bool isClock)
    {
        var interrupts = new ClockInterrupts(4);
        for (int i = 0; i < runs; i++)
        {
            Ran(interrupts, 0, Clock, i * 10_000, 40);
            Ran(interrupts, 0, Call, i * i * 3_000, 20);
        }

        Assert.Equal((isClock, false), (interrupts.Is(Clock), interrupts.Is(Call)));
        Assert.Equal(isClock ? new InterruptTotal(runs, runs * 40L) : null, interrupts.Total);
    }

    [Fact]
    public void A_program_may_change_the_interval()
    {
        var interrupts = new ClockInterrupts(4);
        long at = 0;
        for (int i = 0; i < 60; i++)
        {
            Ran(interrupts, 0, Clock, at += i < 20 ? 156_250 : i < 40 ? 10_000 : 5_000, 40);
        }

        Assert.True(interrupts.Is(Clock));
    }

    [Fact]
    public void Each_cpu_has_its_own_interval_and_their_runs_add_up()
    {
        var interrupts = new ClockInterrupts(4);
        for (int i = 0; i < 20; i++)
        {
            Ran(interrupts, 0, Clock, i * 10_000, 40);
            Ran(interrupts, 1, Clock, (i * 156_250) + (i % 3 * 1_000), 60);
        }

        Assert.Equal(new InterruptTotal(40, 2_000), interrupts.Total);
    }

    [Theory]
    [InlineData(0.10, true)]
    [InlineData(0.30, false)]
    public void What_differs_by_more_than_an_eighth_is_not_fixed(double change, bool isClock)
    {
        var interrupts = new ClockInterrupts(4);
        long at = 0;
        for (int i = 0; i < 40; i++)
        {
            Ran(interrupts, 0, Clock, at += (long)(10_000 * (1 + (i % 2 * change))), 40);
        }

        Assert.Equal(isClock, interrupts.Is(Clock));
    }

    private static void Ran(ClockInterrupts interrupts, int cpu, ulong routine, long start, long ticks)
    {
        var span = new LevelSpan { StartTicks = start, EndTicks = start + ticks, Routine = routine, Kind = LevelKind.Isr };
        interrupts.Ran(cpu, in span);
    }
}
