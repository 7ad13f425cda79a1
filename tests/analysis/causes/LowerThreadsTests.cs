using Tracer.Analysis.Causes;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using static Tracer.Analysis.Tests.Causes.MadeMachine;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>Whose code kept a thread of lower priority on CPU 0 from 1000 to 2000, in microseconds.</summary>
public class LowerThreadsTests
{
    private const long From = 1_000;
    private const long To = 2_000;
    private const uint Lower = 77;

    [Theory]
    [InlineData(1_500, 0, 1_000L, 1_000)]
    [InlineData(1_500, 400, 1_000L, 1_000)]
    [InlineData(1_500, 300, 1_125L, 750)]
    [InlineData(2_000, 400, 1_500L, 500)]
    [InlineData(1_000, 400, 1_000L, 500)]
    [InlineData(2_001, 400, null, 0)]
    [InlineData(999, 400, 1_000L, 499)]
    [InlineData(600, 400, 1_000L, 100)]
    [InlineData(599, 400, null, 0)]
    [InlineData(999, 0, null, 0)]
    public void A_sample_shows_an_interval_and_a_quarter_around_it(long sample, long interval, long? at, long ticks)
    {
        MadeMachine machine = Made();
        machine.Sample(0, sample, Alpha, Lower);
        Assert.Equal(at is { } first ? [("alpha.sys", first, ticks)] : [], Told(machine, interval));
    }

    [Theory]
    [InlineData(900, 900, Lower, true, true)]
    [InlineData(900, 901, Lower, true, false)]
    [InlineData(900, 500, 78, true, false)]
    [InlineData(900, 500, Lower, false, false)]
    public void A_sample_just_before_must_be_of_the_same_run(long sample, long since, uint thread, bool isKnown, bool isFound)
    {
        var machine = new MadeMachine();
        machine.Switch(0, since, 5, Lower);
        machine[0].Runs[machine[0].Runs.Next - 1].IsKnown = isKnown;
        machine.Sample(0, sample, Alpha, thread);
        Assert.Equal(isFound ? [("alpha.sys", 1_000, 25)] : [], Told(machine, 100));
    }

    [Fact]
    public void The_first_thread_that_is_known_had_been_running_before()
    {
        var machine = new MadeMachine();
        machine.Sample(0, 950, Alpha, Lower);
        machine.Switch(0, 3_000, Lower, 0);
        Assert.Equal([("alpha.sys", 1_000, 75)], Told(machine, 100));
    }

    [Fact]
    public void Without_records_of_switches_a_sample_before_shows_nothing()
    {
        var machine = new MadeMachine();
        machine.Sample(0, 950, Alpha, Lower);
        Assert.Empty(Told(machine, 100));
    }

    [Fact]
    public void A_sample_just_before_in_an_interrupt_shows_nothing()
    {
        MadeMachine machine = Made();
        machine.Sample(0, 950, Alpha, Lower);
        machine.Ran(0, 940, 960, Beta, LevelKind.Isr);
        Assert.Empty(Told(machine, 100));
    }

