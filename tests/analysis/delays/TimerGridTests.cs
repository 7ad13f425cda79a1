namespace Tracer.Analysis.Tests;

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
