using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Puts episodes together that had the same main causes, so that a thousand of them read as a few groups. An episode's chain is the causes
/// that took a tenth of it or more; chains that differ in small causes only are one; a chain whose first cause shows code paths that lie
/// clearly apart is told by them. What is left beyond the largest groups is one group of others.
/// </summary>
internal static class EpisodeGroups
{
    /// <summary>Fewer are read one by one.</summary>
    private const int FewestEpisodes = 6;

    private const int MostGroups = 5;
    private const int MostFrames = 2;

    /// <summary>A cause belongs to the chain of an episode where it took one part of so many.</summary>
    private const int LeastPartOf = 10;

    /// <summary>A cause that took less than one part of so many of a group's latency tells no groups apart.</summary>
    private const int TellingPartOf = 4;

    /// <summary>Groups with the same first cause that one is compared with.</summary>
    private const int MostAlike = 8;

    /// <summary>A code path has at least so many episodes, and one of so many of its group.</summary>
    private const int FewestOfPath = 5;

    private const int PathPartOf = 5;

    private const string Unexplained = "unexplained";

    /// <summary>Groups them.</summary>
    /// <param name="episodes">The episodes.</param>
    /// <returns>The groups, the most latency first; null where there are too few episodes to group.</returns>
    public static IReadOnlyList<EpisodeGroup>? Of(IReadOnlyList<Episode> episodes)
    {
        if (episodes.Count < FewestEpisodes)
        {
            return null;
        }

        List<Draft> drafts = [.. Sorted(Merged(Sorted(Drafts(episodes))).SelectMany(Paths))];
        int shown = drafts.Count <= MostGroups + 1 ? drafts.Count : MostGroups;
        List<EpisodeGroup> groups = [.. drafts.Take(shown).Select((draft, index) => draft.Group(index + 1))];
        if (shown < drafts.Count)
        {
            var others = new Draft("");
            foreach (Episode episode in drafts.Skip(shown).SelectMany(draft => draft.Episodes))
            {
                others.Add(episode, []);
            }

            groups.Add(others.Group(shown + 1) with { Frames = [], Chains = drafts.Count - shown });
        }

        return groups;
    }

    private static Dictionary<string, Draft>.ValueCollection Drafts(IReadOnlyList<Episode> episodes)
    {
        Dictionary<string, Draft> drafts = new(StringComparer.Ordinal);
        foreach (Episode episode in episodes)
        {
            Dictionary<string, Int128> links = LinksOf(episode);
            string key = string.Join('\n', links.Keys.Order(StringComparer.Ordinal));
            if (!drafts.TryGetValue(key, out Draft? draft))
            {
                drafts.Add(key, draft = new Draft(key));
            }

            draft.Add(episode, links);
        }

        return drafts.Values;
    }

    private static IEnumerable<Draft> Sorted(IEnumerable<Draft> drafts) => drafts.OrderByDescending(draft => draft.Latency)
        .ThenByDescending(draft => draft.Episodes.Count).ThenBy(draft => draft.Key, StringComparer.Ordinal)
        .ThenBy(draft => draft.Episodes[0].Id);

    /// <summary>The main causes of an episode with their times.</summary>
    private static Dictionary<string, Int128> LinksOf(Episode episode)
    {
        Dictionary<string, Int128> links = new(StringComparer.Ordinal);
        foreach (Cause cause in episode.Causes)
        {
            string link = LinkOf(cause);
            links[link] = links.GetValueOrDefault(link) + cause.Time.Nanoseconds;
        }

        Int128 latency = episode.Latency.Nanoseconds;
        foreach (string small in links.Where(link => link.Value * LeastPartOf < latency).Select(link => link.Key).ToArray())
        {
            links.Remove(small);
        }

        Int128 rest = episode.Unexplained.Nanoseconds;
        if (links.Count == 0 || rest * 2 >= latency)
        {
            links[Unexplained] = Int128.Max(rest, 0);
        }

        return links;
    }

    private static string LinkOf(Cause cause)
    {
        string mechanism = KebabCase.Of(cause.Mechanism);
        return cause.Culprit is { } owner ? $"{mechanism} {owner}"
            : !Mechanisms.Of(cause.Mechanism).IsSomebodys ? mechanism
            : $"{mechanism}, owner unknown";
    }

    /// <summary>Puts a draft to a larger one with the same first cause where nothing that counts tells them apart.</summary>
    private static List<Draft> Merged(IEnumerable<Draft> drafts)
    {
        List<Draft> merged = [];
        Dictionary<string, List<Draft>> byFirst = new(StringComparer.Ordinal);
        foreach (Draft draft in drafts)
        {
            if (!byFirst.TryGetValue(draft.First, out List<Draft>? alike))
            {
                byFirst.Add(draft.First, alike = []);
            }

            if (alike.Take(MostAlike).FirstOrDefault(larger => IsAlike(larger, draft)) is { } same)
            {
                same.Add(draft);
            }
            else
            {
                alike.Add(draft);
                merged.Add(draft);
            }
        }

        return merged;
    }

    private static bool IsAlike(Draft one, Draft other) => !Tells(one, other) && !Tells(other, one);

