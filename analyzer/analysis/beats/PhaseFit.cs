namespace Tracer.Analysis.Beats;

/// <summary>
/// Fits a beat of one phase to times: a regression line of the times over their beat numbers, and the set of times near enough to it to
/// belong to the beat. Each other time lies beside the beat and lowers the score.
/// </summary>
/// <remarks>
/// The score is the gain in log-likelihood over uniformly distributed phases. The m of n times nearest to the line get a normal
/// distribution with their own deviation, the others gain nothing, and the logarithm of the number of choices of m is subtracted.
/// </remarks>
internal sealed class PhaseFit
{
    /// <summary>At least this part of the times must be on the beat.</summary>
    private const double LeastOnBeat = 0.5;

    /// <summary>
    /// What each time beside the beat costs in log-likelihood, besides the cost of choosing it: such times are the exception.
    /// </summary>
    private const double BesideCost = 2;

    /// <summary>Most rounds of fitting: a line settles within a few rounds or never.</summary>
    private const int MostRounds = 7;

    /// <summary>Least rounds of fitting, whether the score improves or not: the first line may still be far off.</summary>
    private const int LeastRounds = 3;

    /// <summary>A time this near to a beat, as a part of the period, is used for the first, coarse line.</summary>
    private const double WidestWindow = 0.25;

    /// <summary>A time this near to a beat, as a part of the period, is used for the last, exact line.</summary>
    private const double NarrowWindow = 0.08;

    /// <summary>A fitted period may differ from the one it started with by at most this part.</summary>
    private const double MostChange = 0.1;

    private readonly double[] _distances;

    /// <param name="mostTimes">The largest number of times.</param>
    public PhaseFit(int mostTimes) => _distances = new double[mostTimes];

    /// <param name="times">The times, sorted.</param>
    /// <param name="resolution">Smallest deviation that counts.</param>
    /// <param name="besides">Whether times beside the beat are allowed; that takes twice as long.</param>
    /// <returns>The best line found; its score is negative infinity where there is none.</returns>
    public PhaseLine Lay(ReadOnlySpan<double> times, double period, double resolution, bool besides)
    {
        double first = PhasePower.Direction(times, period);
        PhaseLine wide = Lay(times, first, period, WidestWindow, resolution);
        if (!besides || (wide.OnBeat == times.Length && wide.Jitter <= NarrowWindow / 2))
        {
            return wide;
        }

        // Times beside the beat may hold the line in a wrong place; a narrow window contains fewer of them.
        PhaseLine narrow = Lay(times, first, period, NarrowWindow, resolution);
        return narrow.Score > wide.Score ? narrow : wide;
    }

    /// <summary>Fits the line from a known starting place.</summary>
    /// <param name="times">The times, sorted.</param>
    /// <param name="window">A time this near to a beat, in beats, is used for the first line.</param>
    /// <param name="resolution">Smallest deviation that counts.</param>
    /// <returns>The best line found; its score is negative infinity where there is none.</returns>
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

    /// <summary>Least-squares fit over the beat numbers of the times within the window.</summary>
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
                // Uses the distance from the old line instead of the time, so that no digits are lost far from time 0.
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

    /// <summary>Gain in log-likelihood of normally distributed phases over uniform ones; the variance is in beats squared.</summary>
    private static double LogGain(int freedom, double variance) => -0.5 * freedom * Math.Log(2 * Math.PI * Math.E * variance);
}

/// <summary>A beat of one phase as a line through times.</summary>
/// <param name="First">A time on the line: that of beat number 0.</param>
/// <param name="Period">Time from one beat to the next.</param>
/// <param name="Jitter">Standard deviation of the times on the beat, in beats.</param>
/// <param name="Reach">Distance of the farthest of them from the line, in beats.</param>
/// <param name="Score">Gain in log-likelihood.</param>
internal readonly record struct PhaseLine(double First, double Period, double Jitter, double Reach, int OnBeat, double Score)
{
    public static PhaseLine None => new(0, 0, 0, 0, 0, double.NegativeInfinity);

    /// <summary>Where a time lies between two beats.</summary>
    /// <returns>The distance from the nearest beat, in beats, -0.5 to 0.5.</returns>
    public double Phase(double time)
    {
        double beats = (time - First) / Period;
        return beats - Math.Round(beats);
    }

    /// <summary>The number of the beat that a time is nearest to.</summary>
    /// <returns>The number; negative before beat 0.</returns>
    public long Number(double time) => (long)Math.Round((time - First) / Period);
}
