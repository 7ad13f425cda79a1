namespace Tracer.CommandLine;

/// <summary>The episodes put together by their main causes: many read as a few.</summary>
internal static class GroupLines
{
    private const int BarColumns = 10;
    private const int FramesShown = 3;

    /// <summary>Adds them, where there are any.</summary>
    public static void Add(ReportPage page, BlameReport report, int top)
    {
        if (report.Groups is not { Count: > 0 } groups || top == 0)
        {
            return;
        }

        int episodes = report.Summary.Episodes;
        decimal all = groups.Sum(group => (decimal)group.Latency.Nanoseconds);
        page.Heading(groups.Count == 1
            ? $"All {ReportWords.Count(episodes, "episode")} are of one kind"
            : $"The {ReportWords.Count(episodes, "episode")} in {ReportWords.Count(groups.Count, "group")}");
        foreach (EpisodeGroup group in groups)
        {
            double share = ReportWords.Share(group.Latency.Nanoseconds, all);
            (PagePiece full, PagePiece rest) = ReportWords.Bar(share, BarColumns);
            string rank = group.Rank.ToString(CultureInfo.InvariantCulture) + ".";
            page.Line(
                8,
                $"  {rank,-4}  ",
                full,
                rest,
                $" {ReportWords.Percent(share),8}  ",
                new PagePiece(ChainOf(group), Ink.Name),
                $": {ReportWords.Count(group.Episodes, "episode")}, "
                    + $"worst {ReadableDuration.Of(group.Worst)} (#{group.ExampleId.ToString(CultureInfo.InvariantCulture)})");
            if (group.Frames.Count > 0)
            {
                page.Line(11, new PagePiece("        in ", Ink.Faint), string.Join(", ", group.Frames.Take(FramesShown)));
            }
        }
    }

    private static string ChainOf(EpisodeGroup group) => group.Chain.Count > 0
        ? string.Join(" + ", group.Chain)
        : $"others, of {ReportWords.Count(group.Chains ?? 1, "rarer kind")}";
}
