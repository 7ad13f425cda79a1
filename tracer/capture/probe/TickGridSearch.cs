namespace Tracer.Capture.Probe;

/// <summary>
/// Finds the clock ticks that serve the probe's timer from wake-ups whose due times are spread over a tick: where ticks serve them,
/// they are served at congruent times although they were not due at such. Allocates nothing.
/// </summary>
internal static class TickGridSearch
{
    /// <summary>Fewer wake-ups show nothing.</summary>
    public const int FewestWakeups = 64;

    /// <summary>The clocks may differ by this part of a period.</summary>
    private const double MostDrift = 600e-6;

    /// <summary>How congruent the times must be: the length of the mean of their phases as vectors, 0 to 1.</summary>
    private const double LeastStrength = 0.5;

    /// <summary>So many wake-ups must have been served near a tick, in percent; the others were late.</summary>
    private const int LeastFitPercent = 70;

    private const double NearShare = 1.0 / 16;

    /// <summary>How far behind a tick a wake-up may be served and still be one of that tick: services have tails.</summary>
    private const double BehindShare = 0.25;

    /// <summary>So many of a few wake-ups must stand behind ticks of one period to prove that the clock has it now.</summary>
    private const int LeastOfFewPercent = 80;

    /// <summary>So many wake-ups tell how early a tick may serve.</summary>
    private const int MostPlaced = 512;

    /// <param name="wakeups">Wake-ups in any order.</param>
    /// <param name="periods">
    /// Periods that the clock may have, in ticks of the performance counter, the longest first: half a period fits wherever one does.
    /// </param>
    /// <returns>The grid; <see cref="TickGrid.None"/> where the timer was served when it was due.</returns>
    public static TickGrid Find(ReadOnlySpan<TimedWakeup> wakeups, ReadOnlySpan<double> periods)
    {
        if (wakeups.Length < FewestWakeups)
        {
            return TickGrid.None;
        }

        foreach (double nominal in periods)
        {
            (double phase, double period) = Coarse(wakeups, nominal);
            if (period == 0)
            {
                continue;
            }

            (phase, period) = Fine(wakeups, phase, period);
            var grid = new TickGrid(wakeups[0].Served + phase, period);
            if (Fits(wakeups, grid))
            {
                return grid;
            }
        }

        return TickGrid.None;
    }

    /// <summary>The period near a nominal one at which the times are most congruent, and the place of a tick behind the first.</summary>
    private static (double Phase, double Period) Coarse(ReadOnlySpan<TimedWakeup> wakeups, double nominal)
    {
        long first = long.MaxValue;
        long last = long.MinValue;
        foreach (ref readonly TimedWakeup wakeup in wakeups)
        {
            first = Math.Min(first, wakeup.Served);
            last = Math.Max(last, wakeup.Served);
        }

        // So fine that the phase of the last time moves by less than an eighth of a turn.
        double span = Math.Max(nominal, last - first);
        double step = Math.Max(nominal * nominal / (8 * span), nominal * MostDrift / 500);
        (double Phase, double Period) best = default;
        double bestStrength = LeastStrength;
        for (double period = nominal * (1 - MostDrift); period <= nominal * (1 + MostDrift); period += step)
        {
            double cosines = 0;
            double sines = 0;
            foreach (ref readonly TimedWakeup wakeup in wakeups)
            {
                (double sine, double cosine) = Math.SinCos(Math.Tau * (wakeup.Served - wakeups[0].Served) / period);
                cosines += cosine;
                sines += sine;
            }

            double strength = Math.Sqrt((cosines * cosines) + (sines * sines)) / wakeups.Length;
            if (strength > bestStrength)
            {
                bestStrength = strength;
                best = (Math.Atan2(sines, cosines) / Math.Tau * period, period);
            }
        }

        return best;
    }

