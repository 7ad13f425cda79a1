using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Report;

/// <summary>
/// Groups episodes with the same main causes, so that a thousand of them read as a few groups. An episode's chain consists of the causes
/// that took at least a tenth of it. Chains that differ only in small causes are one. A chain whose first cause has clearly separate code
/// paths is divided by them. All beyond the largest groups form one group of others.
/// </summary>
internal static class EpisodeGroups
{
    /// <summary>Fewer episodes are not grouped: they can be read one by one.</summary>
    private const int FewestEpisodes = 6;

    private const int MostGroups = 5;
    private const int MostFrames = 2;

    /// <summary>
    /// A cause belongs to an episode's chain from one in this many parts of its latency on. Smaller ones do not characterize the episode.
    /// </summary>
    private const int LeastPartOf = 10;

    /// <summary>A cause separates two groups only if it took at least one in this many parts of a group's latency.</summary>
    private const int TellingPartOf = 4;

    /// <summary>With how many groups of the same first cause a new one is compared. It bounds the work.</summary>
    private const int MostAlike = 8;

    /// <summary>
    /// A separate code path needs at least this many episodes, and one in <see cref="PathPartOf"/> of its group. Fewer may be chance.
    /// </summary>
    private const int FewestOfPath = 5;

    private const int PathPartOf = 5;

    private const string Unexplained = "unexplained";

    /// <returns>The groups, the most latency first; null where there are too few episodes.</returns>
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

    /// <summary>The main causes of an episode with their times, in ns.</summary>
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
            : !MechanismPages.Of(cause.Mechanism).IsSomebodys ? mechanism
            : $"{mechanism}, owner unknown";
    }

    /// <summary>Merges each draft into a larger one with the same first cause, if no large cause separates them.</summary>
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
    /// Divides a draft by the routines of its first cause, if a few of them share nearly all of its episodes. Single instructions that
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

        /// <summary>The cause with the most time.</summary>
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
                // Merged episodes may have brought in causes that are small in the whole group.
                Chain = [.. Ordered().Where((link, index) => index == 0 || Links[link] * LeastPartOf >= Latency)],
                Frames = Frames(),
                ExampleId = worst.Id,
            };
        }

        private IEnumerable<string> Ordered() =>
            Links.OrderByDescending(link => link.Value).ThenBy(link => link.Key, StringComparer.Ordinal).Select(link => link.Key);

        /// <summary>The most frequent routines of the first cause, and the functions of its owner that samples hit most.</summary>
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
