namespace Tracer.Analysis;

/// <summary>Finds the best beat of times and asks whether chance would make as good a one.</summary>
internal sealed class BeatExamination
{
    /// <summary>More jitter is no beat, as a part of the period.</summary>
    private const double MostJitter = 0.15;

    /// <summary>With so many events beats of any jitter are told apart from gaps that spread as far.</summary>
    private const int EnoughEvents = 32;

    /// <summary>With fewer, for each event so much jitter: nine in ten beats of two thirds of that jitter are found.</summary>
    private const double JitterPerEvent = 0.00175;

    /// <summary>The score that phases anywhere hardly ever reach, less the logarithm of the number of times.</summary>
    private const double LeastScore = 6.5;

    /// <summary>So many of <see cref="GapShuffle.Orders"/> orders of the gaps may be as good: 0.6 %.</summary>
    private const int MostAsGood = 5;

    /// <summary>At least this part of the beats has an event.</summary>
    private const double LeastCoverage = 0.4;

    /// <summary>Who stays this near to a beat keeps it, as a part of the period, even if the little errors do add up.</summary>
    private const double NoDrift = 0.002;

    /// <summary>So many phases, evenly taken, show whether errors add up.</summary>
    private const int MostPhases = 1024;

    /// <summary>No clock is better than this part of a gap.</summary>
    private const double Resolution = 1e-6;

    private readonly int _mostExamined;
    private readonly BeatCandidates _candidates;
    private readonly GapShuffle _shuffle;

    /// <summary>Reserves memory.</summary>
    /// <param name="mostExamined">How many times are examined at most.</param>
    public BeatExamination(int mostExamined)
    {
        _mostExamined = mostExamined;
        _candidates = new BeatCandidates(mostExamined);
        _shuffle = new GapShuffle(mostExamined);
    }

    /// <summary>Beats of more jitter are not told: most would be missed, and those found would rest on chance.</summary>
    /// <param name="events">How many events are on the beat.</param>
    /// <returns>The largest jitter, as a part of the period.</returns>
    public static double MostJitterOf(int events) => events >= EnoughEvents ? MostJitter : JitterPerEvent * events;

    /// <summary>Looks for a beat in the first times and follows it through the others.</summary>
    /// <param name="times">The times, sorted, from 0 on, the mean gap of those examined about 1.</param>
    /// <returns>What was found; null where there is nothing to tell.</returns>
    public BeatLine? Find(ReadOnlySpan<double> times)
    {
        int count = Math.Min(times.Length, _mostExamined);
        PhaseLine line = _candidates.Best(times[..count], Resolution);
        if (!IsBeat(times[..count], line))
        {
            return null;
        }

        // The line of twice as many times is near enough to lay it through as many more.
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

        var found = new BeatLine(times, line);
        return IsPlain(found) && (times.Length <= _mostExamined || !Wanders(found)) ? found : null;
    }

    private static bool IsPlain(BeatLine found) => found.BeatsWithEvent >= BeatTest.LeastBeats
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

        double[] near = new double[1 + BeatCandidates.MostOthers];
        near[0] = line.Period;
        int periods = 1 + _candidates.OfGaps(times, line.Period, near.AsSpan(1));
        bool besides = line.OnBeat < times.Length;
        double Scoring(ReadOnlySpan<double> shuffled) => _candidates.ScoreNear(shuffled, near.AsSpan(0, periods), Resolution, besides);

        // Few errors that add up are as short as those of a beat for a while: then the order must prove the beat.
        return _shuffle.IsBest(times, line, Scoring, MostAsGood, widen: true)
            && (!Wanders(found) || _shuffle.IsBest(times, line, Scoring, MostAsGood, widen: false));
    }
}
