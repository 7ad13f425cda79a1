using System.Text;
using System.Text.Json;

namespace Tracer.CommandLine;

/// <summary>
/// Explains the field's words where a page uses them first, in the words of viewer/src/glossary.json, from which the page of a blame
/// has them, too.
/// </summary>
internal sealed class Glosses
{
    private static readonly Lazy<Gloss[]> All = new(Read);

    private readonly List<Gloss> _left = [.. All.Value];

    /// <summary>The explanation of the words that a text is the first to use, as HTML; empty where there are none.</summary>
    public string Of(string text)
    {
        Gloss[] found = [.. _left.Where(gloss => gloss.Forms.Any(form => Has(text, form)))];
        _left.RemoveAll(found.Contains);
        return found.Length == 0 ? "" : new StringBuilder("<p class=\"words\">")
            .AppendJoin(' ', found.Select(gloss => $"<dfn>{StillPage.Escaped(gloss.Word)}</dfn>: {StillPage.Escaped(gloss.Says)}."))
            .Append("</p>\n").ToString();
    }

    /// <summary>Whether a text uses a word. A part of a name is none: <c>dpc-flood.etl</c>.</summary>
    private static bool Has(string text, string form)
    {
        for (int at = text.IndexOf(form, StringComparison.OrdinalIgnoreCase); at >= 0;
            at = text.IndexOf(form, at + 1, StringComparison.OrdinalIgnoreCase))
        {
            int end = at + form.Length;
            bool begins = at == 0 || !(IsOfName(text[at - 1]) || text[at - 1] == '.');
            bool isGoingOn = end < text.Length && (IsOfName(text[end])
                || (text[end] == '.' && end + 1 < text.Length && IsOfName(text[end + 1])));
            if (begins && !isGoingOn)
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsOfName(char letter) => char.IsAsciiLetterOrDigit(letter) || letter is '_' or '-' or '\\';

    private static Gloss[] Read()
    {
        using var json = JsonDocument.Parse(StillPage.Resource("glossary.json"));
        return
        [
            .. json.RootElement.EnumerateArray().Select(static one => new Gloss(
                one.GetProperty("word").GetString()!,
                [.. one.GetProperty("forms").EnumerateArray().Select(static form => form.GetString()!)],
                one.GetProperty("says").GetString()!)),
        ];
    }

    private sealed record Gloss(string Word, string[] Forms, string Says);
}
