using System.Text;
using System.Text.RegularExpressions;

namespace Tracer.CommandLine;

/// <summary>Measures and cuts text for a page.</summary>
public static partial class PageText
{
    /// <summary>A blank that no line is broken at; it is printed as any blank.</summary>
    public const char FirmBlank = '\u00a0';

    private const string Ellipsis = "...";

    /// <summary>The columns that a text takes when printed (<see cref="PrintableText"/>); never less than its UTF-16 length.</summary>
    public static int ColumnsOf(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        int columns = 0;
        foreach (Rune letter in PrintableText.Of(text).EnumerateRunes())
        {
            columns += ColumnsOf(letter);
        }

        return columns;
    }

    /// <summary>The columns that a letter takes; never less than its UTF-16 length.</summary>
    public static int ColumnsOf(Rune letter) => Math.Max(IsWide(letter.Value) ? 2 : 1, letter.Utf16SequenceLength);

    /// <summary>The text with firm blanks between numbers and their units, so that a line does not end between them.</summary>
    public static string WithFirmUnits(string text) => BlankBeforeUnit().Replace(text, FirmBlank.ToString());

    /// <summary>The text if it fits, else its beginning and end with dots between them: the end of a file name tells its kind.</summary>
    /// <param name="columns">How many columns there are, at least 5.</param>
    public static string Cut(string text, int columns)
    {
        text = PrintableText.Of(text);
        if (ColumnsOf(text) <= columns)
        {
            return text;
        }

        Rune[] letters = [.. text.EnumerateRunes()];
        int room = columns - Ellipsis.Length;
        int head = Fitting(letters, (room + 1) / 2);
        Array.Reverse(letters);
        int tail = Fitting(letters, room / 2);
        Array.Reverse(letters);
        return $"{Joined(letters.AsSpan(0, head))}{Ellipsis}{Joined(letters.AsSpan(letters.Length - tail))}";
    }

    /// <summary>The text cut or filled with blanks to exactly so many columns.</summary>
    public static string Fit(string text, int columns)
    {
        string cut = Cut(text, columns);
        return cut + new string(' ', Math.Max(0, columns - ColumnsOf(cut)));
    }

    [GeneratedRegex("(?<=[0-9]) (?=(?:ns|us|ms|s|%)(?![A-Za-z0-9]))")]
    private static partial Regex BlankBeforeUnit();

    private static int Fitting(ReadOnlySpan<Rune> letters, int columns)
    {
        int count = 0;
        for (int used = 0; count < letters.Length && (used += ColumnsOf(letters[count])) <= columns; count++)
        {
        }

        return count;
    }

    private static string Joined(ReadOnlySpan<Rune> letters)
    {
        var text = new StringBuilder();
        foreach (Rune letter in letters)
        {
            text.Append(letter.ToString());
        }

        return text.ToString();
    }

    /// <summary>East Asian letters and pictures, which terminals draw two columns wide (Unicode Annex 11, roughly).</summary>
    private static bool IsWide(int letter) => letter is (>= 0x1100 and <= 0x115F) or (>= 0x2E80 and <= 0xA4CF) or (>= 0xAC00 and <= 0xD7A3)
        or (>= 0xF900 and <= 0xFAFF) or (>= 0xFE30 and <= 0xFE6F) or (>= 0xFF00 and <= 0xFF60) or (>= 0xFFE0 and <= 0xFFE6)
        or (>= 0x1F300 and <= 0x1FAFF) or (>= 0x20000 and <= 0x3FFFD);
}
