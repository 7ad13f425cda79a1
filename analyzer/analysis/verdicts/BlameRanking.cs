using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>
/// Ranks the suspects by their share of the latency above the threshold: by owner first, so that the one with most of it is the culprit
/// whatever he did, and within an owner by mechanism, so that the proof of one is not taken for that of another.
/// </summary>
internal static class BlameRanking
{
    /// <returns>The suspects with a part worth naming, the owner with the largest part first.</returns>
    public static List<Suspect> Rank(IReadOnlyList<NamedEpisode> episodes)
    {
        long all = episodes.Sum(episode => episode.Candidate.LatencyTicks);
        return
        [
            .. episodes.SelectMany(episode => episode.Causes, (episode, cause) => (Episode: episode, Cause: cause))
                .Where(part => part.Cause is { Kind: not null, Name: not null })
                .GroupBy(part => (Kind: part.Cause.Kind!.Value, Name: KeyOf(part.Cause.Name!)))
                .Where(owner => IsWorthNaming(owner, all))
                .OrderByDescending(owner => owner.Sum(part => part.Cause.Ticks))
                .ThenBy(owner => owner.Key.Name, StringComparer.Ordinal).ThenBy(owner => owner.Key.Kind)
                .SelectMany(owner => ByMechanism(owner.Key.Kind, owner, all)),
        ];
    }

    /// <summary>An owner's suspects by mechanism; what is not worth naming by itself is added to the largest.</summary>
    private static List<Suspect> ByMechanism(
        CulpritKind kind, IEnumerable<(NamedEpisode Episode, NamedCause Cause)> parts, long all)
    {
        string name = parts.First().Cause.Name!;
        List<Suspect> suspects = [];
        foreach (IGrouping<Mechanism, (NamedEpisode Episode, NamedCause Cause)> own in parts.GroupBy(part => part.Cause.Mechanism)
            .OrderByDescending(own => own.Sum(part => part.Cause.Ticks)).ThenBy(own => own.Key))
        {
            bool isOfItsOwn = suspects.Count == 0 || IsWorthNaming(own, all);
            if (isOfItsOwn)
            {
                suspects.Add(new Suspect { Kind = kind, Name = name });
            }

            suspects[isOfItsOwn ? ^1 : 0].Parts.AddRange(own);
        }

        return suspects;
    }

    private static bool IsWorthNaming(IEnumerable<(NamedEpisode Episode, NamedCause Cause)> parts, long all) =>
        parts.Sum(part => part.Cause.Ticks) >= CulpritThresholds.LeastShare * all
        || parts.GroupBy(part => part.Episode, (IEqualityComparer<NamedEpisode>)ReferenceEqualityComparer.Instance).Any(own =>
            own.Sum(part => part.Cause.Ticks) >= CulpritThresholds.LeastPartOfEpisode * own.First().Episode.Candidate.LatencyTicks);

    /// <summary>Windows compares file names without regard to case.</summary>
    private static string KeyOf(string name) => name.ToUpperInvariant();
}
