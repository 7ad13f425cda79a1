namespace Tracer.Analysis.Beats;

/// <summary>
/// Finds the beat that events keep, or none. Independent intervals pass for a beat at most once in a hundred times, whatever their
/// distribution. docs/generated/beats.md describes the method, its error rate and what it misses. Pure arithmetic: the same events give the
/// same answer.
/// </summary>
internal static class BeatTest
{
    /// <summary>Least number of beats in a series: fewer do not prove a beat.</summary>
    public const int LeastBeats = 6;

    /// <summary>A beat must show within this many first events; it is then followed through the others.</summary>
    public const int MostExamined = 128;

    /// <summary>Fewest periods in the whole span, with some room for jitter.</summary>
    public const double LeastTurns = LeastBeats - 1.5;

    /// <param name="seconds">Times of the events, in any order and unit; values that are not finite numbers are ignored.</param>
    /// <param name="burst">Events that follow the previous one within this time belong to its burst; in the same unit.</param>
    /// <returns>The beat; null where there is none to report.</returns>
    public static Beat? Find(IReadOnlyCollection<double> seconds, double burst = 0)
    {
        List<double> times = Collapsed([.. seconds.Where(double.IsFinite).Order()], burst > 0 ? burst : 0);
        if (times.Count < LeastBeats)
        {
            return null;
        }

        // Times start at 0 and are scaled to mean intervals, so that neither shift nor scale matters.
        double origin = times[0];
        double unit = (times[Math.Min(times.Count, MostExamined) - 1] - origin) / (Math.Min(times.Count, MostExamined) - 1);
        if (!double.IsNormal(unit))
        {
            return null;
        }

        double[] scaled = [.. times.Select(time => (time - origin) / unit)];
        return new BeatExamination(Math.Min(scaled.Length, MostExamined)).Find(scaled)?.In(origin, unit);
    }

    private static List<double> Collapsed(double[] sorted, double burst)
    {
        List<double> kept = new(sorted.Length);
        for (int i = 0; i < sorted.Length; i++)
        {
            if (i == 0 || sorted[i] - sorted[i - 1] > burst)
            {
                kept.Add(sorted[i]);
            }
        }

        return kept;
    }
}
