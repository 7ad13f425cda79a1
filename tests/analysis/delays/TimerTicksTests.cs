using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Delays;

/// <summary>
/// The clock tick that should have served a timer, from the records of clock interrupts. Ticks are 100 ns, the clock's period is 1 ms.
/// </summary>
public class TimerTicksTests
{
    private const long TicksPerSecond = 10_000_000;
    private const long Period = 10_000;

    /// <summary>The ninth tick from the start is the next one behind the timer.</summary>
    private const long Next = 9 * Period;

    /// <summary>It may be late by a sixteenth of its period; beyond that it is late itself.</summary>
    [Theory]
    [InlineData(0, 0)]
    [InlineData(625, 625)]
    [InlineData(626, 0)]
    [InlineData(5_000, 0)]
    public void The_first_tick_at_or_behind_a_timer_should_serve_it_when_it_is_due(long late, long found) =>
        Assert.Equal(Next + found, Found([.. Regular(9), Next + late], Next - 5_000, Next + 9_000));

    [Theory]
    [InlineData(Next - Period, Next - Period)]
    [InlineData(Next - Period + 1, Next)]
    public void A_timer_that_is_due_at_a_tick_is_served_by_it(long due, long tick) =>
        Assert.Equal(tick, Found([.. Regular(9), Next], due, Next + 100));

    /// <summary>Its clock has no period: only the record tells.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void A_tick_right_behind_a_timer_serves_it(long behind)
    {
        List<long> ticks = [0];
        for (int i = 0; i < 8; i++)
        {
            ticks.Add(ticks[^1] + Period + (i < 3 ? 626 : 0));
        }

        long due = ticks[^1] + 5_000;
        Assert.Equal(due + behind, Found([.. ticks, due + behind], due, due + 9_000));
    }

    /// <summary>Of 5 000 ticks the last 4 096 are kept, the 905th is the first of these.</summary>
    [Theory]
    [InlineData(912, false)]
    [InlineData(913, true)]
    public void Ticks_that_are_no_longer_kept_tell_nothing(int last, bool isKnown)
    {
        long due = ((last - 1) * Period) + 5_000;
        Assert.Equal(isKnown ? due + 5_000 : due, Found(Regular(5_000), due, due + 9_000));
    }

    [Theory]
    [InlineData(8, false)]
    [InlineData(9, true)]
    public void Eight_intervals_tell_a_period(int ticks, bool isKnown)
    {
        long tick = ticks * Period;
        Assert.Equal(isKnown ? tick : tick - 5_000, Found([.. Regular(ticks), tick], tick - 5_000, tick + 100));
    }

    /// <summary>Where no tick came, or a late one, the period tells, if three of four intervals are regular.</summary>
    [Theory]
    [InlineData(2, 626, true)]
    [InlineData(3, 626, false)]
    [InlineData(3, 625, true)]
    public void A_clock_that_is_set_anew_for_each_timer_has_no_period(int others, long off, bool isKnown)
    {
        List<long> ticks = [0];
        for (int i = 0; i < 8; i++)
        {
            ticks.Add(ticks[^1] + Period + (i < others ? off : 0));
        }

        long due = ticks[^1] + 5_000;
        Assert.Equal(isKnown ? ticks[^1] + Period : due, Found(ticks, due, due + 9_000));
    }

    /// <summary>What served it cannot have been before the tick; 5 us of doubt are left.</summary>
    [Theory]
    [InlineData(50, -50L)]
    [InlineData(51, null)]
    [InlineData(0, 0L)]
    [InlineData(-1, 0L)]
    public void A_tick_behind_the_service_did_not_serve(long early, long? found)
    {
        long due = Next - 5_000;
        Assert.Equal(found is { } off ? Next + off : due, Found([.. Regular(9), Next], due, Next - early));
    }

    [Fact]
    public void The_processors_own_timer_needs_no_tick() =>
        Assert.Equal(Next - 5_000, Found([.. Regular(9), Next], Next - 5_000, Next + 100, mode: 0));

    /// <summary>Of the last 32 intervals 16 are of 1 ms and 16 of 0.5: their middle is 1 ms. Before them all are of 0.5.</summary>
    [Fact]
    public void The_last_thirty_two_intervals_count()
    {
        List<long> ticks = [0];
        for (int i = 0; i < 41; i++)
        {
            ticks.Add(ticks[^1] + (i is >= 9 and < 25 ? Period : Period / 2));
        }

        long late = ticks[^1] + Period + 600;
        Assert.Equal(late, Found([.. ticks, late], ticks[^1] + 3_000, late + 100));
    }

    [Fact]
    public void A_tick_that_is_late_should_have_served_what_was_due_with_it() =>
        Assert.Equal(Next, Found([.. Regular(9), Next + 5_000], Next, Next + 9_000));

    /// <summary>Without records the wake-ups themselves show the ticks, from the threshold on.</summary>
    [Theory]
    [InlineData(5_000, true)]
    [InlineData(4_999, false)]
    public void Ticks_are_looked_for_where_a_wake_up_was_late(long late, bool isFound)
    {
        const double Grid = 9_765.625;
        List<MeasuredWakeup> wakeups = [];
        for (int i = 0; i < 60; i++)
        {
            long due = 1_000_000 + (i * Period);
            long tick = (long)Math.Round(Math.Ceiling(due / Grid) * Grid);
            wakeups.Add(Woken(due, tick - due < 4_900 || i == 0 ? tick : due + 4_900, 1));
        }

        int chosen = wakeups.FindIndex(one => one.ServedTicks - one.ExpectedTicks is > 1_000 and < 4_000);
        long at = wakeups[chosen].ExpectedTicks;
        wakeups = [.. wakeups.Select((one, i) => i == chosen ? Woken(at, at + late, 1)
            : one.ServedTicks - one.ExpectedTicks > 4_800 ? Woken(one.ExpectedTicks, one.ServedTicks, 2) : one)];
        long expected = (long)Math.Round(Math.Ceiling(at / Grid) * Grid);
        long found = new TimerTicks(wakeups, 5_000, TicksPerSecond).Of(Cpu([]), wakeups[chosen]);
        Assert.InRange(found, isFound ? expected - 50 : at, isFound ? expected + 50 : at);
    }

    private static long Found(IEnumerable<long> clock, long due, long served, byte mode = 1) =>
        new TimerTicks([], 5_000, TicksPerSecond).Of(Cpu(clock), Woken(due, served, mode));

    private static IEnumerable<long> Regular(int count) => Enumerable.Range(0, count).Select(i => i * Period);

    private static CpuHistory Cpu(IEnumerable<long> clock)
    {
        var cpu = new CpuHistory(0, 1_024, new SampleClock(0, 500));
        foreach (long ticks in clock)
        {
            cpu.ClockInterrupts.Add(new ClockInterrupt { Ticks = ticks });
        }

        return cpu;
    }

    private static MeasuredWakeup Woken(long due, long served, byte mode) => new()
    {
        ExpectedTicks = due,
        LoggedTicks = served,
        InterruptedIp = 0,
        ThreadId = 120,
        Cpu = 0,
        Priority = 24,
        Mode = mode,
        Isr = MeasuredWakeup.NotMeasured,
        Dpc = MeasuredWakeup.NotMeasured,
        Thread = served,
    };
}
