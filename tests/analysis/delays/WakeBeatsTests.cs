using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Delays;

/// <summary>Threads that come at a beat are late when they come behind it. Ticks are 100 ns, the threshold is 500 us.</summary>
public class WakeBeatsTests
{
    private const uint Thread = 120;
    private const long Threshold = 5_000;
    private const long Period = 100_000;

    [Theory]
    [InlineData(Threshold - 1, false)]
    [InlineData(Threshold, true)]
    public void A_thread_is_late_by_its_beat_from_the_threshold_on(long late, bool isLate)
    {
        WakeBeats beats = Learnt(16);
        Assert.Equal((isLate ? 17 * Period : 0, Period), beats.Ready(Thread, (17 * Period) + late, (16 * Period) + 500));
        // Nobody else has a beat.
        Assert.Equal((0, 0), beats.Ready(Thread + 1, 17 * Period, 0));
    }

    [Theory]
    [InlineData(15, false)]
    [InlineData(16, true)]
    public void Sixteen_intervals_make_a_beat(int intervals, bool isKnown)
    {
        WakeBeats beats = Learnt(intervals);
        Assert.Equal(isKnown, beats.Ready(Thread, ((intervals + 1) * Period) + Threshold, 0).DueTicks > 0);
    }

    [Theory]
    [InlineData(4, true)]
    [InlineData(5, false)]
    public void Twelve_of_them_must_be_alike(int others, bool isKnown)
    {
        var beats = new WakeBeats(new LossMap(), Threshold);
        long at = Period;
        Assert.Equal(0, beats.Ready(Thread, at, 0).DueTicks);
        for (int i = 0; i < 16; i++)
        {
            at += i < others ? Period - (Threshold / 3) : Period;
            Assert.Equal(0, beats.Ready(Thread, at, 0).DueTicks);
        }

        Assert.Equal(isKnown, beats.Ready(Thread, at + Period + Threshold, 0).DueTicks > 0);
    }

    /// <summary>
    /// A thread that a DPC wakes at each beat and another thread in each turn: it waits for that one in the midst of its turn where a beat
    /// passes meanwhile, and in twelve of sixteen turns before it was so; after eight beats it had stopped its timer.
    /// </summary>
    [Theory]
    [InlineData(12, (Threshold / 4) + 1, true)]
    [InlineData(12, Threshold / 4, false)]
    [InlineData(11, (Threshold / 4) + 1, false)]
    [InlineData(12, 8 * Period, true)]
    [InlineData(12, (8 * Period) + 1, false)]
    public void A_wait_for_another_thread_over_a_beat_is_inside_a_turn(int withOthers, long over, bool isInside)
    {
        WakeBeats beats = ServedAndWoken(turn => turn >= 40 - withOthers);
        Assert.Equal(isInside, beats.IsInside(Thread, (41 * Period) + over));
    }

    /// <summary>Each other beat is its own where only DPCs count; with all that wakes it there is none.</summary>
    [Fact]
    public void One_that_others_wake_too_is_late_by_the_beat_of_its_timer()
    {
        WakeBeats beats = ServedAndWoken(_ => true);
        Assert.True(beats.HasBeat(Thread));
        Assert.Equal(
            (41 * Period, Period),
            beats.Ready(Thread, (41 * Period) + Threshold, (40 * Period) + 5_000, mayBeInside: false, isByDpc: true));
    }

    /// <summary>Forty beats at which a DPC wakes a thread; in some of the turns and in all of the first twenty another one does.</summary>
    private static WakeBeats ServedAndWoken(Func<int, bool> isWoken)
    {
        var beats = new WakeBeats(new LossMap(), Threshold);
        for (int turn = 1; turn <= 40; turn++)
        {
            beats.Ready(Thread, turn * Period, (turn * Period) - 1_000, mayBeInside: false, isByDpc: true);
            if (turn <= 20 || isWoken(turn))
            {
                Assert.False(beats.IsInside(Thread, (turn * Period) + 3_000));
                beats.Ready(Thread, (turn * Period) + 3_000, (turn * Period) + 300);
            }
        }

        return beats;
    }

