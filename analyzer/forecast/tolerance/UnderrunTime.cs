namespace Tracer.Forecast;

/// <summary>The mean time from one buffer underrun to the next (Cota-Robles &amp; Held 5, figures 6 and 7).</summary>
public static class UnderrunTime
{
    /// <summary>
    /// The paper's own: how often the slack is exceeded, for a cycle of (n - 1) t. Strictly right for two buffers, and nearly so for few.
    /// </summary>
    /// <returns>Nanoseconds; positive infinity where no wait exceeds the slack.</returns>
    public static double MeanNs(ILatencyTail tail, Buffering buffering)
    {
        ArgumentNullException.ThrowIfNull(tail);
        ArgumentNullException.ThrowIfNull(buffering);
        return EveryNs(tail.Above(buffering.SlackNs), buffering.ToleranceNs);
    }

    /// <summary>"Once in N waits" as a time (the paper's 4.3): once in 165,000 waits is every 44 minutes at a period of 16 ms.</summary>
    /// <returns>Nanoseconds; positive infinity where the part is 0.</returns>
    public static double EveryNs(double part, double periodNs) => part <= 0 ? double.PositiveInfinity : periodNs / part;
}
