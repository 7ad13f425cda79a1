namespace Tracer.CommandLine;

/// <summary>Says how much of a list is not shown.</summary>
internal static class LeftOut
{
    /// <summary>Adds a line where the list is longer than what is shown of it.</summary>
    public static void Add(ReportPage page, int count, int shown)
    {
        if (count > shown)
        {
            page.Line(4, new PagePiece($"  ... and {ReportWords.Number(count - shown)} more (--full lists them)", Ink.Faint));
        }
    }
}
