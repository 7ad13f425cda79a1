using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>An episode whose parts have names.</summary>
/// <param name="Candidate">As it was measured.</param>
/// <param name="Causes">Its parts, in no order.</param>
internal sealed record NamedEpisode(EpisodeCandidate Candidate, IReadOnlyList<NamedCause> Causes)
{
    /// <summary>How long the victim waited for the tick that serves its timer, in ticks.</summary>
    public long TimerTicks => Causes.Where(cause => cause.Mechanism == Mechanism.TimerTick).Sum(cause => cause.Ticks);
}

/// <summary>One name with all that it did.</summary>
internal sealed class Suspect
{
    /// <summary>What sort of thing it is.</summary>
    public required CulpritKind Kind { get; init; }

    /// <summary>Its name.</summary>
    public required string Name { get; init; }

    /// <summary>Its parts of episodes, each with its episode.</summary>
    public List<(NamedEpisode Episode, NamedCause Cause)> Parts { get; } = [];

    /// <summary>All of them, in ticks.</summary>
    public long Ticks => Parts.Sum(part => part.Cause.Ticks);

    /// <summary>The most in one episode, in ticks.</summary>
    public long WorstTicks => Parts.GroupBy(part => part.Episode).Max(episode => episode.Sum(part => part.Cause.Ticks));

    /// <summary>In how many episodes.</summary>
    public int Episodes => Parts.Select(part => part.Episode).Distinct().Count();

    /// <summary>The mechanism of most of its time.</summary>
    public Mechanism Mechanism => Parts.GroupBy(part => part.Cause.Mechanism)
        .OrderByDescending(group => group.Sum(part => part.Cause.Ticks)).ThenBy(group => group.Key).First().Key;

    /// <summary>The part that counts most of its main mechanism: the best proof of the most time.</summary>
    public NamedCause Main
    {
        get
        {
            Mechanism mechanism = Mechanism;
            return Parts.Where(part => part.Cause.Mechanism == mechanism).GroupBy(part => part.Cause.Proof)
                .OrderByDescending(group => group.Sum(part => part.Cause.Ticks)).ThenBy(group => group.Key).First()
                .OrderByDescending(part => part.Cause.Ticks).ThenBy(part => part.Episode.Candidate.FromTicks).First().Cause;
        }
    }

    /// <summary>How sure most of the time is.</summary>
    public Confidence Confidence
    {
        get
        {
            // The highest level that at least half of the time has.
            long all = Ticks;
            long sure = 0;
            foreach (IGrouping<Confidence, long> level in Parts.GroupBy(part => part.Cause.Confidence, part => part.Cause.Ticks)
                .OrderByDescending(level => level.Key))
            {
                sure += level.Sum();
                if (sure * 2 >= all)
                {
                    return level.Key;
                }
            }

            return Confidence.Possible;
        }
    }
}

/// <summary>Ranks names by their share of all over-threshold latency.</summary>
internal static class BlameRanking
{
    /// <summary>A smaller share of all latency is no blame, unless it is much of one episode.</summary>
    private const double LeastShare = 0.02;

    /// <summary>A part of one episode that counts whatever its share of all.</summary>
    private const double LeastPartOfEpisode = 0.25;

    /// <summary>Ranks.</summary>
    /// <param name="episodes">The episodes.</param>
    /// <returns>Everyone who has a part worth naming, the largest first.</returns>
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
                if (own.Sum(cause => cause.Ticks) >= LeastPartOfEpisode * episode.Candidate.LatencyTicks)
                {
                    named.Add(own.Key);
                }
            }
        }

        return [.. suspects.Where(suspect => named.Contains(suspect.Key) || suspect.Value.Ticks >= LeastShare * all)
            .Select(suspect => suspect.Value).OrderByDescending(suspect => suspect.Ticks)
            .ThenBy(suspect => suspect.Name, StringComparer.OrdinalIgnoreCase).ThenBy(suspect => suspect.Kind)];
    }

    /// <summary>Windows does not tell names apart by case.</summary>
    private static string KeyOf(string name) => name.ToUpperInvariant();
}
