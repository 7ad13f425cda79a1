namespace Tracer.Analysis.Slicing;

/// <summary>
/// Compares what blame says of a slice with what it says of the same part of the whole trace. Latencies, mechanisms and times must be
/// equal; an owner may be told less surely, because evidence was left behind, but never another one.
/// </summary>
/// <param name="Episodes">Episodes of the part of the whole trace.</param>
/// <param name="Different">Episodes that are told otherwise, or by one of the two only.</param>
/// <param name="LessSure">Episodes of which the slice does not know an owner that the whole trace knows.</param>
public sealed record SliceDifferences(int Episodes, int Different, int LessSure)
{
    /// <param name="nameOf">What the slice calls those whom the whole trace names; null where they have the same names.</param>
    public static SliceDifferences Between(BlameReport whole, BlameReport slice, Func<string, string>? nameOf = null)
    {
        ArgumentNullException.ThrowIfNull(whole);
        ArgumentNullException.ThrowIfNull(slice);
        Dictionary<(ProbeKind, Duration, Duration, long?, bool), Queue<Episode>> found = [];
        foreach (Episode episode in slice.Episodes)
        {
            if (!found.TryGetValue(KeyOf(episode), out Queue<Episode>? same))
            {
                found.Add(KeyOf(episode), same = new Queue<Episode>());
            }

            same.Enqueue(episode);
        }

        int different = 0;
        int lessSure = 0;
        foreach (Episode episode in whole.Episodes)
        {
            if (found.TryGetValue(KeyOf(episode), out Queue<Episode>? same) && same.TryDequeue(out Episode? told)
                && Parts(episode).SequenceEqual(Parts(told)) && IsOwnerKept(episode, told, nameOf, out bool isLessSure))
            {
                lessSure += isLessSure ? 1 : 0;
            }
            else
            {
                different++;
            }
        }

        return new SliceDifferences(whole.Episodes.Count, different + found.Values.Sum(static same => same.Count), lessSure);
    }

    private static (ProbeKind, Duration, Duration, long?, bool) KeyOf(Episode episode) =>
        (episode.Probe, episode.Start, episode.Latency, episode.Thread?.Tid, episode.Secondary);

    private static IEnumerable<(Mechanism Mechanism, Duration Time)> Parts(Episode episode) => episode.Causes
        .GroupBy(static cause => cause.Mechanism)
        .Select(static group => (group.Key, group.Aggregate(Duration.Zero, static (sum, cause) => sum + cause.Time)))
        .OrderBy(static part => part.Key);

    /// <summary>Whether the slice names nobody whom the whole trace does not.</summary>
    private static bool IsOwnerKept(Episode whole, Episode slice, Func<string, string>? nameOf, out bool isLessSure)
    {
        Dictionary<(Mechanism, string), Duration> known = [];
        foreach (Cause cause in whole.Causes)
        {
            if (cause.Culprit is { } ofWhole)
            {
                string name = nameOf?.Invoke(ofWhole) ?? ofWhole;
                known[(cause.Mechanism, name)] = known.GetValueOrDefault((cause.Mechanism, name)) + cause.Time;
            }
        }

        isLessSure = false;
        foreach (Cause cause in slice.Causes)
        {
            if (cause.Culprit is not { } name)
            {
                continue;
            }

            if (!known.TryGetValue((cause.Mechanism, name), out Duration time) || time < cause.Time)
            {
                return false;
            }

            known[(cause.Mechanism, name)] = time - cause.Time;
        }

        isLessSure = known.Values.Any(static time => time > Duration.Zero);
        return true;
    }
}
