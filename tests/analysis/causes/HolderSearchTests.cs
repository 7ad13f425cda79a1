using Tracer.Analysis.Causes;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using static Tracer.Analysis.Tests.Causes.MadeMachine;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>What another CPU did until a wait ended: begun by 200, ended not before 880 and by 905, in microseconds.</summary>
public class HolderSearchTests
{
    private const long StartedBy = 200;
    private const long Earliest = 880;
    private const long Latest = 905;
    private const uint Holder = 77;

    [Theory]
    [InlineData(200, 880, true)]
    [InlineData(200, 905, true)]
    [InlineData(201, 900, false)]
    [InlineData(200, 879, false)]
    [InlineData(200, 906, false)]
    public void A_routine_holds_that_began_in_time_and_ended_with_the_wait(long from, long to, bool isFound)
    {
        var machine = new MadeMachine();
        machine.Ran(1, from, to, Beta);
        Assert.Equal(isFound ? (from, to, "beta.sys") : null, Told(machine));
    }

    [Theory]
    [InlineData(200, 880, true)]
    [InlineData(200, 905, true)]
    [InlineData(201, 900, false)]
    [InlineData(200, 879, false)]
    [InlineData(200, 906, false)]
    public void A_blackout_of_one_CPU_holds_likewise(long from, long to, bool isFound)
    {
        var machine = new MadeMachine();
        machine.Blackouts.Add(MadeBlackout(from, to, cpu: 1));
        HolderStretch? found = Find(machine, WaitKind.Processors);
        Assert.Equal(isFound ? machine.Blackouts.Found[0] : null, found?.Blackout);
        Assert.Equal(isFound, found is { IsEndSeen: true, FromTicks: var since, ToTicks: var until } && (since, until) == (from, to));
    }

    [Fact]
    public void A_blackout_of_the_machine_or_of_a_third_CPU_holds_nobody()
    {
        var machine = new MadeMachine();
        machine.Blackouts.Add(MadeBlackout(100, 900, cpu: 1, isWhole: true));
        machine.Blackouts.Add(MadeBlackout(100, 900, cpu: 2, isAlive: false));
        Assert.Null(Find(machine));
    }

    [Fact]
    public void What_runs_does_not_keep_a_CPU_from_interrupts_of_another()
    {
        var machine = new MadeMachine();
        machine.Ran(1, 100, 900, Beta);
        Assert.Null(Find(machine, WaitKind.Processors));
        Assert.NotNull(Find(machine));
    }

    [Fact]
    public void The_kernels_own_routine_is_no_holder()
    {
        var machine = new MadeMachine();
        machine.Ran(1, 100, 900, Kernel);
        Assert.Null(Find(machine));
    }

    [Theory]
    [InlineData(200, true)]
    [InlineData(201, false)]
    [InlineData(899, false)]
    [InlineData(900, true)]
    public void A_routine_seen_in_the_kernels_code_alone_may_wait_itself(long sample, bool isFound)
    {
        var machine = new MadeMachine();
        machine.Sample(1, sample, Kernel);
        machine.Ran(1, 200, 900, Beta);
        Assert.Equal(isFound ? (200L, 900L, "beta.sys") : null, Told(machine));
    }

    [Theory]
    [InlineData(400, false, false)]
    [InlineData(401, false, true)]
    [InlineData(499, false, true)]
    [InlineData(500, false, false)]
    [InlineData(450, true, false)]
    public void What_a_nested_interrupt_shows_is_not_the_routines(long sample, bool isProfile, bool isFound)
    {
        var machine = new MadeMachine();
        machine.Sample(1, sample, Kernel);
        machine.Ran(1, 400, 500, Alpha, LevelKind.Isr, isProfile);
        machine.Ran(1, 200, 900, Beta);
        Assert.Equal(isFound, Find(machine) is not null);
    }

    [Fact]
    public void What_interrupted_it_at_once_is_nested_as_well()
    {
        var machine = new MadeMachine();
        machine.Sample(1, 250, Kernel);
        machine.Ran(1, 201, 300, Alpha, LevelKind.Isr);
        machine.Ran(1, 200, 900, Beta);
        Assert.NotNull(Find(machine));
    }

    [Fact]
    public void Records_of_long_ago_hold_nobody()
    {
        var machine = new MadeMachine();
        for (int i = 0; i < 256; i++)
        {
            machine.Ran(1, -9_000 + (i * 10), -8_995 + (i * 10), Beta);
        }

        Assert.Null(Find(machine));
    }

    [Fact]
    public void Samples_of_long_ago_show_nothing_of_a_routine()
    {
        var machine = new MadeMachine();
        Fill(machine, Kernel, 0);
        machine.Ran(1, 200, 900, Beta);
        Assert.Equal((200, 900, "beta.sys"), Told(machine));
    }

