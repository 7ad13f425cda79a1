using System.Numerics;

namespace Tracer.Analysis.Beats;

/// <summary>
/// Measures how well times agree in their phase, for many periods in turn: the length of the sum of their unit vectors on the circle. A
/// period is counted in turns: how many times it fits between time 0 and the end of the span.
/// </summary>
internal sealed class PhasePower
{
    private readonly double[] _x;
    private readonly double[] _y;
    private readonly double[] _stepX;
    private readonly double[] _stepY;
    private readonly double[] _peakTurns;
    private readonly double[] _peakPowers;

    /// <summary>Allocates the working memory.</summary>
    /// <param name="mostTimes">The largest number of times.</param>
    /// <param name="mostPeaks">The largest number of peaks.</param>
    public PhasePower(int mostTimes, int mostPeaks)
    {
        int padded = (mostTimes + Vector<double>.Count - 1) / Vector<double>.Count * Vector<double>.Count;
        _x = new double[padded];
        _y = new double[padded];
        _stepX = new double[padded];
        _stepY = new double[padded];
        _peakTurns = new double[mostPeaks];
        _peakPowers = new double[mostPeaks];
    }

    /// <summary>The strongest local maxima of the power.</summary>
    /// <param name="toTurns">The most turns; larger than the fewest.</param>
    /// <param name="most">Most peaks to return; no more than memory was allocated for.</param>
    /// <returns>The turns of each peak, the strongest first; at least one. Valid until the next call.</returns>
    public ReadOnlySpan<double> Peaks(
        ReadOnlySpan<double> times, double span, double fromTurns, double toTurns, int stepsPerTurn, int most) =>
        Peaks(times, span, fromTurns, toTurns, stepsPerTurn, most, ofWholePeriods: false);

    /// <summary>The periods of which the lengths are most nearly whole multiples: local maxima of the mean cosine.</summary>
    /// <param name="toTurns">The most turns; larger than the fewest.</param>
    /// <param name="most">Most periods to return; no more than memory was allocated for.</param>
    /// <returns>The turns of each period, the best first; at least one. Valid until the next call.</returns>
    public ReadOnlySpan<double> PeaksOfWholePeriods(
        ReadOnlySpan<double> lengths, double span, double fromTurns, double toTurns, int stepsPerTurn, int most) =>
        Peaks(lengths, span, fromTurns, toTurns, stepsPerTurn, most, ofWholePeriods: true);

    private ReadOnlySpan<double> Peaks(
        ReadOnlySpan<double> times, double span, double fromTurns, double toTurns, int stepsPerTurn, int most, bool ofWholePeriods)
    {
        int steps = (int)Math.Ceiling((toTurns - fromTurns) * stepsPerTurn) + 1;
        double start = fromTurns - (1.0 / stepsPerTurn);
        Begin(times, span, start, stepsPerTurn);
        int found = 0;
        most = Math.Min(most, _peakTurns.Length);
        double best = 0;
        double bestTurns = fromTurns;
        double before = Next(times.Length, ofWholePeriods);
        double here = Next(times.Length, ofWholePeriods);
        for (int i = 1; i <= steps; i++)
        {
            double after = Next(times.Length, ofWholePeriods);
            double turns = start + ((double)i / stepsPerTurn);
            if (here > best)
            {
                (best, bestTurns) = (here, turns);
            }

            if (here >= before && here >= after)
            {
                found = Insert(turns, here, found, most);
            }

            before = here;
            here = after;
        }

        if (found == 0)
        {
            found = Insert(bestTurns, best, 0, most);
        }

        return _peakTurns.AsSpan(0, found);
    }

    /// <summary>How nearly the lengths are whole multiples of a period: the mean cosine.</summary>
    /// <returns>1 where all are whole multiples; about 0 for arbitrary lengths.</returns>
    public static double Wholeness(ReadOnlySpan<double> lengths, double period) => Sum(lengths, period).X / lengths.Length;

    /// <returns>The direction as a time, from minus to plus half a period.</returns>
    public static double Direction(ReadOnlySpan<double> times, double period)
    {
        (double x, double y) = Sum(times, period);
        return Math.Atan2(y, x) / (2 * Math.PI) * period;
    }

    private static (double X, double Y) Sum(ReadOnlySpan<double> times, double period)
    {
        double x = 0;
        double y = 0;
        foreach (double time in times)
        {
            (double sin, double cos) = Math.SinCos(2 * Math.PI * (time / period));
            x += cos;
            y += sin;
        }

        return (x, y);
    }

    private void Begin(ReadOnlySpan<double> times, double span, double turns, int stepsPerTurn)
    {
        _x.AsSpan(times.Length).Clear();
        _y.AsSpan(times.Length).Clear();
        for (int i = 0; i < times.Length; i++)
        {
            double angle = 2 * Math.PI * (times[i] / span);
            (_y[i], _x[i]) = Math.SinCos(angle * turns);
            (_stepY[i], _stepX[i]) = Math.SinCos(angle / stepsPerTurn);
        }
    }

    /// <summary>The power of the current directions; then turns the directions by one step.</summary>
    private double Next(int count, bool ofWholePeriods)
    {
        Vector<double> sumX = Vector<double>.Zero;
        Vector<double> sumY = Vector<double>.Zero;
        for (int i = 0; i < count; i += Vector<double>.Count)
        {
            var x = new Vector<double>(_x, i);
            var y = new Vector<double>(_y, i);
            var stepX = new Vector<double>(_stepX, i);
            var stepY = new Vector<double>(_stepY, i);
            sumX += x;
            sumY += y;
            ((x * stepX) - (y * stepY)).CopyTo(_x, i);
            ((x * stepY) + (y * stepX)).CopyTo(_y, i);
        }

        double allX = Vector.Sum(sumX);
        double allY = Vector.Sum(sumY);
        return ofWholePeriods ? Math.Max(0, allX) : (allX * allX) + (allY * allY);
    }

    private int Insert(double turns, double power, int found, int most)
    {
        int at = Math.Min(found, most - 1);
        if (found == most && power <= _peakPowers[at])
        {
            return found;
        }

        for (; at > 0 && _peakPowers[at - 1] < power; at--)
        {
            _peakPowers[at] = _peakPowers[at - 1];
            _peakTurns[at] = _peakTurns[at - 1];
        }

        _peakPowers[at] = power;
        _peakTurns[at] = turns;
        return Math.Min(found + 1, most);
    }
}
