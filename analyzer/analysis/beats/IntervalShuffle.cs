namespace Tracer.Analysis.Beats;

/// <summary>
/// Tests whether something keeps the beat, or whether the same intervals in another order would give one as good. Independent intervals may
/// come in any order; shuffling them destroys a real beat, because then errors add up.
/// </summary>
/// <remarks>
/// A permutation test: for independent intervals of any distribution all orders are equally likely. The intervals of an exact beat are all
/// alike, so that no order would differ from another. Intervals that spread less than asked are therefore widened to that spread, and the
/// score of the beat is compared with that of the widened intervals: it is a beat beside independent intervals that spread so far.
/// </remarks>
internal sealed class IntervalShuffle
{
    /// <summary>
    /// Intervals are widened where they spread by less than so many times the least spread: what is seen of it in a trace is itself subject
    /// to chance.
    /// </summary>
    private const double SpreadByChance = 1.4;

    /// <summary>Independent intervals that spread this much show no beat, however short the trace.</summary>
    public const double UsualSpread = 0.05;

    /// <summary>Number of random orders that are scored at most.</summary>
    public const int Orders = 999;

    /// <summary>
    /// After this many orders the test may stop early, where the result is beyond doubt by <see cref="BeyondDoubt"/> and
    /// <see cref="LeastAbove"/>.
    /// </summary>
    private const int OrdersToBeSure = 60;

    /// <summary>After this many orders of which none scored as well the test stops, too: the beat is proved.</summary>
    private const int OrdersWithoutDoubt = 300;

    /// <summary>
    /// The result is beyond doubt where the score lies this many standard deviations above the mean of the shuffled orders.
    /// </summary>
    private const double BeyondDoubt = 5;

    /// <summary>The score must exceed the mean of the shuffled orders by at least this much: e^-7 is one in a thousand.</summary>
    private const double LeastAbove = 7;

    /// <summary>Score assigned to an order that has no beat at all.</summary>
    private const double LeastScore = -100;

    /// <summary>Least interval after widening, so that no two times change places.</summary>
    private const double LeastInterval = 1e-6;

    private readonly double[] _intervals;
    private readonly bool[] _onBeat;
    private readonly int[] _order;
    private readonly double[] _times;

    /// <param name="mostTimes">The largest number of times.</param>
    public IntervalShuffle(int mostTimes)
    {
        _intervals = new double[mostTimes];
        _onBeat = new bool[mostTimes];
        _order = new int[mostTimes];
        _times = new double[mostTimes];
    }

    /// <summary>Scores how well times keep a beat; a higher score is a better beat.</summary>
    /// <param name="times">The times, sorted, from 0 on.</param>
    /// <returns>A gain in log-likelihood.</returns>
    public delegate double Scoring(ReadOnlySpan<double> times);

