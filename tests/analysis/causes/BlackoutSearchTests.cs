using Tracer.Analysis.Causes;
using Tracer.Analysis.Machine;
using static Tracer.Analysis.Tests.Causes.MadeMachine;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>Which gaps are stops. Each CPU is sampled every 100 us; CPU 0 stops from 1000 on. In microseconds.</summary>
public class BlackoutSearchTests
{
    private const uint Busy = 77;

    [Fact]
    public void A_CPU_that_misses_its_samples_stops_alone_while_another_goes_on()
    {
        MadeMachine machine = Made(2);
        Sampled(machine, 0, 0, 1_000, 1_730);
        Sampled(machine, 1, 30, 9_999, 9_999);
        Blackout blackout = Looked(machine, 0);
        Assert.Equal((0, 1_000, 1_100, 1_730), (blackout.Cpu, blackout.FromTicks, blackout.DueTicks, blackout.ToTicks));
        Assert.Equal((1, false, true, false), (blackout.Cpus, blackout.IsWholeMachine, blackout.IsElsewhereAlive, blackout.IsTentative));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void CPUs_that_stop_together_are_the_machine(int seenFrom)
    {
        MadeMachine machine = Made(2);
        Sampled(machine, 0, 0, 1_000, 1_730);
        Sampled(machine, 1, 30, 1_030, 1_725);
        Blackout blackout = Looked(machine, seenFrom);
        Assert.Equal((0, 1_030, 1_100, 1_725), (blackout.Cpu, blackout.FromTicks, blackout.DueTicks, blackout.ToTicks));
        Assert.Equal((2, true, false), (blackout.Cpus, blackout.IsWholeMachine, blackout.IsElsewhereAlive));
    }

    [Fact]
    public void Where_clocks_disagree_each_CPU_stops_by_itself_and_may_not_have_stopped()
    {
        var machine = new MadeMachine(2, interval: 100, isOneCpuOnly: true);
        Sampled(machine, 0, 0, 1_000, 1_730);
        Sampled(machine, 1, 30, 1_030, 1_725);
        Blackout blackout = Looked(machine, 0);
        Assert.Equal((0, 1_000, 1_730), (blackout.Cpu, blackout.FromTicks, blackout.ToTicks));
        Assert.Equal((1, false, false), (blackout.Cpus, blackout.IsWholeMachine, blackout.IsElsewhereAlive));
        Assert.Equal((true, true), (blackout.IsTentative, blackout.MayBeClock));
    }

    [Theory]
    [InlineData(1_499, true)]
    [InlineData(1_500, false)]
    public void Gaps_that_only_touch_are_not_one_blackout(long due, bool isWhole)
    {
        MadeMachine machine = Made(2);
        Sampled(machine, 0, 0, 1_000, 1_500);
        Sampled(machine, 1, 30, 1_430, 1_900);
        machine[1].SampleGaps[machine[1].SampleGaps.First].DueTicks = due;
        Assert.Equal(isWhole, Looked(machine, 0).IsWholeMachine);
    }

    [Fact]
    public void A_blackout_began_after_the_last_record_by_the_usual_distance_of_records()
    {
        MadeMachine machine = Made(1);
        for (int i = 0; i < 20; i++)
        {
            machine.Ran(0, -20_000 + (4 * i), -19_998 + (4 * i), Alpha, LevelKind.Isr);
        }

        Sampled(machine, 0, 0, 1_000, 1_730, spans: 188);
        Assert.Equal(1_050, Looked(machine, 0).StartTicks);
    }

    [Theory]
    [InlineData(1_729, 1_735, false)]
    [InlineData(1_730, 1_735, true)]
    [InlineData(1_780, 1_785, true)]
    [InlineData(1_781, 1_785, false)]
    [InlineData(1_780, 11_730, true)]
    [InlineData(1_780, 11_731, false)]
    public void An_interrupt_within_50us_follows_a_blackout(long from, long to, bool isFollower)
    {
        MadeMachine machine = Made(2);
        machine.State.Cpus[1] = null;
        Sampled(machine, 0, 0, 1_000, 1_730);
        machine[0].Spans.Add(new LevelSpan { StartTicks = 1_740, EndTicks = 1_741, Routine = Kernel, Kind = LevelKind.Dpc });
        machine[0].Spans.Add(
            new LevelSpan { StartTicks = 1_742, EndTicks = 1_743, Routine = Kernel, Kind = LevelKind.Isr, IsProfile = true });
        machine[0].Spans.Add(new LevelSpan { StartTicks = from, EndTicks = to, Routine = Alpha, Kind = LevelKind.Isr });
        machine[0].Spans.Add(new LevelSpan { StartTicks = 12_000, EndTicks = 12_010, Routine = Beta, Kind = LevelKind.Isr });
        Assert.Equal(isFollower ? [Alpha] : [], Looked(machine, 0).Followers);
    }

    [Theory]
    [InlineData(1_199, true)]
    [InlineData(1_200, false)]
    public void The_code_before_a_blackout_is_that_of_the_last_two_intervals(long from, bool isEdge)
    {
        MadeMachine machine = Made(1);
        Sampled(machine, 0, 0, 1_000, 1_730);
        Search(machine).Look(machine[0], new SampleGap { FromTicks = from, DueTicks = 1_300, ToTicks = 1_730, BeatTicks = 1_000 });
        Blackout blackout = Assert.Single(machine.Blackouts.Found);
        Assert.Equal(isEdge ? [true, false] : [true], blackout.Edges.Select(edge => edge.IsAfter));
        Assert.All(blackout.Edges, edge => Assert.True(edge.IsUser));
    }

    [Theory]
    [InlineData(1_631, true)]
    [InlineData(1_630, false)]
    public void The_code_behind_a_blackout_is_that_of_one_interval(long to, bool isEdge)
    {
        MadeMachine machine = Made(1);
        Sampled(machine, 0, 0, 1_000, 1_730);
        Search(machine).Look(machine[0], new SampleGap
        {
            FromTicks = 1_000,
            DueTicks = 1_100,
            ToTicks = to,
            BeatTicks = 1_000,
            IntervalTicks = 100,
        });
        Assert.Equal(isEdge ? [true, false] : [false], Assert.Single(machine.Blackouts.Found).Edges.Select(edge => edge.IsAfter));
    }

    /// <summary>What another CPU logs shows that it went on, but in the last quarter: it may have been stopped, too.</summary>
    [Theory]
    [InlineData(1_560, true)]
    [InlineData(1_600, false)]
    public void A_CPU_shows_life_well_before_the_other_goes_on(long logged, bool isAlive)
    {
        var machine = new MadeMachine(2, interval: 100, tolerance: 400);
        Sampled(machine, 0, 0, 1_000, 1_730);
        machine.Ran(1, logged - 1, logged, Alpha, LevelKind.Isr);
        Search(machine).Look(machine[0], new SampleGap { FromTicks = 1_000, DueTicks = 1_100, ToTicks = 1_730, BeatTicks = 1_000 });
        Assert.Equal(isAlive, Assert.Single(machine.Blackouts.Found).IsElsewhereAlive);
    }

    /// <summary>Code of an ISR or DPC at the edge was called by no process, be it the first that ran.</summary>
    [Theory]
    [InlineData(false, false, false, 100u)]
    [InlineData(true, false, false, null)]
    [InlineData(false, true, false, null)]
    [InlineData(false, false, true, null)]
    public void Code_of_a_thread_at_the_edge_was_called_by_its_process(bool hasRun, bool isDpc, bool isIsr, uint? caller)
    {
        MadeMachine machine = Made(1);
        machine.Switch(0, 40, 0, OfProcess100);
        for (int i = 1; i <= 30; i++)
        {
            if (i is <= 10 or > 17)
            {
                machine.Sample(0, 100 * i, User, OfProcess100);
            }
            else if (i == 17)
            {
                machine.Take(0, new CpuSample
                {
                    Ticks = 1_730,
                    Instruction = Alpha,
                    ThreadId = OfProcess100,
                    IsInDpc = isDpc,
                    IsInIsr = isIsr,
                });
            }
        }

        if (hasRun)
        {
            machine.Ran(0, 995, 1_740, Alpha);
        }

        Search(machine).Look(machine[0], new SampleGap { FromTicks = 1_000, DueTicks = 1_100, ToTicks = 1_730, BeatTicks = 1_000 });
        BlackoutEdge after = Assert.Single(machine.Blackouts.Found).Edges[0];
        Assert.True(after.IsAfter);
        Assert.Equal(("alpha.sys", caller), (after.Owner?.Owner?.Name, after.Caller));
    }

    /// <summary>
    /// A busy CPU that is silent for the fifth time since its last sample takes none there: one that is missing proves no blackout.
    /// </summary>
    [Theory]
    [InlineData(3, true)]
    [InlineData(4, false)]
    public void A_CPU_without_samples_in_many_gaps_is_not_sampled(int gaps, bool isStop)
    {
        MadeMachine machine = Made(1);
        machine.Switch(0, -200_000, 0, Busy);
        for (int i = 0; i < 100; i++)
        {
            machine.Sample(0, (100 * i) - 9_900, User, Busy);
        }

        for (int i = 0; i < gaps; i++)
        {
            machine[0].SampleGaps.Add(new SampleGap { FromTicks = 100 * (i + 1), DueTicks = 100 * (i + 1), ToTicks = (100 * i) + 150 });
        }

        for (int i = 0; i < 100; i++)
        {
            machine.Sample(0, 1_730 + (100 * i), User, Busy);
        }

        Search(machine).Look(machine[0], new SampleGap { FromTicks = 1_000, DueTicks = 1_100, ToTicks = 1_730, BeatTicks = 1_000 });
        Assert.Equal(isStop ? 1 : 0, machine.Blackouts.Found.Count);
    }

    [Fact]
    public void Samples_of_long_ago_are_not_behind_a_blackout()
    {
        MadeMachine machine = Made(1);
        machine.Switch(0, -200_000, 0, Busy);
        for (int i = 0; i < 1_100; i++)
        {
            machine.Sample(0, 1_000 - (100 * (1_099 - i)), User, Busy);
        }

        Search(machine).Look(machine[0], new SampleGap { FromTicks = 1_000, DueTicks = 1_100, ToTicks = 1_730, BeatTicks = 1_000 });
        Assert.Equal([false], Assert.Single(machine.Blackouts.Found).Edges.Select(edge => edge.IsAfter));
    }

    [Fact]
    public void Samples_of_later_are_not_before_it()
    {
        MadeMachine machine = Made(1);
        machine.Switch(0, 40, 0, Busy);
        for (int i = 0; i < 1_100; i++)
        {
            machine.Sample(0, 1_730 + (100 * i), User, Busy);
        }

        Search(machine).Look(machine[0], new SampleGap { FromTicks = 1_000, DueTicks = 1_100, ToTicks = 1_730, BeatTicks = 1_000 });
        Assert.DoesNotContain(Assert.Single(machine.Blackouts.Found).Edges, edge => !edge.IsAfter);
    }

    [Theory]
    [InlineData(1_735)]
    [InlineData(1_790)]
    public void Busy_CPUs_need_not_go_on_at_the_same_time(long resumed)
    {
        MadeMachine machine = Made(2);
        Sampled(machine, 0, 0, 1_000, 1_730);
        Sampled(machine, 1, 30, 1_030, resumed);
        // That CPU is silent again at once: the blackout is over.
        machine[1].SampleGaps[machine[1].SampleGaps.First].ToTicks = resumed;
        machine[1].SampleGaps.Add(new SampleGap { FromTicks = 1_730, DueTicks = 1_830, ToTicks = 2_500 });
        Search(machine).Look(machine[0], machine[0].SampleGaps[machine[0].SampleGaps.First]);
        Assert.Equal((true, 2), (machine.Blackouts.Found[0].IsWholeMachine, machine.Blackouts.Found[0].Cpus));
    }

    [Theory]
    [InlineData(50, false)]
    [InlineData(100, false)]
    [InlineData(101, true)]
    public void A_late_sample_of_an_idle_CPU_counts_where_it_is_beyond_the_tolerance(long late, bool counts)
    {
        MadeMachine machine = Regular(idle: 0, late);
        for (long at = 800; at <= 250_000; at += 800)
        {
            machine.Sample(1, at, User, Busy);
        }

        Search(machine).Look(machine[0], machine[0].SampleGaps[machine[0].SampleGaps.Next - 1]);
        Assert.Equal(counts ? [true] : [], machine.Blackouts.Found.Select(blackout => blackout.IsTentative));
    }

    [Theory]
    [InlineData(100, false)]
    [InlineData(101, true)]
    public void With_a_CPU_that_surely_stopped_such_a_sample_shows_that_both_did(long late, bool isWhole)
    {
        MadeMachine machine = Regular(idle: 1, late);
        machine.Switch(0, 40, 0, Busy);
        for (long at = 800; at <= 250_000; at += 800)
        {
            if (at is <= 240_000 or >= 242_400)
            {
                machine.Sample(0, at, User, Busy);
            }
            else if (at == 241_600)
            {
                machine.Sample(0, 242_000, User, Busy);
            }
        }

        Search(machine).Look(machine[0], machine[0].SampleGaps[machine[0].SampleGaps.Next - 1]);
        Assert.Equal((isWhole, !isWhole), (machine.Blackouts.Found[0].IsWholeMachine, machine.Blackouts.Found[0].IsElsewhereAlive));
    }

    [Theory]
    [InlineData(1_149, false)]
    [InlineData(1_150, true)]
    public void An_interrupt_that_comes_late_by_one_and_a_half_intervals_shows_a_blackout(long served, bool isFound)
    {
        MadeMachine machine = Unsampled(2);
        Search(machine, 100).LookAtInterrupt(machine[0], 1_000, served);
        Assert.Equal(
            isFound ? [(1_000, 1_000, served, false)] : [],
            machine.Blackouts.Found.Select(one => (one.FromTicks, one.DueTicks, one.ToTicks, one.IsElsewhereAlive)));
    }

    [Theory]
    [InlineData(999, 1_200L)]
    [InlineData(1_000, null)]
    [InlineData(1_174, null)]
    [InlineData(1_175, 1_175L)]
    public void Our_sample_must_come_as_late(long sample, long? end)
    {
        MadeMachine machine = Unsampled(2);
        machine[0].AddDriverSample(new CpuSample { Ticks = sample, Instruction = Alpha + 0x120, ThreadId = Busy }, []);
        Search(machine, 100).LookAtInterrupt(machine[0], 1_000, 1_200);
        Assert.Equal(end is { } to ? [to] : [], machine.Blackouts.Found.Select(blackout => blackout.ToTicks));
    }

    [Theory]
    [InlineData(0, false)]
    [InlineData(1, true)]
    public void Whatever_that_CPU_logs_shows_that_it_did_not_stop(int cpu, bool isFound)
    {
        MadeMachine machine = Unsampled(2);
        machine.Ran(cpu, 1_050, 1_060, Alpha, LevelKind.Isr);
        Search(machine, 100).LookAtInterrupt(machine[0], 1_000, 1_200);
        Assert.Equal(isFound ? [true] : [], machine.Blackouts.Found.Select(blackout => blackout.IsElsewhereAlive));
    }

    [Fact]
    public void The_only_CPU_is_the_machine()
    {
        MadeMachine machine = Unsampled(2);
        Search(machine, 100).LookAtInterrupt(machine[0], 1_000, 1_200);
        machine.State.Cpus[1] = null;
        Search(machine, 100).LookAtInterrupt(machine[0], 1_000, 1_200);
        Search(machine, 100).LookAtInterrupt(machine[0], 2_000, 2_200);
        Assert.Equal([(1_000, false), (2_000, true)], machine.Blackouts.Found.Select(one => (one.FromTicks, one.IsWholeMachine)));
    }

    [Fact]
    public void Where_records_are_lost_or_the_CPU_is_sampled_an_interrupt_shows_no_blackout()
    {
        MadeMachine machine = Unsampled(2);
        machine.State.Losses.Add(0, 1_050, 1_060);
        Search(machine, 100).LookAtInterrupt(machine[0], 1_000, 1_200);
        Search(machine, null).LookAtInterrupt(machine[0], 2_000, 2_200);
        Search(Made(2), 100).LookAtInterrupt(machine[0], 2_000, 2_200);
        Assert.Empty(machine.Blackouts.Found);
    }

    /// <summary>CPUs that are silent since before a gap are not asked, nor those behind the first that is alive.</summary>
    /// <param name="alive">The first CPU that logs on in the gap of CPU 0; none does from 20 on.</param>
    [Theory]
    [InlineData(5, 1)]
    [InlineData(19, 1)]
    [InlineData(20, 0)]
    public void Only_CPUs_that_may_show_life_are_asked(int alive, int asked)
    {
        MadeMachine machine = Made(20);
        Sampled(machine, 0, 0, 1_000, 1_730);
        for (int cpu = 1; cpu < 20; cpu++)
        {
            machine.Switch(cpu, cpu < alive ? 900 : 1_200, 0, Busy);
        }

        Blackout blackout = Looked(machine, 0);
        Assert.Equal((alive < 20, asked * BlackoutSearch.RecordsOfCpu), (blackout.IsElsewhereAlive, machine.Budget.Records));
    }

    private static MadeMachine Made(int cpus) => new(cpus, interval: 100);

    private static MadeMachine Unsampled(int cpus) => new(cpus);

    /// <summary>A thread of a process runs on a CPU and is sampled, but for a blackout.</summary>
    private static void Sampled(MadeMachine machine, int cpu, long phase, long lastBefore, long resumed, int spans = 0)
    {
        machine.Switch(cpu, 40, 0, Busy);
        for (long at = 100 + phase; at <= 3_000; at += 100)
        {
            if (at > lastBefore && at < resumed)
            {
                continue;
            }

            if (at > resumed && at - 100 < resumed)
            {
                for (int i = 0; i < spans; i++)
                {
                    machine.Ran(cpu, 101 + (4 * i), 103 + (4 * i), Alpha, LevelKind.Isr);
                }

                machine.Sample(cpu, resumed, User, Busy);
            }

            machine.Sample(cpu, at, User, Busy);
        }
    }

    /// <summary>A CPU that idles is sampled on time every 800 us, but for one sample.</summary>
    private static MadeMachine Regular(int idle, long late)
    {
        var machine = new MadeMachine(2, interval: 800, tolerance: 2);
        machine.Switch(idle, 40, Busy, 0);
        for (long at = 800; at <= 250_000; at += 800)
        {
            machine.Sample(idle, at == 240_800 ? at + late : at, Kernel);
        }

        return machine;
    }

    private static BlackoutSearch Search(MadeMachine machine, long? driverInterval = null) => new(
        machine.State,
        machine.Owners,
        AllKinds.Has,
        driverInterval,
        machine.Blackouts,
        machine.Budget);

    private static Blackout Looked(MadeMachine machine, int cpu)
    {
        Search(machine).Look(machine[cpu], machine[cpu].SampleGaps[machine[cpu].SampleGaps.First]);
        return Assert.Single(machine.Blackouts.Found);
    }
}
