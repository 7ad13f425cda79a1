using Tracer.Analysis.Delays;

namespace Tracer.Analysis.Tests.Delays;

/// <summary>A thread that comes with the clock's usual ticks, 64 a second, after it had another beat. Ticks are 100 ns.</summary>
public class TickChangesTests
{
    private const long Tick = 156_250;
    private const long Period = 100_000;

    [Theory]
    [InlineData(7, 0, Period, 0)]
    [InlineData(8, 0, Period, 1)]
    [InlineData(20, 0, Period, 1)]
    [InlineData(8, Tick / 32, Period, 1)] // As late as a timer may be.
    [InlineData(8, (Tick / 32) + 1, Period, 0)]
    [InlineData(8, 0, 0, 0)] // Without a beat before.
    [InlineData(8, 0, 2 * Tick, 0)] // That beat is one of ticks, too.
    public void Eight_intervals_of_ticks_are_a_change(int intervals, long off, long period, int expected)
    {
        var changes = new TickChanges(10_000_000);
        TickRun run = default;
        long at = 7 * Period;
        for (int i = 0; i < intervals; i++)
        {
            changes.Ready(120, at, at + Tick + off, i == 0 ? period : 0, ref run);
            at += Tick + off;
        }

        Assert.Equal(expected, changes.Found.Count);
        Assert.All(changes.Found, change => Assert.Equal((120u, 7 * Period, period), (change.Thread, change.AtTicks, change.PeriodTicks)));
    }

    [Fact]
    public void An_interval_of_another_length_begins_anew()
    {
        var changes = new TickChanges(10_000_000);
        TickRun run = default;
        for (int i = 0; i < 15; i++)
        {
            changes.Ready(120, 0, i == 7 ? Period : Tick, Period, ref run);
        }

        Assert.Empty(changes.Found);
    }
}
