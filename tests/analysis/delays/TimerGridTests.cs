using Tracer.Analysis.Delays;

namespace Tracer.Analysis.Tests.Delays;

public class TimerGridTests
{
    private const long TicksPerSecond = 10_000_000;

    [Theory]
    [InlineData(9_765.625, 10_000)]
    [InlineData(10_007.3, 10_000)]
    [InlineData(9_765.625, 100_000)]
    [InlineData(156_250, 10_000)]
    [InlineData(5_000, 10_300)]
    public void Ticks_that_serve_timers_are_found_by_their_beat(double period, long timer)
    {
        const double First = 1_234_567;
        (List<(long Due, long Served)> wakeups, List<long> ticks) = Made(400, timer, due => Next(due, First, period));
        long[]? found = TimerGrid.Find(wakeups, TicksPerSecond);
        Assert.NotNull(found);
        Every.Item(found.Zip(ticks), pair => Assert.InRange(pair.First - pair.Second, -20, 20));
    }

    [Fact]
    public void A_clock_that_drifts_is_followed()
    {
        // 50 ppm more after each 1,000 wake-ups.
        double tick = 1_000_000;
        double period = 9_765.625;
        List<double> grid = [];
        for (int i = 0; i < 4000; i++)
        {
            grid.Add(tick);
            tick += period;
            period *= 1 + 50e-9;
        }

        (List<(long Due, long Served)> wakeups, List<long> ticks) = Made(3500, 10_000, due => (long)grid.First(one => one >= due));
        long[]? found = TimerGrid.Find(wakeups, TicksPerSecond);
        Assert.NotNull(found);
        Every.Item(found.Zip(ticks), pair => Assert.InRange(pair.First - pair.Second, -50, 50));
    }

    [Fact]
    public void One_in_twenty_five_may_be_late_for_other_reasons_and_still_has_its_tick()
    {
        (List<(long Due, long Served)> wakeups, List<long> ticks) = Made(200, 10_000, due => Next(due, 500, 9_765.625));
        for (int i = 3; i < wakeups.Count; i += 25)
        {
            wakeups[i] = (wakeups[i].Due, wakeups[i].Served + 7_000);
        }

        long[]? found = TimerGrid.Find(wakeups, TicksPerSecond);
        Assert.NotNull(found);
        Assert.InRange(found[28] - ticks[28], -50, 50);
    }

    [Fact]
    public void Nothing_is_found_where_one_in_five_does_not_fit()
    {
        (List<(long Due, long Served)> wakeups, _) = Made(200, 10_000, due => Next(due, 500, 9_765.625));
        for (int i = 0; i < wakeups.Count; i += 5)
        {
            wakeups[i] = (wakeups[i].Due, wakeups[i].Served + 3_000);
        }

        Assert.Null(TimerGrid.Find(wakeups, TicksPerSecond));
    }

    [Theory]
    [InlineData(40)]
    [InlineData(6_000)]
    public void A_timer_that_is_always_as_late_shows_no_ticks(long late)
    {
        (List<(long Due, long Served)> wakeups, _) = Made(200, 10_000, due => due + late);
        Assert.Null(TimerGrid.Find(wakeups, TicksPerSecond));
    }

    [Fact]
    public void Latencies_at_random_show_no_ticks()
    {
        var random = new Random(1);
        (List<(long Due, long Served)> wakeups, _) = Made(300, 10_000, due => due + random.Next(9_000));
        Assert.Null(TimerGrid.Find(wakeups, TicksPerSecond));
    }

    [Fact]
    public void Fifteen_wakeups_are_too_few()
    {
        (List<(long Due, long Served)> wakeups, _) = Made(TimerGrid.FewestWakeups - 1, 10_000, due => Next(due, 500, 9_765.625));
        Assert.Null(TimerGrid.Find(wakeups, TicksPerSecond));
        wakeups.Add((2_150_000, Next(2_150_000, 500, 9_765.625)));
        Assert.NotNull(TimerGrid.Find(wakeups, TicksPerSecond));
    }

