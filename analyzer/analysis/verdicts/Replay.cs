using Tracer.Analysis.Causes;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>The result of a replay. Times in ticks.</summary>
/// <param name="WorstTicks">The longest of them; null where none remains.</param>
internal sealed record ReplayOutcome(int Episodes, long? WorstTicks, long Ticks);

/// <summary>Which of the episodes that remain count.</summary>
internal enum ReplayRanking
{
    Both,

    /// <summary>Those that somebody measured waited for.</summary>
    First,

    Second,

    /// <summary>Those that explain a glitch.</summary>
    Glitch,

    /// <summary>Those that explain none.</summary>
    NoGlitch,
}

/// <summary>
/// Replays the episodes without one culprit: its work takes no time, and the work behind it moves forward. The victim runs as soon as all
/// remaining work ahead of it is done. Work that arrives later no longer delays it.
/// </summary>
/// <remarks>
/// A first-order estimate: what other code would have done differently in the time gained is not known. Nothing gets longer.
/// </remarks>
internal sealed class Replay
{
    /// <summary>
    /// The longest unexplained time, in multiples of the gap, that still counts as the CPU's way from one routine to the next. A longer one
    /// has some other cause.
    /// </summary>
    private const int LongestWay = 5;

    private readonly IReadOnlyList<NamedEpisode> _episodes;
    private readonly HashSet<EpisodeCandidate> _late;
    private readonly long _thresholdTicks;
    private readonly long _gapTicks;
    private readonly WorkBudget _budget;
    private readonly List<ReplaySegment> _segments = [];
    private readonly List<ReplaySegment> _some = [];
    private readonly List<ReplaySegment> _later = [];

    /// <param name="episodes">
    /// The episodes. Several probes of one delay are still separate: without the first of them another may remain.
    /// </param>
    /// <param name="thresholdTicks">A latency of this length or more is an episode, in ticks.</param>
    /// <param name="gapTicks">A longer gap ends a stretch of a CPU at ISR or DPC level, in ticks.</param>
    /// <param name="budget">What all replays together may lay out, in stretches of causes.</param>
    public Replay(IReadOnlyList<NamedEpisode> episodes, long thresholdTicks, long gapTicks, WorkBudget budget)
    {
        _budget = budget;
        _episodes = episodes;
        // Each selection marks anew whom a late thread waited for: what the whole trace showed holds.
        _late = [.. episodes.Select(episode => episode.Candidate).Where(candidate => candidate.HasLateThread)];
        _thresholdTicks = thresholdTicks;
        _gapTicks = gapTicks;
    }

    /// <param name="isGone">Which parts are taken out.</param>
    /// <param name="ranking">Which of the episodes that remain count.</param>
    /// <returns>
    /// What remains; null where parts of an affected episode were dropped, so that the result can't be known, or where it takes more than
    /// the budget allows.
    /// </returns>
    public ReplayOutcome? Without(Func<NamedCause, bool> isGone, ReplayRanking ranking = ReplayRanking.Both)
    {
        List<EpisodeCandidate> left = [];
        HashSet<EpisodeCandidate> delayed = new(ReferenceEqualityComparer.Instance);
        foreach (NamedEpisode episode in _episodes)
        {
            int before = left.Count;
            if (!episode.Causes.Any(isGone))
            {
                left.Add(episode.Candidate);
            }
            else if (episode.Causes.Any(cause => cause.Share is { IsCut: true })
                || !_budget.TrySpend(episode.Causes.Sum(cause => 1L + (cause.Share?.Stretches.Count ?? 0))))
            {
                return null;
            }
            else
            {
                ReplaySegments.Fill(_segments, _some, episode);
                Add(left, episode, _segments, isGone);
            }

            // As the judgement has it, what only the granularity of timers explains is no second episode.
            if (_late.Contains(episode.Candidate) || episode.Candidate.LatencyTicks - episode.TimerTicks < _thresholdTicks
                || Judgement.IsOfMachine(episode.Causes.Where(cause => !isGone(cause)), _thresholdTicks))
            {
                delayed.UnionWith(left[before..]);
            }
        }

        List<EpisodeCandidate> kept =
        [
            .. EpisodeSelection.Select(left).Where(candidate => ranking switch
            {
                ReplayRanking.Both => true,
                ReplayRanking.Glitch or ReplayRanking.NoGlitch => candidate.IsOfGlitch == (ranking == ReplayRanking.Glitch),
                _ => Judgement.HasVictim(candidate, delayed.Contains(candidate)) == (ranking == ReplayRanking.First),
            }),
        ];
        return new ReplayOutcome(
            kept.Count,
            kept.Count > 0 ? kept.Max(candidate => candidate.LatencyTicks) : null,
            kept.Sum(candidate => candidate.LatencyTicks));
    }

