namespace Tracer.Etl.Reading;

/// <summary>
/// Holds the rate of a trace's clock against two lengths that the header tells by the time of day: how long the system had been up when the
/// session began, and how long the session lasted. Where both prove the same other rate, that of the header is wrong.
/// </summary>
internal static class ClockRates
{
    /// <summary>Rates nearer than this part to the one that is told prove nothing.</summary>
    private const double LeastOff = 0.1;

    /// <summary>The two lengths agree within this part: the last event may be older than the end of the session.</summary>
    private const double Agreement = 0.1;

    /// <summary>A rate that computers have lies this near to the one that the time since the start of the system proves.</summary>
    private const double Nearness = 0.01;

    /// <summary>In less than so many seconds since the start of the system, and in none of the session, nothing is proven.</summary>
    private const double LeastUpSeconds = 60;

    /// <summary>The performance counter's on Windows 10 and later, and those of the timers of older machines.</summary>
    private static readonly long[] Usual = [10_000_000, 14_318_180, 3_579_545, 1_193_182];

    /// <summary>Puts the rate right where it is disproved; one that cannot be named leaves the trace without a clock.</summary>
    /// <param name="header">The header as it is told.</param>
    /// <param name="opened">The buffers that were looked into.</param>
    /// <param name="contradictions">Receives what was found.</param>
    public static EtlFileHeader Proven(
        EtlFileHeader header, IReadOnlyCollection<OpenedBuffer> opened, List<HeaderContradiction> contradictions)
    {
        TraceClock told = header.Clock;
        if (told.Kind == TraceClockKind.SystemTime || !header.IsClockKnown || told.StartFileTime <= 0 || opened.Count == 0)
        {
            return header;
        }

        double up = (told.StartFileTime - header.BootFileTime) / (double)TimeSupport.FileTimePerSecond;
        double session = (header.EndFileTime - told.StartFileTime) / (double)TimeSupport.FileTimePerSecond;
        double byUp = told.HeaderTicks / up;
        double bySession = (LastOf(opened) - told.HeaderTicks) / session;
        if (header.BootFileTime <= 0 || header.EndFileTime <= 0 || up < LeastUpSeconds || session <= 0
            || !IsOff(byUp, told.TicksPerSecond, LeastOff) || IsOff(bySession, byUp, Agreement))
        {
            return header;
        }

        long found = Array.Find(
            [header.PerformanceFrequency ?? 0, .. Usual, (header.CpuMhz * 1_000_000L) >> 10, header.CpuMhz * 1_000_000L],
            rate => rate > 0 && !IsOff(byUp, rate, Nearness));
        contradictions.Add(new HeaderContradiction(HeaderStatement.ClockRate, told.TicksPerSecond, found));
        return found > 0
            ? header with
            {
                Clock = new TraceClock(TraceClockKind.Qpc, found, told.HeaderTicks, told.StartFileTime),
                PerformanceFrequency = null,
            }
            : header with
            {
                Clock = new TraceClock(TraceClockKind.Qpc, told.TicksPerSecond, told.HeaderTicks, told.StartFileTime),
                PerformanceFrequency = 0,
            };
    }

    private static bool IsOff(double rate, double other, double part) => !(Math.Abs(rate - other) <= part * other);

    /// <summary>When the last buffers end; of many a few may hold stray times.</summary>
    private static long LastOf(IReadOnlyCollection<OpenedBuffer> opened)
    {
        const int OneStrayIn = 20;
        long[] ends = [.. opened.Where(buffer => buffer.Samples.Length > 0).Select(buffer => buffer.Samples[^1]).Order()];
        return ends.Length == 0 ? 0 : ends[ends.Length - 1 - (ends.Length / OneStrayIn)];
    }
}
