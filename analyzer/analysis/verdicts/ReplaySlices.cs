using Tracer.Analysis.Causes;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>One piece of an episode in a replay. Times in ticks.</summary>
/// <param name="SinceTicks">Since when the work was pending; <see cref="long.MinValue"/> for always.</param>
/// <param name="Cause">The cause that the piece belongs to; null for none.</param>
internal readonly record struct ReplaySlice(long FromTicks, long Ticks, long SinceTicks, NamedCause? Cause)
{
    public long ToTicks => FromTicks + Ticks;
}

/// <summary>Lays an episode out in time: the cause of every tick, and since when that work was pending.</summary>
internal static class ReplaySlices
{
    /// <summary>The slices of an episode by time, without holes. Unexplained time has no owner and stays in every replay.</summary>
    public static List<ReplaySlice> Of(NamedEpisode episode)
    {
        EpisodeCandidate candidate = episode.Candidate;
        List<ReplaySlice> known = [];
        Dictionary<CauseShare, long> given = new(ReferenceEqualityComparer.Instance);
        foreach (NamedCause cause in episode.Causes)
        {
            Add(known, given, cause, candidate);
        }

        known.Sort(static (one, other) => one.FromTicks != other.FromTicks
            ? one.FromTicks.CompareTo(other.FromTicks)
            : one.Ticks.CompareTo(other.Ticks));
        List<ReplaySlice> slices = [];
        long at = candidate.FromTicks;
        foreach (ReplaySlice slice in known)
        {
            if (slice.FromTicks > at)
            {
                slices.Add(new ReplaySlice(at, slice.FromTicks - at, long.MinValue, null));
                at = slice.FromTicks;
            }

            // Overlapping time counts once. Shares of an episode overlap only by rounding.
            long from = Math.Max(at, slice.FromTicks);
            if (slice.ToTicks > from)
            {
                slices.Add(slice with { FromTicks = from, Ticks = slice.ToTicks - from });
                at = slice.ToTicks;
            }
        }

        if (at < candidate.ToTicks)
        {
            slices.Add(new ReplaySlice(at, candidate.ToTicks - at, long.MinValue, null));
        }

        FindQueuers(slices);
        return slices;
    }

    /// <summary>Adds the slices of one cause. Several causes may be parts of one measured share, one after the other.</summary>
    private static void Add(
        List<ReplaySlice> known, Dictionary<CauseShare, long> given, NamedCause cause, EpisodeCandidate candidate)
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
                known.Add(new ReplaySlice(from, ticks, MechanismPages.Of(cause.Mechanism).SinceOf(in stretch), cause));
                left -= ticks;
            }
        }
    }

    /// <summary>
    /// Finds since when DPCs were pending, which is before they began: since an ISR of the same driver, which queued them; otherwise, for
    /// one that directly followed other routines, since that series began.
    /// </summary>
    private static void FindQueuers(List<ReplaySlice> slices)
    {
        Dictionary<string, long> isrs = new(StringComparer.OrdinalIgnoreCase);
        long busySince = long.MinValue;
        long busyUntil = long.MinValue;
        for (int i = 0; i < slices.Count; i++)
        {
            ReplaySlice slice = slices[i];
            if (slice.Cause is not { } cause)
            {
                continue;
            }

            if (slice.FromTicks > busyUntil)
            {
                busySince = i == 0 ? long.MinValue : slice.FromTicks;
            }

            busyUntil = slice.ToTicks;
            if (cause.Name is { } isr && cause.Mechanism == Mechanism.Isr)
            {
                isrs[isr] = slice.SinceTicks;
            }
            else if (cause.Mechanism == Mechanism.Dpc)
            {
                long since = cause.Name is { } name && isrs.TryGetValue(name, out long queued) ? queued : busySince;
                slices[i] = slice with { SinceTicks = Math.Min(since, slice.SinceTicks) };
            }
        }
    }
}
