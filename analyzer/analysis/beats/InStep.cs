namespace Tracer.Analysis.Beats;

/// <summary>Other events that come at one fixed distance from nearly all events of a beat, which chance does not explain.</summary>
/// <param name="Met">How many events have another one at that distance.</param>
/// <param name="Distance">From the event to the other one; negative where the other comes first.</param>
/// <param name="LogChance">
/// Natural logarithm of the probability that as many others at random times would match as many events at any distance.
/// </param>
internal readonly record struct InStep(int Met, int Events, double Distance, double LogChance)
{
    /// <summary>At least this part of the events must have the other event beside it.</summary>
    private const double LeastMet = 0.8;

    /// <summary>Largest deviation of the other event from its usual distance, as a part of the beat.</summary>
    private const double WindowOfBeat = 0.01;

    /// <summary>Largest distance between the two events, as a part of the beat.</summary>
    private const double LongestOfBeat = 0.25;

    /// <summary>Greatest probability with which unrelated events may seem to be in step.</summary>
    private const double Chance = 1e-4;

    /// <summary>Looks for a fixed distance at which the other event comes.</summary>
    /// <param name="events">The times of the events, in any order.</param>
    /// <param name="others">The times of the other event, in any order.</param>
    /// <param name="leastWindow">A deviation from the usual distance that is allowed in any case.</param>
    /// <returns>The distance and its certainty; null where the other event is not in step.</returns>
    public static InStep? Of(IReadOnlyCollection<double> events, IReadOnlyCollection<double> others, double period, double leastWindow)
    {
        double[] own = [.. events.Where(double.IsFinite).Order()];
        double[] sorted = [.. others.Where(double.IsFinite).Order()];
        if (own.Length < BeatTest.LeastBeats || sorted.Length < BeatTest.LeastBeats)
        {
            return null;
        }

        double[] distances = [.. own.Select(time => Nearest(sorted, time) - time).Order()];
        double usual = distances[distances.Length / 2];
        double window = Math.Max(leastWindow, WindowOfBeat * period);
        int met = distances.Count(distance => Math.Abs(distance - usual) <= window);
        double part = Covered(sorted, own[0] + usual - window, own[^1] + usual + window, window);
        double choices = Math.Max(1, 2 * LongestOfBeat * period / window);
        double log = Math.Min(0, BinomialTail.LogAtLeast(met, own.Length, part) + Math.Log(choices));
        return met >= LeastMet * own.Length && Math.Abs(usual) <= LongestOfBeat * period && log <= Math.Log(Chance)
            ? new InStep(met, own.Length, usual, log) : null;
    }

    /// <summary>The part of a stretch of time that lies within a window around any of the given times.</summary>
    private static double Covered(double[] sorted, double from, double to, double window)
    {
        double covered = 0;
        double end = from;
        foreach (double time in sorted)
        {
            double begin = Math.Max(end, time - window);
            end = Math.Max(end, Math.Min(to, time + window));
            covered += Math.Max(0, end - begin);
        }

        return Math.Min(1, covered / (to - from));
    }

    private static double Nearest(double[] sorted, double time)
    {
        int next = Array.BinarySearch(sorted, time);
        next = next < 0 ? ~next : next;
        double after = next < sorted.Length ? sorted[next] : double.PositiveInfinity;
        double before = next > 0 ? sorted[next - 1] : double.NegativeInfinity;
        return after - time <= time - before ? after : before;
    }
}
