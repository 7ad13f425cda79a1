namespace Tracer.Analysis;

/// <summary>
/// Finds the clock ticks that serve measured timers from the wake-ups themselves, where the ticks were not recorded: their first moments
/// are congruent modulo the clock's period, although the times at which they were due are not (Jones &amp; Regehr 4.1).
/// </summary>
internal static class TimerGrid
{
    /// <summary>Fewer wake-ups show no grid.</summary>
    public const int FewestWakeups = 16;

    /// <summary>
    /// So many of the wake-ups must fit, in percent: where a CPU must leave an idle state first, or a DPC is in the way, a tick is served
    /// late. That 13 of 16 random ones fit a band of a twelfth of the period has a chance below 1e-11, for each period that is tried.
    /// </summary>
    private const int LeastFit = 80;

    /// <summary>Wake-ups by which the ticks around a time are found.</summary>
    private const int MostInWindow = 96;

    /// <summary>So many times are tried: ticks change when a program asks for finer ones.</summary>
    private const int MostWindows = 4;

    /// <summary>Ticks are taken for even over so long, in seconds: the clock is set once a second.</summary>
    private const double LongestWindowSeconds = 2;

    /// <summary>No clock of Windows ticks more often than each 0.5 ms, in seconds.</summary>
    private const double ShortestPeriodSeconds = 0.0004;

    /// <summary>No clock of Windows ticks more seldom than each 15.625 ms, in seconds.</summary>
    private const double LongestPeriodSeconds = 0.017;

    /// <summary>The due times must reach over this part of a period: else nothing tells a tick from the program's beat.</summary>
    private const double LeastSpread = 0.2;

    /// <summary>Finds them.</summary>
    /// <param name="wakeups">When each was due and its first measured moment, in ticks, by due time; all served by one clock.</param>
    /// <param name="ticksPerSecond">Of the trace's clock.</param>
    /// <returns>For each wake-up the clock tick that should have served it; null where there is no such grid.</returns>
    public static long[]? Find(IReadOnlyList<(long DueTicks, long ServedTicks)> wakeups, long ticksPerSecond)
    {
        if (wakeups.Count < FewestWakeups)
        {
            return null;
        }

        for (int window = 0; window < MostWindows; window++)
        {
            int first = (int)((long)(wakeups.Count - FewestWakeups) * window / MostWindows);
            int count = 1;
            while (first + count < wakeups.Count && count < MostInWindow
                && wakeups[first + count].DueTicks - wakeups[first].DueTicks <= LongestWindowSeconds * ticksPerSecond)
            {
                count++;
            }

            if (count >= FewestWakeups && Coarse(wakeups, first, count, ticksPerSecond) is { } grid
                && Follow(wakeups, first, Fine(wakeups, first, count, grid), ticksPerSecond) is { } ticks)
            {
                return ticks;
            }
        }

        return null;
    }

    private static double Tolerance(double period, double ticksPerSecond) => Math.Max(30e-6 * ticksPerSecond, period / 24);

    /// <summary>The period that fits a few wake-ups best.</summary>
    private static (double Phase, double Period)? Coarse(
        IReadOnlyList<(long DueTicks, long ServedTicks)> wakeups, int first, int count, double ticksPerSecond)
    {
        long origin = wakeups[first].ServedTicks;
        double span = Math.Max(1, wakeups[first + count - 1].ServedTicks - origin);
        (double Phase, double Period)? best = null;
        double bestScore = 0;
        for (double period = LongestPeriodSeconds * ticksPerSecond; period >= ShortestPeriodSeconds * ticksPerSecond;
            period *= 1 - Math.Min(0.01, 0.1 * period / span))
        {
            double cosines = 0;
            double sines = 0;
            for (int i = 0; i < count; i++)
            {
                (double sine, double cosine) = Math.SinCos(Math.Tau * (wakeups[first + i].ServedTicks - origin) / period);
                cosines += cosine;
                sines += sine;
            }

            double strength = Math.Sqrt((cosines * cosines) + (sines * sines)) / count;
            const double Congruent = 0.7;
            if (strength < Congruent)
            {
                continue;
            }

            double phase = Math.Atan2(sines, cosines) / Math.Tau * period;
            double fit = Fit(wakeups, first, count, origin + phase, period, ticksPerSecond);
            if (fit + strength > bestScore && fit * 100 >= LeastFit)
            {
                bestScore = fit + strength;
                best = (origin + phase, period);
            }
        }

        return best;
    }

