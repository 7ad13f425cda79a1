namespace Tracer.Forecast;

/// <summary>
/// The latency that is exceeded on average once in a time of use, by extreme-value theory; valid for the measured workload only.
/// </summary>
/// <param name="LevelNs">The latency; null where it is refused.</param>
/// <param name="LowNs">Low end of the 95 % interval.</param>
/// <param name="HighNs">Its high end; null where none can be told, too.</param>
/// <param name="Refusal">Why it is refused; null where it is not.</param>
public sealed record ReturnLevel(long HorizonNs, long? LevelNs, long? LowNs, long? HighNs, Refusal? Refusal)
{
    /// <summary>The interval that the fit itself gives, before it is widened by what no fit can rule out.</summary>
    internal (double Low, double High) Fitted { get; init; } = (0, double.PositiveInfinity);

    /// <summary>
    /// A level with its interval, or that it has none. Nothing rules out that what disturbs ends just above the longest that was seen (a
    /// watchdog, a quota, a longest queue), so that the low end is never above that; nor is the high end below it, of as much time.
    /// </summary>
    /// <param name="fitted">What the fit gives.</param>
    /// <param name="endless">The level of a tail without an end, below which the high end is not.</param>
    internal static ReturnLevel Of(LatencySeries series, long horizonNs, double level, (double Low, double High) fitted, double endless)
    {
        double longest = series.Longest?.LatencyNs ?? 0;
        double low = Math.Min(fitted.Low, longest);
        double high = Math.Max(fitted.High, Math.Max(endless, horizonNs >= series.ObservedNs ? longest : 0));
        if (low <= 0 || high > ExtremeRules.WidestInterval * low || Times.Sum(0, high) is null)
        {
            return new ReturnLevel(horizonNs, null, null, null, new Refusal(
                RefusalReason.NoInterval, "its interval would be wider than ten times; record for longer")) { Fitted = fitted };
        }

        return new ReturnLevel(horizonNs, Times.Sum(0, level), Times.Sum(0, low), Times.Sum(0, high), null) { Fitted = fitted };
    }
}

public sealed record ReturnLevels
{
    /// <summary>Why the method says nothing; null where it does, though not for every time.</summary>
    public Refusal? Refusal { get; init; }

    /// <summary>
    /// The threshold (peaks over threshold), or the length of a block (block maxima), in nanoseconds; null where refused.
    /// </summary>
    public long? ChoiceNs { get; init; }

    /// <summary>How many latencies are above the threshold, or how many blocks there are.</summary>
    public int Count { get; init; }

    /// <summary>How many disturbances these are; the same as <see cref="Count"/> for blocks.</summary>
    public int Clusters { get; init; }

    /// <summary>A disturbance ends where nothing is above the threshold for longer than this, in nanoseconds.</summary>
    public long IntervalNs { get; init; }

    /// <summary>The shape of the tail, xi.</summary>
    public double? Shape { get; init; }

    /// <summary>Its scale, sigma, in nanoseconds.</summary>
    public double? ScaleNs { get; init; }

    /// <summary>The law that the tail follows, to ask for other times; null where it is refused, and for blocks.</summary>
    internal TailLaw? Law { get; init; }

    /// <summary>The levels, one for each time asked; empty where all are refused.</summary>
    public IReadOnlyList<ReturnLevel> Levels { get; init; } = [];
}
