namespace Tracer.Forecast;

/// <summary>
/// How often an application runs dry: as often as its waits take longer than its slack, were they as those that were measured.
/// </summary>
public sealed record Dropouts
{
    /// <summary>Of fewer waits nothing is told: what they bound is no number that helps anybody.</summary>
    public const int LeastWaits = 1_000;

    /// <summary>An hour in nanoseconds.</summary>
    private const double HourNs = 3.6e12;

    public required Buffering Buffering { get; init; }

    /// <summary>Waits that were measured.</summary>
    public required long Waits { get; init; }

    public required long ObservedNs { get; init; }

    /// <summary>How many of the waits take longer than the slack.</summary>
    public required long Late { get; init; }

    /// <summary>
    /// Variance over mean of the number of late waits; 1 where they come alone, more where they come in bursts. Null where nothing tells
    /// when they were: the interval then is that of waits that come alone.
    /// </summary>
    public required double? Dispersion { get; init; }

    /// <summary>Dropouts in an hour of use: one period has one wait.</summary>
    public required double PerHour { get; init; }

    /// <summary>Low end of the 95 % interval; 0 where none was late.</summary>
    public required double LowPerHour { get; init; }

    /// <summary>High end of it; where none was late, one in 20 such measurements would show none though there are as many.</summary>
    public required double HighPerHour { get; init; }

    /// <summary>Whether the interval is narrow enough for a rate to be told; of none late only its high end is.</summary>
    public bool IsTold => HighPerHour <= ExtremeRules.WidestInterval * LowPerHour;

    /// <summary>
    /// Whether the number is that of the replay: it lies outside of what the waits tell, as where a stall takes several buffers, or comes
    /// by a beat that waits of another beat meet too often or too seldom.
    /// </summary>
    public bool IsReplayed { get; init; }

    /// <summary>These where the replay tells the same within their interval, else those of the replay.</summary>
    /// <param name="cycles">Buffers replayed in the time that waits covered, at all phases.</param>
    /// <param name="missed">Those of them that came too late.</param>
    internal Dropouts AgreedWith(double cycles, long missed)
    {
        double perCycle = HourNs / Buffering.BufferNs / Math.Max(1, cycles);
        double rate = missed * perCycle;
        if (rate >= LowPerHour && rate <= HighPerHour)
        {
            return this;
        }

        (double low, double high) = CountInterval.Of(missed / DeadlineReplay.Phases, Dispersion ?? 1);
        double scale = perCycle * DeadlineReplay.Phases;
        return this with { IsReplayed = true, PerHour = rate, LowPerHour = Math.Min(rate, low * scale), HighPerHour = high * scale };
    }

    /// <summary>Forecasts from what was measured.</summary>
    /// <returns>Null where nothing was measured.</returns>
    public static Dropouts? Of(ICountedTail tail, Buffering buffering)
    {
        ArgumentNullException.ThrowIfNull(tail);
        ArgumentNullException.ThrowIfNull(buffering);
        if (tail.Waits == 0)
        {
            return null;
        }

        long late = tail.CountAbove(buffering.SlackNs);
        double? dispersion = tail.DispersionAbove(buffering.SlackNs);
        (double low, double high) = CountInterval.Of(late, dispersion ?? 1);
        double hourly = HourNs / buffering.BufferNs / tail.Waits;
        return new Dropouts
        {
            Buffering = buffering,
            Waits = tail.Waits,
            ObservedNs = tail.ObservedNs,
            Late = late,
            Dispersion = dispersion,
            PerHour = late * hourly,
            LowPerHour = low * hourly,
            HighPerHour = Math.Min(high, tail.Waits) * hourly,
        };
    }
}