    /// <summary>A thread that sleeps and works in turn misses a tick of the clock now and then of its own accord.</summary>
    [Theory]
    [InlineData(1, Threshold, true)]
    [InlineData(2, Threshold, false)]
    [InlineData(2, (Threshold / 2) - 1, true)]
    [InlineData(2, Threshold / 2, false)]
    [InlineData(2, -Threshold, false)]
    public void One_that_is_often_as_far_off_is_not_late(int others, long off, bool isLate)
    {
        var beats = new WakeBeats(new LossMap(), Threshold);
        long at = Period;
        Assert.Equal(0, beats.Ready(Thread, at, 0).DueTicks);
        for (int i = 0; i < 16; i++)
        {
            at += i % 4 == 1 && i / 4 < others ? Period + off : Period;
            beats.Ready(Thread, at, at);
        }

        Assert.Equal(isLate, beats.Ready(Thread, at + Period + Threshold, 0).DueTicks > 0);
    }

    /// <summary>A thread that comes back to its beat left it once: of two intervals the second makes up for the first.</summary>
    [Theory]
    [InlineData(0, true)]
    [InlineData(Threshold / 4, true)]
    [InlineData((Threshold / 4) + 1, false)]
    [InlineData(-(Threshold / 4), true)]
    [InlineData(-(Threshold / 4) - 1, false)]
    public void One_that_comes_back_to_its_beat_was_off_once(long missed, bool isLate)
    {
        var beats = new WakeBeats(new LossMap(), Threshold);
        long at = Period;
        Assert.Equal(0, beats.Ready(Thread, at, 0).DueTicks);
        for (int i = 0; i < 16; i++)
        {
            at += i switch
            {
                8 => Period + 4_500,
                9 => Period - 4_500 + missed,
                _ => Period,
            };
            beats.Ready(Thread, at, at);
        }

        Assert.Equal(isLate, beats.Ready(Thread, at + Period + Threshold, 0).DueTicks > 0);
    }

    /// <summary>What came while the thread worked it had without waiting: it is due at the next beat behind its work.</summary>
    [Theory]
    [InlineData(0, 17)]
    [InlineData(1, 18)]
    [InlineData(Period, 18)]
    [InlineData(Period + 1, 19)]
    public void A_thread_is_due_at_the_first_beat_behind_its_work(long left, int due)
    {
        long leftTicks = (17 * Period) + left;
        Assert.Equal(due * Period, Learnt(16).Ready(Thread, (due * Period) + Threshold, leftTicks).DueTicks);
        Assert.Equal(0, Learnt(16).Ready(Thread, (due * Period) + Threshold - 1, leftTicks).DueTicks);
    }

    /// <summary>The beat is the middle of the last sixteen intervals, in whatever order they came.</summary>
    [Fact]
    public void Old_intervals_are_forgotten_one_by_one()
    {
        var random = new Random(5);
        List<long> intervals = [];
        for (int learnt = 16; learnt < 80; learnt++)
        {
            while (intervals.Count < learnt)
            {
                intervals.Add(Period + random.Next((int)(-Threshold / 12), (int)(Threshold / 12)));
            }

            long[] last = [.. intervals.TakeLast(16).Order()];
            Assert.Equal(0, After(last[8] + Threshold - 1).Due);
            Assert.NotEqual(0, After(last[8] + Threshold).Due);
        }

        (long Due, long Period) After(long interval)
        {
            var beats = new WakeBeats(new LossMap(), Threshold);
            long at = Period;
            beats.Ready(Thread, at, 0);
            foreach (long one in intervals)
            {
                beats.Ready(Thread, at += one, at);
            }

            return beats.Ready(Thread, at + interval, 0);
        }
    }