    /// <summary>Whether hardly any other order of the intervals scores as well.</summary>
    /// <param name="times">The times, sorted, from 0 on.</param>
    /// <param name="line">The beat that was found in the times, with its score.</param>
    /// <param name="scoring">Scores an order; it may search for the best beat near the one observed.</param>
    /// <param name="mostAsGood">At most this many of <see cref="Orders"/> may score as well.</param>
    /// <param name="leastSpread">
    /// Independent intervals that it is compared with spread at least so far, as a part of the period; 0 where as they do.
    /// </param>
    /// <returns>True where the beat depends on the order.</returns>
    public bool IsBest(ReadOnlySpan<double> times, PhaseLine line, Scoring scoring, int mostAsGood, double leastSpread)
    {
        int intervals = times.Length - 1;
        int both = 0;
        double sumOff = 0;
        double squares = 0;
        for (int i = 0; i < intervals; i++)
        {
            _intervals[i] = times[i + 1] - times[i];
            _order[i] = i;
            _onBeat[i] = Math.Abs(line.Phase(times[i])) <= line.Reach && Math.Abs(line.Phase(times[i + 1])) <= line.Reach;
            if (_onBeat[i])
            {
                double off = Remainder(_intervals[i], line.Period);
                sumOff += off;
                squares += off * off;
                both++;
            }
        }

        squares -= sumOff * sumOff / Math.Max(1, both);
        double spread = both > 1 ? squares / (both - 1) : 1;
        bool widen = spread < SpreadByChance * leastSpread * SpreadByChance * leastSpread;
        double width = widen ? Math.Max(leastSpread, Math.Sqrt(spread)) : 0;
        double floor = leastSpread > 0 ? leastSpread : UsualSpread;
        double target = line.Score - LogOfIntervals(both, squares, floor);
        var random = new SeededRandom(Seed(intervals));
        int asGood = 0;
        double sum = 0;
        double sumOfSquares = 0;
        for (int tried = 1; tried <= Orders && asGood <= mostAsGood; tried++)
        {
            double score = scoring(Shuffled(intervals, line.Period, width, ref random, out double widened));
            score = Math.Max(LeastScore, score) - LogOfIntervals(both, widen ? widened : squares, floor);
            asGood += score >= target - 1e-9 ? 1 : 0;
            sum += score;
            sumOfSquares += score * score;
            if (tried >= OrdersToBeSure && asGood == 0)
            {
                double mean = sum / tried;
                double variance = Math.Max(0, (sumOfSquares / tried) - (mean * mean));
                if (tried >= OrdersWithoutDoubt || target > mean + Math.Max(LeastAbove, BeyondDoubt * Math.Sqrt(variance)))
                {
                    return true;
                }
            }
        }

        return asGood <= mostAsGood;
    }

    /// <summary>
    /// A seed derived from the ranks of the intervals: times that differ by shift and scale only get the same seed. One fixed seed would
    /// repeat the same error for all times.
    /// </summary>
    private ulong Seed(int intervals)
    {
        Span<double> sorted = _times.AsSpan(0, intervals);
        _intervals.AsSpan(0, intervals).CopyTo(sorted);
        sorted.Sort(_order.AsSpan(0, intervals));
        ulong seed = 14695981039346656037;
        for (int i = 0; i < intervals; i++)
        {
            seed = (seed ^ (ulong)_order[i]) * 1099511628211;
            _order[i] = i;
        }

        return seed;
    }

    private static double Remainder(double interval, double period)
    {
        double beats = interval / period;
        return beats - Math.Round(beats);
    }

    /// <summary>
    /// The part of the score that the intervals contribute in any order, given that they spread at least as far as required.
    /// </summary>
    private static double LogOfIntervals(int intervals, double squares, double leastSpread)
    {
        int freedom = Math.Max(1, intervals - 1);
        double variance = Math.Max(leastSpread * leastSpread, squares / freedom);
        return -0.5 * ((freedom * Math.Log(2 * Math.PI * variance)) + (squares / variance));
    }

    /// <summary>The times after shuffling their intervals.</summary>
    private ReadOnlySpan<double> Shuffled(int intervals, double period, double width, ref SeededRandom random, out double squares)
    {
        int both = 0;
        double sumOff = 0;
        for (int i = intervals - 1; i > 0; i--)
        {
            int other = random.NextBelow(i + 1);
            (_order[i], _order[other]) = (_order[other], _order[i]);
        }

        squares = 0;
        _times[0] = 0;
        for (int i = 0; i < intervals; i++)
        {
            double interval = _intervals[_order[i]];
            if (width > 0 && _onBeat[_order[i]])
            {
                double off = width * random.NextNormal();
                sumOff += off;
                squares += off * off;
                both++;
                interval = Math.Max(LeastInterval, Math.Round(interval / period) + off) * period;
            }

            _times[i + 1] = _times[i] + interval;
        }

        squares -= sumOff * sumOff / Math.Max(1, both);
        return _times.AsSpan(0, intervals + 1);
    }
}
