namespace Tracer.Analysis.Beats;

/// <summary>
/// Finds candidate periods of a series of times: the best line of one phase, and the periods on which the intervals agree.
/// </summary>
internal sealed class BeatCandidates
{
    /// <summary>Most periods that are returned besides the best one.</summary>
    public const int MostOthers = 3;

    /// <summary>A period is at most this many mean intervals long: a beat has at most one event beside it for each event on it.</summary>
    private const double LongestInIntervals = 2;

    /// <summary>
    /// Beats without an event make the mean interval longer than the period, by at most this factor. A beat with less coverage is not
    /// reported.
    /// </summary>
    private const double MostBeatsPerEvent = 3.5;

    /// <summary>A peak of agreement spans at least this many frequency steps, so that the search does not step over a peak.</summary>
    private const int StepsPerTurn = 6;

    /// <summary>Lines are fitted through this many of the strongest peaks.</summary>
    private const int MostPeaks = 24;

    /// <summary>
    /// Periods whose number of turns differs by up to this part from that of a candidate are its neighbours, within
    /// <see cref="FewestNear"/> and <see cref="MostNear"/>.
    /// </summary>
    private const double NearPart = 0.1;

    /// <summary>The neighbourhood of a period reaches at least this many turns to each side.</summary>
    private const double FewestNear = 1;

    /// <summary>The neighbourhood of a period reaches at most this many turns to each side: beyond lies another peak.</summary>
    private const double MostNear = 3.5;

    /// <summary>Number of steps per turn in which the neighbourhood of a peak is searched.</summary>
    private const int StepsNear = 4;

    /// <summary>Lines are fitted through this many peaks of a neighbourhood.</summary>
    private const int PeaksNear = 2;

    /// <summary>
    /// Number of steps per turn in which the periods of intervals are searched; the peak of their agreement is broad, so few steps suffice.
    /// </summary>
    private const int StepsOfIntervals = 2;

    /// <summary>Lines are fitted for this many of the periods on which the intervals agree.</summary>
    private const int PeaksOfIntervals = 8;

    /// <summary>
    /// Least mean cosine of the intervals' phases at which intervals count as multiples of a period: their remainders then spread by less
    /// than a fifth of it.
    /// </summary>
    private const double LeastWholeness = 0.4;

    /// <summary>
    /// A multiple of the period is preferred if its line holds at least this part of the events on the shorter period, with no more jitter.
    /// </summary>
    private const double NearlyAll = 0.8;

    private static readonly int[] Multiples = [2, 3];

    private static readonly double[] Harmonics = [0.5, 1.0 / 3, 2, 3];

    private readonly PhasePower _power;
    private readonly PhaseFit _fit;
    private readonly double[] _intervals;

    /// <param name="mostTimes">The largest number of times.</param>
    public BeatCandidates(int mostTimes)
    {
        _power = new PhasePower(mostTimes, MostPeaks);
        _fit = new PhaseFit(mostTimes);
        _intervals = new double[mostTimes];
    }

    /// <param name="times">The times, sorted, from 0 on.</param>
    /// <param name="resolution">No deviation counts as smaller.</param>
    /// <returns>The line with the highest score; none where no line has enough beats.</returns>
    public PhaseLine Best(ReadOnlySpan<double> times, double resolution)
    {
        int intervals = times.Length - 1;
        double fewest = Math.Max(BeatTest.LeastTurns, intervals / LongestInIntervals);
        double most = Math.Max(fewest + 1, intervals * MostBeatsPerEvent);
        PhaseLine best = Strongest(times, fewest, most, StepsPerTurn, MostPeaks, resolution, besides: true);
        if (best.OnBeat > 0)
        {
            PhaseLine found = best;
            foreach (double harmonic in Harmonics)
            {
                PhaseLine other = _fit.Lay(times, found.Period * harmonic, resolution, besides: true);
                best = other.Score > best.Score ? other : best;
            }

            // A fraction of the true period holds all events on the beat, and by chance some of those beside it.
            foreach (int multiple in Multiples)
            {
                PhaseLine part = best;
                double window = Math.Min(0.5, part.Reach * 1.5) / multiple;
                for (int at = 0; at < multiple; at++)
                {
                    PhaseLine longer = _fit.Lay(times, part.First + (at * part.Period), part.Period * multiple, window, resolution);
                    best = longer.OnBeat >= NearlyAll * part.OnBeat && longer.Jitter <= part.Jitter ? longer : best;
                }
            }
        }

        return best;
    }

    /// <summary>The best score of a line whose period is near one of the given periods.</summary>
    /// <param name="times">The times, sorted, from 0 on.</param>
    /// <param name="resolution">No deviation counts as smaller.</param>
    /// <returns>The score; negative infinity where there is no line.</returns>
    public double ScoreNear(ReadOnlySpan<double> times, ReadOnlySpan<double> periods, double resolution, bool besides)
    {
        double best = double.NegativeInfinity;
        foreach (double period in periods)
        {
            double turns = times[^1] / period;
            PhaseLine line = Strongest(
                times, Math.Max(1, turns - Near(turns)), turns + Near(turns), StepsNear, PeaksNear, resolution, besides);
            best = Math.Max(best, line.Score);
        }

        return best;
    }

    /// <summary>Finds the periods on which the intervals between successive times agree, whatever their phases do.</summary>
    /// <param name="times">The times, sorted, from 0 on.</param>
    /// <param name="besides">A period to leave out, together with its fractions and neighbours; 0 for none.</param>
    public int OfIntervals(ReadOnlySpan<double> times, double besides, Span<double> periods)
    {
        Span<double> intervals = _intervals.AsSpan(0, times.Length - 1);
        for (int i = 0; i < intervals.Length; i++)
        {
            intervals[i] = times[i + 1] - times[i];
        }

        double span = times[^1];
        double besidesTurns = besides > 0 ? span / besides : 0;
        double fewest = Math.Max(BeatTest.LeastTurns, intervals.Length / LongestInIntervals);
        double most = Math.Max(fewest + 1, intervals.Length * MostBeatsPerEvent);
        int found = 0;
        foreach (double turns in _power.PeaksOfWholePeriods(intervals, span, fewest, most, StepsOfIntervals, PeaksOfIntervals))
        {
            if (found < periods.Length && !IsMultiple(turns, besidesTurns)
                && PhasePower.Wholeness(intervals, span / turns) >= LeastWholeness)
            {
                periods[found++] = span / turns;
            }
        }

        return found;
    }

    private static bool IsMultiple(double turns, double of) =>
        of > 0 && turns > of - Near(of) && Math.Abs(turns - (Math.Round(turns / of) * of)) <= Near(of);

    private static double Near(double turns) => Math.Clamp(NearPart * turns, FewestNear, MostNear);

    private PhaseLine Strongest(
        ReadOnlySpan<double> times, double fewestTurns, double mostTurns, int steps, int peaks, double resolution, bool besides)
    {
        PhaseLine best = PhaseLine.None;
        foreach (double turns in _power.Peaks(times, times[^1], fewestTurns, mostTurns, steps, peaks))
        {
            PhaseLine line = _fit.Lay(times, times[^1] / turns, resolution, besides);
            best = line.Score > best.Score ? line : best;
        }

        return best;
    }
}
