namespace Tracer.Analysis;

/// <summary>
/// Lays a beat of one phase through times: the line through the times over the numbers of their beats, and which times are near enough to
/// it to be of the beat. Others are beside it, at a price.
/// </summary>
/// <remarks>
/// The score of a line is the gain in log-likelihood over phases that lie anywhere: for the m of n times nearest to it, a normal
/// distribution of their own deviation, for the rest none, less the logarithm of how many choices of m there are.
/// </remarks>
internal sealed class PhaseFit
{
    /// <summary>At least this part of the times is on the beat.</summary>
    private const double LeastOnBeat = 0.5;

    /// <summary>What each time beside the beat costs, besides the choice of it: they are the exception.</summary>
    private const double BesideCost = 2;

    /// <summary>Lines settle within a few rounds, or never.</summary>
    private const int MostRounds = 7;

    /// <summary>So many rounds are made whether they gain or not: the first may still be far off.</summary>
    private const int LeastRounds = 3;

    /// <summary>What is this near to a beat counts in the first line, as a part of the beat.</summary>
    private const double WidestWindow = 0.25;

    /// <summary>What is this near counts in the last line, as a part of the beat.</summary>
    private const double NarrowWindow = 0.08;

    /// <summary>No line goes farther than this from the period that it began with.</summary>
    private const double MostChange = 0.1;

    private readonly double[] _distances;

    /// <summary>Reserves memory.</summary>
    /// <param name="mostTimes">The most times.</param>
    public PhaseFit(int mostTimes) => _distances = new double[mostTimes];

    /// <summary>Lays the line.</summary>
    /// <param name="times">The times, sorted.</param>
    /// <param name="period">A period near to that of the line.</param>
    /// <param name="resolution">No deviation counts as smaller than this time.</param>
    /// <param name="besides">Whether there may be times beside the beat: that takes twice as long.</param>
    /// <returns>The best line met; its score is negative infinity where there is none.</returns>
    public PhaseLine Lay(ReadOnlySpan<double> times, double period, double resolution, bool besides)
    {
        double first = PhasePower.Direction(times, period);
        PhaseLine wide = Lay(times, first, period, WidestWindow, resolution);
        if (!besides || (wide.OnBeat == times.Length && wide.Jitter <= NarrowWindow / 2))
        {
            return wide;
        }

        // Times beside the beat may hold the line in a wrong place; a narrow window has fewer of them.
        PhaseLine narrow = Lay(times, first, period, NarrowWindow, resolution);
        return narrow.Score > wide.Score ? narrow : wide;
    }

    /// <summary>Lays the line from a known place on.</summary>
    /// <param name="times">The times, sorted.</param>
    /// <param name="first">A time near a beat.</param>
    /// <param name="period">A period near to that of the line.</param>
    /// <param name="window">What is this near to a beat counts in the first line, in beats.</param>
    /// <param name="resolution">No deviation counts as smaller than this time.</param>
    /// <returns>The best line met; its score is negative infinity where there is none.</returns>
    public PhaseLine Lay(ReadOnlySpan<double> times, double first, double period, double window, double resolution)
    {
        PhaseLine best = PhaseLine.None;
        double begun = period;
        for (int round = 0; round < MostRounds; round++)
        {
            if (!Line(times, window, ref first, ref period) || Math.Abs((period / begun) - 1) > MostChange)
            {
                break;
            }

            PhaseLine line = Score(times, first, period, resolution);
            bool gains = line.Score > best.Score;
            best = gains ? line : best;
            if (!gains && round >= LeastRounds)
            {
                break;
            }

            window = Math.Min(WidestWindow, line.Reach + (resolution / period));
        }

        return best;
    }

    /// <summary>Least squares over beat numbers, of the times within the window.</summary>
    private static bool Line(ReadOnlySpan<double> times, double window, ref double first, ref double period)
    {
        double count = 0;
        double numbers = 0;
        double sum = 0;
        double squares = 0;
        double products = 0;
        foreach (double time in times)
        {
            double beats = (time - first) / period;
            double number = Math.Round(beats);
            if (Math.Abs(beats - number) <= window)
            {
                // The distance from the old line, not the time: no digits are lost far from time 0.
                double off = (beats - number) * period;
                count++;
                numbers += number;
                sum += off;
                squares += number * number;
                products += number * off;
            }
        }

        double across = squares - (numbers * numbers / Math.Max(1, count));
        if (count < BeatTest.LeastBeats || !(across > 0))
        {
            return false;
        }

        double slope = (products - (numbers * sum / count)) / across;
        first += (sum - (slope * numbers)) / count;
        period += slope;
        return period > 0;
    }

    private PhaseLine Score(ReadOnlySpan<double> times, double first, double period, double resolution)
    {
        Span<double> distances = _distances.AsSpan(0, times.Length);
        for (int i = 0; i < times.Length; i++)
        {
            double beats = (times[i] - first) / period;
            distances[i] = Math.Abs(beats - Math.Round(beats));
        }

        distances.Sort();
        double floor = resolution * resolution / (period * period);
        double best = double.NegativeInfinity;
        int on = 0;
        double variance = 0;
        double squares = 0;
        int least = Math.Max(BeatTest.LeastBeats, (int)Math.Ceiling(LeastOnBeat * times.Length));
        for (int count = 1; count <= times.Length; count++)
        {
            squares += distances[count - 1] * distances[count - 1];
            if (count >= least)
            {
                double here = squares / (count - 2);
                double score = LogGain(count - 2, Math.Max(floor, here)) - LogFactorial.LogChoices(times.Length, count)
                    - (BesideCost * (times.Length - count));
                if (score > best)
                {
                    (best, on, variance) = (score, count, here);
                }
            }
        }

        return on == 0 ? PhaseLine.None : new PhaseLine(first, period, Math.Sqrt(variance), distances[on - 1], on, best);
    }

    /// <summary>What a normal distribution of phases gains over phases anywhere; its variance in beats.</summary>
    private static double LogGain(int freedom, double variance) => -0.5 * freedom * Math.Log(2 * Math.PI * Math.E * variance);
}

/// <summary>A beat of one phase as a line through times.</summary>
/// <param name="First">A time on the line: that of beat number 0.</param>
/// <param name="Period">From beat to beat.</param>
/// <param name="Jitter">Standard deviation of the times on the beat, in beats.</param>
/// <param name="Reach">How far from the line the farthest of them is, in beats.</param>
/// <param name="OnBeat">How many times are on the beat.</param>
/// <param name="Score">What the line gains in log-likelihood.</param>
internal readonly record struct PhaseLine(double First, double Period, double Jitter, double Reach, int OnBeat, double Score)
{
    /// <summary>No line.</summary>
    public static PhaseLine None => new(0, 0, 0, 0, 0, double.NegativeInfinity);

    /// <summary>Where a time lies between two beats.</summary>
    /// <param name="time">The time.</param>
    /// <returns>The distance from the nearest beat, in beats, -0.5 to 0.5.</returns>
    public double Phase(double time)
    {
        double beats = (time - First) / Period;
        return beats - Math.Round(beats);
    }

    /// <summary>The number of the beat that a time is nearest to.</summary>
    /// <param name="time">The time.</param>
    /// <returns>The number; negative before the first.</returns>
    public long Number(double time) => (long)Math.Round((time - First) / Period);
}
