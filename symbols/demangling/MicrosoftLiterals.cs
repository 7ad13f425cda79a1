using System.Text;

namespace Tracer.Symbols;

/// <summary>String literals: their first bytes are in the name.</summary>
/// <remarks>
/// <c>??_C@_</c>, "0" or "1" for letters of two bytes, the length in bytes, a check sum, "@", the bytes, "@". A byte that may not stand in
/// a name is "?" and a letter or digit, or "?$" and two hexadecimal digits written as A to P.
/// </remarks>
internal sealed class MicrosoftLiterals(MicrosoftCursor cursor)
{
    /// <summary>Compilers put at most 32 bytes, or 32 letters, into the name.</summary>
    private const int MaximumLiteralBytes = 128;

    private const int MaximumWideBytes = 64;

    private const string Escaped = ",/\\:. \n\t'-";

    public string StringLiteral()
    {
        char kind = cursor.TakeAny();
        if (kind is not ('0' or '1'))
        {
            cursor.Fail();
            return "";
        }

        (ulong told, bool isNegative) = cursor.Number();
        int checkSumEnd = cursor.Text.IndexOf('@', Math.Min(cursor.At, cursor.Text.Length));
        if (isNegative || checkSumEnd < 0 || told < (kind == '1' ? 2u : 1u))
        {
            cursor.Fail();
            return "";
        }

        cursor.At = checkSumEnd + 1;
        List<byte> bytes = [];
        while (!cursor.HasFailed && !cursor.Take('@'))
        {
            bytes.Add(LiteralByte());
            if (bytes.Count > MaximumLiteralBytes)
            {
                cursor.Fail();
            }
        }

        return kind == '1' ? WideLiteral(bytes, told) : NarrowLiteral(bytes, told);
    }

    private string WideLiteral(List<byte> bytes, ulong told)
    {
        if (bytes.Count % 2 != 0)
        {
            cursor.Fail();
            return "";
        }

        bool isCut = told > MaximumWideBytes;
        StringBuilder literal = new("L\"");
        for (int i = 0; i < bytes.Count - (isCut ? 0 : 2); i += 2)
        {
            AppendEscaped(literal, (uint)((bytes[i] << 8) | bytes[i + 1]));
        }

        return cursor.Written(literal.Append(isCut ? "\"..." : "\"").ToString());
    }

    private string NarrowLiteral(List<byte> bytes, ulong told)
    {
        bool isCut = told > (ulong)bytes.Count;
        int size = LetterSize(bytes, told);
        StringBuilder literal = new(size switch { 1 => "\"", 2 => "u\"", _ => "U\"" });
        int letters = bytes.Count / size;
        for (int i = 0; i < letters - (isCut ? 0 : 1); i++)
        {
            uint letter = 0;
            for (int k = size - 1; k >= 0; k--)
            {
                letter = (letter << 8) | bytes[(i * size) + k];
            }

            AppendEscaped(literal, letter);
        }

        return cursor.Written(literal.Append(isCut ? "\"..." : "\"").ToString());
    }

    /// <summary>char, char16_t and char32_t look the same in the name; the zero bytes tell which it was.</summary>
    private static int LetterSize(List<byte> bytes, ulong told)
    {
        if (told % 2 == 1)
        {
            return 1;
        }

        if (told < 32)
        {
            int zeros = 0;
            while (zeros < bytes.Count && bytes[^(zeros + 1)] == 0)
            {
                zeros++;
            }

            return zeros >= 4 && told % 4 == 0 ? 4 : zeros >= 2 ? 2 : 1;
        }

        int allZeros = bytes.Count(letter => letter == 0);
        return allZeros >= 2 * bytes.Count / 3 && told % 4 == 0 ? 4 : allZeros >= bytes.Count / 3 ? 2 : 1;
    }

    private byte LiteralByte()
    {
        char letter = cursor.TakeAny();
        if (letter != '?')
        {
            if (letter > 0xFF)
            {
                cursor.Fail();
            }

            return (byte)letter;
        }

        if (cursor.Take('$'))
        {
            int high = cursor.TakeAny() - 'A';
            int low = cursor.TakeAny() - 'A';
            if (high is < 0 or > 15 || low is < 0 or > 15)
            {
                cursor.Fail();
                return 0;
            }

            return (byte)((high << 4) | low);
        }

        char code = cursor.TakeAny();
        switch (code)
        {
            case >= '0' and <= '9':
                return (byte)Escaped[code - '0'];
            case >= 'a' and <= 'z' or >= 'A' and <= 'Z':
                return (byte)(code + 0x80);
            default:
                cursor.Fail();
                return 0;
        }
    }

    private static void AppendEscaped(StringBuilder literal, uint letter)
    {
        string? escape = letter switch
        {
            0 => "\\0",
            '\'' => "\\'",
            '"' => "\\\"",
            '\\' => "\\\\",
            7 => "\\a",
            8 => "\\b",
            9 => "\\t",
            10 => "\\n",
            11 => "\\v",
            12 => "\\f",
            13 => "\\r",
            _ => null,
        };
        if (escape is not null)
        {
            literal.Append(escape);
        }
        else if (letter is > 0x1F and < 0x7F)
        {
            literal.Append((char)letter);
        }
        else
        {
            string digits = letter.ToString("X", CultureInfo.InvariantCulture);
            literal.Append("\\x").Append(digits.Length % 2 == 1 ? "0" : "").Append(digits);
        }
    }
}
