using Tracer.Analysis.Causes;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Owners;
using static Tracer.Analysis.Tests.Causes.MadeMachine;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>Which stops touch a stretch, and which module is to blame for them.</summary>
public class BlackoutsTests
{
    [Theory]
    [InlineData(100, 200, 0, false, false)]
    [InlineData(100, 201, 0, false, true)]
    [InlineData(299, 400, 0, false, true)]
    [InlineData(300, 400, 0, false, false)]
    [InlineData(100, 400, 1, false, false)]
    [InlineData(100, 400, 1, true, true)]
    public void A_gap_is_known_whose_missing_samples_fell_into_a_blackout(long from, long to, int cpu, bool isWhole, bool isKnown)
    {
        var blackouts = new Blackouts();
        blackouts.Add(MadeBlackout(from, to, cpu, isWhole));
        for (int i = 0; i < 63; i++)
        {
            blackouts.Add(MadeBlackout(10_000 + i, 20_000 + i, cpu: 7));
        }

        Assert.Equal(isKnown, blackouts.IsKnown(0, new SampleGap { FromTicks = 50, DueTicks = 200, ToTicks = 300 }));
    }

    /// <summary>Of several sleeps, which may be told or not.</summary>
    [Theory]
    [InlineData(100, 200, false)]
    [InlineData(100, 201, true)]
    [InlineData(299, 400, true)]
    [InlineData(300, 400, false)]
    [InlineData(500, 501, true)]
    [InlineData(600, 700, false)]
    public void A_sleep_touches_a_stretch_that_it_shares_time_with(long from, long to, bool isFound)
    {
        foreach (bool isTold in new[] { true, false })
        {
            var blackouts = new Blackouts();
            blackouts.AddSleep(new TickSpan(0, 50), isTold);
            blackouts.AddSleep(new TickSpan(200, 300), isTold);
            blackouts.AddSleep(new TickSpan(500, 600), isTold);
            Assert.Equal((isFound && isTold, isFound), (blackouts.Slept(from, to), blackouts.IsSleep(from, to)));
        }
    }

    [Theory]
    [InlineData(100, 200, false)]
    [InlineData(100, 201, true)]
    [InlineData(299, 400, true)]
    [InlineData(300, 400, false)]
    public void A_blackout_touches_a_stretch_that_it_shares_time_with(long from, long to, bool isFound)
    {
        var blackouts = new Blackouts();
        blackouts.Add(MadeBlackout(0, 250));
        blackouts.Add(MadeBlackout(from, to));
        Assert.Equal(isFound ? 2 : 1, blackouts.Touching(0, 200, 300).Count());
        Assert.Equal(isFound ? 2 : 1, new BlackoutsByStart(blackouts.Found).Touching(200, 300).Count());
        Assert.Equal(50 + (isFound ? 1 : 0), blackouts.BlackoutTicks(new LongRun(200, 300, 100, 0), null));
    }

    [Theory]
    [InlineData(0, true, true, true)]
    [InlineData(1, true, false, false)]
    [InlineData(1, false, false, true)]
    [InlineData(1, false, true, false)]
    [InlineData(0, false, true, true)]
    public void A_blackout_may_be_of_other_CPUs_where_nothing_shows_them_alive(int cpu, bool isAlive, bool isTentative, bool isFound)
    {
        var blackouts = new Blackouts();
        blackouts.Add(MadeBlackout(100, 400, cpu, isAlive: isAlive, isTentative: isTentative));
        Assert.Equal(isFound, blackouts.Touching(0, 200, 300).Any());
        Assert.Equal(isTentative, blackouts.Proven.Count == 0);
    }

    [Theory]
    [InlineData(100, 0, true, false, 50)]
    [InlineData(100, 1, true, false, 0)]
    [InlineData(100, 1, false, false, 50)]
    [InlineData(40, 0, true, false, 40)]
    [InlineData(100, 0, true, true, 0)]
    public void A_run_is_not_to_blame_for_the_time_that_others_stopped_it(long net, int cpu, bool isAlive, bool isOwn, long stopped)
    {
        var blackouts = new Blackouts();
        Blackout blackout = MadeBlackout(150, 250, cpu, isAlive: isAlive);
        blackout.Owner = Code(isOwn ? Alpha : Beta);
        blackouts.Add(blackout);
        Assert.Equal(stopped, blackouts.BlackoutTicks(new LongRun(200, 300, net, 0), Code(Alpha).Owner));
    }

