using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>What a replay leaves. Times in ticks.</summary>
/// <param name="Episodes">How many episodes.</param>
/// <param name="WorstTicks">The longest of them; null where none is left.</param>
/// <param name="Ticks">All of them.</param>
internal sealed record ReplayOutcome(int Episodes, long? WorstTicks, long Ticks);

/// <summary>
/// Replays the episodes without one culprit: its work takes no time, what waited behind it moves forward, and the victim runs as soon as
/// nothing that is left has to be done first. What came later than that no longer keeps it.
/// </summary>
/// <remarks>
/// First order: what the others would have done otherwise with the time that is left is not known. Nothing gets longer.
/// </remarks>
internal sealed class Replay
{
    /// <summary>In so many gaps a CPU gets from one routine to the next; what takes longer is something else.</summary>
    private const int LongestWay = 5;

    private readonly IReadOnlyList<NamedEpisode> _episodes;
    private readonly long _thresholdTicks;
    private readonly long _gapTicks;

    /// <summary>Takes what happened.</summary>
    /// <param name="episodes">The episodes, several probes of one thing still apart: without the first of them another may be left.</param>
    /// <param name="thresholdTicks">Latency at or above this is an episode.</param>
    /// <param name="gapTicks">A longer gap ends a stretch of a CPU at ISR or DPC level.</param>
    public Replay(IReadOnlyList<NamedEpisode> episodes, long thresholdTicks, long gapTicks)
    {
        _episodes = episodes;
        _thresholdTicks = thresholdTicks;
        _gapTicks = gapTicks;
    }

    /// <summary>Plays it.</summary>
    /// <param name="isGone">Whose time is taken out.</param>
    /// <returns>What is left; null where a part of an episode was not kept, so that nobody can say.</returns>
    public ReplayOutcome? Without(Func<NamedCause, bool> isGone)
    {
        List<EpisodeCandidate> left = [];
        foreach (NamedEpisode episode in _episodes)
        {
            if (!episode.Causes.Any(isGone))
            {
                left.Add(episode.Candidate);
                continue;
            }

            if (episode.Causes.Any(cause => cause.Share is { IsCut: true }))
            {
                return null;
            }

            Add(left, episode, ReplaySlices.Of(episode), isGone);
        }

        List<EpisodeCandidate> kept = EpisodeSelection.Select(left);
        return new ReplayOutcome(
            kept.Count,
            kept.Count > 0 ? kept.Max(candidate => candidate.LatencyTicks) : null,
            kept.Sum(candidate => candidate.LatencyTicks));
    }

    private void Add(List<EpisodeCandidate> left, NamedEpisode episode, List<ReplaySlice> slices, Func<NamedCause, bool> isGone)
    {
        EpisodeCandidate candidate = episode.Candidate;
        switch (candidate.Probe)
        {
            case ProbeKind.Level:
                AddLevels(left, candidate, slices, isGone);
                break;
            case ProbeKind.Gap:
                // A gap consists of its blackout and of time without an owner; without the blackout nothing of it is left.
                if (slices.Any(slice => slice.Cause is { } cause && !isGone(cause)))
                {
                    AddLate(left, candidate, slices.Where(slice => IsLeft(slice, isGone)).Sum(slice => slice.Ticks));
                }

                break;
            default:
                List<ReplaySlice> done = Done(candidate.FromTicks, slices, isGone);
                if (!candidate.IsOfHog || HasHog(done))
                {
                    AddLate(left, candidate, done.Sum(slice => slice.Ticks));
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

    /// <summary>What is done before the victim runs: everything that is there when what was there before is done.</summary>
    private List<ReplaySlice> Done(long fromTicks, List<ReplaySlice> slices, Func<NamedCause, bool> isGone)
    {
        List<ReplaySlice> done = [];
        long at = fromTicks;
        foreach (ReplaySlice slice in slices.Where((slice, index) => IsLeft(slice, isGone) && !IsWayBetween(slices, index, isGone))
            .OrderBy(slice => slice.SinceTicks))
        {
            if (slice.SinceTicks > at)
            {
                break;
            }

            done.Add(slice);
            at += slice.Ticks;
        }

        return done;
    }

    private static bool IsLeft(in ReplaySlice slice, Func<NamedCause, bool> isGone) => slice.Cause is not { } cause || !isGone(cause);

    /// <summary>
    /// Whether a short time that nothing explains lies between two longer ones that are gone: it was the way from one to the next.
    /// </summary>
    private bool IsWayBetween(List<ReplaySlice> slices, int index, Func<NamedCause, bool> isGone) =>
        slices[index].Cause is null && index > 0 && index + 1 < slices.Count && slices[index].Ticks <= LongestWay * _gapTicks
        && slices[index].Ticks < Math.Min(slices[index - 1].Ticks, slices[index + 1].Ticks)
        && !IsLeft(slices[index - 1], isGone) && !IsLeft(slices[index + 1], isGone);

    private bool HasHog(List<ReplaySlice> done)
    {
        long hogs = done
            .Where(slice => slice.Cause is { Mechanism: Mechanism.Thread, Detail: ThreadRan { Priority: >= EpisodeInquiry.HogPriority } })
            .Sum(slice => slice.Ticks);
        return hogs >= _thresholdTicks && 2 * hogs >= done.Sum(slice => slice.Ticks);
    }

    /// <summary>The routines that are left, each as early as it may begin: stretches end where a gap is too long.</summary>
    private void AddLevels(
        List<EpisodeCandidate> left, EpisodeCandidate candidate, List<ReplaySlice> slices, Func<NamedCause, bool> isGone)
    {
        List<(long SinceTicks, long Ticks)> works = [];
        long before = 0;
        foreach (ReplaySlice slice in slices)
        {
            if (slice.Cause is not { } cause)
            {
                // The way from one routine to the next belongs to the next.
                before += slice.Ticks;
                continue;
            }

            if (!isGone(cause))
            {
                works.Add((Math.Max(slice.SinceTicks, candidate.FromTicks), before + slice.Ticks));
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
