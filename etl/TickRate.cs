namespace Tracer.Etl;

/// <summary>
/// From lengths in nanoseconds to ticks of a clock and back, rounded toward zero. What leaves the range of 64 bits is the end of that
/// range: a damaged file may claim any length, and any rate.
/// </summary>
public static class TickRate
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    /// <summary>Whole ticks of a length.</summary>
    /// <param name="nanoseconds">The length.</param>
    /// <param name="ticksPerSecond">Rate of the clock in Hz, positive.</param>
    public static long TicksOf(long nanoseconds, long ticksPerSecond) => Scaled(nanoseconds, ticksPerSecond, NanosecondsPerSecond);

    /// <summary>Ticks of so many seconds.</summary>
    /// <param name="seconds">The length.</param>
    /// <param name="ticksPerSecond">Rate of the clock in Hz, positive.</param>
    public static long TicksOfSeconds(long seconds, long ticksPerSecond) => Scaled(seconds, ticksPerSecond, 1);

    /// <summary>Whole ticks of a length as files and Windows' records give it.</summary>
    /// <param name="units">The length in units of 100 ns.</param>
    /// <param name="ticksPerSecond">Rate of the clock in Hz, positive.</param>
    public static long TicksOf100Nanoseconds(long units, long ticksPerSecond) =>
        Scaled(units, ticksPerSecond, TimeSpan.TicksPerSecond);

    /// <summary>Whole nanoseconds of a length in ticks.</summary>
    /// <param name="ticks">The length.</param>
    /// <param name="ticksPerSecond">Rate of the clock in Hz, positive.</param>
    public static long NanosecondsOf(long ticks, long ticksPerSecond) => Scaled(ticks, NanosecondsPerSecond, ticksPerSecond);

    private static long Scaled(long value, long multiplier, long divisor)
    {
        // Whole and part by themselves: exact, and all that real clocks count fits 64 bits so.
        (long whole, long part) = Math.DivRem(value, divisor);
        long most = (long.MaxValue / multiplier) - 1;
        return whole < most && whole > -most && divisor <= long.MaxValue / multiplier
            ? (whole * multiplier) + (part * multiplier / divisor)
            : (long)Int128.Clamp((Int128)value * multiplier / divisor, long.MinValue, long.MaxValue);
    }
}
