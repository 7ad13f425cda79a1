namespace Tracer.Analysis;

/// <summary>
/// Asks whether a beat is in the times because somebody keeps it, or would be as good with the same gaps in another order. Gaps that know
/// nothing of each other may stand in any order; a beat is gone when they do, because then errors add up.
/// </summary>
/// <remarks>
/// A permutation test: for independent gaps of any distribution the observed order is one of many that are equally likely. Gaps of an exact
/// beat are all alike, and no order of them would differ: so gaps that spread less than <see cref="LeastSpread"/> are made to spread so
/// far, and the gain of the beat is counted over that of such gaps.
/// </remarks>
internal sealed class GapShuffle
{
    /// <summary>A timer whose gaps spread by this part of the period has no beat, however short the trace.</summary>
    private const double LeastSpread = 0.05;

    /// <summary>Gaps that spread less than this are drawn anew: how far those of the trace spread is a matter of chance, too.</summary>
    private const double MostSpreadToWiden = 0.07;

    /// <summary>So many orders are tried.</summary>
    public const int Orders = 999;

    /// <summary>After so many an answer may be beyond doubt.</summary>
    private const int OrdersToBeSure = 60;

    /// <summary>After so many of which none was as good the answer is clear, too.</summary>
    private const int OrdersWithoutDoubt = 300;

    /// <summary>So many standard deviations above the mean of the shuffled.</summary>
    private const double BeyondDoubt = 5;

    /// <summary>And at least so far: e^-7 is one in a thousand.</summary>
    private const double LeastAbove = 7;

    /// <summary>The score of an order that has no beat at all.</summary>
    private const double LeastScore = -100;

    /// <summary>No two times change places where gaps are widened.</summary>
    private const double LeastGap = 1e-6;

    private readonly double[] _gaps;
    private readonly bool[] _onBeat;
    private readonly int[] _order;
    private readonly double[] _times;

    /// <summary>Reserves memory.</summary>
    /// <param name="mostTimes">The most times.</param>
    public GapShuffle(int mostTimes)
    {
        _gaps = new double[mostTimes];
        _onBeat = new bool[mostTimes];
        _order = new int[mostTimes];
        _times = new double[mostTimes];
    }

    /// <summary>Scores times; the larger, the better the beat.</summary>
    /// <param name="times">The times, sorted, from 0 on.</param>
    /// <returns>A gain in log-likelihood.</returns>
    public delegate double Scoring(ReadOnlySpan<double> times);

    /// <summary>Whether hardly any other order of the gaps is as good.</summary>
    /// <param name="times">The times, sorted, from 0 on.</param>
    /// <param name="line">The beat that was found in them, with its score.</param>
    /// <param name="scoring">Scores an order; it may look for the best beat near the one observed.</param>
    /// <param name="mostAsGood">So many of <see cref="Orders"/> may be as good.</param>
    /// <param name="widen">Whether gaps that are nearly alike are made to spread.</param>
    /// <returns>True where the order matters.</returns>
    public bool IsBest(ReadOnlySpan<double> times, PhaseLine line, Scoring scoring, int mostAsGood, bool widen)
    {
        int gaps = times.Length - 1;
        int both = 0;
        double sumOff = 0;
        double squares = 0;
        for (int i = 0; i < gaps; i++)
        {
            _gaps[i] = times[i + 1] - times[i];
            _order[i] = i;
            _onBeat[i] = Math.Abs(line.Phase(times[i])) <= line.Reach && Math.Abs(line.Phase(times[i + 1])) <= line.Reach;
            if (_onBeat[i])
            {
                double off = Remainder(_gaps[i], line.Period);
                sumOff += off;
                squares += off * off;
                both++;
            }
        }

        squares -= sumOff * sumOff / Math.Max(1, both);
        double spread = both > 1 ? squares / (both - 1) : 1;
        widen &= spread < MostSpreadToWiden * MostSpreadToWiden;
        double width = widen ? Math.Max(LeastSpread, Math.Sqrt(spread)) : 0;
        double target = line.Score - LogOfGaps(both, squares);
        var random = new SeededRandom(Seed(gaps));
        int asGood = 0;
        double sum = 0;
        double sumOfSquares = 0;
        for (int tried = 1; tried <= Orders && asGood <= mostAsGood; tried++)
        {
            double score = scoring(Shuffled(gaps, line.Period, width, ref random, out double widened));
            score = Math.Max(LeastScore, score) - LogOfGaps(both, widen ? widened : squares);
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
    /// A seed that other times have, too, where they differ by shift and scale only: the ranks of the gaps. One seed for all would make the
    /// same error with all.
    /// </summary>
    private ulong Seed(int gaps)
    {
        Span<double> sorted = _times.AsSpan(0, gaps);
        _gaps.AsSpan(0, gaps).CopyTo(sorted);
        sorted.Sort(_order.AsSpan(0, gaps));
        ulong seed = 14695981039346656037;
        for (int i = 0; i < gaps; i++)
        {
            seed = (seed ^ (ulong)_order[i]) * 1099511628211;
            _order[i] = i;
        }

        return seed;
    }

    private static double Remainder(double gap, double period)
    {
        double beats = gap / period;
        return beats - Math.Round(beats);
    }

    /// <summary>What the gaps score by themselves, in whatever order, if they spread at least as far as they must.</summary>
    private static double LogOfGaps(int gaps, double squares)
    {
        int freedom = Math.Max(1, gaps - 1);
        double variance = Math.Max(LeastSpread * LeastSpread, squares / freedom);
        return -0.5 * ((freedom * Math.Log(2 * Math.PI * variance)) + (squares / variance));
    }

    /// <summary>The times with their gaps in another order.</summary>
    private ReadOnlySpan<double> Shuffled(int gaps, double period, double width, ref SeededRandom random, out double squares)
    {
        int both = 0;
        double sumOff = 0;
        for (int i = gaps - 1; i > 0; i--)
        {
            int other = random.NextBelow(i + 1);
            (_order[i], _order[other]) = (_order[other], _order[i]);
        }

        squares = 0;
        _times[0] = 0;
        for (int i = 0; i < gaps; i++)
        {
            double gap = _gaps[_order[i]];
            if (width > 0 && _onBeat[_order[i]])
            {
                double off = width * random.NextNormal();
                sumOff += off;
                squares += off * off;
                both++;
                gap = Math.Max(LeastGap, Math.Round(gap / period) + off) * period;
            }

            _times[i + 1] = _times[i] + gap;
        }

        squares -= sumOff * sumOff / Math.Max(1, both);
        return _times.AsSpan(0, gaps + 1);
    }
}
