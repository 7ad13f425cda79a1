using Tracer.Analysis.Clocks;

namespace Tracer.Analysis.Tests.Clocks;

/// <summary>
/// Clocks that disagree show where an idle CPU seems to need long for each thread that another makes ready, on whatever beat they come.
/// </summary>
public class ClockWakeupsTests
{
    /// <summary>So often a thread wakes that each of sixteen stretches has more than twenty-four wake-ups.</summary>
    private const int Enough = 16 * 25;

    private static readonly ClockRules Rules = new(new TraceClock(TraceClockKind.Qpc, 10_000_000, 0, 133_000_000_000_000_000), 0);

    /// <summary>The clock of CPU 1, which idles, is ahead or behind by ticks of 0.1 us; it is woken each 2 ms, within 5 us.</summary>
    [Theory]
    [InlineData(0, false)]
    [InlineData(2_949, false)]
    [InlineData(2_950, true)] // It seems to need 0.3 ms.
    [InlineData(7_000, true)]
    [InlineData(-7_000, true)]
    [InlineData(33_000, true)]
    [InlineData(20_000, false)] // As long as the beat: nothing tells that wake-up from the one before.
    public void An_idle_CPU_does_not_wake_late_each_time(long ahead, bool isFound)
    {
        (int count, long ticks, IReadOnlyList<int> cpus) = Of(Wakeups(Enough, ahead, _ => 50));
        Assert.Equal(isFound, count > 0);
        Assert.Equal(isFound ? [1] : [], cpus);
        Assert.Equal(isFound, ticks >= 3_000);
    }

    [Fact]
    public void A_clock_that_is_set_while_the_trace_runs_is_found()
    {
        ClockEvent[] all = [.. Wakeups(Enough, 0, _ => 50), .. Wakeups(Enough, 7_000, _ => 50)
            .Select(one => one with { Ticks = one.Ticks + (Enough * 20_000L) })];
        Assert.True(Of(all).Count > 0);
    }

    [Theory]
    [InlineData(Enough, true)]
    [InlineData(16 * 23, false)]
    public void It_takes_twenty_four_wakeups_of_a_stretch(int count, bool isFound) =>
        Assert.Equal(isFound, Of(Wakeups(count, 7_000, _ => 50)).Count > 0);

    /// <summary>Most wake-ups take longer: a quarter longer is one clock, more is a CPU that is kept from running threads.</summary>
    [Theory]
    [InlineData(1_750, true)]
    [InlineData(1_800, false)]
    public void Half_of_them_take_about_as_long(long more, bool isFound) =>
        Assert.Equal(isFound, Of(Wakeups(Enough, 7_000, i => 50 + (i % 3 == 0 ? 0 : more))).Count > 0);

    [Fact]
    public void A_CPU_that_was_not_free_for_as_long_has_other_reasons()
    {
        ClockEvent[] busy = [.. Wakeups(Enough, 7_000, _ => 50).Select(one => one with { FreeTicks = 3_000 })];
        Assert.Equal(0, Of(busy).Count);
    }

    [Fact]
    public void CPUs_that_need_long_both_ways_leave_idle_states()
    {
        ClockEvent[] there = Wakeups(Enough, 0, _ => 7_000);
        ClockEvent[] back = [.. there.Select(one => one with { Ticks = one.Ticks + 10_000, Thread = 8, Cpu = (ushort)(1 - one.Cpu) })];
        Assert.Equal(0, Of([.. there, .. back]).Count);
        Assert.NotEqual(0, Of(there).Count);
    }

    private static (int Count, long Ticks, IReadOnlyList<int> Cpus) Of(ClockEvent[] events) =>
        ClockWakeups.Of(events, Rules, new Dictionary<int, long>());

    private static ClockEvent[] Wakeups(int count, long ahead, Func<int, long> waits) =>
    [
        .. Enumerable.Range(0, count).SelectMany(i => new ClockEvent[]
        {
            new(i * 20_000L, 7, 0, ClockEventKind.Ready),
            new((i * 20_000L) + ahead + waits(i), 7, 1, ClockEventKind.Run, FreeTicks: 19_000),
            new((i * 20_000L) + ahead + waits(i) + 500, 7, 1, ClockEventKind.Wait),
        }),
    ];
}
