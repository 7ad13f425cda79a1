using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>Ranks the suspects by their share of the latency above the threshold.</summary>
internal static class BlameRanking
{
    /// <summary>Ranks all owners that have a name.</summary>
    /// <param name="episodes">The episodes.</param>
    /// <returns>The suspects with a part worth naming, the largest first.</returns>
    public static List<Suspect> Rank(IReadOnlyList<NamedEpisode> episodes)
    {
        long all = episodes.Sum(episode => episode.Candidate.LatencyTicks);
        Dictionary<(CulpritKind Kind, string Name), Suspect> suspects = [];
        HashSet<(CulpritKind Kind, string Name)> named = [];
        foreach (NamedEpisode episode in episodes)
        {
            foreach (IGrouping<(CulpritKind Kind, string Name), NamedCause> own in episode.Causes
                .Where(cause => cause is { Kind: not null, Name: not null })
                .GroupBy(cause => (cause.Kind!.Value, KeyOf(cause.Name!))))
            {
                if (!suspects.TryGetValue(own.Key, out Suspect? suspect))
                {
                    suspects.Add(own.Key, suspect = new Suspect { Kind = own.Key.Kind, Name = own.First().Name! });
                }

                suspect.Parts.AddRange(own.Select(cause => (episode, cause)));
                if (own.Sum(cause => cause.Ticks) >= Guilt.LeastPartOfEpisode * episode.Candidate.LatencyTicks)
                {
                    named.Add(own.Key);
                }
            }
        }

        return [.. suspects.Where(suspect => named.Contains(suspect.Key) || suspect.Value.Ticks >= Guilt.LeastShare * all)
            .Select(suspect => suspect.Value).OrderByDescending(suspect => suspect.Ticks)
            .ThenBy(suspect => suspect.Name, StringComparer.OrdinalIgnoreCase).ThenBy(suspect => suspect.Kind)];
    }

    /// <summary>Windows compares file names without regard to case.</summary>
    private static string KeyOf(string name) => name.ToUpperInvariant();
}