    [Theory]
    [InlineData(199, false)]
    [InlineData(200, false)]
    [InlineData(201, true)]
    [InlineData(299, true)]
    public void A_pause_is_known_where_it_shares_time(long end, bool isFound)
    {
        var blackouts = new Blackouts();
        blackouts.AddPause(new TickSpan(100, end));
        blackouts.AddPause(new TickSpan(300, 400));
        Assert.Equal((isFound, 2), (blackouts.WasPaused(200, 300), blackouts.Pauses.Count));
    }

    /// <summary>Each CPU tells of the same pause; two that share time are one.</summary>
    [Fact]
    public void Pauses_are_told_apart_and_by_time()
    {
        var blackouts = new Blackouts();
        foreach ((long from, long to) in new[] { (500L, 700L), (100L, 200L), (110L, 190L), (150L, 230L), (230L, 240L) })
        {
            blackouts.AddPause(new TickSpan(from, to));
        }

        Assert.Equal([new TickSpan(100, 230), new TickSpan(230, 240), new TickSpan(500, 700)], blackouts.Pauses);
    }

    [Theory]
    [InlineData(1, 1, false, "alpha.sys")]
    [InlineData(2, 1, false, null)]
    [InlineData(1, 1, true, null)]
    public void A_blackout_whose_kind_is_open_is_of_the_kind_that_is_more_frequent(int whole, int single, bool isTentative, string? owner)
    {
        List<Blackout> blackouts = [];
        for (int i = 0; i < whole; i++)
        {
            blackouts.Add(At(blackouts.Count * 70_001, isWhole: true, isTentative: false, null));
        }

        for (int i = 0; i < single; i++)
        {
            blackouts.Add(At(blackouts.Count * 83_003, isWhole: false, isTentative, Code(Alpha)));
        }

        Blackout open = MadeBlackout(999_000, 999_100, isAlive: false, edges: new BlackoutEdge(0, true, false, Code(Alpha)));
        blackouts.Add(open);
        BlackoutOwners.Assign(blackouts, Shares(), ticks => ticks / 1e6);
        Assert.Equal(owner, open.Owner?.Owner?.Name);
    }

    [Theory]
    [InlineData(0, false, true)]
    [InlineData(1, false, true)]
    [InlineData(2, false, false)]
    [InlineData(0, true, false)]
    public void A_routine_that_half_of_a_CPUs_blackouts_fall_into_has_them(int others, bool isWhole, bool isOfRoutine)
    {
        Blackout inside = MadeBlackout(0, 100, isWhole: isWhole, isAlive: !isWhole, routine: Alpha);
        List<Blackout> blackouts = [inside];
        for (int i = 1; i <= others; i++)
        {
            blackouts.Add(MadeBlackout(i * i * 70_001, (i * i * 70_001) + 100));
        }

        BlackoutOwners.Assign(blackouts, Shares(), ticks => ticks / 1e6);
        Assert.Equal(isOfRoutine, inside.IsOfRoutine);
    }

