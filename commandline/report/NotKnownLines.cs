namespace Tracer.CommandLine;

/// <summary>What the report leaves open: time without an owner or an explanation, what was not recorded, what was lost.</summary>
internal static class NotKnownLines
{
    /// <summary>Adds them; where nothing is open it says so.</summary>
    public static void Add(ReportPage page, BlameReport report)
    {
        page.Heading("What is not known");
        int before = page.Lines.Count;
        foreach (string warning in report.Warnings.Except(report.Trace.Doubts ?? [])) // Those stand above.
        {
            page.Line(4, "  - ", new PagePiece(warning, Ink.Doubt));
        }

        AddTimes(page, report);
        AddNotRecorded(page, report.Trace.Has);
        if (page.Lines.Count == before)
        {
            TraceSummary trace = report.Trace;
            bool isWhole = trace is { EventsLost: 0, BuffersLost: 0, DamagedBuffers: 0, Truncated: false };
            page.Line(2, (report.Episodes.Count > 0, isWhole) switch
            {
                (true, true) => "  Nothing: every microsecond of the episodes is explained, and no event was lost.",
                (false, true) => "  Nothing: all that blame can use was recorded, and no event was lost.",
                _ => "  What was lost: see the line of events above.",
            });
        }
    }

    private static void AddTimes(ReportPage page, BlameReport report)
    {
        decimal all = report.Episodes.Sum(episode => (decimal)episode.Latency.Nanoseconds);
        decimal unexplained = report.Episodes.Sum(episode => (decimal)episode.Unexplained.Nanoseconds);
        if (unexplained > 0)
        {
            int episodes = report.Episodes.Count(episode => episode.Unexplained > Duration.Zero);
            page.Line(
                4,
                $"  - {Time(unexplained)} ({ReportWords.Percent(ReportWords.Share(unexplained, all))} of the latency) is unexplained, "
                    + $"in {ReportWords.Count(episodes, "episode")}");
        }

        var ownerless = report.Episodes
            .SelectMany(episode => episode.Causes)
            .Where(cause => cause.Culprit is null && EpisodeWords.NeedsOwner(cause.Mechanism))
            .GroupBy(cause => cause.Mechanism)
            .Select(group => (Mechanism: group.Key, Time: group.Sum(cause => (decimal)cause.Time.Nanoseconds)))
            .OrderByDescending(one => one.Time)
            .ThenBy(one => one.Mechanism)
            .ToList();
        if (ownerless.Count > 0)
        {
            decimal time = ownerless.Sum(one => one.Time);
            string parts = string.Join(", ", ownerless.Select(one => $"{KebabCase.Of(one.Mechanism)} {Time(one.Time)}"));
            page.Line(
                4,
                $"  - {Time(time)} ({ReportWords.Percent(ReportWords.Share(time, all))} of the latency) is explained, but its owner is "
                    + $"unknown: {parts}");
        }
    }

    /// <summary>What would be nice to have; what blame can't do without stands in the warnings, with the keywords.</summary>
    private static void AddNotRecorded(ReportPage page, RecordedKinds has)
    {
        (bool Has, string Name)[] kinds =
        [
            (has.Stacks, "stacks"),
            (has.Wdf, "WDF callbacks"),
            (has.DpcQueue, "the DPC queue"),
            (has.Power, "idle states"),
        ];
        string[] missing = [.. kinds.Where(kind => !kind.Has).Select(kind => kind.Name)];
        if (missing.Length > 0)
        {
            page.Line(
                4,
                $"  - Also not recorded: {string.Join(", ", missing)} ('analyzer info' tells which question each would answer)");
        }
    }

    private static string Time(decimal nanoseconds) =>
        ReadableDuration.Of(new Duration((long)Math.Clamp(nanoseconds, long.MinValue, long.MaxValue)));
}