    /// <summary>
    /// The line through the times by the number of their tick, those far off left out; then moved to where the earliest are served.
    /// </summary>
    private static (double Phase, double Period) Fine(ReadOnlySpan<TimedWakeup> wakeups, double phase, double period)
    {
        const int Rounds = 3;
        long first = wakeups[0].Served;
        for (int round = 0; round < Rounds; round++)
        {
            var fit = default(LineFit);
            foreach (ref readonly TimedWakeup wakeup in wakeups)
            {
                double y = wakeup.Served - first - phase;
                double x = Math.Round(y / period);
                if (Math.Abs(y - (x * period)) <= NearShare * period)
                {
                    fit.Add(x, y);
                }
            }

            if (fit.Line() is not { } line)
            {
                break;
            }

            phase += line.AtZero;
            period = line.Slope;
        }

        // The earliest one of twenty, not of all: one that was late may stand a little before a later tick.
        Span<double> offs = stackalloc double[MostPlaced];
        int placed = 0;
        foreach (ref readonly TimedWakeup wakeup in wakeups[..Math.Min(wakeups.Length, MostPlaced)])
        {
            double y = wakeup.Served - first - phase;
            double off = y - (Math.Round(y / period) * period);
            if (Math.Abs(off) <= BehindShare * period)
            {
                offs[placed++] = off;
            }
        }

        offs[..placed].Sort();
        return (placed == 0 ? phase : phase + offs[placed / 20], period);
    }

    /// <summary>
    /// Finds the ticks that the clock has had lately, by a few wake-ups: enough to tell whether somebody has just changed its rate.
    /// </summary>
    /// <param name="wakeups">Wake-ups in order, some tens of milliseconds of them.</param>
    /// <param name="periods">Periods that the clock may have, the longest first.</param>
    /// <returns>The grid; <see cref="TickGrid.None"/> where the wake-ups agree on none.</returns>
    public static TickGrid FindLately(ReadOnlySpan<TimedWakeup> wakeups, ReadOnlySpan<double> periods)
    {
        int least = ((wakeups.Length * LeastOfFewPercent) + 99) / 100;
        foreach (double period in periods)
        {
            foreach (ref readonly TimedWakeup first in wakeups)
            {
                var grid = new TickGrid(first.Served, period);
                if (CountBehindTicks(wakeups, in grid, NearShare / 2) >= least)
                {
                    return grid;
                }
            }
        }

        return TickGrid.None;
    }

    /// <summary>
    /// How long before the ticks of a grid due times still miss them: where most of those were served one tick later. Ticks that are left
    /// out come at any distance.
    /// </summary>
    /// <returns>In ticks of the performance counter, at most a quarter of a period.</returns>
    public static double ServiceCost(ReadOnlySpan<TimedWakeup> wakeups, in TickGrid grid)
    {
        const int BinsOfPeriod = 64;
        Span<int> later = stackalloc int[BinsOfPeriod / 4];
        Span<int> all = stackalloc int[BinsOfPeriod / 4];
        later.Clear();
        all.Clear();
        foreach (ref readonly TimedWakeup wakeup in wakeups)
        {
            double tick = grid.Expected(in wakeup);
            int bin = (int)((tick - wakeup.Due) / grid.Period * BinsOfPeriod);
            double late = (wakeup.Served - tick) / grid.Period;
            if (bin >= 0 && bin < all.Length && late <= 2)
            {
                all[bin]++;
                later[bin] += late >= 1 - NearShare ? 1 : 0;
            }
        }

        int bins = 0;
        while (bins < all.Length && 2 * later[bins] >= all[bins] && later[bins] > 0)
        {
            bins++;
        }

        // The last one is met in part, and the ticks move a little while they are followed.
        return Math.Min(bins + 1, all.Length) * grid.Period / BinsOfPeriod;
    }

    /// <summary>Whether the wake-ups were served behind ticks at or after their due time, or behind the one before that.</summary>
    private static bool Fits(ReadOnlySpan<TimedWakeup> wakeups, TickGrid grid) =>
        CountBehindTicks(wakeups, in grid, NearShare) * 100 >= LeastFitPercent * wakeups.Length;

    /// <summary>How many were served a little behind a tick; which tick it was does not matter: some clocks leave ticks out.</summary>
    private static int CountBehindTicks(ReadOnlySpan<TimedWakeup> wakeups, in TickGrid grid, double beforeShare)
    {
        int count = 0;
        foreach (ref readonly TimedWakeup wakeup in wakeups)
        {
            double late = (wakeup.Served - grid.Expected(in wakeup)) / grid.Period;
            double behind = late - Math.Floor(late + beforeShare);
            count += late >= -1 - beforeShare && behind <= BehindShare ? 1 : 0;
        }

        return count;
    }
}
