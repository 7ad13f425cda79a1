namespace Tracer.CommandLine;

/// <summary>
/// What of a blame fits on one screen: what was late, who is to blame, what to do, and, last, the verdict. <see cref="BlameText"/> has all.
/// </summary>
public static class FirstScreen
{
    /// <summary>No more lines than a small terminal shows, unless a suspect or a replay was asked for.</summary>
    public const int MostLines = 25;

    private const int FewestLines = 16;
    private const int MostNames = 3;
    private const int MostSteps = 3;

    /// <summary>Glitches that are told of, where they alone were asked about.</summary>
    private const int MostGlitches = 3;

    /// <summary>Lays a report out as a page of one screen.</summary>
    /// <param name="rows">The lines of the screen; null for no screen.</param>
    public static ReportPage PageOf(
        BlameReport report, bool isOneOfMany = false, int columns = ReportPage.UsualColumns, int? rows = null)
    {
        ArgumentNullException.ThrowIfNull(report);
        int most = Math.Clamp((rows ?? MostLines + 1) - 1, FewestLines, MostLines);
        (int names, int steps) = (MostNames, MostSteps);
        int glitches = report.Settings.Probe == ProbeChoice.Glitch ? MostGlitches : 0;
        ReportPage page = PageOf(report, isOneOfMany, columns, names, steps, glitches);
        while (page.Lines.Count > most && (steps > 1 || glitches > 1))
        {
            // The smaller shares go first, then the later steps, then the later glitches.
            (names, steps, glitches) = names > 1 ? (names - 1, steps, glitches)
                : steps > 1 ? (names, steps - 1, glitches)
                : (names, steps, glitches - 1);
            page = PageOf(report, isOneOfMany, columns, names, steps, glitches);
        }

        return page;
    }

    private static ReportPage PageOf(BlameReport report, bool isOneOfMany, int columns, int names, int steps, int glitches)
    {
        var page = new ReportPage(columns);
        BlameText.AddPath(page, report, isOneOfMany);
        BlameText.AddFacts(page, report, isWhole: false);
        SuspectLines.Add(page, report.Suspect);
        BlameText.AddWithout(page, report);
        if (report.Culprits.Count > 0)
        {
            page.Heading("Who is to blame");
            foreach (Culprit culprit in report.Culprits.Take(names))
            {
                CulpritLines.AddName(page, culprit);
                page.Line(6, $"      {KebabCase.Of(culprit.Mechanism)}: {ReportWords.MeaningOf(culprit, report.Trace.Has)}; "
                    + $"{KebabCase.Of(culprit.Confidence)}: {ReportWords.MeaningOf(culprit.Proof)}");
            }

            LeftOut.Add(page, report.Culprits.Count, names);
        }

        GlitchLines.Add(page, report, glitches);
        if (report.NextSteps.Count > 0)
        {
            page.Heading("What to do next");
            foreach ((NextStep step, int index) in report.NextSteps.Take(steps).Select((step, index) => (step, index)))
            {
                page.Line(5, $"  {(index + 1).ToString(CultureInfo.InvariantCulture)}. {ReportWords.Of(step, report.Trace)}.");
            }

            LeftOut.Add(page, report.NextSteps.Count, steps);
        }

        page.BlankLine();
        int warnings = report.Warnings.Count;
        page.Line(2, new PagePiece(
            (warnings > 0 ? $"  {ReportWords.Count(warnings, "warning")}; evidence" : "  Evidence") + ", episodes and all drivers: --full",
            Ink.Faint));
        page.BlankLine();
        BlameText.AddConclusion(page, report);
        BlameText.AddVerdict(page, report.Summary);
        return page;
    }
}