    /// <summary>The line through the first moments by the number of the tick that served each; those far off are left out.</summary>
    private static (double Phase, double Period) Fine(
        IReadOnlyList<(long DueTicks, long ServedTicks)> wakeups, int first, int count, (double Phase, double Period) grid)
    {
        const int Rounds = 3;
        for (int round = 0; round < Rounds; round++)
        {
            double n = 0;
            double sumX = 0;
            double sumY = 0;
            double sumXx = 0;
            double sumXy = 0;
            for (int i = first; i < first + count; i++)
            {
                double x = Math.Round((wakeups[i].ServedTicks - grid.Phase) / grid.Period);
                double y = wakeups[i].ServedTicks - grid.Phase;
                if (Math.Abs(y - (x * grid.Period)) > grid.Period / 10)
                {
                    continue;
                }

                n++;
                sumX += x;
                sumY += y;
                sumXx += x * x;
                sumXy += x * y;
            }

            double spread = (n * sumXx) - (sumX * sumX);
            if (spread <= 0)
            {
                break;
            }

            double period = ((n * sumXy) - (sumX * sumY)) / spread;
            grid = (grid.Phase + ((sumY - (period * sumX)) / n), period);
        }

        return grid;
    }

    private static double Fit(
        IReadOnlyList<(long DueTicks, long ServedTicks)> wakeups, int first, int count, double phase, double period, double ticksPerSecond)
    {
        double tolerance = Tolerance(period, ticksPerSecond);
        int fits = 0;
        for (int i = first; i < first + count; i++)
        {
            double tick = ServingTick(wakeups[i], phase, period, tolerance);
            fits += Math.Abs(wakeups[i].ServedTicks - tick) <= tolerance ? 1 : 0;
        }

        return fits / (double)count;
    }

    /// <summary>Follows the ticks through all wake-ups: clocks drift against each other.</summary>
    private static long[]? Follow(
        IReadOnlyList<(long DueTicks, long ServedTicks)> wakeups, int first, (double Phase, double Period) grid, double ticksPerSecond)
    {
        long[] ticks = new long[wakeups.Count];
        List<double> waits = [];
        foreach (int step in (ReadOnlySpan<int>)[1, -1])
        {
            (double phase, double period) = grid;
            for (int i = step > 0 ? first : first - 1; i >= 0 && i < wakeups.Count; i += step)
            {
                double tolerance = Tolerance(period, ticksPerSecond);
                double tick = ServingTick(wakeups[i], phase, period, tolerance);
                double off = wakeups[i].ServedTicks - tick;
                ticks[i] = (long)Math.Round(tick);
                if (Math.Abs(off) <= tolerance)
                {
                    // Nothing is served before its tick, but much a little behind it: the earliest tell most.
                    ticks[i] = Math.Min(ticks[i], wakeups[i].ServedTicks);
                    waits.Add(tick - wakeups[i].DueTicks);
                    double periods = Math.Round((tick - phase) / period);
                    period += periods == 0 ? 0 : 0.02 * off / periods;
                    phase = tick + ((off < 0 ? 0.3 : 0.03) * off);
                }
            }
        }

        waits.Sort();
        int few = waits.Count / 20;
        return waits.Count * 100L >= LeastFit * (long)wakeups.Count && waits[^(1 + few)] - waits[few] >= LeastSpread * grid.Period
            ? ticks
            : null;
    }

    /// <summary>
    /// The first tick at or after the due time. Its place is not known exactly: a timer that is due close to a tick may be served by its
    /// neighbour.
    /// </summary>
    private static double ServingTick((long DueTicks, long ServedTicks) wakeup, double phase, double period, double tolerance)
    {
        double tick = phase + (Math.Ceiling((wakeup.DueTicks - phase) / period) * period);
        double before = tick - period;
        double after = tick + period;
        return wakeup.DueTicks - before <= tolerance && Math.Abs(wakeup.ServedTicks - before) <= tolerance ? before
            : tick - wakeup.DueTicks <= tolerance && Math.Abs(wakeup.ServedTicks - after) <= tolerance ? after
            : tick;
    }
}
