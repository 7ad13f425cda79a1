using System.Net;
using System.Text;

namespace Tracer.CommandLine;

/// <summary>
/// A report as one HTML file that runs no script and loads nothing. What is told of a trace or a machine stands in it as escaped text only.
/// </summary>
public sealed class StillPage
{
    private const string Style = """
        :root { color-scheme: light dark; --quiet: light-dark(#545d68, #9aa4b0); --line: light-dark(#d9dee4, #343a41);
          --bad: light-dark(#b00020, #ff8a80); --good: light-dark(#1b6e2c, #8ddf9a); --doubt: light-dark(#7a5600, #ffd166);
          --code: ui-monospace, Consolas, monospace }
        body { margin: 0 auto; padding: 1.5rem; max-width: 76rem; font: 15px/1.5 system-ui, sans-serif;
          color: light-dark(#1b1f24, #dfe3e8); background: light-dark(#fff, #16191d) }
        h1 { font-size: 1.35rem }
        h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
        h3 { font-size: 1rem; margin: 1.2rem 0 .5rem }
        p { margin: .5rem 0 }
        pre { font: 14px/1.45 var(--code); white-space: pre-wrap; overflow-wrap: anywhere }
        .scroll { overflow-x: auto; margin-bottom: 1rem }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
        caption { text-align: left; color: var(--quiet) }
        th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top }
        th { font-weight: 600; color: var(--quiet) }
        .n { text-align: right; white-space: nowrap }
        .bar { min-width: 6rem }
        .bar div { height: .75rem; margin-top: .3rem; border-radius: 2px; background: light-dark(#3b7dd8, #6aa5f0) }
        section { border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; margin: 1rem 0 }
        section h3 { margin-top: 0 }
        section table { margin-top: .8rem }
        dl { display: grid; grid-template-columns: 6rem 1fr; gap: .15rem .8rem; margin: 0 }
        dt { color: var(--quiet) }
        dd { margin: 0; overflow-wrap: anywhere }
        code, .faint { color: var(--quiet); overflow-wrap: anywhere }
        code { font-family: var(--code) }
        .heading { font-weight: bold; text-decoration: underline }
        .name { font-weight: bold }
        .bad, .guilty { font-weight: bold; color: var(--bad) }
        .good, .innocent { font-weight: bold; color: var(--good) }
        .doubt { color: var(--doubt) }
        """;

    private readonly StringBuilder _html;

    /// <summary>Begins a page: what is added to it is its body.</summary>
    public StillPage(string title) => _html = new StringBuilder($"""
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>{title}</title>
        <style>
        {Style}
        </style>

        """).Replace("\r\n", "\n");

    public static string Escaped(string text) => WebUtility.HtmlEncode(PrintableText.Of(text));

    public void Add(string html) => _html.Append(html);

    /// <param name="begin">HTML before it.</param>
    public void Line(string begin, string text, string end) => _html.Append(begin).Append(Escaped(text)).Append(end).Append('\n');

    /// <param name="headings">
    /// The columns: those with <c>!</c> before their heading are of numbers, and one with <c>%</c> has bars of so many percent. Where no
    /// column has a heading there is no row of them.
    /// </param>
    public int Table(IReadOnlyList<string> headings, IEnumerable<string[]> rows, string caption = "")
    {
        _html.Append("<div class=\"scroll\"><table>\n");
        if (caption.Length > 0)
        {
            Line("<caption>", caption, "</caption>");
        }

        string[] texts =
            [.. headings.Select(static heading => heading.StartsWith('!') || heading.StartsWith('%') ? heading[1..] : heading)];
        if (Array.Exists(texts, static text => text.Length > 0))
        {
            _html.Append("<tr>").AppendJoin("", headings.Zip(texts, static (heading, text) => Cell("th", heading, text))).Append("</tr>\n");
        }

        int count = 0;
        foreach (string[] row in rows)
        {
            _html.Append("<tr>").AppendJoin("", headings.Zip(row, static (heading, text) => heading.StartsWith('%')
                ? $"<td class=\"bar\"><div style=\"width:{text}%\"></div></td>"
                : Cell("td", heading, text))).Append("</tr>\n");
            count++;
        }

        _html.Append("</table></div>\n");
        return count;
    }

    /// <returns>The page as UTF-8.</returns>
    public byte[] End() => Encoding.UTF8.GetBytes(_html.Append("</html>\n").ToString());

    public static string Bar(double part) => (part * 100).ToString("0.#", CultureInfo.InvariantCulture);

    private static string Cell(string tag, string heading, string text) =>
        $"<{tag}{(heading.StartsWith('!') ? " class=\"n\"" : "")}>{Escaped(text)}</{tag}>";
}