    [Fact]
    public void Samples_of_long_ago_show_nothing()
    {
        MadeMachine machine = Made();
        for (int i = 0; i < 1024; i++)
        {
            machine.Sample(0, -9_000 + i, Beta, Lower);
        }

        Assert.Empty(Told(machine, 400));
        machine.Sample(0, 1_500, Alpha, Lower);
        Assert.Equal([("alpha.sys", 1_125, 750)], Told(machine, 300));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void What_begins_when_the_wait_ends_ends_no_code_within_it(bool isDpc)
    {
        MadeMachine machine = Made();
        machine.Sample(0, To, Alpha, Lower);
        if (isDpc)
        {
            machine.Ran(0, To, 2_100, Beta);
        }
        else
        {
            machine.Switch(0, To, Lower, 78);
        }

        Assert.Equal([("alpha.sys", 1_500, 500)], Told(machine, 400));
    }

    [Theory]
    [InlineData(1_300, 1_250, 1_350, 1_050, 700)]
    [InlineData(1_700, 1_650, 1_750, 1_250, 700)]
    [InlineData(1_300, 1_300, 1_350, 1_400, 350)]
    [InlineData(1_300, 1_250, 1_300, 1_400, 350)]
    public void Each_sample_that_hit_an_interrupt_is_one_interval_more(long other, long from, long to, long at, long ticks)
    {
        MadeMachine machine = Made();
        if (other < 1_500)
        {
            machine.Sample(0, other, Beta, Lower);
            machine.Ran(0, from, to, Beta, LevelKind.Isr);
        }

        machine.Sample(0, 1_500, Alpha, Lower);
        if (other > 1_500)
        {
            machine.Sample(0, other, Beta, Lower);
            machine.Ran(0, from, to, Beta, LevelKind.Isr);
        }

        Assert.Equal(
            (at, ticks),
            Told(machine, 200).Where(told => told.Owner == "alpha.sys").Select(told => (told.At, told.Ticks)).Single());
    }

    [Theory]
    [InlineData(1_400, true)]
    [InlineData(1_401, false)]
    [InlineData(1_499, false)]
    [InlineData(1_500, true)]
    public void A_sample_between_the_ends_of_an_interrupt_shows_nothing_of_the_thread(long sample, bool isFound)
    {
        MadeMachine machine = Made();
        machine.Sample(0, sample, Alpha, Lower);
        machine.Ran(0, 1_400, 1_500, Beta, LevelKind.Isr);
        Assert.Equal(isFound ? ["alpha.sys"] : [], Told(machine, 0).Select(told => told.Owner));
    }

    [Theory]
    [InlineData(1_399, true)]
    [InlineData(1_400, false)]
    [InlineData(1_410, false)]
    [InlineData(1_411, true)]
    public void A_sample_right_behind_a_blackout_belongs_to_it(long sample, bool isFound)
    {
        MadeMachine machine = Made();
        machine.Sample(0, sample, Alpha, Lower);
        Assert.Equal(isFound ? ["alpha.sys"] : [], Told(machine, 0, blackout: MadeBlackout(1_240, 1_400)).Select(told => told.Owner));
    }

    [Theory]
    [InlineData(true, false, false, Mechanism.Dpc)]
    [InlineData(false, true, false, Mechanism.Isr)]
    [InlineData(true, false, true, null)]
    [InlineData(false, true, true, null)]
    [InlineData(false, false, true, Mechanism.RaisedIrql)]
    public void Flags_of_samples_tell_the_level_where_no_records_do(bool isDpc, bool isIsr, bool hasLevels, Mechanism? mechanism)
    {
        MadeMachine machine = Made();
        machine.Take(0, Hit(1_500, Alpha) with { IsInDpc = isDpc, IsInIsr = isIsr });
        Assert.Equal(mechanism is { } one ? [one] : [], Shares(machine, 0, hasLevels).Select(share => share.Mechanism));
    }

    [Fact]
    public void Code_of_the_idle_thread_and_of_processes_is_not_told()
    {
        MadeMachine machine = Made();
        machine.Take(0, Hit(1_200, Alpha) with { ThreadId = 0 });
        machine.Take(0, Hit(1_500, User));
        Assert.Empty(Told(machine, 0));
    }

    [Fact]
    public void Each_driver_has_the_half_of_the_time_in_between()
    {
        MadeMachine machine = Made();
        machine.Sample(0, 1_200, Alpha, Lower);
        machine.Sample(0, 1_400, Beta, Lower);
        machine.Sample(0, 1_600, Alpha, Lower);
        List<CauseShare> shares = Shares(machine, 400);
        Assert.Equal([("alpha.sys", 1_000, 800), ("beta.sys", 1_300, 200)], shares.Select(Told));
        Assert.Equal([(2, 2), (1, 1)], shares.Select(share => (share.Owner!.Samples, share.Owner.SamplesAsked)));
        Assert.Equal(
            [(1_000, 1_300), (1_500, 2_000), (1_300, 1_500)],
            shares.SelectMany(share => share.Stretches).Select(stretch => (stretch.FromTicks, stretch.ToTicks)));
    }

    [Fact]
    public void Only_the_stretches_in_which_it_ran_are_its_own()
    {
        MadeMachine machine = Made();
        machine.Sample(0, 1_200, Alpha, Lower);
        machine.Sample(0, 1_400, Beta, Lower);
        List<CauseShare> shares = Shares(machine, 0, hasLevels: true, null, (1_000, 1_100), (1_250, 1_300), (1_350, 1_600), (1_900, 2_000));
        Assert.Equal([("alpha.sys", 1_000, 150), ("beta.sys", 1_350, 350)], shares.Select(Told));
        Assert.Equal(
            [(1_000, 1_100), (1_250, 1_300), (1_350, 1_600), (1_900, 2_000)],
            shares.SelectMany(share => share.Stretches).Select(stretch => (stretch.FromTicks, stretch.ToTicks)));
        Assert.All(shares.SelectMany(share => share.Stretches), stretch => Assert.Equal(stretch.FromTicks, stretch.SinceTicks));
    }

    [Fact]
    public void A_stretch_that_begins_where_anothers_code_does_is_all_its()
    {
        MadeMachine machine = Made();
        machine.Sample(0, 1_200, Alpha, Lower);
        machine.Sample(0, 1_400, Beta, Lower);
        List<CauseShare> shares = Shares(machine, 0, hasLevels: true, null, (1_000, 1_100), (1_300, 1_600));
        Assert.Equal([("alpha.sys", 1_000, 100), ("beta.sys", 1_300, 300)], shares.Select(Told));
        Assert.All(shares, share => Assert.Single(share.Stretches));
    }

    [Fact]
    public void Samples_of_later_show_nothing()
    {
        MadeMachine machine = Made();
        for (int i = 0; i < 1_100; i++)
        {
            machine.Sample(0, 2_100 + i, Alpha, Lower);
        }

        Assert.Empty(Told(machine, 100));
    }

    [Fact]
    public void Where_no_lower_thread_ran_nothing_is_told()
    {
        MadeMachine machine = Made();
        machine.Sample(0, 1_500, Alpha, Lower);
        var lower = new LowerThreads(machine.Owners.Search, machine.Owners.Modules, machine.Owners.Kernel, hasLevels: true);
        List<CauseShare> shares = [];
        lower.AddShares(shares, new CauseSums(), machine[0], From, To, 400, [], CodeLevel.Thread);
        lower.Add(1_000, 2_000);
        lower.Clear();
        lower.AddShares(shares, new CauseSums(), machine[0], From, To, 400, [], CodeLevel.Thread);
        lower.Add(1_000, 1_100);
        lower.AddShares(shares, new CauseSums(), machine[0], From, To, 100, [], CodeLevel.Thread);
        Assert.Empty(shares);
    }

    [Theory]
    [InlineData(1_874, false)]
    [InlineData(1_875, true)]
    [InlineData(2_000, true)]
    public void A_CPU_is_silent_that_logs_nothing_up_to_a_sample_in_the_last_eighth(long sample, bool isSilent)
    {
        MadeMachine machine = Made();
        machine.Sample(0, sample, Alpha, Lower);
        Assert.Equal([isSilent], Shares(machine, 0).Select(share => ((CodeSampled)share.Detail!).IsSilent));
    }

    [Fact]
    public void A_record_in_between_shows_that_it_is_not_silent()
    {
        MadeMachine machine = Made();
        machine.Ran(0, 1_400, 1_410, Beta, LevelKind.Isr);
        machine.Sample(0, 1_990, Alpha, Lower);
        Assert.Equal([false], Shares(machine, 0).Select(share => ((CodeSampled)share.Detail!).IsSilent));
    }

    [Fact]
    public void What_was_silent_is_told_apart_from_what_was_not()
    {
        MadeMachine machine = Made();
        machine.Sample(0, 1_100, Alpha, Lower);
        machine.Sample(0, 1_990, Alpha, Lower);
        Assert.Equal(
            [(1_000, 545, false), (1_545, 455, true)],
            Shares(machine, 0).Select(share => (share.AtTicks, share.Ticks, ((CodeSampled)share.Detail!).IsSilent)));
    }

    [Fact]
    public void So_is_what_masked_interrupts_and_what_ran_at_another_level()
    {
        MadeMachine machine = Made();
        machine.Take(0, Hit(1_200, Alpha) with { IsMasked = true });
        machine.Take(0, Hit(1_400, Alpha));
        machine.Take(0, Hit(1_600, Alpha) with { IsInDpc = true });
        Assert.Equal(
            [(Mechanism.RaisedIrql, true, 300), (Mechanism.RaisedIrql, false, 200), (Mechanism.Dpc, false, 500)],
            Shares(machine, 0, hasLevels: false)
                .Select(share => (share.Mechanism, ((CodeSampled)share.Detail!).IsMasked, share.Ticks)));
    }

    [Fact]
    public void Code_whose_caller_is_not_known_stands_for_its_image_alone()
    {
        MadeMachine machine = Made();
        machine.Take(0, Hit(1_200, Framework));
        machine.Take(0, Hit(1_400, Kernel));
        machine.Take(0, Hit(1_600, Framework));
        machine.Take(0, Hit(1_800, 0xFFFFF800_70000000));
        List<CauseShare> shares = Shares(machine, 0);
        Assert.Equal(
            [("ndis.sys", 500), ("ntoskrnl.exe", 200)], shares.Select(share => (share.Owner!.Behind!.Name, share.Ticks)));
        Assert.All(shares, share => Assert.Null(share.Owner!.Owner));
    }

    private static CpuSample Hit(long at, ulong code) => new() { Ticks = at, Instruction = code + 0x120, ThreadId = Lower };

    private static MadeMachine Made()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Lower);
        return machine;
    }

    private static (string Owner, long At, long Ticks) Told(CauseShare share) => (share.Owner!.Owner!.Name, share.AtTicks, share.Ticks);

    private static List<(string Owner, long At, long Ticks)> Told(MadeMachine machine, long interval, Blackout? blackout = null) =>
        [.. Shares(machine, interval, hasLevels: true, blackout).Select(Told)];

    private static List<CauseShare> Shares(
        MadeMachine machine, long interval, bool hasLevels = true, Blackout? blackout = null, params (long From, long To)[] ran)
    {
        var lower = new LowerThreads(machine.Owners.Search, machine.Owners.Modules, machine.Owners.Kernel, hasLevels);
        foreach ((long from, long to) in ran.Length > 0 ? ran : [(From, To)])
        {
            lower.Add(from, to);
        }

        List<CauseShare> shares = [];
        lower.AddShares(
            shares, new CauseSums(), machine[0], From, To, interval, blackout is null ? [] : [blackout], CodeLevel.Thread);
        return shares;
    }
}
