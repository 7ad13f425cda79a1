namespace Tracer.Analysis.Beats;

/// <summary>Finds the best beat in a series of times and tests whether chance would produce one as good.</summary>
internal sealed class BeatExamination
{
    /// <summary>Most jitter of a beat, as a part of its period: times with more have no beat.</summary>
    private const double MostJitter = 0.15;

    /// <summary>
    /// From this many events on a beat with any allowed jitter can be told apart from intervals that merely vary as much.
    /// </summary>
    private const int EnoughEvents = 32;

    /// <summary>
    /// Below <see cref="EnoughEvents"/> events, jitter allowed per event, as a part of the period: nine in ten beats with two thirds of
    /// that jitter are found.
    /// </summary>
    private const double JitterPerEvent = 0.00175;

    /// <summary>Least score of a beat, less the logarithm of the number of times; random phases hardly ever reach it.</summary>
    private const double LeastScore = 6.5;

    /// <summary>
    /// Of the <see cref="IntervalShuffle.Orders"/> shuffled orders of the intervals at most this many may score as well as the real one:
    /// 0.6 %.
    /// </summary>
    private const int MostAsGood = 5;

    /// <summary>
    /// The intervals of a loop that sleeps spread at least so far, as a part of the period: timers of Windows end with its ticks, and what
    /// runs first takes its time.
    /// </summary>
    private const double LoopSpread = 0.01;

    /// <summary>Beats missed by chance come together this seldom.</summary>
    private const double ChanceOfMisses = 0.01;

    /// <summary>At least this part of the beats must have an event.</summary>
    private const double LeastCoverage = 0.4;

    /// <summary>Times that stay this near to the beat, as a part of the period, keep it, even if their small errors do add up.</summary>
    private const double NoDrift = 0.002;

    /// <summary>The test whether errors add up uses at most this many phases, evenly chosen.</summary>
    private const int MostPhases = 1024;

    /// <summary>Smallest deviation that counts, as a part of an interval: no clock is more exact.</summary>
    private const double Resolution = 1e-6;

    private readonly int _mostExamined;
    private readonly BeatCandidates _candidates;
    private readonly IntervalShuffle _shuffle;

    /// <param name="mostExamined">The largest number of times that are examined.</param>
    public BeatExamination(int mostExamined)
    {
        _mostExamined = mostExamined;
        _candidates = new BeatCandidates(mostExamined);
        _shuffle = new IntervalShuffle(mostExamined);
    }

    /// <summary>
    /// The largest jitter of a reported beat. With more jitter most beats would be missed, and those found would rest on chance.
    /// </summary>
    /// <returns>The jitter, as a part of the period.</returns>
    public static double MostJitterOf(int events) => events >= EnoughEvents ? MostJitter : JitterPerEvent * events;

    /// <summary>Looks for a beat in the first times and follows it through the rest.</summary>
    /// <param name="times">The times, sorted, starting at 0; the mean interval of those examined is about 1.</param>
    /// <returns>The beat found; null where there is none to report.</returns>
    public BeatLine? Find(ReadOnlySpan<double> times)
    {
        int count = Math.Min(times.Length, _mostExamined);
        PhaseLine line = _candidates.Best(times[..count], Resolution);
        if (!IsBeat(times[..count], line))
        {
            return null;
        }

        bool isKept = IsKept(times[..count], line);

        // The line through the first times is exact enough to extend it to twice as many.
        PhaseFit? fit = count < times.Length ? new PhaseFit(times.Length) : null;
        while (count < times.Length)
        {
            count = Math.Min(times.Length, 2 * count);
            line = fit!.Lay(times[..count], line.First, line.Period, Math.Min(0.25, 2 * line.Reach), Resolution);
            if (line.OnBeat == 0)
            {
                return null;
            }
        }

        var found = new BeatLine(times, line) { IsKept = isKept };
        return IsPlain(found) && (times.Length <= _mostExamined || !Wanders(found))
            ? found : null;
    }

    private static bool IsPlain(BeatLine found) => found.BeatsWithEvent >= BeatTest.LeastBeats
        && IsMissedByChance(found)
        && found.BeatsWithEvent >= LeastCoverage * found.Beats
        && found.Line.Jitter <= MostJitterOf(found.Line.OnBeat)
        && !found.IsTilted();

    private static bool Wanders(BeatLine found)
    {
        double[] phases = found.Phases();
        int step = (phases.Length + MostPhases - 1) / MostPhases;
        return found.Line.Jitter > NoDrift && DriftTest.Wanders([.. phases.Where((_, index) => index % step == 0)]);
    }

    private bool IsBeat(ReadOnlySpan<double> times, PhaseLine line)
    {
        if (line.OnBeat == 0 || line.Score < LeastScore + Math.Log(times.Length))
        {
            return false;
        }

        var found = new BeatLine(times, line);
        if (!IsPlain(found))
        {
            return false;
        }

        IntervalShuffle.Scoring scoring = ScoringOf(times, line);

        // For a while a few accumulating errors are as small as those of a beat; then the order of the intervals must prove the beat.
        return _shuffle.IsBest(times, line, scoring, MostAsGood, IntervalShuffle.UsualSpread)
            && (!Wanders(found) || _shuffle.IsBest(times, line, scoring, MostAsGood, leastSpread: 0));
    }

    /// <summary>Whether beats are missed by chance: what comes each two or three ticks never comes each tick.</summary>
    private static bool IsMissedByChance(BeatLine found) => found.SingleBeats > 0 && BinomialTail.LogAtMost(
        found.SingleBeats, found.BeatsWithEvent - 1, (double)found.BeatsWithEvent / found.Beats) > Math.Log(ChanceOfMisses);

    /// <summary>
    /// Whether the beat is better than one of independent intervals that spread as its own do, at least as a loop that sleeps.
    /// </summary>
    private bool IsKept(ReadOnlySpan<double> times, PhaseLine line)
    {
        IntervalShuffle.Scoring scoring = ScoringOf(times, line);
        return _shuffle.IsBest(times, line, scoring, MostAsGood, LoopSpread)
            && (!new BeatLine(times, line).IsInTicks() || _shuffle.IsBest(times, line, scoring, MostAsGood, leastSpread: 0));
    }

    private IntervalShuffle.Scoring ScoringOf(ReadOnlySpan<double> times, PhaseLine line)
    {
        double[] near = new double[1 + BeatCandidates.MostOthers];
        near[0] = line.Period;
        int periods = 1 + _candidates.OfIntervals(times, line.Period, near.AsSpan(1));
        bool besides = line.OnBeat < times.Length;
        return shuffled => _candidates.ScoreNear(shuffled, near.AsSpan(0, periods), Resolution, besides);
    }
}
