namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary>A comparison as one HTML file without scripts: the text with its colours.</summary>
internal static class DiffHtml
{
    private const int Columns = 120;

    /// <summary>Writes the page as UTF-8.</summary>
    public static void Write(DiffReport report, Stream output)
    {
        var page = new StillPage("analyzer diff");
        page.Add("<main><pre>\n");
        foreach (IReadOnlyList<PagePiece> line in DiffText.Page(report, Columns).Lines)
        {
            foreach (PagePiece piece in line)
            {
                string text = StillPage.Escaped(piece.Text);
                page.Add(piece.Ink == Ink.Plain ? text : $"<span class=\"{KebabCase.Of(piece.Ink)}\">{text}</span>");
            }

            page.Add("\n");
        }

        page.Add("</pre></main>\n");
        output.Write(page.End());
    }
}