    private void Add(List<EpisodeCandidate> left, NamedEpisode episode, List<ReplaySegment> segments, Func<NamedCause, bool> isGone)
    {
        EpisodeCandidate candidate = episode.Candidate;
        switch (candidate.Probe)
        {
            case ProbeKind.Level:
                AddLevels(left, candidate, segments, isGone);
                break;
            case ProbeKind.Gap:
                // A gap consists of its blackout and of unexplained time; without the blackout nothing of it remains.
                if (segments.Any(segment => segment.Cause is { } cause && !isGone(cause)))
                {
                    AddLate(left, candidate, segments.Where(segment => IsLeft(segment, isGone)).Sum(segment => segment.Ticks));
                }

                break;
            case ProbeKind.Job:
                AddLate(left, candidate, candidate.LatencyTicks - episode.Causes.Where(isGone).Sum(cause => cause.Ticks));
                break;
            default:
                List<ReplaySegment> done = Done(candidate.FromTicks, segments, isGone);
                if (!candidate.IsOfHog || HasHog(done))
                {
                    AddLate(left, candidate, done.Sum(segment => segment.Ticks));
                }

                break;
        }
    }

    private void AddLate(List<EpisodeCandidate> left, EpisodeCandidate candidate, long latencyTicks)
    {
        if (latencyTicks >= _thresholdTicks)
        {
            left.Add(candidate.At(candidate.FromTicks, candidate.FromTicks + Math.Min(latencyTicks, candidate.LatencyTicks)));
        }
    }

    /// <summary>The work done before the victim runs: each piece that is pending by the time the work before it is done.</summary>
    private List<ReplaySegment> Done(long fromTicks, List<ReplaySegment> segments, Func<NamedCause, bool> isGone)
    {
        List<ReplaySegment> done = _some;
        done.Clear();
        _later.Clear();
        for (int i = 0; i < segments.Count; i++)
        {
            if (IsLeft(segments[i], isGone) && !IsWayBetween(segments, i, isGone))
            {
                // What was always pending is before all that came, and in the order of time already.
                (segments[i].SinceTicks == long.MinValue ? done : _later).Add(segments[i]);
            }
        }

        ReplaySegments.Sort(_later, static (one, other) => one.SinceTicks != other.SinceTicks
            ? one.SinceTicks.CompareTo(other.SinceTicks)
            : one.FromTicks.CompareTo(other.FromTicks));
        done.AddRange(_later);
        long at = fromTicks;
        int count = 0;
        while (count < done.Count && done[count].SinceTicks <= at)
        {
            at += done[count++].Ticks;
        }

        done.RemoveRange(count, done.Count - count);
        return done;
    }

    private static bool IsLeft(in ReplaySegment segment, Func<NamedCause, bool> isGone) => segment.Cause is not { } cause || !isGone(cause);

    /// <summary>
    /// Whether a short unexplained time lies between two longer pieces that are taken out. Then it was the CPU's way from one to the next.
    /// </summary>
    private bool IsWayBetween(List<ReplaySegment> segments, int index, Func<NamedCause, bool> isGone) =>
        segments[index].Cause is null && index > 0 && index + 1 < segments.Count && segments[index].Ticks <= LongestWay * _gapTicks
        && segments[index].Ticks < Math.Min(segments[index - 1].Ticks, segments[index + 1].Ticks)
        && !IsLeft(segments[index - 1], isGone) && !IsLeft(segments[index + 1], isGone);

    private bool HasHog(List<ReplaySegment> done)
    {
        long hogs = done
            .Where(segment => segment.Cause is
            {
                Mechanism: Mechanism.Thread, Detail: ThreadRan { Priority: >= EpisodeAnalysis.HogPriority },
            })
            .Sum(segment => segment.Ticks);
        return hogs >= _thresholdTicks && 2 * hogs >= done.Sum(segment => segment.Ticks);
    }

    /// <summary>
    /// Adds the levels that remain. Each remaining routine starts as early as it can; a level ends where the gap is too long.
    /// </summary>
    private void AddLevels(
        List<EpisodeCandidate> left, EpisodeCandidate candidate, List<ReplaySegment> segments, Func<NamedCause, bool> isGone)
    {
        List<(long SinceTicks, long Ticks)> works = [];
        long before = 0;
        foreach (ReplaySegment segment in segments)
        {
            if (segment.Cause is not { } cause)
            {
                // The way from one routine to the next belongs to the latter.
                before += segment.Ticks;
                continue;
            }

            if (!isGone(cause))
            {
                works.Add((Math.Max(segment.SinceTicks, candidate.FromTicks), before + segment.Ticks));
            }

            before = 0;
        }

        long start = candidate.FromTicks;
        long at = long.MinValue;
        foreach ((long since, long ticks) in works.OrderBy(work => work.SinceTicks))
        {
            if (at == long.MinValue || since - at > _gapTicks)
            {
                AddLevel(left, candidate, start, at);
                start = since;
                at = since;
            }

            at = Math.Max(at, since) + ticks;
        }

        AddLevel(left, candidate, start, at);
    }

    private void AddLevel(List<EpisodeCandidate> left, EpisodeCandidate candidate, long fromTicks, long toTicks)
    {
        if (toTicks != long.MinValue && toTicks - fromTicks >= _thresholdTicks)
        {
            long ticks = Math.Min(toTicks - fromTicks, candidate.LatencyTicks);
            left.Add(candidate.At(fromTicks, fromTicks + ticks));
        }
    }
}