    [Fact]
    public void One_blackout_of_the_machine_accuses_nobody_however_many_CPUs_stop_alone()
    {
        Blackout whole = At(0, isWhole: true, isTentative: false, Code(Alpha));
        BlackoutOwners.Assign([whole, At(70_001, isWhole: false, isTentative: false, null)], Shares(), ticks => ticks / 1e6);
        Assert.Null(whole.Owner);
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public void A_blackout_at_unknown_code_is_like_those_of_its_own_kind(bool isWhole, bool isAlike)
    {
        OwnerFinding unknown = Code(Framework);
        Assert.NotNull(unknown.Behind);
        Blackout asked = At(0, isWhole, isTentative: false, unknown);
        List<Blackout> blackouts = [asked];
        for (int i = 1; i <= 8; i++)
        {
            blackouts.Add(At(i * i * 70_001, isWhole: false, isTentative: false, null));
        }

        BlackoutOwners.Assign(blackouts, Shares(), ticks => ticks / 1e6);
        Assert.Equal((isAlike, null), (asked.IsLikeTheMachines, asked.Owner));
    }

    /// <summary>A clock that is set looks like a blackout, but not three times on one CPU.</summary>
    [Theory]
    [InlineData(3, 0, false)]
    [InlineData(2, 0, true)]
    [InlineData(2, 1, true)]
    public void Three_blackouts_of_a_CPU_are_no_clock_that_was_set(int blackoutsOfOne, int elsewhere, bool areTentative)
    {
        List<Blackout> blackouts = [];
        for (int i = 0; i < blackoutsOfOne + elsewhere; i++)
        {
            long from = i * i * 70_001;
            int cpu = i < blackoutsOfOne ? 0 : 1;
            blackouts.Add(MadeBlackout(from, from + 100, cpu, isAlive: false, isTentative: true, mayBeClock: true));
        }

        BlackoutOwners.Assign(blackouts, Shares(), ticks => ticks / 1e6);
        Assert.All(blackouts, blackout => Assert.Equal(areTentative, blackout.IsTentative));
    }

    /// <summary>A driver that is half of all samples, but none on this CPU, ends its blackouts: three times is no chance.</summary>
    [Theory]
    [InlineData(3, "alpha.sys")]
    [InlineData(2, null)]
    public void Three_blackouts_that_end_in_one_place_accuse_a_driver_that_is_everywhere_else(int blackoutsOfOne, string? owner)
    {
        var machine = new MadeMachine();
        for (int i = 0; i < 1_000; i++)
        {
            machine.Owners.Shares.Add(machine[0], new CpuSample { Ticks = i, Instruction = User, ThreadId = 77 });
            machine.Owners.Shares.Add(machine[1], new CpuSample { Ticks = i, Instruction = Alpha + 0x120, ThreadId = 77 });
        }

        Blackout[] blackouts = [.. Enumerable.Range(0, blackoutsOfOne).Select(
            i => At(i * i * 70_001, isWhole: false, isTentative: false, Code(Alpha)))];
        BlackoutOwners.Assign(blackouts, machine.Owners.Shares, ticks => ticks / 1e6);
        Assert.All(blackouts, blackout => Assert.Equal(owner, blackout.Owner?.Owner?.Name));
    }

    /// <summary>
    /// Code that stands at all eight edges of blackouts on a strict beat is not why, where chance alone puts it there more often than one
    /// time in a thousand (0.4217 to the power of 8; those at the edges are left out of its share).
    /// </summary>
    [Theory]
    [InlineData(426, false)]
    [InlineData(427, true)]
    public void Blackouts_on_a_strict_beat_are_a_modules_where_chance_does_not_put_it_at_their_edges(int samplesOfThousand, bool isBeat)
    {
        var machine = new MadeMachine();
        for (int i = 0; i < 1_000; i++)
        {
            ulong hit = i < samplesOfThousand ? Alpha + 0x120 : User;
            machine.Owners.Shares.Add(machine[0], new CpuSample { Ticks = i, Instruction = hit, ThreadId = 77 });
        }

        Blackout[] blackouts = [.. Enumerable.Range(1, 8).Select(i => At(i * 1_000_000, isWhole: false, isTentative: false, Code(Alpha)))];
        BlackoutOwners.Assign(blackouts, machine.Owners.Shares, ticks => ticks / 1e6);
        Assert.All(blackouts, blackout => Assert.Equal(isBeat, blackout.Beat is not null));
    }

    private static Blackout At(long from, bool isWhole, bool isTentative, OwnerFinding? owner) => MadeBlackout(
        from, from + 100, isWhole: isWhole, isAlive: !isWhole, isTentative: isTentative,
        edges: new BlackoutEdge(0, IsAfter: true, IsUser: owner is null, owner));

    private static OwnerFinding Code(ulong image) => new MadeMachine().Owners.Search.OfCode(image + 0x120, [], 1);

    /// <summary>A thousand samples, none of them of a driver.</summary>
    private static SampleShares Shares()
    {
        var machine = new MadeMachine();
        for (int i = 0; i < 1_000; i++)
        {
            machine.Owners.Shares.Add(machine[0], new CpuSample { Ticks = i, Instruction = User, ThreadId = 77 });
        }

        return machine.Owners.Shares;
    }
}
