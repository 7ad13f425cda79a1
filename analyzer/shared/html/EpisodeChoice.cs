namespace Tracer.AnalyzerShared.Html;

/// <summary>
/// Which episodes a page has where there are too many: the worst of each cause, and then the worst of all. Of the others it has their
/// place on the map, and says how many they are.
/// </summary>
internal static class EpisodeChoice
{
    /// <summary>A report with at most so many episodes, in their order.</summary>
    /// <param name="most">How many it may have.</param>
    /// <param name="leftOut">The others; null where there are none.</param>
    public static BlameReport Of(BlameReport report, int most, out LeftOutEpisodes? leftOut)
    {
        leftOut = null;
        if (report.Episodes.Count <= most)
        {
            return report;
        }

        HashSet<int> chosen = Chosen(report.Episodes, most);
        leftOut = LeftOut([.. report.Episodes.Where(episode => !chosen.Contains(episode.Id))]);
        string warning = $"This page has {Counted.Of(chosen.Count, "episode")}, the worst of each cause, and leaves "
            + $"{Counted.Of(leftOut.Count, "episode")} out; 'analyzer blame --format json' lists all. The counts, shares and the verdict "
            + "rest on all of them.";
        return report with
        {
            Episodes = [.. report.Episodes.Where(episode => chosen.Contains(episode.Id))],
            Warnings = [.. report.Warnings, warning],
        };
    }

    /// <summary>
    /// Half of the places go to the causes in turn, the worst of each first; the other half to the worst that are left, those that a
    /// measured thread waited for before the others.
    /// </summary>
    private static HashSet<int> Chosen(IReadOnlyList<Episode> episodes, int most)
    {
        Episode[][] causes =
        [
            .. episodes.GroupBy(episode => (KeyOf(episode), episode.Secondary))
                .Select(group => group.OrderByDescending(episode => episode.Latency).ThenBy(episode => episode.Id).ToArray())
                .OrderByDescending(group => group[0].Latency).ThenBy(group => group[0].Id),
        ];
        HashSet<int> chosen = [];
        for (int place = 0; chosen.Count < most / 2 && causes.Any(group => place < group.Length); place++)
        {
            foreach (Episode[] group in causes.Where(group => place < group.Length))
            {
                if (chosen.Count < most / 2)
                {
                    chosen.Add(group[place].Id);
                }
            }
        }

        foreach (Episode episode in episodes
            .OrderBy(episode => episode.Secondary).ThenByDescending(episode => episode.Latency).ThenBy(episode => episode.Id))
        {
            if (chosen.Count >= most)
            {
                break;
            }

            chosen.Add(episode.Id);
        }

        return chosen;
    }

    private static (Mechanism Mechanism, string? Culprit) KeyOf(Episode episode) =>
        episode.Causes is [var first, ..] ? (first.Mechanism, first.Culprit) : (Mechanism.Unexplained, null);

    private static LeftOutEpisodes LeftOut(List<Episode> episodes)
    {
        episodes.Sort(static (one, other) => one.Start != other.Start ? one.Start.CompareTo(other.Start) : one.Id.CompareTo(other.Id));
        List<string?> owners = [.. episodes.Select(episode => KeyOf(episode).Culprit).Distinct()];
        List<long> starts = [];
        long before = 0;
        foreach (Episode episode in episodes)
        {
            long start = episode.Start.Nanoseconds / 1000;
            starts.Add(start - before);
            before = start;
        }

        return new LeftOutEpisodes
        {
            Count = episodes.Count,
            StartsUs = starts,
            LatenciesUs = [.. episodes.Select(episode => episode.Latency.Nanoseconds / 1000)],
            Causes = [.. episodes.Select(episode => owners.IndexOf(KeyOf(episode).Culprit))],
            Owners = owners,
        };
    }
}
