namespace Tracer.Etl;

/// <summary>What the time stamps of a trace count (ReservedFlags of TRACE_LOGFILE_HEADER in evntrace.h).</summary>
public enum TraceClockKind
{
    /// <summary>The performance counter.</summary>
    Qpc = 1,

    /// <summary>System time as a FILETIME: coarse, and steps when the clock is set. Not fit for latency work.</summary>
    SystemTime = 2,

    /// <summary>The CPU's cycle counter.</summary>
    CpuCycles = 3,
}

/// <summary>
/// The clock of a trace: turns raw ticks into time, exactly. Ticks stay ticks through reading and analysis and are converted once, when
/// printed or compared with a threshold.
/// </summary>
/// <remarks>
/// Every stamp in a file is in the same clock, payload times included. The header event's own stamp corresponds to its StartTime, so a
/// tick <c>t</c> is <c>StartTime + (t - HeaderTicks) / TicksPerSecond</c> for all three kinds. Events may precede the
/// header event: results are signed. Arithmetic is exact: a plain product of 64 bits would overflow after 25.6 hours at 10 MHz.
/// </remarks>
public readonly record struct TraceClock
{
    private const long NanosecondsPerSecond = 1_000_000_000;
    private const long FileTimePerSecond = 10_000_000;

    /// <summary>Makes a clock.</summary>
    /// <param name="kind">What the ticks count.</param>
    /// <param name="ticksPerSecond">Rate in Hz: the performance frequency, 10,000,000 for system time, or CPU MHz x 1,000,000.</param>
    /// <param name="headerTicks">Time stamp of the header event.</param>
    /// <param name="startFileTime">StartTime of the header: 100 ns since 1601, UTC.</param>
    /// <exception cref="ArgumentOutOfRangeException">The rate is zero or negative.</exception>
    public TraceClock(TraceClockKind kind, long ticksPerSecond, long headerTicks, long startFileTime)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(ticksPerSecond);
        Kind = kind;
        TicksPerSecond = ticksPerSecond;
        HeaderTicks = headerTicks;
        StartFileTime = startFileTime;
    }

    /// <summary>What the ticks count.</summary>
    public TraceClockKind Kind { get; }

    /// <summary>Rate in Hz, positive.</summary>
    public long TicksPerSecond { get; }

    /// <summary>Time stamp of the header event, in ticks.</summary>
    public long HeaderTicks { get; }

    /// <summary>When the header event was logged: FILETIME, 100 ns since 1601, UTC.</summary>
    public long StartFileTime { get; }

    /// <summary>
    /// Nanoseconds from the header event to a time stamp, to the nearest; a damaged stamp beyond 292 years gives the end of the
    /// range.
    /// </summary>
    /// <param name="timestampTicks">A raw time stamp of the file.</param>
    public long NanosecondsFromHeader(long timestampTicks) => FromHeader(timestampTicks, NanosecondsPerSecond);

    /// <summary>Length in nanoseconds, to the nearest, of so many ticks.</summary>
    /// <param name="ticks">A difference of two time stamps.</param>
    public long NanosecondsOf(long ticks) => Convert(ticks, NanosecondsPerSecond, TicksPerSecond);

    /// <summary>Whole ticks of a length; one that leaves the range gives its end.</summary>
    /// <param name="nanoseconds">The length.</param>
    public long TicksOf(long nanoseconds) => TickRate.TicksOf(nanoseconds, TicksPerSecond);

    /// <summary>Ticks of so many seconds; what leaves the range gives its end.</summary>
    /// <param name="seconds">The length.</param>
    public long TicksOfSeconds(long seconds) => TickRate.TicksOfSeconds(seconds, TicksPerSecond);

    /// <summary>The time stamp, to the nearest tick, of a moment.</summary>
    /// <param name="nanosecondsFromHeader">Nanoseconds from the header event.</param>
    public long TicksAt(long nanosecondsFromHeader) =>
        Sum(HeaderTicks, Convert(nanosecondsFromHeader, TicksPerSecond, NanosecondsPerSecond));

    /// <summary>The FILETIME of a time stamp (100 ns since 1601, UTC), to the nearest; null where no such date exists.</summary>
    /// <param name="timestampTicks">A raw time stamp of the file.</param>
    public long? FileTimeAt(long timestampTicks)
    {
        long fileTime = Sum(StartFileTime, FromHeader(timestampTicks, FileTimePerSecond));
        return fileTime < 0 || fileTime > DateTime.MaxValue.ToFileTimeUtc() ? null : fileTime;
    }

    private static long Convert(long value, long multiplier, long divisor)
    {
        // Whole and part by themselves: exact, and all that real traces hold fits 64 bits so. Half the divisor, with the value's sign,
        // rounds to the nearest.
        long whole = value / divisor;
        long most = (long.MaxValue / multiplier) - 1;
        if (whole >= most || whole <= -most || divisor > long.MaxValue / 2 / multiplier)
        {
            return ConvertWide(value, multiplier, divisor);
        }

        long part = value % divisor * multiplier;
        return (whole * multiplier) + ((part + (part < 0 ? -(divisor / 2) : divisor / 2)) / divisor);
    }

    private static long ConvertWide(Int128 value, long multiplier, long divisor)
    {
        // A difference of stamps has 65 bits and is multiplied by at most 30; a length of 64 bits by at most 63: no product leaves 128.
        Int128 product = value * multiplier;
        Int128 half = divisor / 2;
        return Saturate((product + (product < 0 ? -half : half)) / divisor);
    }

    private static long Sum(long first, long second)
    {
        long sum = unchecked(first + second);
        return ((first ^ sum) & (second ^ sum)) >= 0 ? sum : first < 0 ? long.MinValue : long.MaxValue;
    }

    private static long Saturate(Int128 value) => (long)Int128.Clamp(value, long.MinValue, long.MaxValue);

    private long FromHeader(long timestampTicks, long unitsPerSecond)
    {
        long ticks = unchecked(timestampTicks - HeaderTicks);
        return ((timestampTicks ^ HeaderTicks) & (timestampTicks ^ ticks)) >= 0
            ? Convert(ticks, unitsPerSecond, TicksPerSecond)
            : ConvertWide((Int128)timestampTicks - HeaderTicks, unitsPerSecond, TicksPerSecond);
    }
}
