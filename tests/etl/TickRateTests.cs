using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Etl.Tests;

/// <summary>Lengths in ticks and nanoseconds are exact, rounded toward zero, and end where the range ends.</summary>
public class TickRateTests
{
    [Fact]
    public void They_are_what_wide_arithmetic_gives() => Prop.ForAll(
        ArbMap.Default.ArbFor<DoNotSize<long>>(),
        Gen.Choose(1, int.MaxValue).Select(hz => (long)hz).ToArbitrary(),
        (length, hz) =>
        {
            foreach (long rate in (long[])[hz, 10_000_000, long.MaxValue / hz])
            {
                Assert.Equal(Wide(length.Item, rate, 1_000_000_000), TickRate.TicksOf(length.Item, rate));
                Assert.Equal(Wide(length.Item, 1_000_000_000, rate), TickRate.NanosecondsOf(length.Item, rate));
                Assert.Equal(Wide(length.Item, rate, 10_000_000), TickRate.TicksOf100Nanoseconds(length.Item, rate));
                Assert.Equal(Wide(length.Item, rate, 1), TickRate.TicksOfSeconds(length.Item, rate));
            }
        }).QuickCheckThrowOnFailure();

    [Theory]
    [InlineData(1_050, 10_000_000, 10)]
    [InlineData(-1_050, 10_000_000, -10)]
    [InlineData(long.MaxValue, 10_000_000_000, long.MaxValue)]
    [InlineData(long.MinValue, 10_000_000_000, long.MinValue)]
    [InlineData(long.MaxValue, long.MaxValue, long.MaxValue)]
    public void What_leaves_the_range_is_its_end(long nanoseconds, long ticksPerSecond, long ticks)
    {
        Assert.Equal(ticks, TickRate.TicksOf(nanoseconds, ticksPerSecond));
        Assert.Equal(ticks, new TraceClock(TraceClockKind.Qpc, ticksPerSecond, 0, 0).TicksOf(nanoseconds));
    }

    private static long Wide(long value, long multiplier, long divisor) =>
        (long)Int128.Clamp((Int128)value * multiplier / divisor, long.MinValue, long.MaxValue);
}
