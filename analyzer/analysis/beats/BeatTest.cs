namespace Tracer.Analysis;

/// <summary>
/// Finds the beat that events keep, or none. Gaps that know nothing of each other pass for a beat once in a hundred times at most, whatever
/// their distribution; docs/beats.md has the method, how often it errs and what it misses. Pure arithmetic: the same events give the same
/// answer.
/// </summary>
internal static class BeatTest
{
    /// <summary>Fewer beats prove no beat.</summary>
    public const int LeastBeats = 6;

    /// <summary>The first so many events must have the beat; then it is followed through the others.</summary>
    public const int MostExamined = 128;

    /// <summary>The fewest beats in the whole span, with a little room for jitter.</summary>
    public const double LeastTurns = LeastBeats - 1.5;

    /// <summary>Looks for a beat.</summary>
    /// <param name="seconds">When the events came, in any order and unit; what is no finite number counts for nothing.</param>
    /// <param name="burst">Events that follow the one before within this time belong to it; the same unit.</param>
    /// <returns>The beat; null where there is none to be told.</returns>
    public static Beat? Find(IReadOnlyCollection<double> seconds, double burst = 0)
    {
        List<double> times = Collapsed([.. seconds.Where(double.IsFinite).Order()], burst > 0 ? burst : 0);
        if (times.Count < LeastBeats)
        {
            return null;
        }

        // From 0 on and in mean gaps, so that neither shift nor scale matters.
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
