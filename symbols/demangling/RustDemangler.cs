using System.Buffers;
using System.Text;

namespace Tracer.Symbols;

/// <summary>
/// Reads one name of Rust's older scheme, which PDBs of Rust drivers carry for their public symbols: the parts of a path with their
/// lengths, in the form of a nested name of the Itanium C++ ABI, the last one a hash (<c>_ZN4core3fmt5write17h0123456789abcdefE</c>).
/// Names of C++ in that form have no such hash: they are not read.
/// </summary>
internal static class RustDemangler
{
    private const int HashDigits = 16;

    private static readonly SearchValues<char> LowerHex = SearchValues.Create("0123456789abcdef");

    /// <summary>Both forms of the name, the full one with the hash; null if it is none of Rust's.</summary>
    public static DemangledText? Demangle(string decorated)
    {
        // Systems that put an underscore before each name of C (macOS, x86 Windows) have two.
        int at = decorated.StartsWith("_ZN", StringComparison.Ordinal) ? 3
            : decorated.StartsWith("__ZN", StringComparison.Ordinal) ? 4 : -1;
        if (at < 0)
        {
            return null;
        }

        var path = new StringBuilder();
        ReadOnlySpan<char> last = default;
        for (; at < decorated.Length && decorated[at] != 'E'; at += last.Length)
        {
            if (!TryLength(decorated, ref at, out int length))
            {
                return null;
            }

            if (!last.IsEmpty)
            {
                AddPart(path, last);
            }

            last = decorated.AsSpan(at, length);
        }

        if (path.Length == 0 || !IsHash(last) || at == decorated.Length)
        {
            return null;
        }

        string suffix = decorated[(at + 1)..];
        if (suffix.Length > 0 && suffix[0] != '.')
        {
            return null;
        }

        return new DemangledText($"{path}::{last}{(suffix.Length > 0 ? $" ({suffix})" : "")}", path.ToString());
    }

    private static bool TryLength(string text, ref int at, out int length)
    {
        int start = at;
        while (at < text.Length && char.IsAsciiDigit(text[at]))
        {
            at++;
        }

        return int.TryParse(text.AsSpan(start, at - start), NumberStyles.None, CultureInfo.InvariantCulture, out length)
            && length > 0
            && length <= text.Length - at;
    }

    private static bool IsHash(ReadOnlySpan<char> part) =>
        part.Length == HashDigits + 1 && part[0] == 'h' && !part[1..].ContainsAnyExcept(LowerHex);

    /// <summary>Letters that linkers do not take are written <c>$LT$</c> and the like; <c>..</c> is <c>::</c> within a part.</summary>
    private static void AddPart(StringBuilder path, ReadOnlySpan<char> part)
    {
        if (path.Length > 0)
        {
            path.Append("::");
        }

        // A part begins with a letter or an underscore; before an escape one was put there.
        part = part.StartsWith("_$") ? part[1..] : part;
        while (!part.IsEmpty)
        {
            int taken = 1;
            if (part.StartsWith(".."))
            {
                path.Append("::");
                taken = 2;
            }
            else if (part[0] == '$' && part[1..].IndexOf('$') is > 0 and int length && Letter(part.Slice(1, length)) is Rune letter)
            {
                path.Append(letter.ToString());
                taken = length + 2;
            }
            else
            {
                path.Append(part[0]);
            }

            part = part[taken..];
        }
    }

    private static Rune? Letter(ReadOnlySpan<char> escape) => escape switch
    {
        "SP" => new Rune('@'),
        "BP" => new Rune('*'),
        "RF" => new Rune('&'),
        "LT" => new Rune('<'),
        "GT" => new Rune('>'),
        "LP" => new Rune('('),
        "RP" => new Rune(')'),
        "C" => new Rune(','),
        ['u', .. var digits] when int.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out int code)
            && Rune.IsValid(code) && !Rune.IsControl(new Rune(code)) => new Rune(code),
        _ => null,
    };
}