    /// <summary>A tick each 0.4 to 17 ms.</summary>
    [Theory]
    [InlineData(3_500, false)]
    [InlineData(4_500, true)]
    [InlineData(165_000, true)]
    [InlineData(175_000, false)]
    public void Only_what_a_clock_of_windows_may_have_is_a_period(long period, bool isFound)
    {
        (List<(long Due, long Served)> wakeups, _) = Made(200, (period * 5) + (period * 7 / 10), due => Next(due, 500, period));
        Assert.Equal(isFound, TimerGrid.Find(wakeups, TicksPerSecond) is not null);
    }

    /// <summary>Due in turn at two distances before a tick, which differ by a part of the period.</summary>
    [Theory]
    [InlineData(0.18, false)]
    [InlineData(0.22, true)]
    public void Due_times_must_reach_over_a_fifth_of_the_period(double part, bool isFound)
    {
        const long Period = 10_000;
        List<(long Due, long Served)> wakeups = [];
        for (int i = 0; i < 200; i++)
        {
            long tick = 1_000_000 + (i * 2 * Period) + (i % 3 == 0 ? Period : 0);
            wakeups.Add((tick - (long)((0.6 + (i % 2 * part)) * Period), tick + (i * 7 % 20)));
        }

        Assert.Equal(isFound, TimerGrid.Find(wakeups, TicksPerSecond) is not null);
    }

    /// <summary>Sixteen timers within two seconds.</summary>
    [Theory]
    [InlineData(0, true)]
    [InlineData(1, false)]
    public void Wake_ups_that_are_further_apart_show_no_ticks(long beyond, bool isFound)
    {
        List<(long Due, long Served)> wakeups = [];
        for (int i = 0; i < 16; i++)
        {
            long due = 2_000_000 + (i == 15 ? (2 * TicksPerSecond) + beyond : i * 1_333_333);
            wakeups.Add((due, Next(due, 500, 9_765.625)));
        }

        Assert.Equal(isFound, TimerGrid.Find(wakeups, TicksPerSecond) is not null);
    }

    [Fact]
    public void Timers_that_one_tick_serves_together_show_it()
    {
        List<(long Due, long Served)> wakeups = [.. Enumerable.Range(0, 20).Select(i => (1_000_000L + (i * 4_000), 1_100_000L))];
        Assert.Equal(Enumerable.Repeat(1_100_000L, 20), TimerGrid.Find(wakeups, TicksPerSecond));
    }

    /// <summary>Four of five must fit: of 20 wake-ups two come 0.3 of a period behind their tick, two as much before the next.</summary>
    [Theory]
    [InlineData(4, true)]
    [InlineData(5, false)]
    public void One_in_five_may_be_late(int late, bool isFound)
    {
        (List<(long Due, long Served)> wakeups, _) = Made(20, 10_000, due => Next(due, 500, 9_765.625));
        for (int i = 0; i < late; i++)
        {
            // The first of all is one of them: where the search begins.
            int at = 4 * i;
            wakeups[at] = (wakeups[at].Due, wakeups[at].Served + (i % 2 == 0 ? 3_000 : 6_766));
        }

        Assert.Equal(isFound, TimerGrid.Find(wakeups, TicksPerSecond) is not null);
    }

    [Theory]
    [InlineData(4, true)]
    [InlineData(5, false)]
    public void Four_of_five_must_fit_in_one_window(int late, bool isFound)
    {
        (List<(long Due, long Served)> wakeups, _) = Made(20, 10_000, due => Next(due, 500, 9_765.625));
        for (int i = 20 - late; i < 20; i++)
        {
            wakeups[i] = (wakeups[i].Due, wakeups[i].Served + (i % 2 == 0 ? 3_000 : 6_766));
        }

        Assert.Equal(isFound, TimerGrid.Find(wakeups, TicksPerSecond) is not null);
    }

    /// <summary>Where a tick is, is known to 40 us: it may serve a timer that seems due behind it, or miss one before it.</summary>
    [Theory]
    [InlineData(100, 0)]
    [InlineData(-100, 1)]
    public void A_timer_close_to_a_tick_may_be_served_by_its_neighbour(long off, int served)
    {
        const double Period = 9_765.625;
        (List<(long Due, long Served)> wakeups, List<long> ticks) = Made(200, 10_000, due => Next(due, 500, Period));
        long tick = ticks[100] + (long)(served * Period);
        wakeups[100] = (ticks[100] + off, tick + 110);
        long[]? found = TimerGrid.Find(wakeups, TicksPerSecond);
        Assert.NotNull(found);
        Assert.InRange(found[100] - tick, -50, 50);
    }

