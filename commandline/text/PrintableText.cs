using System.Buffers;
using System.Text;

namespace Tracer.CommandLine;

/// <summary>
/// Text as it may be shown to a person. Names come from traces, PDBs and images that anybody may have made: what would move the cursor,
/// start an escape sequence, turn the direction of writing, hide a letter or begin a line of its own is written as <c>\u</c> and four
/// hexadecimal digits, the number of its UTF-16 unit, which is also how JSON writes it.
/// </summary>
public static class PrintableText
{
    private const string PlainLetters =
        " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

    private static readonly SearchValues<char> Plain = SearchValues.Create(PlainLetters);

    private static readonly SearchValues<char> PlainOrLineEnd = SearchValues.Create(PlainLetters + "\n");

    /// <param name="letter">The letter; a lone surrogate is none and is never shown.</param>
    public static bool IsPrintable(Rune letter) => letter.Value is >= ' ' and <= '~' || (!IsInvisible(letter.Value)
        && Rune.GetUnicodeCategory(letter) is not (UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator
            or UnicodeCategory.ParagraphSeparator or UnicodeCategory.PrivateUse or UnicodeCategory.OtherNotAssigned));

    /// <summary>The text, with what is not printable escaped; the same text where there is nothing to escape.</summary>
    /// <param name="text">The text; a line feed in it is data, and is escaped.</param>
    public static string Of(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (Next(text, 0) == text.Length)
        {
            return text;
        }

        var printable = new StringBuilder(text.Length + 16);
        Append(text, piece => printable.Append(piece));
        return printable.ToString();
    }

    /// <summary>Gives a text piece by piece with what is not printable escaped.</summary>
    public static void Append(ReadOnlySpan<char> text, PieceAction take)
    {
        for (int from = 0; from < text.Length;)
        {
            int stop = Next(text, from);
            if (stop > from)
            {
                take(text[from..stop]);
            }

            if (stop == text.Length)
            {
                return;
            }

            int units = UnitsAt(text, stop);
            for (int i = 0; i < units; i++)
            {
                take(string.Create(CultureInfo.InvariantCulture, $"\\u{(int)text[stop + i]:x4}"));
            }

            from = stop + units;
        }
    }

    /// <summary>Whether a text has more than printable ASCII and line feeds, so that it has to be looked at letter by letter.</summary>
    internal static bool HasOddLetters(ReadOnlySpan<char> text) => text.ContainsAnyExcept(PlainOrLineEnd);

    public delegate void PieceAction(ReadOnlySpan<char> piece);

    /// <summary>Where the first letter stands that is not printable; the text's length where all are.</summary>
    public static int Next(ReadOnlySpan<char> text, int from)
    {
        while (from < text.Length)
        {
            int odd = text[from..].IndexOfAnyExcept(Plain);
            if (odd < 0)
            {
                return text.Length;
            }

            from += odd;
            if (Rune.DecodeFromUtf16(text[from..], out Rune letter, out int units) != OperationStatus.Done || !IsPrintable(letter))
            {
                return from;
            }

            from += units;
        }

        return text.Length;
    }

    private static int UnitsAt(ReadOnlySpan<char> text, int at) =>
        Rune.DecodeFromUtf16(text[at..], out _, out int units) == OperationStatus.Done ? units : 1;

    /// <summary>
    /// Letters that are drawn as nothing although they are no format characters: Default_Ignorable_Code_Point of Unicode's
    /// DerivedCoreProperties.txt.
    /// </summary>
    private static bool IsInvisible(int letter) => letter is 0x034F or 0x115F or 0x1160 or 0x17B4 or 0x17B5 or (>= 0x180B and <= 0x180F)
        or 0x3164 or (>= 0xFE00 and <= 0xFE0F) or 0xFFA0 or (>= 0xE0000 and <= 0xE0FFF);
}
