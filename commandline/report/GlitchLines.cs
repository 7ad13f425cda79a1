namespace Tracer.CommandLine;

/// <summary>What Windows itself recorded as glitches, each with what the trace shows of it.</summary>
internal static class GlitchLines
{
    public static void Add(ReportPage page, BlameReport report, int top)
    {
        if (report.Glitches is not { Count: > 0 } glitches || top == 0)
        {
            return;
        }

        page.Heading("What Windows recorded as glitches");
        foreach (Glitch glitch in glitches.Take(top))
        {
            string seconds = (glitch.At.Nanoseconds / 1_000_000_000m).ToString("#,0.000000", CultureInfo.InvariantCulture);
            string number = glitch.Number.ToString(CultureInfo.InvariantCulture);
            page.Line(
                8,
                new PagePiece($"  {number + ".",-6}", Ink.Faint),
                $"at {seconds} s  ",
                new PagePiece(
                    glitch.Culprit ?? (glitch.Episode is null ? "unexplained" : "owner unknown"),
                    glitch.Culprit is null ? Ink.Doubt : Ink.Name),
                glitch.Episode is { } episode ? $", episode #{episode.ToString(CultureInfo.InvariantCulture)}" : string.Empty);
            string says = string.Join("; ", glitch.Records.Select(record => record.Says).Distinct());
            AddDetail(page, "recorded", glitch.Side == GlitchSide.Unknown ? says : $"{glitch.Process ?? "a process not known"}: {says}");
            AddDetail(page, "on time", glitch.OnTime);
            AddDetail(page, "by trace", glitch.ByTrace);
            AddDetail(page, "but", glitch.Disagrees);
        }

        LeftOut.Add(page, glitches.Count, top);
        if (report.Summary.Glitches is { } counts
            && GlitchCounts.EngineWords(counts.CountedByEngine, counts.TooMany) is { Length: > 0 } told)
        {
            page.Line(2, $"  The audio engine itself {told}.");
        }
    }

    private static void AddDetail(ReportPage page, string name, string? detail)
    {
        if (detail is not null)
        {
            page.Line(17, new PagePiece($"        {name,-9}", Ink.Faint), detail);
        }
    }
}
