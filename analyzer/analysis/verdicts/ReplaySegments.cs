using Tracer.Analysis.Causes;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>One piece of an episode in a replay. Times in ticks.</summary>
/// <param name="SinceTicks">Since when the work was pending; <see cref="long.MinValue"/> for always.</param>
/// <param name="Cause">The cause that the piece belongs to; null for none.</param>
internal readonly record struct ReplaySegment(long FromTicks, long Ticks, long SinceTicks, NamedCause? Cause)
{
    public long ToTicks => FromTicks + Ticks;
}

/// <summary>Lays an episode out in time: the cause of every tick, and since when that work was pending.</summary>
internal static class ReplaySegments
{
    /// <summary>The segments of an episode by time, without holes. Unexplained time has no owner and stays in every replay.</summary>
    public static List<ReplaySegment> Of(NamedEpisode episode)
    {
        List<ReplaySegment> segments = [];
        Fill(segments, [], episode);
        return segments;
    }

    /// <summary>
    /// As <see cref="Of"/>, into lists that are used again: a replay lays out every episode, and there is one for each culprit.
    /// </summary>
    /// <param name="segments">Receives the segments.</param>
    /// <param name="known">Holds what causes explain.</param>
    public static void Fill(List<ReplaySegment> segments, List<ReplaySegment> known, NamedEpisode episode)
    {
        EpisodeCandidate candidate = episode.Candidate;
        known.Clear();
        segments.Clear();
        Dictionary<CauseShare, long> given = new(ReferenceEqualityComparer.Instance);
        foreach (NamedCause cause in episode.Causes)
        {
            Add(known, given, cause, candidate);
        }

        Sort(known, static (one, other) => one.FromTicks != other.FromTicks
            ? one.FromTicks.CompareTo(other.FromTicks)
            : one.Ticks.CompareTo(other.Ticks));
        long at = candidate.FromTicks;
        foreach (ReplaySegment segment in known)
        {
            if (segment.FromTicks > at)
            {
                segments.Add(new ReplaySegment(at, segment.FromTicks - at, long.MinValue, null));
                at = segment.FromTicks;
            }

            // Overlapping time counts once. Shares of an episode overlap only by rounding.
            long from = Math.Max(at, segment.FromTicks);
            if (segment.ToTicks > from)
            {
                segments.Add(segment with { FromTicks = from, Ticks = segment.ToTicks - from });
                at = segment.ToTicks;
            }
        }

        if (at < candidate.ToTicks)
        {
            segments.Add(new ReplaySegment(at, candidate.ToTicks - at, long.MinValue, null));
        }

        FindQueuers(segments);
    }

    /// <summary>Sorts what mostly is in order.</summary>
    public static void Sort(List<ReplaySegment> segments, Comparison<ReplaySegment> order)
    {
        for (int i = 1; i < segments.Count; i++)
        {
            if (order(segments[i - 1], segments[i]) > 0)
            {
                segments.Sort(order);
                return;
            }
        }
    }

    /// <summary>Adds the segments of one cause. Several causes may be parts of one measured share, one after the other.</summary>
    private static void Add(
        List<ReplaySegment> known, Dictionary<CauseShare, long> given, NamedCause cause, EpisodeCandidate candidate)
    {
        if (cause.Share is not { } share)
        {
            return;
        }

        IReadOnlyList<CauseStretch> stretches = share.Stretches.Count > 0
            ? share.Stretches
            : [new CauseStretch(share.AtTicks, share.AtTicks + share.Ticks, share.AtTicks)];
        long skip = given.GetValueOrDefault(share);
        long left = cause.Ticks;
        given[share] = skip + left;
        foreach (CauseStretch stretch in stretches)
        {
            long from = Math.Clamp(stretch.FromTicks, candidate.FromTicks, candidate.ToTicks);
            long to = Math.Clamp(stretch.ToTicks, from, candidate.ToTicks);
            long skipped = Math.Min(skip, to - from);
            skip -= skipped;
            from += skipped;
            long ticks = Math.Min(left, to - from);
            if (ticks > 0)
            {
                known.Add(new ReplaySegment(from, ticks, MechanismPages.Of(cause.Mechanism).SinceOf(in stretch), cause));
                left -= ticks;
            }
        }
    }

    /// <summary>
    /// Finds since when DPCs were pending, which is before they began: since an ISR of the same driver, which queued them; otherwise, for
    /// one that directly followed other routines, since that series began.
    /// </summary>
    private static void FindQueuers(List<ReplaySegment> segments)
    {
        Dictionary<string, long> isrs = new(StringComparer.OrdinalIgnoreCase);
        long busySince = long.MinValue;
        long busyUntil = long.MinValue;
        for (int i = 0; i < segments.Count; i++)
        {
            ReplaySegment segment = segments[i];
            if (segment.Cause is not { } cause)
            {
                continue;
            }

            if (segment.FromTicks > busyUntil)
            {
                busySince = i == 0 ? long.MinValue : segment.FromTicks;
            }

            busyUntil = segment.ToTicks;
            if (cause.Name is { } isr && cause.Mechanism == Mechanism.Isr)
            {
                isrs[isr] = segment.SinceTicks;
            }
            else if (cause.Mechanism == Mechanism.Dpc)
            {
                long since = cause.Name is { } name && isrs.TryGetValue(name, out long queued) ? queued : busySince;
                segments[i] = segment with { SinceTicks = Math.Min(since, segment.SinceTicks) };
            }
        }
    }
}
