using System.Buffers;

namespace Tracer.CommandLine;

/// <summary>
/// A cell of a table of comma-separated values (RFC 4180) that holds text. Spreadsheets take text that begins with one of
/// <c>= + - @</c>, a tabulator or a line's end for a formula and run it (OWASP, CSV injection): such a cell gets an apostrophe in front and
/// quotes around it. Cells that are numbers are none of its business.
/// </summary>
public static class CsvCell
{
    private static readonly SearchValues<char> NeedQuotes = SearchValues.Create(",\"\r\n");

    /// <summary>Whether a text would be taken for a formula; the wide forms are taken for the narrow ones by some.</summary>
    public static bool IsFormula(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return text.Length > 0 && text[0] is '=' or '+' or '-' or '@' or '\t' or '\r' or '\n'
            or '\uff1d' or '\uff0b' or '\uff0d' or '\uff20';
    }

    /// <param name="text">What it holds; null for an empty cell.</param>
    public static string OfText(string? text)
    {
        if (string.IsNullOrEmpty(text))
        {
            return "";
        }

        bool isFormula = IsFormula(text);
        return isFormula || text.AsSpan().ContainsAny(NeedQuotes)
            ? $"\"{(isFormula ? "'" : "")}{text.Replace("\"", "\"\"", StringComparison.Ordinal)}\""
            : text;
    }
}