    /// <summary>Where the search begins says nothing of where the ticks are.</summary>
    [Theory]
    [InlineData(2_441)]
    [InlineData(4_882)]
    [InlineData(7_324)]
    public void The_first_of_all_may_be_late_by_any_part_of_a_period(long late)
    {
        (List<(long Due, long Served)> wakeups, List<long> ticks) = Made(16, 10_000, due => Next(due, 500, 9_765.625));
        wakeups[0] = (wakeups[0].Due, wakeups[0].Served + late);
        long[]? found = TimerGrid.Find(wakeups, TicksPerSecond);
        Assert.NotNull(found);
        Every.Item(found.Zip(ticks).Skip(1), pair => Assert.InRange(pair.First - pair.Second, -50, 50));
    }

    /// <summary>Those that are late by half a period speak for the opposite phase: of 30, a share of 0.73 is left, or 0.6.</summary>
    [Theory]
    [InlineData(4, true)]
    [InlineData(6, false)]
    public void Times_of_two_opposite_phases_show_no_ticks(int late, bool isFound)
    {
        (List<(long Due, long Served)> wakeups, _) = Made(30, 10_000, due => Next(due, 500, 9_765.625));
        for (int i = 0; i < late; i++)
        {
            int at = (5 * i) + 2;
            wakeups[at] = (wakeups[at].Due, wakeups[at].Served + 4_883);
        }

        Assert.Equal(isFound, TimerGrid.Find(wakeups, TicksPerSecond) is not null);
    }

    [Fact]
    public void Those_that_are_late_for_other_reasons_do_not_move_the_ticks()
    {
        (List<(long Due, long Served)> wakeups, List<long> ticks) = Made(200, 10_000, due => Next(due, 500, 9_765.625));
        for (int i = 5; i < wakeups.Count; i += 6)
        {
            wakeups[i] = (wakeups[i].Due, wakeups[i].Served + 3_000);
        }

        long[]? found = TimerGrid.Find(wakeups, TicksPerSecond);
        Assert.NotNull(found);
        Every.Item(found.Zip(ticks).Take(5), pair => Assert.InRange(pair.First - pair.Second, -50, 50));
    }

    [Fact]
    public void Nothing_is_served_before_its_tick()
    {
        (List<(long Due, long Served)> wakeups, _) = Made(300, 10_000, due => Next(due, 500, 9_765.625));
        long[]? found = TimerGrid.Find(wakeups, TicksPerSecond);
        Assert.NotNull(found);
        Every.Item(found.Zip(wakeups), pair => Assert.InRange(pair.First, pair.Second.Due - 500, pair.Second.Served));
    }

    /// <summary>A timer each tenth tick: between two of them a clock that has changed its period by 1/1 000 moves away.</summary>
    [Fact]
    public void The_period_of_a_clock_that_drifts_is_followed()
    {
        double tick = 1_000_000;
        double period = 9_765.625;
        List<double> grid = [];
        for (int i = 0; i < 32_000; i++)
        {
            grid.Add(tick);
            tick += period;
            period *= 1 + 30e-9;
        }

        int at = 0;
        (List<(long Due, long Served)> wakeups, List<long> ticks) = Made(3_000, 100_000, due =>
        {
            while (grid[at] < due)
            {
                at++;
            }

            return (long)grid[at];
        });
        long[]? found = TimerGrid.Find(wakeups, TicksPerSecond);
        Assert.NotNull(found);
        Every.Item(found.Zip(ticks), pair => Assert.InRange(pair.First - pair.Second, -100, 100));
    }

    private static long Next(long due, double first, double period) =>
        (long)Math.Round(first + (Math.Ceiling((due - first) / period) * period));

    /// <summary>Timers that are due one after the other, each served 0 to 2 us behind its tick.</summary>
    private static (List<(long Due, long Served)> Wakeups, List<long> Ticks) Made(int count, long timer, Func<long, long> tickOf)
    {
        List<(long, long)> wakeups = [];
        List<long> ticks = [];
        for (int i = 0; i < count; i++)
        {
            long due = 2_000_000 + (i * timer);
            ticks.Add(tickOf(due));
            wakeups.Add((due, ticks[^1] + (i * 7 % 20)));
        }

        return (wakeups, ticks);
    }
}