    [Fact]
    public void What_was_late_does_not_count_against_the_next()
    {
        WakeBeats beats = Learnt(16);
        for (long due = 18 * Period; due < 40 * Period; due += 3 * Period)
        {
            Assert.NotEqual(0, beats.Ready(Thread, due + Threshold, 0).DueTicks);
            Assert.Equal(0, beats.Ready(Thread, due + Period, 0).DueTicks);
            Assert.Equal(0, beats.Ready(Thread, due + (2 * Period), 0).DueTicks);
        }
    }

    [Theory]
    [InlineData(Threshold / 4, true)]
    [InlineData((Threshold / 4) + 1, false)]
    public void Alike_are_those_that_differ_by_a_quarter_of_the_threshold(long change, bool isKnown)
    {
        // Every other one is the middle of all.
        var beats = new WakeBeats(new LossMap(), Threshold);
        long at = Period;
        beats.Ready(Thread, at, 0);
        for (int i = 0; i < 16; i++)
        {
            beats.Ready(Thread, at += Period + (i % 2 == 0 ? 0 : i % 4 == 1 ? change : -change), 0);
        }

        Assert.Equal(isKnown, beats.Ready(Thread, at + Period + Threshold, 0).DueTicks > 0);
    }

    [Fact]
    public void One_that_was_still_at_work_when_it_was_due_was_not_kept()
    {
        WakeBeats beats = Learnt(16);
        Assert.Equal(0, beats.Ready(Thread, (17 * Period) + 20_000, (17 * Period) + 1).DueTicks);
        Assert.NotEqual(0, Learnt(16).Ready(Thread, (17 * Period) + 20_000, 17 * Period).DueTicks);
    }

    /// <summary>Its producer is late several times in a row: each wake-up belongs to a beat of its own.</summary>
    [Fact]
    public void After_a_late_one_the_next_is_due_a_period_after_that_was()
    {
        WakeBeats beats = Learnt(16);
        Assert.Equal((17 * Period, Period), beats.Ready(Thread, (17 * Period) + 93_000, 16 * Period));
        Assert.Equal((18 * Period, Period), beats.Ready(Thread, (18 * Period) + 70_000, (17 * Period) + 94_000));
        Assert.Equal((0, Period), beats.Ready(Thread, 19 * Period, (18 * Period) + 71_000));
    }

    /// <summary>One that counts from when it ran is due a period after that, and has not come back to its old beat.</summary>
    [Fact]
    public void One_that_counts_from_when_it_ran_is_in_time_a_period_later()
    {
        WakeBeats beats = Learnt(16);
        Assert.Equal((17 * Period, Period), beats.Ready(Thread, (17 * Period) + 30_000, 16 * Period));
        Assert.Equal((0, Period), beats.Ready(Thread, (18 * Period) + 30_000, (17 * Period) + 31_000));
        Assert.Empty(beats.Back);
    }

    /// <summary>The beat that the user tells is one of a thread: of two intervals or more, over half are of that length.</summary>
    [Theory]
    [InlineData(0, 1, false)]
    [InlineData(0, 2, true)]
    [InlineData(1, 1, false)]
    [InlineData(2, 3, true)]
    public void A_told_beat_takes_a_thread_that_keeps_it(int others, int alike, bool isKnown)
    {
        var beats = new WakeBeats(new LossMap(), Threshold, Period);
        long at = Period;
        beats.Ready(Thread, at, 0);
        for (int i = 0; i < others + alike; i++)
        {
            beats.Ready(Thread, at += i < others ? 3 * Period / 2 : Period, at);
        }

        Assert.Equal(isKnown ? Period : 0, beats.Ready(Thread, at + Period, at).PeriodTicks);
    }

    /// <summary>A beat that was known goes on while half of the intervals are on it.</summary>
    [Theory]
    [InlineData(8, true)]
    [InlineData(9, false)]
    public void A_known_beat_takes_eight_alike(int others, bool isKnown)
    {
        WakeBeats beats = Learnt(16);
        long at = 17 * Period;
        for (int i = 0; i < others; i++)
        {
            beats.Ready(Thread, at += Period - (Threshold / 2), at);
        }

        Assert.Equal(isKnown, beats.Ready(Thread, at + Period + Period, 0).PeriodTicks > 0);
    }