    [Theory]
    [InlineData(200, true)]
    [InlineData(201, false)]
    public void A_thread_holds_that_ran_in_time(long since, bool isFound)
    {
        MadeMachine machine = Raised(since);
        End(machine, 900, 880);
        Assert.Equal(isFound ? (since, 900, "beta.sys") : null, Told(machine));
    }

    [Theory]
    [InlineData(880, 880L)]
    [InlineData(900, 900L)]
    [InlineData(905, 905L)]
    [InlineData(906, null)]
    public void Its_end_is_where_a_pending_DPC_came(long at, long? end)
    {
        MadeMachine machine = Raised();
        End(machine, at, at - 20);
        Assert.Equal((end ?? Latest, end is not null), Ended(machine));
    }

    [Theory]
    [InlineData(20, true)]
    [InlineData(19, false)]
    public void A_DPC_was_pending_that_stood_in_the_queue_for_20us(long queued, bool isSeen)
    {
        MadeMachine machine = Raised();
        End(machine, 900, 900 - queued);
        Assert.Equal((isSeen ? 900 : Latest, isSeen), Ended(machine));
    }

    [Theory]
    [InlineData(880, true)]
    [InlineData(881, false)]
    [InlineData(900, false)]
    public void Without_a_record_of_the_queue_an_interrupt_just_before_may_have_queued_it(long interrupt, bool isSeen)
    {
        MadeMachine machine = Raised();
        machine.Ran(1, 860, interrupt, Alpha, LevelKind.Isr);
        machine.Ran(1, 900, 910, Alpha);
        Assert.Equal((isSeen ? 900 : Latest, isSeen), Ended(machine));
    }

    [Fact]
    public void An_interrupt_of_long_ago_queued_nothing()
    {
        MadeMachine machine = Raised();
        for (int i = 0; i < 256; i++)
        {
            machine.Ran(1, -9_000 + (i * 10), -8_995 + (i * 10), Alpha, LevelKind.Isr);
        }

        machine.Ran(1, 900, 900, Alpha);
        Assert.Equal((900, true), Ended(machine));
    }

    [Fact]
    public void What_left_the_queue_long_ago_tells_nothing_of_now()
    {
        MadeMachine machine = Raised();
        for (int i = 0; i < 1024; i++)
        {
            machine.Queued(1, -10_000 + i, -9_000 + i, Alpha);
        }

        machine.Ran(1, 890, 895, Alpha, LevelKind.Isr);
        machine.Ran(1, 900, 910, Alpha);
        Assert.Equal((Latest, false), Ended(machine));
    }

    [Fact]
    public void A_timers_DPC_comes_at_any_time()
    {
        MadeMachine machine = Raised();
        machine.Ran(1, 900, 910, Alpha, LevelKind.TimerDpc);
        Assert.Equal((Latest, false), Ended(machine));
    }

    [Theory]
    [InlineData(885, 885)]
    [InlineData(895, 890)]
    public void What_runs_ahead_of_the_pending_DPC_was_let_in_first(long timer, long end)
    {
        MadeMachine machine = Raised();
        machine.Ran(1, 881, 883, Alpha, LevelKind.Isr);
        if (timer < 890)
        {
            machine.Ran(1, timer, timer + 3, Alpha, LevelKind.TimerDpc);
        }

        End(machine, 890, 860);
        if (timer > 890)
        {
            machine.Ran(1, timer + 6, timer + 8, Alpha, LevelKind.TimerDpc);
        }

        Assert.Equal((end, true), Ended(machine));
    }

    [Theory]
    [InlineData(880, 20, 880L)]
    [InlineData(905, 20, 905L)]
    [InlineData(906, 20, null)]
    [InlineData(890, 19, null)]
    public void A_thread_that_was_ready_for_20us_was_let_in(long at, long ready, long? end)
    {
        MadeMachine machine = Raised();
        machine.Switch(1, at, Holder, 88, 12, at - ready);
        Assert.Equal((end ?? Latest, end is not null), Ended(machine));
    }

    [Theory]
    [InlineData(880, 890)]
    [InlineData(904, 905)]
    public void So_it_is_where_either_stands_at_the_edge(long timer, long pending)
    {
        MadeMachine machine = Raised();
        machine.Ran(1, timer, timer + 1, Alpha, LevelKind.TimerDpc);
        End(machine, pending, 860);
        Assert.Equal((timer, true), Ended(machine));
    }

