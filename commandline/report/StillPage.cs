using System.Net;
using System.Security.Cryptography;
using System.Text;

namespace Tracer.CommandLine;

/// <summary>
/// A report as one HTML file that loads nothing, looks as the page of a blame does, and runs one program of its own, by its hash, which
/// sorts tables. What is told of a trace or a machine stands in it as escaped text only.
/// </summary>
public sealed class StillPage
{
    private static readonly Lazy<string> Sheet = new(() => Resource("report.css"));
    private static readonly Lazy<string> Sorting = new(() => Resource("sort.js"));

    private readonly StringBuilder _html;
    private readonly Glosses _glosses = new();

    /// <summary>Begins a page: what is added to it is its body.</summary>
    public StillPage(string title) => _html = new StringBuilder()
        .Append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .Append("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; ")
        .Append($"font-src data:; script-src '{HashOf(Sorting.Value)}'; style-src '{HashOf(Style)}'\">\n")
        .Append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .Append($"<title>{Escaped(title)}</title>\n<style>{Style}</style>\n</head>\n<body>\n<div id=\"page\" data-drawn>\n");

    /// <summary>The look of all pages, as viewer/ builds it.</summary>
    public static string Style => Sheet.Value;

    public static string Escaped(string text) => WebUtility.HtmlEncode(PrintableText.Of(text));

    /// <summary>For the Content Security Policy: what stands in a page itself.</summary>
    public static string HashOf(string inline)
    {
        ArgumentNullException.ThrowIfNull(inline);
        return "sha256-" + Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(inline)));
    }

    public void Add(string html) => _html.Append(html);

    /// <summary>Adds a paragraph, a heading or the like, and, where it is the first to use them, an explanation of its words.</summary>
    /// <param name="begin">HTML before it.</param>
    public void Line(string begin, string text, string end)
    {
        Put(begin, text, end);
        ArgumentNullException.ThrowIfNull(end);
        if (end.EndsWith("</p>", StringComparison.Ordinal) || end.Contains("</h", StringComparison.Ordinal))
        {
            Explain(text);
        }
    }

    /// <summary>Adds an explanation of the words that a text is the first to use: a text that was added as HTML.</summary>
    public void Explain(string text) => _html.Append(_glosses.Of(text));

    /// <summary>Adds the card at the top: the answer in a word and in a sentence, and what it is about.</summary>
    /// <param name="ink">Whether that is good, bad, or open.</param>
    public void Card(Ink ink, string? verdict, string answer, params IEnumerable<(string Name, string Fact)> facts)
    {
        ArgumentNullException.ThrowIfNull(facts);
        (string kind, string sign) = ink switch
        {
            Ink.Innocent => ("none", "\u2713"),
            Ink.Doubt => ("unknown", "?"),
            Ink.Guilty => ("bad", "!"),
            _ => ("plain", ""),
        };
        _html.Append($"<header class=\"{kind}\">\n");
        if (verdict is not null)
        {
            Put($"<p class=\"verdict {kind}\"><span class=\"sign\" aria-hidden=\"true\"><span>{sign}</span></span><strong>",
                verdict, "</strong></p>");
        }

        Line("<h1>", answer, "</h1>");
        Facts(facts);
        _html.Append("</header>\n<main>\n");
    }

    /// <summary>Adds what limits the answer, where something does, and a last note.</summary>
    public void Limits(IReadOnlyList<string> warnings, string note)
    {
        ArgumentNullException.ThrowIfNull(warnings);
        if (warnings.Count > 0)
        {
            Add("<h2>What limits this</h2>\n<ul>\n");
            foreach (string warning in warnings)
            {
                Put("<li>", warning, "</li>");
            }

            Add("</ul>\n" + _glosses.Of(string.Join(' ', warnings)));
        }

        Line("<p class=\"dim\">", note, "</p>");
    }

    /// <summary>Adds a list of names and what they say; of a fact that is not known there is no row.</summary>
    public void Facts(IEnumerable<(string Name, string Fact)> facts)
    {
        ArgumentNullException.ThrowIfNull(facts);
        (string Name, string Fact)[] told = [.. facts.Where(static one => one.Fact.Length > 0)];
        if (told.Length > 0)
        {
            _html.Append("<dl class=\"facts\">\n");
            foreach ((string name, string fact) in told)
            {
                Put($"<dt>{Escaped(name)}</dt><dd>", fact, "</dd>");
            }

            _html.Append("</dl>\n").Append(_glosses.Of(string.Join(' ', told.Select(static one => $"{one.Name} {one.Fact}"))));
        }
    }

    /// <param name="headings">
    /// The columns: those with <c>!</c> before their heading are of numbers. Where no column has a heading there is no row of them.
    /// </param>
    /// <param name="kind">Classes of the table: <c>sorts</c> for one whose columns can be sorted by.</param>
    /// <returns>How many rows there are.</returns>
    public int Table(IReadOnlyList<string> headings, IEnumerable<PageCell[]> rows, string caption = "", string kind = "")
    {
        ArgumentNullException.ThrowIfNull(headings);
        ArgumentNullException.ThrowIfNull(rows);
        ArgumentNullException.ThrowIfNull(caption);
        PageCell[][] all = [.. rows];
        // What rows are called is read as headings are.
        IEnumerable<string> names =
            all.Select(static row => row[0].Html).Where(static html => !html.Contains('<', StringComparison.Ordinal));
        Explain(string.Join(' ', [caption, .. headings.Select(Heading), .. names]));
        string label = Escaped(caption.Length > 0 ? caption : string.Join(", ", headings.Select(Heading)));
        _html.Append($"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table class=\"{kind}\">\n");
        if (caption.Length > 0)
        {
            Put("<caption>", caption, "</caption>");
        }

        if (headings.Any(static one => Heading(one).Length > 0))
        {
            _html.Append("<thead><tr>").AppendJoin("", headings.Select(static one => Heading(one).Length > 0
                ? $"<th scope=\"col\"{ClassOf(one)}>{Escaped(Heading(one))}</th>"
                : $"<td{ClassOf(one)}></td>")).Append("</tr></thead>\n");
        }

        _html.Append("<tbody>\n");
        foreach (PageCell[] row in all)
        {
            _html.Append("<tr>").AppendJoin("", headings.Zip(row, static (heading, cell) =>
                $"<td{ClassOf(heading)}{cell.SortedBy}>{cell.Html}</td>")).Append("</tr>\n");
        }

        _html.Append("</tbody></table></div>\n");
        return all.Length;

        static string Heading(string heading) => heading.TrimStart('!');

        static string ClassOf(string heading) => heading.StartsWith('!') ? " class=\"number\"" : "";
    }

    /// <returns>The page as UTF-8.</returns>
    public byte[] End() => Encoding.UTF8.GetBytes(
        _html.Append($"</main>\n</div>\n<script>{Sorting.Value}</script>\n</body>\n</html>\n").ToString());

    private void Put(string begin, string text, string end) => _html.Append(begin).Append(Escaped(text)).Append(end).Append('\n');

    internal static string Resource(string name)
    {
        using Stream stream = typeof(StillPage).Assembly.GetManifestResourceStream(name)
            ?? throw new InvalidOperationException($"The program lacks its resource {name}.");
        using var reader = new StreamReader(stream, Encoding.UTF8);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }
}

