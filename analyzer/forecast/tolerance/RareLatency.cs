namespace Tracer.Forecast;

/// <summary>
/// The latency that an application's waits exceed on average once in so many, with its 95 % interval: by rank among the measured waits,
/// and by the law of their tail where too few were measured. In nanoseconds; null where neither tells.
/// </summary>
/// <param name="LowNs">Above this more than one such wait is to be expected.</param>
/// <param name="HighNs">Above this no more than one is.</param>
internal readonly record struct RareLatency(long? LowNs, long? Ns, long? HighNs)
{
    /// <param name="waits">How many waits the application makes in the time in which one may take longer; those of its own period.</param>
    /// <param name="law">The law of the tail; null where there is none.</param>
    public static RareLatency Of(ICountedTail tail, double waits, TailLaw? law)
    {
        double ratio = waits / Math.Max(1, tail.Waits);
        long? point = Least(tail, count => count * ratio <= 1);
        double dispersion = tail.DispersionAbove(point ?? double.PositiveInfinity) ?? 1;
        long? high = ratio * CountInterval.Of(0, dispersion).High <= 1
            ? Least(tail, count => CountInterval.Of(count, dispersion).High * ratio <= 1) : null;
        long? low = Least(tail, count => CountInterval.Of(count, dispersion).Low * ratio <= 1);
        if (ratio > 1)
        {
            point = null; // None of the measured waits is as rare.
        }

        if ((high is null || point is null) && law is not null)
        {
            ReturnLevel level = law.Level(Pace.HorizonNs(tail, law, waits));
            point ??= level.LevelNs;
            high ??= level.HighNs;
        }

        return new RareLatency(low, point, high);
    }

    /// <summary>The least latency of which the number of longer waits is few enough.</summary>
    private static long? Least(ICountedTail tail, Func<long, bool> isFew)
    {
        (long low, long high) = (-1, HdrLayout.Latencies.Highest);
        if (!isFew(tail.CountAbove(high)))
        {
            return null;
        }

        while (high - low > 1)
        {
            long middle = low + (high - low) / 2;
            (low, high) = isFew(tail.CountAbove(middle)) ? (low, middle) : (middle, high);
        }

        return high;
    }
}

/// <summary>How many waits an application makes beside how many were measured.</summary>
internal static class Pace
{
    /// <summary>
    /// The time of the measured waits in which as many late ones are to be expected as in so many waits of an application. The law counts
    /// disturbances, of which each may make several waits late; and at least one, however slow the application is.
    /// </summary>
    /// <param name="waits">How many waits the application makes.</param>
    /// <param name="sameNs">The application's own time for them: the time of the measured waits is not shorter.</param>
    public static long HorizonNs(ICountedTail tail, TailLaw law, double waits, long sameNs = 0)
    {
        double measured = tail.ObservedNs * (waits / Math.Max(1, tail.Waits)) * law.WaitsPerDisturbance;
        return (long)Math.Min(long.MaxValue / 4, Math.Max(measured, sameNs));
    }
}
