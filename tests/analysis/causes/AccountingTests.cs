using Tracer.Analysis.Causes;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using static Tracer.Analysis.Tests.Causes.MadeMachine;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>What CPU 0 did from 1000 to 2000, in microseconds, while thread 120 of priority 16 waited for it.</summary>
public class AccountingTests
{
    private const long From = 1_000;
    private const long To = 2_000;
    private const int Priority = 16;
    private const uint Victim = 120;
    private const uint Other = 77;
    private const uint Worker = 7;

    [Theory]
    [InlineData(Other, 16, true, 1_000)]
    [InlineData(Other, 15, true, 0)]
    [InlineData(Other, 20, false, 0)]
    [InlineData(Victim, 20, true, 0)]
    public void A_thread_of_as_high_a_priority_keeps_the_victim_waiting(uint thread, sbyte priority, bool isKnown, long ticks)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, thread, priority);
        machine[0].Runs[machine[0].Runs.Next - 1].IsKnown = isKnown;
        Assert.Equal(ticks > 0 ? [(Mechanism.Thread, 1_000, ticks)] : [], Told(machine));
    }

    [Theory]
    [InlineData(3_000, 1_000)]
    [InlineData(1_500, 500)]
    public void A_thread_that_ran_when_the_records_began_is_not_forgotten(long until, long ticks)
    {
        var machine = new MadeMachine();
        machine.Switch(0, until, Other, 0);
        machine[0].Runs[0].Priority = 20;
        Assert.Equal([(Mechanism.Thread, 1_000, ticks)], Told(machine));
    }

    [Fact]
    public void A_lock_that_the_idle_thread_waits_for_is_not_what_the_victim_waits_for()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        Hold(machine, 2, cpu: 1, 1_050, 1_799, waited: 0);
        Hold(machine, 2, cpu: 0, 1_800, 1_810, waited: 650);
        Assert.Empty(Told(machine));
        machine.Switch(0, 1_400, 0, Other);
        Assert.Equal([(Mechanism.SpinWait, 1_400, 399)], Told(machine));
    }

    [Fact]
    public void Without_records_of_levels_idle_time_before_the_call_is_searched_as_well()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Switch(0, 1_200, 0, Other, 20);
        machine.Switch(0, 1_300, Other, 0);
        machine.Idle(0, 1_300, IdleEventKind.Enter, 3);
        machine.Idle(0, 1_500, IdleEventKind.Exit, 3);
        machine.Take(0, new CpuSample { Ticks = 1_100, Instruction = Alpha, IsInDpc = true });
        List<CauseShare> shares =
            machine.Accounting(hasLevels: false).Of(machine[0], From, To, Priority, 0, Victim, calledTicks: 1_300);
        Assert.Equal([(Mechanism.Dpc, 1_000, 200), (Mechanism.Thread, 1_200, 100), (Mechanism.IdleExit, 1_300, 200)], shares.Select(Told));
    }

    [Fact]
    public void Where_no_thread_waits_none_was_passed_over()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Switch(0, 1_400, 0, Other);
        var idle = new IdleElsewhere([new TickSpan(From, To)], [new TickSpan(From, To)]);
        Assert.Empty(machine.Accounting().Of(machine[0], From, To, Priority, 0, victim: null, idleElsewhere: idle));
    }

    [Fact]
    public void The_last_of_many_threads_runs_on()
    {
        var machine = new MadeMachine();
        for (int i = 0; i < 300; i++)
        {
            machine.Switch(0, -9_000 + i, Other, Other, 20);
        }

        Assert.Equal([(Mechanism.Thread, 1_000, 1_000)], Told(machine));
    }

    [Fact]
    public void Time_before_the_oldest_record_is_nobodys()
    {
        var machine = new MadeMachine();
        for (int i = 0; i < 300; i++)
        {
            machine.Switch(0, 1_500 + i, Other, Other, 20);
        }

        long oldest = machine[0].Runs[machine[0].Runs.First].StartTicks;
        Assert.True(oldest > 1_500);
        Assert.Equal([(Mechanism.Thread, oldest, To - oldest)], Told(machine));
    }

    [Fact]
    public void Without_records_of_switches_samples_still_show_code()
    {
        var machine = new MadeMachine();
        machine.Sample(0, 1_500, Alpha, Other);
        Assert.Equal([(Mechanism.RaisedIrql, 1_000, 1_000)], Told(machine));
    }

    [Fact]
    public void Idle_time_is_nobodys_unless_levels_were_not_recorded()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Take(0, new CpuSample { Ticks = 1_500, Instruction = Alpha, IsInDpc = true });
        Assert.Empty(Told(machine));
        Assert.Equal([(Mechanism.Dpc, 1_000, 1_000)], Told(machine, hasLevels: false));
    }

    [Fact]
    public void What_the_budget_does_not_allow_is_not_searched()
    {
        var machine = new MadeMachine(records: 1);
        machine.Switch(0, 500, 5, Other, 20);
        machine.Switch(0, 1_500, Other, Other, 20);
        Assert.Empty(Told(machine));
        Assert.Equal(1, machine.Budget.Refused);
    }

    [Fact]
    public void Each_record_is_paid_for_once_for_the_stretch_and_once_for_each_blackout()
    {
        var machine = new MadeMachine();
        machine.Ran(0, 1_100, 1_200, Alpha);
        machine.Ran(0, 1_300, 1_400, Alpha);
        machine.Blackouts.Add(MadeBlackout(1_500, 1_600));
        var idle = new IdleElsewhere([new TickSpan(1_700, 1_800), new TickSpan(1_850, 1_900)], [new TickSpan(1_700, 1_800)]);
        machine.Accounting().Of(machine[0], From, To, Priority, 0, Victim, idleElsewhere: idle);
        Assert.Equal(((1 + 2) * (1 + 1)) + 2 + 1, machine.Budget.Records);
    }

    [Theory]
    [InlineData(1_000, true)]
    [InlineData(2_000, true)]
    [InlineData(999, false)]
    [InlineData(2_001, false)]
    public void A_thread_of_the_system_is_the_drivers_whose_code_it_runs(long sample, bool isFound)
    {
        MadeMachine machine = Working();
        machine.Sample(0, sample, Alpha, Worker);
        Assert.Equal(isFound ? ("alpha.sys", 1, 1) : null, Driver(machine));
    }

    [Fact]
    public void More_than_half_of_its_samples_must_show_it()
    {
        MadeMachine machine = Working();
        machine.Sample(0, 1_200, Alpha, Worker);
        machine.Sample(0, 1_300, Kernel, Worker);
        Assert.Null(Driver(machine));
        machine.Sample(0, 1_400, Alpha, Worker);
        Assert.Equal(("alpha.sys", 2, 3), Driver(machine));
        machine.Sample(0, 1_500, Beta, Worker);
        Assert.Null(Driver(machine));
    }

    [Fact]
    public void Samples_of_others_and_of_interrupts_do_not_count()
    {
        MadeMachine machine = Working();
        machine.Sample(0, 1_200, Alpha, Worker);
        machine.Sample(0, 1_300, Beta, Other);
        machine.Take(0, new CpuSample { Ticks = 1_400, Instruction = Beta, ThreadId = Worker, IsInDpc = true });
        machine.Take(0, new CpuSample { Ticks = 1_500, Instruction = Beta, ThreadId = Worker, IsInIsr = true });
        Assert.Equal(("alpha.sys", 1, 1), Driver(machine));
    }

    [Fact]
    public void The_kernels_own_code_in_it_is_no_driver()
    {
        MadeMachine machine = Working();
        machine.Sample(0, 1_200, Kernel, Worker, Kernel, Kernel);
        Assert.Null(Driver(machine));
    }

    [Fact]
    public void Samples_of_long_ago_say_nothing_of_it()
    {
        MadeMachine machine = Working();
        for (int i = 0; i < 1024; i++)
        {
            machine.Sample(0, -9_000 + i, Beta, Worker);
        }

        Assert.Null(Driver(machine));
        machine.Sample(0, 1_500, Alpha, Worker);
        Assert.Equal(("alpha.sys", 1, 1), Driver(machine));
    }

    [Fact]
    public void A_thread_of_a_process_has_no_driver()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Other, 20);
        machine.Sample(0, 1_200, Alpha, Other);
        Assert.Null(Driver(machine));
    }

    [Theory]
    [InlineData(20, 0, true, 1_000L, 200, 1_200L, 600)]
    [InlineData(8, 0, true, null, 0, 1_000L, 800)]
    [InlineData(20, 1, true, 1_000L, 1_000, null, 0)]
    [InlineData(20, 1, false, 1_000L, 1_000, null, 0)]
    [InlineData(8, 1, false, null, 0, null, 0)]
    public void A_blackout_takes_a_threads_time_from_its_likely_start(
        sbyte priority, int cpu, bool isAlive, long? threadAt, long threadFirst, long? stopAt, long stopped)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Other, priority);
        machine.Blackouts.Add(Slow(cpu, isAlive));
        List<CauseShare> shares = Shares(machine);
        CauseShare? blackout = shares.Find(share => share.Mechanism == Mechanism.Blackout);
        CauseShare? thread = shares.Find(share => share.Mechanism == Mechanism.Thread);
        Assert.Equal((stopAt, stopped), (blackout?.AtTicks, blackout?.Ticks ?? 0));
        Assert.Equal((threadAt, threadFirst), (thread?.AtTicks, thread?.Stretches[0].Ticks ?? 0));
        Assert.Equal(priority >= Priority ? To - From - stopped : 0, thread?.Ticks ?? 0);
    }

    [Fact]
    public void A_blackout_of_another_CPU_keeps_an_idle_one_where_nothing_shows_life()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Blackouts.Add(Slow(cpu: 1, isAlive: false));
        Assert.Equal([(Mechanism.Blackout, 1_000, 800)], Told(machine));
    }

    [Fact]
    public void A_blackout_that_is_not_sure_counts_for_an_idle_CPU_alone()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Other, 20);
        machine.Ran(0, 1_200, 1_400, Alpha);
        machine.Blackouts.Add(MadeBlackout(1_000, 2_000, isTentative: true));
        Assert.Equal([(Mechanism.Thread, 1_000, 800), (Mechanism.Dpc, 1_200, 200)], Told(machine));
        Assert.All(Shares(machine), share => Assert.Null(share.Blackout));
    }

    [Theory]
    [InlineData(1_400, 400)]
    [InlineData(2_000, 1_000)]
    public void Where_it_is_not_confirmed_it_was_the_way_out_of_an_idle_state(long exit, long ticks)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Idle(0, 510, IdleEventKind.Enter, 3);
        machine.Idle(0, exit, IdleEventKind.Exit, 3);
        machine.Blackouts.Add(MadeBlackout(1_000, 2_000, isTentative: true));
        CauseShare share = Assert.Single(Shares(machine));
        Assert.Equal((Mechanism.Blackout, 1_000), (share.Mechanism, share.Ticks));
        Assert.Equal((Mechanism.IdleExit, 1_000, ticks), (share.Otherwise!.Mechanism, share.Otherwise.AtTicks, share.Otherwise.Ticks));
        machine.Blackouts.Found[0].IsTentative = false;
        Assert.Null(Assert.Single(Shares(machine)).Otherwise);
    }

    [Fact]
    public void What_of_the_exit_lies_before_a_blackout_is_the_exits()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Idle(0, 510, IdleEventKind.Enter, 3);
        machine.Idle(0, 1_400, IdleEventKind.Exit, 3);
        machine.Blackouts.Add(MadeBlackout(1_300, 1_900, isTentative: true));
        List<CauseShare> shares = Shares(machine);
        Assert.Equal([(Mechanism.IdleExit, 1_000, 300), (Mechanism.Blackout, 1_300, 600)], shares.Select(Told));
        Assert.Equal(100, shares[1].Otherwise!.Ticks);
    }

    [Theory]
    [InlineData(3, true, false, Confidence.Likely)]
    [InlineData(1, true, false, Confidence.Possible)]
    [InlineData(3, false, false, Confidence.Possible)]
    [InlineData(3, true, true, null)]
    public void Records_of_a_deep_state_make_its_exit_likely(uint state, bool isRecorded, bool isAwake, Confidence? confidence)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        if (isRecorded)
        {
            machine.Idle(0, 510, IdleEventKind.Enter, state);
            machine.Idle(0, 1_400, IdleEventKind.Exit, state);
        }

        machine.Switch(0, 1_400, 0, Victim, 16, idleState: (byte)state);
        List<CauseShare> shares = machine.Accounting().Of(machine[0], From, To, Priority, 0, Victim, isAwake: isAwake);
        Assert.Equal(
            confidence is { } atMost ? [(Mechanism.IdleExit, 1_000, 400, atMost)] : [],
            shares.Select(share => (
                share.Mechanism, share.AtTicks, share.Ticks, MechanismPages.Of(share.Mechanism).AtMost(share, isOfHog: false))));
    }

    [Fact]
    public void An_exit_counts_from_when_the_CPU_was_called()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Other, 20);
        machine.Switch(0, 1_100, Other, 0);
        machine.Idle(0, 1_100, IdleEventKind.Enter, 3);
        machine.Idle(0, 1_600, IdleEventKind.Exit, 3);
        List<CauseShare> shares = machine.Accounting().Of(machine[0], From, To, Priority, 0, Victim, calledTicks: 1_250);
        Assert.Equal([(Mechanism.Thread, 1_000, 100), (Mechanism.IdleExit, 1_250, 350)], shares.Select(Told));
    }

    [Theory]
    [InlineData(1_000, 1_000, null, 0)]
    [InlineData(1_001, 1_000, 1_001L, 999)]
    [InlineData(1_400, 1_400, null, 0)]
    [InlineData(1_401, 1_400, 1_401L, 599)]
    public void A_lower_thread_that_was_chosen_while_others_idle_shows_where_the_victim_stood(long since, long called, long? at, long ticks)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Switch(0, since, 0, Other);
        var idle = new IdleElsewhere([new TickSpan(From, To)], [new TickSpan(From, To)]);
        List<CauseShare> shares =
            machine.Accounting().Of(machine[0], From, To, Priority, 0, Victim, idleElsewhere: idle, calledTicks: called);
        Assert.Equal(at is { } first ? [(Mechanism.Scheduler, first, ticks)] : [], shares.Select(Told));
    }

    [Fact]
    public void Behind_a_thread_while_others_idle_it_is_the_schedulers_choice()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Other, 20);
        var idle = new IdleElsewhere([new TickSpan(1_200, 1_600)], [new TickSpan(1_400, 1_600)]);
        List<CauseShare> shares = machine.Accounting().Of(machine[0], From, To, Priority, 0, Victim, idleElsewhere: idle);
        Assert.Equal(
            [(Mechanism.Thread, 1_000, 600), (Mechanism.Scheduler, 1_200, 200), (Mechanism.Scheduler, 1_400, 200)],
            shares.Select(Told));
        Assert.Equal([new NotChosen(Other, 20, true), new NotChosen(Other, 20, false)], shares.Skip(1).Select(share => share.Detail));
    }

    [Fact]
    public void Neither_the_victim_nor_an_unknown_thread_nor_a_blackout_is_a_choice()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Other, 20);
        machine.Switch(0, 1_200, Other, Victim, 16);
        machine.Switch(0, 1_400, Victim, 0);
        machine.Switch(0, 1_600, 0, 78);
        machine[0].Runs[machine[0].Runs.Next - 1].IsKnown = false;
        machine.Blackouts.Add(MadeBlackout(900, 1_300));
        var idle = new IdleElsewhere([new TickSpan(From, To)], [new TickSpan(From, To)]);
        List<CauseShare> shares = machine.Accounting().Of(machine[0], From, To, Priority, 0, Victim, idleElsewhere: idle);
        Assert.Equal([(Mechanism.Blackout, 1_000, 300)], shares.Select(Told));
    }

    [Fact]
    public void Each_of_two_waits_within_one_another_ends_by_itself()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Ran(0, 1_300, 1_500, Alpha, LevelKind.Isr);
        machine.Ran(0, 1_100, 1_900, Alpha);
        Hold(machine, 1, cpu: 1, 1_300, 1_399, waited: 0);
        Hold(machine, 1, cpu: 0, 1_400, 1_410, waited: 90);
        Hold(machine, 2, cpu: 1, 1_050, 1_799, waited: 0);
        Hold(machine, 2, cpu: 0, 1_800, 1_810, waited: 650);
        List<CauseShare> shares = Shares(machine);
        Assert.Equal(
            [(Mechanism.Dpc, 1_100, 151), (Mechanism.SpinWait, 1_150, 449), (Mechanism.Isr, 1_300, 111), (Mechanism.SpinWait, 1_310, 89)],
            shares.OrderBy(share => share.AtTicks).Select(Told));
        Assert.All(
            shares.Where(share => share.Mechanism == Mechanism.SpinWait), share => Assert.Equal("beta.sys", share.Owner!.Owner!.Name));
    }

    /// <summary>An ISR that ended less than 16 ms before a DPC began tells how fast the CPU was then.</summary>
    [Theory]
    [InlineData(4_000, 0)]
    [InlineData(4_001, 1)]
    public void Isrs_within_sixteen_milliseconds_are_near(long ended, int runs)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Ran(0, ended - 10, ended, Beta, LevelKind.Isr);
        machine.Ran(0, 20_000, 20_300, Alpha);
        CauseShare share = Assert.Single(machine.Accounting().Of(machine[0], 20_000, 20_300, WaitedCpu.AboveThreads, 0, victim: null));
        Assert.Equal(runs, ((RoutineRan)share.Detail!).Near.Sum(near => near.Runs));
    }

    [Fact]
    public void Pieces_of_one_run_are_one_run()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Ran(0, 1_150, 1_200, Beta, LevelKind.Isr);
        machine.Ran(0, 1_100, 1_300, Alpha);
        machine.Ran(0, 1_400, 1_520, Alpha);
        List<CauseShare> shares = Shares(machine);
        Assert.Equal([(Mechanism.Dpc, 1_100, 270), (Mechanism.Isr, 1_150, 50)], shares.Select(Told));
        Assert.Equal(new RoutineRan(Alpha + 0x100, 2, 0, 150, 0, null), Alone(shares[0]));
        Assert.Equal(
            [(1_100, 1_150), (1_200, 1_300), (1_400, 1_520)],
            shares[0].Stretches.Select(stretch => (stretch.FromTicks, stretch.ToTicks)));
        Assert.Equal([1_100, 1_100, 1_400], shares[0].Stretches.Select(stretch => stretch.SinceTicks));
    }

    [Theory]
    [InlineData(1_400, 0)]
    [InlineData(1_401, 1)]
    [InlineData(1_520, 1)]
    [InlineData(1_521, 0)]
    public void Of_several_runs_the_one_that_completed_most_tells_how_many(long completed, int more)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Ran(0, 1_100, 1_300, Alpha);
        machine.Ran(0, 1_400, 1_520, Alpha);
        foreach (long at in new[] { 1_050, 1_150, 1_160, 1_450, 1_460, completed }.Order())
        {
            machine[0].Completions.Add(new DiskCompletion { Ticks = at });
        }

        Assert.Equal(new RoutineRan(Alpha + 0x100, 2, 0, 200, 2 + more, null), Alone(Assert.Single(Shares(machine))));
    }

    /// <summary>What ran, without what ran near by.</summary>
    private static RoutineRan Alone(CauseShare share) => Assert.IsType<RoutineRan>(share.Detail) with { Near = [], Elsewhere = [] };

    [Fact]
    public void Runs_that_samples_show_at_work_for_others_stand_apart()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Take(0, new CpuSample { Ticks = 1_100, Instruction = Beta, IsInDpc = true });
        machine.Ran(0, 1_100, 1_150, Framework);
        machine.Take(0, new CpuSample { Ticks = 1_250, Instruction = Beta, IsInDpc = true });
        machine.Ran(0, 1_200, 1_250, Framework);
        machine.Ran(0, 1_300, 1_350, Framework);
        List<CauseShare> shares = Shares(machine);
        Assert.Equal([(Mechanism.Dpc, 1_100, 100), (Mechanism.Dpc, 1_200, 50)], shares.Select(Told));
        Assert.Equal([null, "beta.sys"], shares.Select(share => share.Owner!.Owner?.Name));
    }

    [Theory]
    [InlineData(900, 1_000, 0, 1_000)]
    [InlineData(900, 1_001, 1, 999)]
    [InlineData(1_999, 2_100, 1, 999)]
    [InlineData(2_000, 2_100, 0, 1_000)]
    [InlineData(900, 2_100, 1_000, 0)]
    public void A_routine_in_a_thread_is_its_drivers_part_of_it(long from, long to, long ofRoutine, long ofThread)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Other, 20);
        Threaded(machine, from, to, Alpha, Other);
        Threaded(machine, 1_200, 2_200, Beta, 78);
        List<CauseShare> shares = Shares(machine);
        Assert.Equal((ofRoutine, ofThread), (Ticks(shares, "alpha.sys"), Ticks(shares, null)));
        Assert.Equal((ofRoutine > 0 ? 1 : 0) + (ofThread > 0 ? 1 : 0), shares.Count);
    }

    [Fact]
    public void Of_two_routines_in_one_thread_each_has_its_own_part_in_each_piece()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Other, 20);
        machine.Switch(0, 1_400, Other, 0);
        machine.Switch(0, 1_600, 0, Other, 20);
        Threaded(machine, 1_100, 1_200, Alpha, Other);
        Threaded(machine, 1_200, 1_700, Beta, Other);
        List<CauseShare> shares = Shares(machine);
        Assert.Equal((100, 300, 400), (Ticks(shares, "alpha.sys"), Ticks(shares, "beta.sys"), Ticks(shares, null)));
        Assert.Equal([1_000, 1_100, 1_200], shares.Select(share => share.AtTicks));
        Assert.All(shares, share => Assert.Equal(new ThreadRan(Other, 20), share.Detail));
    }

    [Fact]
    public void A_routine_in_the_first_thread_that_is_known_has_its_priority()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 3_000, Other, 0);
        machine[0].Runs[0].Priority = 20;
        Threaded(machine, 900, 2_100, Alpha, Other);
        Assert.Equal(new ThreadRan(Other, 20), Assert.Single(Shares(machine)).Detail);
    }

    [Fact]
    public void What_the_victim_itself_did_kept_it_from_nothing()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Victim, 16);
        machine.Sample(0, 1_500, Alpha, Victim);
        Assert.Empty(Told(machine));
        machine.Switch(0, 1_400, Victim, Other);
        Assert.Equal([(Mechanism.RaisedIrql, 1_400, 600)], Told(machine));
    }

    /// <summary>Without records of what interrupts, a thread's work is the part of its time in which samples hit its program.</summary>
    [Theory]
    [InlineData(999, 0)]
    [InlineData(1_000, 300)]
    [InlineData(2_000, 300)]
    [InlineData(2_001, 0)]
    public void A_threads_work_is_what_samples_of_the_stretch_show(long sample, long own)
    {
        var machine = new MadeMachine();
        machine.Sample(0, sample, User, Other);
        Assert.Equal(own, machine.Accounting(hasLevels: false).OwnTicks(machine[0], Other, From, To, 300));
        Assert.Equal(300, machine.Accounting().OwnTicks(machine[0], Other, From, To, 300));
    }

    [Fact]
    public void Samples_of_others_of_the_kernel_and_of_interrupts_show_no_work_of_the_thread()
    {
        var machine = new MadeMachine();
        machine.Sample(0, 1_100, User, Other);
        machine.Sample(0, 1_200, User, Other);
        machine.Sample(0, 1_300, User, Victim);
        machine.Sample(0, 1_400, Kernel, Other);
        machine.Take(0, new CpuSample { Ticks = 1_500, Instruction = User, ThreadId = Other, IsInDpc = true });
        machine.Take(0, new CpuSample { Ticks = 1_600, Instruction = User, ThreadId = Other, IsInIsr = true });
        Assert.Equal(2_000 / 3, machine.Accounting(hasLevels: false).OwnTicks(machine[0], Other, From, To, 2_000));
        Assert.Equal(long.MaxValue / 3, machine.Accounting(hasLevels: false).OwnTicks(machine[0], Other, From, To, long.MaxValue));
    }

    private static List<CauseShare> Shares(MadeMachine machine, bool hasLevels = true) =>
        machine.Accounting(hasLevels).Of(machine[0], From, To, Priority, 0, Victim);

    private static List<(Mechanism Mechanism, long At, long Ticks)> Told(MadeMachine machine, bool hasLevels = true) =>
        [.. Shares(machine, hasLevels).Select(Told)];

    private static (Mechanism Mechanism, long At, long Ticks) Told(CauseShare share) => (share.Mechanism, share.AtTicks, share.Ticks);

    private static long Ticks(List<CauseShare> shares, string? owner) =>
        shares.Where(share => share.Owner?.Owner?.Name == owner).Sum(share => share.Ticks);

    private static (string Name, int Samples, int Asked)? Driver(MadeMachine machine) =>
        Assert.Single(Shares(machine)).Owner is { Owner: { } owner } found ? (owner.Name, found.Samples, found.SamplesAsked) : null;

    /// <summary>A thread of the system runs all the time.</summary>
    private static MadeMachine Working()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Worker, 20);
        return machine;
    }

    /// <summary>A blackout from 1000 to 1800 that most likely began at 1200.</summary>
    private static Blackout Slow(int cpu, bool isAlive) => new()
    {
        Cpu = cpu,
        FromTicks = 1_000,
        StartTicks = 1_200,
        DueTicks = 1_300,
        ToTicks = 1_800,
        Cpus = 1,
        IsWholeMachine = false,
        IsElsewhereAlive = isAlive,
        Edges = [],
    };

    private static void Hold(MadeMachine machine, ulong address, int cpu, long from, long to, long waited) =>
        machine.State.Locks.Holds.Add(new LockHold
        {
            Lock = address,
            Caller = Beta + 0x100,
            AcquireTicks = from,
            ReleaseTicks = to,
            WaitedTicks = waited,
            Cpu = cpu,
        });

    private static void Threaded(MadeMachine machine, long from, long to, ulong routine, uint thread) =>
        machine[0].ThreadRoutines.Add(
            new ThreadRoutine { StartTicks = from, EndTicks = to, Routine = routine + 0x100, ThreadId = thread });
}
