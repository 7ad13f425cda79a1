namespace Tracer.CommandLine;

/// <summary>The case for and against the one whom the user suspects.</summary>
internal static class SuspectLines
{
    /// <summary>Adds it, where somebody was asked for.</summary>
    public static void Add(ReportPage page, SuspectCase? suspect)
    {
        if (suspect is null)
        {
            return;
        }

        page.Heading($"The case of {suspect.Name}");
        if (!suspect.Found)
        {
            page.Line(2, new PagePiece("  This trace has no such name.", Ink.Doubt));
            if (suspect.Nearest.Count > 0)
            {
                page.Line(2, $"  Most similar: {string.Join(", ", suspect.Nearest)}.");
            }

            Add(page, "What the trace lacks", suspect.Lacks, Ink.Plain);
            return;
        }

        (string verdict, Ink ink) = suspect.Verdict switch
        {
            SuspectVerdict.Guilty => ("guilty: it is to blame for much of the late time", Ink.Guilty),
            SuspectVerdict.Involved => ("involved: it has a part, but that does not make it the one to blame", Ink.Doubt),
            SuspectVerdict.Innocent => ("innocent: it has no part in what was late", Ink.Innocent),
            _ => ("unknown: this trace does not tell", Ink.Doubt),
        };
        page.Line(12, new PagePiece($"  {"verdict",-10}", Ink.Faint), new PagePiece(verdict, ink));
        Add(page, "For its guilt", suspect.SpeaksFor, Ink.Guilty);
        Add(page, "Against its guilt", suspect.SpeaksAgainst, Ink.Innocent);
        Add(page, "Neither way", suspect.Facts, Ink.Plain);
        Add(page, "What the trace lacks", suspect.Lacks, Ink.Doubt);
    }

    private static void Add(ReportPage page, string heading, IReadOnlyList<string> facts, Ink ink)
    {
        if (facts.Count == 0)
        {
            return;
        }

        page.Line(2, new PagePiece("  " + heading, ink));
        foreach (string fact in facts)
        {
            page.Line(6, "    - " + fact);
        }
    }
}
