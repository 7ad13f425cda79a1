using System.Numerics;
using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Etl.Tests;

public class TraceClockTests
{
    private static readonly long Start = new DateTime(2026, 11, 21, 9, 30, 0, DateTimeKind.Utc).ToFileTimeUtc();

    [Theory]
    [InlineData(10_000_000, 10_000_000, 1_000_000_000)]
    [InlineData(2_337_949, 2_337_949, 1_000_000_000)] // A rate of Windows 7.
    [InlineData(2_337_949, 1, 428)] // 427.725 rounds up.
    [InlineData(2_337_949, -1, -428)]
    [InlineData(3_000_000_000, 1, 0)] // A third of a nanosecond.
    [InlineData(10_000_000, 10_000_000L * 3600 * 24 * 365, 1_000_000_000L * 3600 * 24 * 365)] // A year.
    public void Ticks_become_nanoseconds(long ticksPerSecond, long ticks, long nanoseconds)
    {
        var clock = new TraceClock(TraceClockKind.Qpc, ticksPerSecond, headerTicks: 5_000, Start);
        Assert.Equal(nanoseconds, clock.NanosecondsOf(ticks));
        Assert.Equal(nanoseconds, clock.NanosecondsFromHeader(5_000 + ticks));
    }

    [Fact]
    public void System_time_is_its_own_file_time()
    {
        var clock = new TraceClock(TraceClockKind.SystemTime, 10_000_000, headerTicks: Start, Start);
        Assert.Equal(Start + 123, clock.FileTimeAt(Start + 123));
    }

    [Fact]
    public void Cycles_count_by_the_processor_speed()
    {
        // S + (t - T0) * 10 / MHz.
        var clock = new TraceClock(TraceClockKind.CpuCycles, 3_200 * 1_000_000L, headerTicks: 7, Start);
        Assert.Equal(Start + 10, clock.FileTimeAt(7 + 3_200));
    }

    [Fact]
    public void A_damaged_stamp_stays_at_the_end_of_the_range()
    {
        var clock = new TraceClock(TraceClockKind.Qpc, 1_000, headerTicks: long.MinValue, Start);
        Assert.Equal(long.MaxValue, clock.NanosecondsFromHeader(long.MaxValue));
        Assert.Null(clock.FileTimeAt(long.MaxValue));
        Assert.Null(new TraceClock(TraceClockKind.Qpc, 1_000, 0, Start).FileTimeAt(long.MinValue));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void A_clock_without_a_rate_is_refused(long ticksPerSecond) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new TraceClock(TraceClockKind.Qpc, ticksPerSecond, 0, Start));

    [Fact]
    public void Conversion_is_the_exact_quotient_rounded_to_the_nearest() =>
        Prop.ForAll(ArbMap.Default.ArbFor<DoNotSize<long>>(), ArbMap.Default.ArbFor<DoNotSize<int>>(), (ticks, rate) =>
        {
            long ticksPerSecond = 1 + Math.Abs((long)rate.Item);
            BigInteger nanoseconds = new TraceClock(TraceClockKind.Qpc, ticksPerSecond, 0, Start).NanosecondsOf(ticks.Item);
            BigInteger exactTimesRate = new BigInteger(ticks.Item) * 1_000_000_000;
            if (BigInteger.Abs(exactTimesRate) >= new BigInteger(long.MaxValue) * ticksPerSecond)
            {
                return nanoseconds == (ticks.Item < 0 ? long.MinValue : long.MaxValue) || BigInteger.Abs(nanoseconds) == long.MaxValue;
            }

            // |exact - rounded| <= 1/2, multiplied out to stay whole.
            return BigInteger.Abs(2 * (exactTimesRate - (nanoseconds * ticksPerSecond))) <= ticksPerSecond;
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void A_time_is_found_again_within_a_tick() =>
        Prop.ForAll(ArbMap.Default.ArbFor<DoNotSize<long>>(), ArbMap.Default.ArbFor<DoNotSize<int>>(), (time, header) =>
        {
            // Half the range: at its ends the nearest tick lies outside.
            long nanoseconds = time.Item / 2;
            var clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, header.Item, Start);
            return Math.Abs(clock.NanosecondsFromHeader(clock.TicksAt(nanoseconds)) - nanoseconds) <= 50;
        }).QuickCheckThrowOnFailure();
}
