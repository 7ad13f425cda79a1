using Part = (Tracer.Contract.Mechanism Mechanism, string? Owner);

namespace Tracer.AnalyzerCommand.Commands.Blame.Cases;

/// <summary>
/// Puts the episodes of a trace together by how they came about: the largest part of each, its owner, and the routine that ran. What took
/// a tenth or more of them all is told beside it.
/// </summary>
internal static class CaseChains
{
    private const int LinkPartOf = 10;

    private const int MostLinks = 6;

    /// <returns>The most latency first; empty where there are no episodes.</returns>
    public static IReadOnlyList<CaseChain> Of(BlameReport report, CaseNames names)
    {
        Dictionary<string, Culprit> culprits = new(StringComparer.OrdinalIgnoreCase);
        foreach (Culprit culprit in report.Culprits)
        {
            culprits.TryAdd(culprit.Name, culprit);
        }

        HashSet<string> kernel = new(report.Drivers.Select(driver => driver.Name), StringComparer.OrdinalIgnoreCase);
        Dictionary<(Mechanism Mechanism, string? Owner, string? Path), Group> groups = [];
        foreach (Episode episode in OfTheVerdict(report))
        {
            Dictionary<Part, long> parts = PartsOf(episode);
            Part main = Ordered(parts).FirstOrDefault();
            string? path = episode.Causes
                .Where(cause => cause.Mechanism == main.Mechanism && cause.Culprit == main.Owner && cause.Routine is not null)
                .MaxBy(cause => cause.Time.Nanoseconds)?.Routine;
            (Mechanism, string?, string?) key = (main.Mechanism, main.Owner, path);
            if (!groups.TryGetValue(key, out Group? group))
            {
                groups.Add(key, group = new Group());
            }

            group.Add(episode, parts);
        }

        return
        [
            .. groups
                .OrderByDescending(one => one.Value.LatencyNs)
                .ThenBy(one => one.Key.Mechanism)
                .ThenBy(one => one.Key.Owner, StringComparer.Ordinal)
                .ThenBy(one => one.Key.Path, StringComparer.Ordinal)
                .Take(CaseReport.MostChains)
                .Select(one => Chain(one.Key.Mechanism, one.Key.Owner, one.Key.Path, one.Value)),
        ];

        CaseChain Chain(Mechanism mechanism, string? owner, string? path, Group group)
        {
            Culprit? culprit = owner is null ? null : culprits.GetValueOrDefault(owner);
            bool isProgram = IsProgram(culprit, mechanism, owner, kernel);
            return new CaseChain
            {
                Mechanism = mechanism,
                Kind = culprit?.Kind ?? (owner is null ? null : isProgram ? CulpritKind.Process : CulpritKind.Driver),
                Owner = owner is null ? null : isProgram ? names.Program(owner) : owner,
                Path = isProgram && !names.AreShown ? null : path,
                BeatSeconds = culprit?.Period?.Seconds,
                Links = [.. group.Links().Select(link => Link(link.Mechanism, link.Owner))],
                Episodes = group.Count,
                Latency = new Duration(group.LatencyNs),
                Worst = new Duration(group.WorstNs),
            };
        }

        string Link(Mechanism mechanism, string? owner)
        {
            string word = KebabCase.Of(mechanism);
            return owner is null ? word
                : $"{word} {(IsProgram(culprits.GetValueOrDefault(owner), mechanism, owner, kernel) ? names.Program(owner) : owner)}";
        }
    }

    /// <summary>
    /// Whether an owner is a program: its name is then one of the user's. What is no culprit is one where its threads ran, or its name is
    /// that of a program, and it is no module of the kernel by its name.
    /// </summary>
    private static bool IsProgram(Culprit? culprit, Mechanism mechanism, string? owner, HashSet<string> kernel) => owner is not null
        && (culprit is not null
            ? culprit.Kind == CulpritKind.Process
            : (mechanism == Mechanism.Thread || owner.EndsWith(".exe", StringComparison.OrdinalIgnoreCase))
                && !owner.EndsWith(".sys", StringComparison.OrdinalIgnoreCase) && !kernel.Contains(owner));

    private static IEnumerable<Episode> OfTheVerdict(BlameReport report) => report.Episodes.Any(episode => !episode.Secondary)
        ? report.Episodes.Where(episode => !episode.Secondary)
        : report.Episodes;

    private static Dictionary<Part, long> PartsOf(Episode episode)
    {
        Dictionary<Part, long> parts = [];
        foreach (Cause cause in episode.Causes)
        {
            Part key = (cause.Mechanism, cause.Culprit);
            parts[key] = parts.GetValueOrDefault(key) + cause.Time.Nanoseconds;
        }

        if (episode.Unexplained.Nanoseconds > 0)
        {
            parts[(Mechanism.Unexplained, null)] = episode.Unexplained.Nanoseconds;
        }

        return parts;
    }

    private static IEnumerable<Part> Ordered(Dictionary<Part, long> parts) =>
        parts.OrderByDescending(part => part.Value).ThenBy(part => part.Key.Mechanism)
            .ThenBy(part => part.Key.Owner, StringComparer.Ordinal).Select(part => part.Key);

    private sealed class Group
    {
        private readonly Dictionary<Part, long> _parts = [];

        public int Count { get; private set; }

        public long LatencyNs { get; private set; }

        public long WorstNs { get; private set; }

        public void Add(Episode episode, Dictionary<Part, long> parts)
        {
            Count++;
            long latency = Math.Max(0, episode.Latency.Nanoseconds);
            LatencyNs = Sum(LatencyNs, latency);
            WorstNs = Math.Max(WorstNs, latency);
            foreach ((Part key, long time) in parts)
            {
                _parts[key] = Sum(_parts.GetValueOrDefault(key), time);
            }
        }

        public IEnumerable<Part> Links() =>
            Ordered(_parts).Where((part, index) => index == 0 || _parts[part] >= LatencyNs / LinkPartOf).Take(MostLinks);

        /// <summary>Episodes of a damaged trace may be of any length.</summary>
        private static long Sum(long one, long other) => (long)Int128.Min((Int128)one + other, long.MaxValue);
    }
}