/// <param name="Html">What stands in it, escaped.</param>
/// <param name="Key">What it is sorted by; null for its text.</param>
public readonly record struct PageCell(string Html, string? Key = null)
{
    internal string SortedBy => Key is null ? "" : $" data-key=\"{StillPage.Escaped(Key)}\"";

    public static implicit operator PageCell(string text) => FromString(text);

    public static PageCell FromString(string text) => new(StillPage.Escaped(text));

    /// <summary>A name that leads to a part of the page, or to another page.</summary>
    public static PageCell Link(string text, string target) =>
        new($"<a href=\"{StillPage.Escaped(target)}\">{StillPage.Escaped(text)}</a>");

    /// <summary>A time in the unit of its column, which sorts by its length.</summary>
    public static PageCell Of(Duration? time, DurationColumn column)
    {
        ArgumentNullException.ThrowIfNull(column);
        if (time is not { } known)
        {
            return new("-", "0");
        }

        (int digits, bool point) = column.MissingOf(known);
        string text = StillPage.Escaped(column.Of(known));
        return new(
            digits == 0 ? text : $"<span class=\"{(point ? "no-point" : "short")}-{digits}\">{text}</span>",
            known.Nanoseconds.ToString(CultureInfo.InvariantCulture));
    }

    /// <summary>A number with a bar beside it.</summary>
    /// <param name="share">0 to 1.</param>
    public static PageCell Bar(double share, string text)
    {
        string width = (Math.Clamp(share, 0, 1) * 100).ToString("0.#", CultureInfo.InvariantCulture);
        return new("<svg class=\"meter\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            + $"<rect class=\"rest\" width=\"100\" height=\"8\"/><rect class=\"full\" width=\"{width}\" height=\"8\"/></svg> "
            + StillPage.Escaped(text), width);
    }
}