    private static bool Tells(Draft one, Draft other) =>
        one.Links.Any(link => !other.Links.ContainsKey(link.Key) && link.Value * TellingPartOf >= one.Latency);

    /// <summary>
    /// Divides a draft by the routines of its first cause where a few of them share nearly all of its episodes; single instructions that
    /// samples happened to hit are too many for that.
    /// </summary>
    private static IEnumerable<Draft> Paths(Draft draft)
    {
        const int NearlyAllPercent = 90;
        string first = draft.First;
        Dictionary<string, List<Episode>> paths = new(StringComparer.Ordinal);
        foreach (Episode episode in draft.Episodes)
        {
            if (RoutineIn(episode, first) is { } routine)
            {
                (paths.TryGetValue(routine, out List<Episode>? known) ? known : paths[routine] = []).Add(episode);
            }
        }

        List<List<Episode>> clear = [.. paths.OrderBy(path => path.Key, StringComparer.Ordinal).Select(path => path.Value)
            .Where(path => path.Count >= FewestOfPath && path.Count * PathPartOf >= draft.Episodes.Count)];
        if (clear.Count < 2 || clear.Sum(path => path.Count) * 100L < draft.Episodes.Count * (long)NearlyAllPercent)
        {
            return [draft];
        }

        HashSet<Episode> told = new(ReferenceEqualityComparer.Instance);
        List<Draft> parts = [];
        foreach (List<Episode> path in clear)
        {
            var part = new Draft(draft.Key);
            foreach (Episode episode in path)
            {
                part.Add(episode, LinksOf(episode));
                told.Add(episode);
            }

            parts.Add(part);
        }

        Draft largest = Sorted(parts).First();
        foreach (Episode episode in draft.Episodes.Where(episode => !told.Contains(episode)))
        {
            largest.Add(episode, LinksOf(episode));
        }

        return parts;
    }

    private static string? RoutineIn(Episode episode, string link) =>
        episode.Causes.FirstOrDefault(cause => cause.Routine is not null && LinkOf(cause) == link)?.Routine;

    private sealed class Draft(string key)
    {
        public string Key { get; } = key;

        public List<Episode> Episodes { get; } = [];

        public Dictionary<string, Int128> Links { get; } = new(StringComparer.Ordinal);

        public Int128 Latency { get; private set; }

        /// <summary>The link with the most time.</summary>
        public string First => Ordered().FirstOrDefault() ?? Unexplained;

        public void Add(Episode episode, Dictionary<string, Int128> links)
        {
            Episodes.Add(episode);
            Latency += episode.Latency.Nanoseconds;
            foreach ((string link, Int128 time) in links)
            {
                Links[link] = Links.GetValueOrDefault(link) + time;
            }
        }

        public void Add(Draft other)
        {
            Episodes.AddRange(other.Episodes);
            Latency += other.Latency;
            foreach ((string link, Int128 time) in other.Links)
            {
                Links[link] = Links.GetValueOrDefault(link) + time;
            }
        }

        public EpisodeGroup Group(int rank)
        {
            Episode worst = Episodes.OrderByDescending(episode => episode.Latency).ThenBy(episode => episode.Id).First();
            return new EpisodeGroup
            {
                Rank = rank,
                Episodes = Episodes.Count,
                Latency = new Duration((long)Int128.Clamp(Latency, long.MinValue, long.MaxValue)),
                Worst = worst.Latency,
                // What was merged in may have brought causes that count for little in the whole.
                Chain = [.. Ordered().Where((link, index) => index == 0 || Links[link] * LeastPartOf >= Latency)],
                Frames = Frames(),
                ExampleId = worst.Id,
            };
        }

        private IEnumerable<string> Ordered() =>
            Links.OrderByDescending(link => link.Value).ThenBy(link => link.Key, StringComparer.Ordinal).Select(link => link.Key);

        /// <summary>The routines of the first cause, and what samples hit, the most frequent of each.</summary>
        private List<string> Frames()
        {
            string first = First;
            string? owner = OwnerOf(first);
            Dictionary<string, long> routines = new(StringComparer.Ordinal);
            Dictionary<string, long> hits = new(StringComparer.Ordinal);
            foreach (Episode episode in Episodes)
            {
                if (RoutineIn(episode, first) is { } routine)
                {
                    routines[routine] = routines.GetValueOrDefault(routine) + 1;
                }

                foreach (SampledFunction function in episode.Samples.Functions)
                {
                    if (function is { Module: { } module, Function: { } name }
                        && string.Equals(module, owner, StringComparison.OrdinalIgnoreCase))
                    {
                        string frame = name.StartsWith('+') ? module + name : $"{module}!{name}";
                        hits[frame] = hits.GetValueOrDefault(frame) + function.Count;
                    }
                }
            }

            return [.. Most(routines).Concat(Most(hits)).Distinct(StringComparer.Ordinal)];
        }

        private static string? OwnerOf(string link) =>
            link.IndexOf(' ', StringComparison.Ordinal) is > 0 and var blank ? link[(blank + 1)..] : null;

        private static IEnumerable<string> Most(Dictionary<string, long> counts) => counts.OrderByDescending(one => one.Value)
            .ThenBy(one => one.Key, StringComparer.Ordinal).Take(MostFrames).Select(one => one.Key);
    }
}
