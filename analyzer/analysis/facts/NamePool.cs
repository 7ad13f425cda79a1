using System.Buffers;
using System.Runtime.InteropServices;
using System.Text.Unicode;

namespace Tracer.Analysis.Facts;

/// <summary>
/// Names from a trace, each stored once and cleaned for display: without control characters, without characters that change the direction
/// of text, without unpaired surrogates. Bounded in length and number.
/// </summary>
internal sealed class NamePool
{
    /// <summary>Most characters of a name that are kept: more than Windows allows for a path in most places.</summary>
    public const int MaximumCharacters = 1024;

    /// <summary>Most characters of all names together: 64 MB.</summary>
    private const long MaximumPooledCharacters = 32L << 20;

    private const char Replacement = '\uFFFD';

    private readonly HashSet<string> _names = [];
    private readonly HashSet<string>.AlternateLookup<ReadOnlySpan<char>> _lookup;
    private long _pooledCharacters;

    /// <summary>Creates an empty pool.</summary>
    public NamePool() => _lookup = _names.GetAlternateLookup<ReadOnlySpan<char>>();

    /// <summary>How many names were dropped because all names together would have taken too much memory.</summary>
    public long Dropped { get; private set; }

    /// <summary>The text of UTF-16 bytes; empty where it has no printable character.</summary>
    public string OfUtf16(ReadOnlySpan<byte> utf16) => Cleaned(MemoryMarshal.Cast<byte, char>(utf16));

    /// <summary>The text of 8-bit bytes, decoded as UTF-8 or, where that is invalid, one character per byte.</summary>
    public string OfText8(ReadOnlySpan<byte> text)
    {
        Span<char> wide = stackalloc char[MaximumCharacters];
        text = text[..Math.Min(text.Length, MaximumCharacters)];
        if (Utf8.ToUtf16(text, wide, out _, out int written, replaceInvalidSequences: false) == OperationStatus.Done)
        {
            return Cleaned(wide[..written]);
        }

        for (int i = 0; i < text.Length; i++)
        {
            wide[i] = (char)text[i];
        }

        return Cleaned(wide[..text.Length]);
    }

    /// <summary>The stored copy of a text.</summary>
    public string Of(ReadOnlySpan<char> text)
    {
        if (text.IsEmpty)
        {
            return "";
        }

        if (_lookup.TryGetValue(text, out string? known))
        {
            return known;
        }

        if (_pooledCharacters + text.Length > MaximumPooledCharacters)
        {
            Dropped++;
            return "";
        }

        string added = text.ToString();
        _names.Add(added);
        _pooledCharacters += added.Length;
        return added;
    }

    private string Cleaned(ReadOnlySpan<char> text)
    {
        // Mostly there is nothing to clean.
        if (text.Length <= MaximumCharacters && !text.ContainsAnyExceptInRange(' ', '~'))
        {
            return Of(text.Trim());
        }

        Span<char> clean = stackalloc char[MaximumCharacters];
        int length = 0;
        for (int i = 0; i < text.Length && length < MaximumCharacters; i++)
        {
            char one = text[i];
            if (char.IsSurrogate(one))
            {
                bool isPair = char.IsHighSurrogate(one) && i + 1 < text.Length && char.IsLowSurrogate(text[i + 1]);
                if (!isPair || length + 2 > MaximumCharacters)
                {
                    clean[length++] = Replacement;
                    continue;
                }

                clean[length++] = one;
                clean[length++] = text[++i];
            }
            else if (IsShown(one))
            {
                clean[length++] = one;
            }
        }

        return Of(clean[..length].Trim());
    }

    private static bool IsShown(char one) => one is >= ' ' and < '\u007F'
        || char.GetUnicodeCategory(one) is not (UnicodeCategory.Control
            or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator);
}
