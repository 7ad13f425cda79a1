namespace Tracer.Analysis;

/// <summary>Others that come at one distance from nearly all events of a beat, which by chance they would not.</summary>
/// <param name="Met">How many events have one there.</param>
/// <param name="Events">How many events there are.</param>
/// <param name="Distance">From the event to the other: negative where the other comes first.</param>
/// <param name="LogChance">
/// How often others at as many random times would be there for as many events, at any distance, as a natural logarithm.
/// </param>
internal readonly record struct InStep(int Met, int Events, double Distance, double LogChance)
{
    /// <summary>This part of the events must have the other beside it.</summary>
    private const double LeastMet = 0.8;

    /// <summary>How far from its usual distance the other may come, as a part of the beat.</summary>
    private const double WindowOfBeat = 0.01;

    /// <summary>The other is at most this part of a beat away.</summary>
    private const double LongestOfBeat = 0.25;

    /// <summary>The chance by which what does not belong together may come in step.</summary>
    private const double Chance = 1e-4;

    /// <summary>Looks for a distance at which the other comes.</summary>
    /// <param name="events">The events, in any order.</param>
    /// <param name="others">When the other came, in any order.</param>
    /// <param name="period">From one event to the next, about.</param>
    /// <param name="leastWindow">How far from its usual distance the other may come in any case.</param>
    /// <returns>The distance and how sure it is; null where the other is not in step.</returns>
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

    /// <summary>The part of a stretch of time that is within the window around one of some times.</summary>
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