    [Fact]
    public void The_first_of_two_threads_was_let_in()
    {
        MadeMachine machine = Raised();
        machine.Switch(1, 885, Holder, 88, 12, 850);
        machine.Switch(1, 895, 88, 89, 12, 850);
        Assert.Equal((885, true), Ended(machine));
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, true)]
    public void Only_a_thread_that_is_known_was_let_in(bool isKnown, bool isSeen)
    {
        MadeMachine machine = Raised();
        machine.Switch(1, 890, Holder, 88, 12, 850);
        machine[1].Runs[machine[1].Runs.Next - 1].IsKnown = isKnown;
        Assert.Equal((isSeen ? 890 : Latest, isSeen), Ended(machine));
    }

    [Fact]
    public void A_CPU_that_goes_idle_lets_nobody_in()
    {
        MadeMachine machine = Raised();
        machine.Switch(1, 890, Holder, 0, 0, 850);
        Assert.Equal((Latest, false), Ended(machine));
    }

    [Theory]
    [InlineData(199, 199L)]
    [InlineData(200, 200L)]
    [InlineData(201, null)]
    public void No_DPC_runs_while_a_thread_is_raised(long lastDpc, long? from)
    {
        MadeMachine machine = Raised(since: 100);
        machine.Ran(1, 150, lastDpc, Alpha);
        End(machine, 900, 880);
        Assert.Equal(from, Find(machine)?.FromTicks);
    }

    [Fact]
    public void An_interrupt_does_while_it_is()
    {
        MadeMachine machine = Raised(since: 100);
        machine.Ran(1, 500, 600, Alpha, LevelKind.Isr);
        End(machine, 900, 880);
        Assert.Equal((100, 900, "beta.sys"), Told(machine));
    }

    [Theory]
    [InlineData(879, false)]
    [InlineData(880, true)]
    public void Within_a_DPC_no_thread_is_what_ends(long dpc, bool isFound)
    {
        MadeMachine machine = Raised();
        machine.Ran(1, 870, 879, Alpha, LevelKind.Isr);
        machine.Ran(1, dpc, 950, Alpha, LevelKind.TimerDpc);
        Assert.Equal(isFound, Find(machine) is not null);
    }

    [Theory]
    [InlineData(199, false)]
    [InlineData(200, true)]
    [InlineData(899, true)]
    [InlineData(900, false)]
    public void A_sample_from_its_start_up_to_its_end_shows_a_thread(long sample, bool isFound)
    {
        var machine = new MadeMachine();
        machine.Switch(1, 100, 5, Holder);
        machine.Sample(1, sample, Beta, Holder);
        End(machine, 900, 880);
        Assert.Equal(isFound ? (100, 900, "beta.sys") : null, Told(machine));
    }

    [Theory]
    [InlineData(Beta, Holder, true)]
    [InlineData(Beta, 78, false)]
    [InlineData(User, Holder, false)]
    [InlineData(Alpha, Holder, false)]
    [InlineData(Kernel, Holder, false)]
    public void Every_sample_must_show_the_same_driver_in_the_same_thread(ulong code, uint thread, bool isFound)
    {
        MadeMachine machine = Raised();
        machine.Sample(1, 600, code, thread, code == Kernel ? [Kernel] : []);
        End(machine, 900, 880);
        Assert.Equal(isFound ? (100, 900, "beta.sys") : null, Told(machine));
    }

    [Fact]
    public void A_sample_in_an_interrupt_shows_nothing_of_the_thread()
    {
        MadeMachine machine = Raised();
        machine.Sample(1, 650, Alpha, Holder);
        machine.Ran(1, 600, 700, Alpha, LevelKind.Isr);
        End(machine, 900, 880);
        HolderStretch? found = Find(machine);
        Assert.Equal((2, 2), (found!.Owner!.Samples, found.Owner.SamplesAsked));
    }

    [Fact]
    public void Samples_of_long_ago_show_nothing_of_a_thread()
    {
        var machine = new MadeMachine();
        Fill(machine, Alpha, 5);
        machine.Switch(1, 100, 5, Holder);
        machine.Sample(1, 500, Beta, Holder);
        End(machine, 900, 880);
        Assert.Equal((100, 900, "beta.sys"), Told(machine));
    }

    [Fact]
    public void Nor_do_they_show_that_it_goes_on()
    {
        MadeMachine machine = new();
        Fill(machine, Beta, 5);
        machine.Switch(1, 100, 5, Holder);
        machine.Sample(1, 500, Beta, Holder);
        Assert.Equal((Latest, false), Ended(machine));
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(false, false)]
    public void Code_of_the_kernel_for_a_driver_holds_only_where_its_end_is_seen(bool isSeen, bool isFound)
    {
        var machine = new MadeMachine();
        machine.Switch(1, 100, 5, Holder);
        machine.Sample(1, 500, Kernel, Holder, Beta, Kernel);
        if (isSeen)
        {
            End(machine, 900, 880);
        }

        HolderStretch? found = Find(machine);
        Assert.Equal(isFound, found is not null);
        Assert.False(found?.IsOwnCode ?? false);
    }

    [Theory]
    [InlineData(904, true)]
    [InlineData(905, false)]
    [InlineData(1_000, false)]
    public void What_goes_on_behind_the_wait_did_not_end(long sample, bool isFound)
    {
        MadeMachine machine = Raised();
        machine.Sample(1, sample, sample < Latest ? Kernel : Beta, Holder, Beta, Kernel);
        Assert.Equal(isFound, Find(machine) is not null);
    }

    [Theory]
    [InlineData(Alpha)]
    [InlineData(User)]
    public void What_the_next_sample_shows_elsewhere_did_end(ulong code)
    {
        MadeMachine machine = Raised();
        machine.Sample(1, 1_000, code, Holder);
        Assert.Equal((Latest, false), Ended(machine));
    }

    [Theory]
    [InlineData(880, 890, false, true)]
    [InlineData(990, 1_010, false, true)]
    [InlineData(1_000, 1_000, false, false)]
    [InlineData(990, 995, true, false)]
    public void A_DPC_before_the_next_sample_shows_that_it_ended(long from, long to, bool isIsr, bool isFound)
    {
        MadeMachine machine = Raised();
        machine.Sample(1, 1_000, Beta, Holder);
        machine.Ran(1, from, to, Alpha, isIsr ? LevelKind.Isr : LevelKind.TimerDpc);
        Assert.Equal(isFound, Find(machine) is not null);
    }

    [Theory]
    [InlineData(879, false)]
    [InlineData(880, true)]
    public void Another_thread_in_the_same_driver_is_other_work(long since, bool isFound)
    {
        var machine = new MadeMachine();
        machine.Switch(1, 100, 5, since < Earliest ? 5 : Holder);
        if (since < Earliest)
        {
            machine.Switch(1, 150, 5, Holder);
        }

        machine.Sample(1, 500, Beta, Holder);
        if (since >= Earliest)
        {
            machine.Switch(1, since, Holder, 88);
        }

        machine.Sample(1, 1_000, Beta, 88);
        Assert.Equal(isFound, Find(machine) is not null);
    }

    [Fact]
    public void A_thread_that_ran_since_before_the_trace_goes_on_as_well()
    {
        var machine = new MadeMachine();
        machine.Sample(1, 500, Beta, Holder);
        machine.Sample(1, 1_000, Beta, Holder);
        machine.Switch(1, 2_000, Holder, 88);
        Assert.Null(Find(machine));
    }

    [Fact]
    public void A_seen_end_counts_more_than_one_that_is_not()
    {
        var machine = new MadeMachine(4);
        foreach (int cpu in new[] { 1, 2 })
        {
            machine.Switch(cpu, 100, 5, Holder);
            machine.Sample(cpu, 500, Alpha, Holder);
        }

        Assert.Null(Find(machine));
        machine.Ran(3, 150, 900, Beta);
        Assert.Equal((150, 900, "beta.sys"), Told(machine));
    }

    [Fact]
    public void Of_two_that_end_alike_neither_is_told()
    {
        var machine = new MadeMachine(4);
        machine.Ran(1, 150, 900, Alpha);
        Assert.NotNull(Find(machine));
        machine.Ran(2, 150, 900, Beta);
        Assert.Null(Find(machine));
        machine.Switch(3, 100, 5, Holder);
        machine.Sample(3, 500, Beta, Holder);
        Assert.Null(Find(machine));
    }

    private static HolderStretch? Find(MadeMachine machine, WaitKind kind = WaitKind.Lock) =>
        machine.Holders().Find(machine[0], StartedBy, Earliest, Latest, kind);

    private static (long From, long To, string Owner)? Told(MadeMachine machine) =>
        Find(machine) is { Owner.Owner: { } owner } found ? (found.FromTicks, found.ToTicks, owner.Name) : null;

    private static (long To, bool IsSeen)? Ended(MadeMachine machine) =>
        Find(machine) is { Owner.Owner.Name: "beta.sys" } found ? (found.ToTicks, found.IsEndSeen) : null;

    /// <summary>A thread runs in beta.sys.</summary>
    private static MadeMachine Raised(long since = 100)
    {
        var machine = new MadeMachine();
        machine.Switch(1, since, 5, Holder);
        machine.Sample(1, 300, Beta, Holder);
        machine.Sample(1, 500, Beta, Holder);
        return machine;
    }

    /// <summary>A DPC that was pending is let in.</summary>
    private static void End(MadeMachine machine, long at, long queued)
    {
        machine.Queued(1, queued, at, Alpha);
        machine.Ran(1, at, at + 5, Alpha);
    }

    /// <summary>As many samples long ago as are kept.</summary>
    private static void Fill(MadeMachine machine, ulong code, uint thread)
    {
        for (int i = 0; i < 1024; i++)
        {
            machine.Sample(1, -9_000 + i, code, thread);
        }
    }
}