    [Fact]
    public void Across_a_loss_it_may_have_come_unseen()
    {
        var losses = new LossMap();
        losses.Add(3, (16 * Period) + 10, (16 * Period) + 20);
        Assert.Equal(0, Learnt(16, losses).Ready(Thread, (17 * Period) + 20_000, 0).DueTicks);
        losses = new LossMap();
        losses.Add(3, (14 * Period) + 10, (14 * Period) + 20);
        Assert.NotEqual(0, Learnt(16, losses).Ready(Thread, (17 * Period) + 20_000, 0).DueTicks);
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(Threshold / 4, true)]
    [InlineData((Threshold / 4) + 1, false)]
    [InlineData(20_000, false)]
    public void The_next_wake_up_tells_whether_it_was_kept_or_slept_longer(long next, bool isBack)
    {
        WakeBeats beats = Learnt(16);
        Delay late = Late();
        Assert.NotEqual(0, beats.Ready(Thread, (17 * Period) + 20_000, 0).DueTicks);
        beats.Found(Thread, late);
        Assert.DoesNotContain(late, beats.Back);
        beats.Ready(Thread, (18 * Period) + next, 0);
        Assert.Equal(isBack, beats.Back.Contains(late));
    }

    [Fact]
    public void A_whole_beat_later_tells_nothing()
    {
        WakeBeats beats = Learnt(16);
        Delay late = Late();
        Assert.NotEqual(0, beats.Ready(Thread, 18 * Period, 0).DueTicks);
        beats.Found(Thread, late);
        beats.Ready(Thread, 19 * Period, 0);
        Assert.DoesNotContain(late, beats.Back);
    }

    [Fact]
    public void A_late_one_does_not_change_the_beat()
    {
        WakeBeats beats = Learnt(16);
        long at = 16 * Period;
        for (int i = 0; i < 40; i++)
        {
            // Late, and then back on the beat: every other interval is another.
            Assert.Equal((at + Period, Period), beats.Ready(Thread, at + Period + 20_000, 0));
            Assert.Equal(0, beats.Ready(Thread, at += 2 * Period, 0).DueTicks);
            Assert.Equal(0, beats.Ready(Thread, at += Period, 0).DueTicks);
            Assert.Equal(0, beats.Ready(Thread, at += Period, 0).DueTicks);
            Assert.Equal(0, beats.Ready(Thread, at += Period, 0).DueTicks);
        }
    }

    /// <summary>A clock of coarse steps may tell of a thread twice at one time.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void Twice_at_one_time_is_no_interval(long step)
    {
        WakeBeats beats = Learnt(16);
        for (int i = 0; i < 5; i++)
        {
            Assert.Equal(0, beats.Ready(Thread, (16 * Period) + (step * i), 0).DueTicks);
        }

        Assert.Equal(0, beats.Ready(Thread, 16 * Period, 0).DueTicks);
        Assert.NotEqual(0, beats.Ready(Thread, (17 * Period) + Threshold, 0).DueTicks);
    }

    private static WakeBeats Learnt(int intervals, LossMap? losses = null)
    {
        var beats = new WakeBeats(losses ?? new LossMap(), Threshold);
        for (int i = 0; i <= intervals; i++)
        {
            Assert.Equal(0, beats.Ready(Thread, i * Period, 0).DueTicks);
        }

        return beats;
    }

    private static Delay Late() => new()
    {
        Probe = ProbeKind.Thread,
        FromTicks = 17 * Period,
        ToTicks = (17 * Period) + 20_010,
        Cpu = 0,
        ThreadId = Thread,
        IsLateByBeat = true,
        PeriodTicks = Period,
    };
}
