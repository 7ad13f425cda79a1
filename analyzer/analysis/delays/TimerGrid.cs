namespace Tracer.Analysis.Delays;

/// <summary>
/// Finds the clock ticks that serve measured timers where clock interrupts were not recorded. It uses the wake-ups themselves: their first
/// measured moments are congruent modulo the clock's period, although their due times are not (Jones &amp; Regehr 4.1).
/// </summary>
internal static class TimerGrid
{
    /// <summary>Fewest wake-ups by which a grid is recognised: fewer prove nothing.</summary>
    public const int FewestWakeups = 16;

    /// <summary>
    /// Least percentage of wake-ups that must fit the grid. Not all fit: a tick is served late where a CPU must leave an idle state first,
    /// or a DPC is running. The chance that 13 of 16 random wake-ups fit a band of a twelfth of the period is below 1e-11 for each period
    /// tried.
    /// </summary>
    private const int LeastFit = 80;

    /// <summary>Most wake-ups by which the ticks around a time are found.</summary>
    private const int MostInWindow = 96;

    /// <summary>
    /// Most times around which the ticks are searched: the period changes when a program asks for a finer timer resolution.
    /// </summary>
    private const int MostWindows = 4;

    /// <summary>Longest time, in seconds, over which ticks are assumed to be equidistant: the clock is adjusted once a second.</summary>
    private const long LongestWindowSeconds = 2;

    /// <summary>Shortest period that is tried, in seconds: Windows clocks tick at most every 0.5 ms, and some margin is left.</summary>
    private const double ShortestPeriodSeconds = 0.0004;

    /// <summary>Longest period that is tried, in seconds: Windows clocks tick at least every 15.625 ms, and some margin is left.</summary>
    private const double LongestPeriodSeconds = 0.017;

    /// <summary>
    /// The due times must spread over this part of a period: otherwise a tick cannot be told from the program's own beat.
    /// </summary>
    private const double LeastSpread = 0.2;

    /// <summary>Finds the clock ticks.</summary>
    /// <param name="wakeups">
    /// Due time and first measured moment of each wake-up, in ticks, sorted by due time; all served by one clock.
    /// </param>
    /// <returns>The clock tick that should have served each wake-up; null where there is no such grid.</returns>
    public static long[]? Find(IReadOnlyList<(long DueTicks, long ServedTicks)> wakeups, long ticksPerSecond)
    {
        if (wakeups.Count < FewestWakeups)
        {
            return null;
        }

        long longest = TickRate.TicksOfSeconds(LongestWindowSeconds, ticksPerSecond);
        for (int window = 0; window < MostWindows; window++)
        {
            int first = (int)((long)(wakeups.Count - FewestWakeups) * window / MostWindows);
            int count = 1;
            while (first + count < wakeups.Count && count < MostInWindow
                && wakeups[first + count].DueTicks - wakeups[first].DueTicks <= longest)
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

    /// <summary>The period that best fits a few wake-ups.</summary>
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

    /// <summary>
    /// Fits a line through the first moments over the numbers of the ticks that served them; moments far off are ignored.
    /// </summary>
    private static (double Phase, double Period) Fine(
        IReadOnlyList<(long DueTicks, long ServedTicks)> wakeups, int first, int count, (double Phase, double Period) grid)
    {
        const int Rounds = 3;
        for (int round = 0; round < Rounds; round++)
        {
            var fit = default(LineFit);
            for (int i = first; i < first + count; i++)
            {
                double x = Math.Round((wakeups[i].ServedTicks - grid.Phase) / grid.Period);
                double y = wakeups[i].ServedTicks - grid.Phase;
                if (Math.Abs(y - (x * grid.Period)) <= grid.Period / 10)
                {
                    fit.Add(x, y);
                }
            }

            if (fit.Line() is not { } line)
            {
                break;
            }

            grid = (grid.Phase + line.AtZero, line.Slope);
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

    /// <summary>Follows the ticks through all wake-ups, because clocks drift relative to each other.</summary>
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
                    // No wake-up is served before its tick, but many a little after it: the earliest ones tell most.
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
    /// The first tick at or after the due time. Its position is not known exactly: the neighbouring tick may serve a timer that is due
    /// close to it.
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
