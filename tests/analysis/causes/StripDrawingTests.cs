using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;
using static Tracer.Analysis.Tests.Causes.MadeMachine;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>What ran on the CPUs from 1000 to 2000, in microseconds, as it is drawn beside an episode.</summary>
public class StripDrawingTests
{
    private const ulong Isr = Alpha + 0x100;
    private const ulong Dpc = Beta + 0x100;

    [Fact]
    public void Each_stretch_has_its_kind_and_ends_where_the_next_begins()
    {
        var machine = new MadeMachine(1);
        machine.Switch(0, 500, 5, 0);
        machine.Ran(0, 1_150, 1_200, Alpha, LevelKind.Isr);
        machine.Ran(0, 1_100, 1_300, Beta);
        machine.Switch(0, 1_400, 0, 77);
        machine.Switch(0, 2_500, 77, 0);
        RawStrip strip = Assert.Single(Draw(machine));
        Assert.Equal(
            [
                (1_000, 1_100, StripKind.Idle, 0, 0), (1_100, 1_150, StripKind.Dpc, Dpc, 0), (1_150, 1_200, StripKind.Isr, Isr, 0),
                (1_200, 1_300, StripKind.Dpc, Dpc, 0), (1_300, 1_400, StripKind.Idle, 0, 0), (1_400, 2_000, StripKind.Thread, 0, 77),
            ],
            strip.Spans.Select(Told));
        Assert.Equal(
            [null, "beta.sys", "alpha.sys", "beta.sys", null, null], strip.Spans.Select(span => span.Owner?.Owner?.Name));
    }

    [Fact]
    public void Neighbours_that_are_the_same_are_one()
    {
        var machine = new MadeMachine(1);
        machine.Switch(0, 500, 5, 77);
        machine.Switch(0, 1_100, 77, 77);
        machine.Switch(0, 1_200, 77, 78);
        machine.Ran(0, 1_300, 1_400, Alpha, LevelKind.Isr);
        machine.Ran(0, 1_400, 1_500, Alpha, LevelKind.Isr);
        machine.Ran(0, 1_500, 1_600, Beta, LevelKind.Isr);
        machine.Ran(0, 1_600, 1_700, Beta);
        machine.Switch(0, 1_800, 78, 79);
        machine[0].Runs[machine[0].Runs.Next - 1].IsKnown = false;
        machine.Switch(0, 1_900, 79, 78);
        Assert.Equal(
            [
                (1_000, 1_200, StripKind.Thread, 0, 77), (1_200, 1_300, StripKind.Thread, 0, 78), (1_300, 1_500, StripKind.Isr, Isr, 0),
                (1_500, 1_600, StripKind.Isr, Dpc, 0), (1_600, 1_700, StripKind.Dpc, Dpc, 0), (1_700, 1_800, StripKind.Thread, 0, 78),
                (1_900, 2_000, StripKind.Thread, 0, 78),
            ],
            Assert.Single(Draw(machine)).Spans.Select(Told));
    }

    [Fact]
    public void Threads_on_both_sides_of_an_unknown_one_stay_apart()
    {
        var machine = new MadeMachine(1);
        machine.Switch(0, 500, 5, 77);
        machine.Switch(0, 1_200, 77, 78);
        machine[0].Runs[machine[0].Runs.Next - 1].IsKnown = false;
        machine.Switch(0, 1_300, 78, 77);
        Assert.Equal(
            [(1_000, 1_200, StripKind.Thread, 0, 77), (1_300, 2_000, StripKind.Thread, 0, 77)],
            Assert.Single(Draw(machine)).Spans.Select(Told));
    }

    [Fact]
    public void A_blackout_covers_what_it_stopped()
    {
        var machine = new MadeMachine(1);
        machine.Switch(0, 500, 5, 77);
        machine.Ran(0, 1_350, 1_500, Beta);
        machine.Blackouts.Add(MadeBlackout(1_100, 1_200, isTentative: true));
        machine.Blackouts.Add(MadeBlackout(1_300, 1_400));
        RawStrip strip = Assert.Single(Draw(machine));
        Assert.Equal(
            [
                (1_000, 1_300, StripKind.Thread, 0, 77), (1_300, 1_350, StripKind.Blackout, 0, 0),
                (1_350, 1_400, StripKind.Blackout, Dpc, 0), (1_400, 1_500, StripKind.Dpc, Dpc, 0),
                (1_500, 2_000, StripKind.Thread, 0, 77),
            ],
            strip.Spans.Select(Told));
        Assert.Equal([null, null, null, "beta.sys", null], strip.Spans.Select(span => span.Owner?.Owner?.Name));
    }

    [Fact]
    public void Before_the_first_thread_that_is_known_nothing_is_drawn()
    {
        var machine = new MadeMachine(1);
        for (int i = 0; i < 300; i++)
        {
            machine.Switch(0, 1_101 + i, 77, 77);
        }

        Assert.Equal(
            [(machine[0].Runs[machine[0].Runs.First].StartTicks, 2_000, StripKind.Thread, 0, 77)],
            Assert.Single(Draw(machine)).Spans.Select(Told));
    }

    [Fact]
    public void The_thread_of_the_first_switch_is_drawn_up_to_it()
    {
        var machine = new MadeMachine(1);
        machine.Switch(0, 1_500, 77, 78);
        Assert.Equal(
            [(1_000, 1_500, StripKind.Thread, 0, 77), (1_500, 2_000, StripKind.Thread, 0, 78)],
            Assert.Single(Draw(machine)).Spans.Select(Told));
    }

    [Fact]
    public void The_victims_CPU_comes_first_and_the_others_only_where_something_ran()
    {
        var machine = new MadeMachine(4);
        machine.Switch(0, 500, 5, 77);
        machine.Switch(2, 500, 5, 0);
        machine.State.Cpus[3] = null;
        Assert.Equal([2, 0], Draw(machine, cpu: 2).Select(strip => strip.Cpu));
        Assert.Equal([(1, 0), (0, 1), (2, 1)], Draw(machine, cpu: 1).Select(strip => (strip.Cpu, strip.Spans.Count)));
        Assert.Equal([0, 2], Draw(machine, cpu: 3).Select(strip => strip.Cpu));
    }

    [Fact]
    public void Of_many_CPUs_sixteen_are_drawn()
    {
        var machine = new MadeMachine(20);
        for (int cpu = 0; cpu < 20; cpu++)
        {
            machine.Switch(cpu, 500, 5, 77);
        }

        Assert.Equal([18, .. Enumerable.Range(0, 15)], Draw(machine, cpu: 18).Select(strip => strip.Cpu));
    }

    private static (long From, long To, StripKind Kind, ulong Routine, uint Thread) Told(RawStripSpan span) =>
        (span.FromTicks, span.ToTicks, span.Kind, span.Routine, span.ThreadId);

    private static List<RawStrip> Draw(MadeMachine machine, int cpu = 0) =>
        new StripDrawing(machine.Blackouts, machine.Owners.Search, machine.Budget).Draw(
            machine.State.Cpus,
            new EpisodeCandidate(new Delay { Probe = ProbeKind.Thread, FromTicks = 1_000, ToTicks = 2_000, Cpu = cpu }));
}
