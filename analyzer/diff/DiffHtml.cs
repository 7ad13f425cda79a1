using System.Net;
using System.Text;
using Tracer.CommandLine;
using Tracer.Contract;

namespace Tracer.AnalyzerCommand;

/// <summary>A comparison as one HTML file without scripts: the text with its colours.</summary>
internal static class DiffHtml
{
    private const int Columns = 120;

    private const string Style = """
        :root { color-scheme: light dark }
        body { margin: 2rem; font: 14px/1.45 ui-monospace, Consolas, monospace }
        pre { white-space: pre-wrap; overflow-wrap: anywhere }
        .heading { font-weight: bold; text-decoration: underline }
        .name { font-weight: bold }
        .guilty { font-weight: bold; color: light-dark(#b00020, #ff8a80) }
        .innocent { font-weight: bold; color: light-dark(#1b6e2c, #8ddf9a) }
        .doubt { color: light-dark(#7a5600, #ffd166) }
        .faint { opacity: 0.7 }
        """;

    /// <summary>Writes the page as UTF-8.</summary>
    public static void Write(DiffReport report, Stream output)
    {
        StringBuilder html = StillPage.Begin("analyzer diff", Style).Append("<main><pre>\n");
        foreach (IReadOnlyList<PagePiece> line in DiffText.Page(report, Columns).Lines)
        {
            foreach (PagePiece piece in line)
            {
                string text = WebUtility.HtmlEncode(piece.Text);
                html.Append(piece.Ink == Ink.Plain ? text : $"<span class=\"{KebabCase.Of(piece.Ink)}\">{text}</span>");
            }

            html.Append('\n');
        }

        output.Write(StillPage.End(html.Append("</pre></main>\n")));
    }
}
