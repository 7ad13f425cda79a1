using Tracer.Analysis.Causes;
using Tracer.Analysis.Machine;
using static Tracer.Analysis.Tests.Causes.MadeMachine;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>How long CPU 0 needed to leave its idle state: it has work from 1000 on and is asked about up to 2000, in us.</summary>
public class IdleExitSearchTests
{
    private const long From = 1_000;
    private const long To = 2_000;

    [Fact]
    public void The_switch_from_the_idle_thread_ends_it_and_names_the_state()
    {
        MadeMachine machine = Idle();
        machine.Switch(0, 1_500, 0, 120, idleState: 3);
        machine.Switch(0, 1_600, 120, 0);
        Assert.Equal(new IdleExit(From, 1_500, 3, IsRecorded: false), Find(machine));
    }

    [Fact]
    public void A_CPU_that_was_idle_when_the_records_began_leaves_its_state_as_well()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 1_500, 0, 120, idleState: 3);
        Assert.Equal(new IdleExit(From, 1_500, 3, IsRecorded: false), Find(machine));
    }

    [Theory]
    [InlineData(1_010, 1, true)]
    [InlineData(1_009, 1, false)]
    [InlineData(1_001, 2, true)]
    [InlineData(1_500, 0, false)]
    public void The_lightest_state_takes_10us_to_be_a_wait(long until, byte state, bool isFound)
    {
        MadeMachine machine = Idle();
        machine.Switch(0, until, 0, 120, idleState: state);
        Assert.Equal(isFound ? new IdleExit(From, until, state, IsRecorded: false) : null, Find(machine));
    }

    [Theory]
    [InlineData(2_000, true)]
    [InlineData(2_050, true)]
    [InlineData(2_051, false)]
    public void A_switch_up_to_50us_behind_names_the_state_as_well(long at, bool isFound)
    {
        MadeMachine machine = Idle();
        machine.Switch(0, at, 0, 120, idleState: 3);
        Assert.Equal(isFound ? new IdleExit(From, To, 3, IsRecorded: false) : null, Find(machine));
    }

    [Fact]
    public void A_CPU_that_is_not_idle_leaves_nothing()
    {
        MadeMachine machine = Idle();
        machine.Switch(0, 900, 0, 120);
        machine.Switch(0, 1_500, 120, 0, idleState: 3);
        Assert.Null(Find(machine));
        Assert.Null(new IdleExitSearch(1_000_000).Find(machine[1], From, To));
    }

    [Fact]
    public void Switches_of_long_ago_name_nothing()
    {
        var machine = new MadeMachine();
        for (int i = 0; i < 128; i++)
        {
            machine.Switch(0, -5_000 + (i * 20), 120, 0, idleState: 3);
            machine.Switch(0, -4_990 + (i * 20), 0, 120, idleState: 3);
        }

        machine.Switch(0, 500, 120, 0, idleState: 3);
        Assert.Null(Find(machine));
        machine.Idle(0, 510, IdleEventKind.Enter, 3);
        Assert.Equal(new IdleExit(From, To, 3, IsRecorded: true), Find(machine));
    }

    [Theory]
    [InlineData(995, true)]
    [InlineData(996, false)]
    [InlineData(1_000, false)]
    [InlineData(1_020, false)]
    public void A_CPU_that_served_an_interrupt_within_5us_was_awake(long end, bool isFound)
    {
        MadeMachine machine = Idle();
        machine.Ran(0, 980, end, Alpha, LevelKind.Isr);
        machine.Switch(0, 1_500, 0, 120, idleState: 3);
        Assert.Equal(isFound ? new IdleExit(From, 1_500, 3, IsRecorded: false) : null, Find(machine));
    }

    [Fact]
    public void With_ticks_of_5us_one_tick_is_as_recently()
    {
        var machine = new MadeMachine(ticksPerSecond: 200_000);
        machine.Switch(0, 500, 120, 0);
        machine.Ran(0, 980, 999, Alpha, LevelKind.Isr);
        machine.Switch(0, 1_500, 0, 120, idleState: 3);
        IdleExit? found = new IdleExitSearch(200_000).Find(machine[0], From, To);
        Assert.Equal(new IdleExit(From, 1_500, 3, IsRecorded: false), found);
    }

    [Theory]
    [InlineData(1_000, false)]
    [InlineData(1_001, true)]
    public void The_next_interrupt_ends_it(long start, bool isFound)
    {
        MadeMachine machine = Idle();
        machine.Ran(0, 1_200, 1_210, Beta, LevelKind.Isr);
        machine.Ran(0, start, 1_300, Alpha);
        machine.Switch(0, 1_500, 0, 120, idleState: 3);
        Assert.Equal(isFound ? new IdleExit(From, start, 3, IsRecorded: false) : null, Find(machine));
    }

    [Theory]
    [InlineData(999, 1_500L)]
    [InlineData(1_000, 1_500L)]
    [InlineData(1_001, null)]
    [InlineData(1_449, null)]
    [InlineData(1_450, 1_450L)]
    [InlineData(1_499, 1_499L)]
    public void A_sample_ends_it_unless_the_CPU_idles_on_for_more_than_50us(long sample, long? end)
    {
        MadeMachine machine = Idle();
        machine.Sample(0, sample, Kernel);
        machine.Switch(0, 1_500, 0, 120, idleState: 3);
        Assert.Equal(end is { } to ? new IdleExit(From, to, 3, IsRecorded: false) : null, Find(machine));
    }

    [Fact]
    public void Samples_of_long_ago_do_not_show_that_it_idles_on()
    {
        var machine = new MadeMachine();
        for (int i = 0; i < 1024; i++)
        {
            machine.Sample(0, -9_000 + i, Kernel);
        }

        machine.Switch(0, 500, 120, 0);
        machine.Switch(0, 1_500, 0, 120, idleState: 3);
        Assert.Equal(new IdleExit(From, 1_500, 3, IsRecorded: false), Find(machine));
    }

    [Theory]
    [InlineData(1_010, 1, 1, true)]
    [InlineData(1_009, 1, 1, false)]
    [InlineData(1_001, 2, 2, true)]
    [InlineData(1_500, 0, 0, false)]
    [InlineData(1_500, 3, 1, true)]
    [InlineData(1_500, 1, 3, true)]
    public void Records_tell_its_end_and_the_deepest_state(long exit, uint entered, uint left, bool isFound)
    {
        MadeMachine machine = Idle();
        machine.Idle(0, 510, IdleEventKind.Enter, entered);
        machine.Idle(0, exit, IdleEventKind.Exit, left);
        Assert.Equal(isFound ? new IdleExit(From, exit, Math.Max(entered, left), IsRecorded: true) : null, Find(machine));
    }

    [Theory]
    [InlineData(1_010, true)]
    [InlineData(1_009, false)]
    public void A_measured_exit_counts_without_a_state(long at, bool isFound)
    {
        MadeMachine machine = Idle();
        machine.Idle(0, at, IdleEventKind.Measured, 0);
        Assert.Equal(isFound ? new IdleExit(From, at, 0, IsRecorded: true) : null, Find(machine));
    }

    [Theory]
    [InlineData(1_000, false)]
    [InlineData(1_001, true)]
    public void A_CPU_that_had_left_its_idle_state_leaves_none(long exit, bool isFound)
    {
        MadeMachine machine = Idle();
        machine.Idle(0, 510, IdleEventKind.Enter, 3);
        machine.Idle(0, exit, IdleEventKind.Exit, 3);
        Assert.Equal(isFound ? new IdleExit(From, exit, 3, IsRecorded: true) : null, Find(machine));
    }

    [Fact]
    public void What_it_enters_afterwards_is_another_state()
    {
        MadeMachine machine = Idle();
        machine.Idle(0, 510, IdleEventKind.Enter, 2);
        machine.Idle(0, 1_100, IdleEventKind.Exit, 2);
        machine.Idle(0, 1_200, IdleEventKind.Enter, 3);
        machine.Idle(0, 1_300, IdleEventKind.Exit, 3);
        Assert.Equal(new IdleExit(From, 1_100, 2, IsRecorded: true), Find(machine));
    }

    [Fact]
    public void The_first_of_two_records_ends_it()
    {
        MadeMachine machine = Idle();
        machine.Idle(0, 510, IdleEventKind.Enter, 2);
        machine.Idle(0, 1_100, IdleEventKind.Exit, 2);
        machine.Idle(0, 1_105, IdleEventKind.Measured, 2);
        Assert.Equal(new IdleExit(From, 1_100, 2, IsRecorded: true), Find(machine));
    }

    [Theory]
    [InlineData(1_100, true)]
    [InlineData(1_101, false)]
    public void A_CPU_that_idles_on_left_nothing_unless_a_record_says_so(long exit, bool isFound)
    {
        MadeMachine machine = Idle();
        machine.Sample(0, 1_100, Kernel);
        machine.Idle(0, 510, IdleEventKind.Enter, 3);
        machine.Idle(0, exit, IdleEventKind.Exit, 3);
        Assert.Equal(isFound ? new IdleExit(From, exit, 3, IsRecorded: true) : null, Find(machine));
    }

    [Fact]
    public void Records_of_long_ago_tell_nothing()
    {
        MadeMachine machine = Idle();
        for (int i = 0; i < (1 << 14) - 1; i++)
        {
            machine.Idle(0, -90_000 + i, IdleEventKind.Exit, 9);
        }

        machine.Idle(0, 510, IdleEventKind.Enter, 2);
        Assert.Equal(new IdleExit(From, To, 2, IsRecorded: true), Find(machine));
    }

    [Theory]
    [InlineData(900, 950, 0)]
    [InlineData(900, 1_200, 200)]
    [InlineData(1_100, 1_200, 100)]
    [InlineData(1_400, 1_600, 100)]
    [InlineData(1_600, 1_700, 0)]
    public void Of_a_stretch_only_what_lies_in_it_counts(long from, long to, long ticks) =>
        Assert.Equal(ticks, new IdleExit(From, 1_500, 1, IsRecorded: true).TicksWithin(from, to));

    private static MadeMachine Idle()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 120, 0);
        return machine;
    }

    private static IdleExit? Find(MadeMachine machine) =>
        new IdleExitSearch(machine.State.TicksPerSecond).Find(machine[0], From, To);
}
