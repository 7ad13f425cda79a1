namespace Tracer.CommandLine;

/// <summary>The longest episodes, each with where its time went.</summary>
internal static class WorstEpisodeLines
{
    private const int BarColumns = 10;
    private const int OwnerColumns = 20;
    private const int FewestRoutineColumns = 16;
    private const int TimeColumns = 10;
    private const int CausesShown = 6;

    public static void Add(ReportPage page, BlameReport report, int top)
    {
        int count = report.Episodes.Count;
        if (count == 0 || top == 0)
        {
            return;
        }

        page.Heading(count > top
            ? $"The worst{(top == 1 ? "" : $" {ReportWords.Number(top)}")} of {ReportWords.Count(count, "episode")}"
            : $"The {(count == 1 ? "episode" : "episodes, the worst first")}");
        IEnumerable<Episode> worst = report.Episodes
            .OrderBy(one => one.Secondary).ThenByDescending(one => one.Latency).ThenBy(one => one.Id);
        foreach (Episode episode in worst.Take(top))
        {
            Add(page, report.Trace, episode);
        }

        LeftOut.Add(page, count, top);
        page.Line(2, new PagePiece("  'analyzer episodes TRACE --id N' shows the samples and the CPUs of one.", Ink.Faint));
    }

    private static void Add(ReportPage page, TraceSummary trace, Episode episode)
    {
        var column = DurationColumn.For([episode.Latency, .. episode.Causes.Select(cause => cause.Time), episode.Unexplained]);
        page.Line(
            8,
            new PagePiece($"  #{episode.Id,-5}", Ink.Faint),
            new PagePiece(ReadableDuration.Of(episode.Latency), Ink.Name),
            $" {EpisodeWords.When(episode, trace)}, {EpisodeWords.Where(episode)}; {EpisodeWords.Victim(episode)}");
        if ((EpisodeWords.Job(episode) ?? EpisodeWords.Chain(episode) ?? EpisodeWords.Phases(episode)) is { } way)
        {
            page.Line(8, new string(' ', 8) + way);
        }

        foreach (Cause cause in episode.Causes.Take(CausesShown))
        {
            AddPart(page, column, episode, cause.Time, KebabCase.Of(cause.Mechanism), EpisodeWords.OwnerOf(cause), cause.Routine);
            if (EpisodeWords.Through(cause) is { } through)
            {
                page.Line(12, new string(' ', 10) + through);
            }
        }

        if (episode.Causes.Count > CausesShown)
        {
            Cause[] rest = [.. episode.Causes.Skip(CausesShown)];
            Duration time = rest.Aggregate(Duration.Zero, (sum, cause) => sum + cause.Time);
            AddPart(page, column, episode, time, "others", ReportWords.Count(rest.Length, "smaller cause"), null);
        }

        if (episode.Unexplained != Duration.Zero)
        {
            AddPart(page, column, episode, episode.Unexplained, KebabCase.Of(Mechanism.Unexplained), "", null);
        }
    }

    private static void AddPart(
        ReportPage page, DurationColumn column, Episode episode, Duration time, string how, string who, string? routine)
    {
        // What a narrow page has no room for: first the bar, then the routine.
        const int others = 6 + TimeColumns + 1 + 2 + 2 + 12 + 2 + OwnerColumns + 2;
        bool hasBar = page.Columns >= others + BarColumns + 2 + FewestRoutineColumns;
        int left = page.Columns - others - (hasBar ? BarColumns + 2 : 0);
        (PagePiece full, PagePiece rest) =
            ReportWords.Bar(ReportWords.Share(time.Nanoseconds, episode.Latency.Nanoseconds), BarColumns);
        page.Line(
            8,
            $"      {column.Write(time, TimeColumns)} {column.Unit,-2}  ",
            hasBar ? full : "",
            hasBar ? rest : "",
            hasBar ? "  " : "",
            $"{how,-12}  {PageText.Fit(who, OwnerColumns)}",
            left >= FewestRoutineColumns ? "  " + PageText.Cut(routine ?? "", left) : "");
    }
}
