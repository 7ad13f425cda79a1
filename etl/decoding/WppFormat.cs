using System.Text;

namespace Tracer.Etl.Decoding;

/// <summary>
/// A printf conversion of a message text: flags, width, precision and the letter; size prefixes say nothing that the item does not.
/// </summary>
/// <param name="Conversion">The letter; 's' where the text has none.</param>
/// <param name="Width">Least number of characters.</param>
/// <param name="Precision">Least digits of integers, digits behind the point, most characters of text; -1 where none is given.</param>
/// <param name="Left">Fill behind the value.</param>
/// <param name="Zero">Fill with zeros.</param>
/// <param name="Sign">What stands before a number that is not negative: '+', ' ' or NUL for nothing.</param>
/// <param name="Alternate">Write the "0x" or "0" of the base.</param>
internal readonly record struct WppConversion(
    char Conversion, int Width, int Precision, bool Left, bool Zero, char Sign, bool Alternate)
{
    /// <summary>Widths and precisions beyond this are cut: a format file must not make texts without bound.</summary>
    private const int MaximumWidth = 1024;

    /// <summary>Reads what stands between exclamation marks, such as "08I64x".</summary>
    public static WppConversion Parse(ReadOnlySpan<char> text)
    {
        int at = 0;
        (bool left, bool zero, bool alternate, char sign) = (false, false, false, '\0');
        for (; at < text.Length && text[at] is '-' or '0' or '#' or '+' or ' '; at++)
        {
            left |= text[at] == '-';
            zero |= text[at] == '0';
            alternate |= text[at] == '#';
            sign = text[at] is '+' or ' ' && sign != '+' ? text[at] : sign;
        }

        int width = Number(text, ref at, absent: 0);
        int precision = -1;
        if (at < text.Length && text[at] == '.')
        {
            at++;
            precision = Number(text, ref at, absent: 0);
        }

        char conversion = at < text.Length ? text[^1] : 's';
        return new WppConversion(conversion, width, precision, left, zero, sign, alternate);
    }

    /// <summary>Formats an integer of a number of bytes.</summary>
    public string Integer(ulong bits, int bytes)
    {
        int unused = 64 - (8 * Math.Clamp(bytes, 1, 8));
        ulong value = bits << unused >> unused;
        long signed = (long)(bits << unused) >> unused;
        bool isNegative = Conversion is 'd' or 'i' && signed < 0;
        string digits = Conversion switch
        {
            'd' or 'i' => (isNegative ? (ulong)-signed : (ulong)signed).ToString(CultureInfo.InvariantCulture),
            'x' => value.ToString("x", CultureInfo.InvariantCulture),
            'X' => value.ToString("X", CultureInfo.InvariantCulture),
            'o' => Convert.ToString((long)value, 8),
            'p' => value.ToString($"X{2 * bytes}", CultureInfo.InvariantCulture),
            _ => value.ToString(CultureInfo.InvariantCulture),
        };
        string start = Conversion switch
        {
            'd' or 'i' when isNegative => "-",
            'd' or 'i' when Sign != '\0' => Sign.ToString(),
            'x' or 'X' when Alternate && value != 0 => $"0{Conversion}",
            'o' when Alternate => "0",
            _ => "",
        };
        digits = digits.PadLeft(Math.Max(Precision, 0), '0');
        return Zero && !Left && Precision < 0
            ? start + digits.PadLeft(Math.Max(0, Width - start.Length), '0')
            : Fill(start + digits);
    }

    /// <summary>Formats a floating point number.</summary>
    public string Double(double value)
    {
        string digits = Math.Min(Precision < 0 ? 6 : Precision, 64).ToString(CultureInfo.InvariantCulture);
        string text = Conversion switch
        {
            'f' or 'F' => value.ToString("F" + digits, CultureInfo.InvariantCulture),
            'e' or 'E' => value.ToString($"{Conversion}{digits}", CultureInfo.InvariantCulture),
            'g' or 'G' => value.ToString("G" + digits, CultureInfo.InvariantCulture),
            _ => value.ToString("R", CultureInfo.InvariantCulture),
        };
        text = Sign != '\0' && value >= 0 ? Sign + text : text;
        return Zero && !Left ? text.PadLeft(Width, '0') : Fill(text);
    }

    public string Text(string text) => Fill(Precision >= 0 && Precision < text.Length ? text[..Precision] : text);

    private string Fill(string text) => Left ? text.PadRight(Width) : text.PadLeft(Width);

    private static int Number(ReadOnlySpan<char> text, ref int at, int absent)
    {
        int value = absent;
        for (; at < text.Length && char.IsAsciiDigit(text[at]); at++)
        {
            value = Math.Min((10 * value) + (text[at] - '0'), MaximumWidth);
        }

        return value;
    }
}

/// <summary>A message text in pieces: what stands in it as it is, and the arguments between.</summary>
internal sealed class WppFormat
{
    private readonly List<Piece> _pieces = [];

    private WppFormat()
    {
    }

    public IReadOnlyList<Piece> Pieces => _pieces;

    /// <summary>
    /// Takes a text apart. "%0" (the reader's own prefix) is left out; "%!NAME!" is replaced by what the file says about the message,
    /// "%10!08x!" is an argument.
    /// </summary>
    /// <param name="text">The text as the file quotes it, with C's escapes.</param>
    /// <param name="properties">LEVEL, FUNC and the like.</param>
    public static WppFormat Parse(string text, IReadOnlyDictionary<string, string> properties)
    {
        var format = new WppFormat();
        var literal = new StringBuilder();
        for (int at = 0; at < text.Length; at++)
        {
            char letter = text[at];
            if (letter is not ('%' or '\\') || at + 1 == text.Length)
            {
                literal.Append(letter);
            }
            else if (letter == '\\')
            {
                at++;
                literal.Append(Escaped(text[at]));
            }
            else
            {
                at = format.Directive(text, at, literal, properties);
            }
        }

        format.Flush(literal);
        return format;
    }

    /// <summary>The conversion that the text uses for an argument first; 's' where it uses none.</summary>
    public char ConversionOf(int argument)
    {
        foreach (Piece piece in _pieces)
        {
            if (piece.Literal is null && piece.Argument == argument)
            {
                return piece.Conversion.Conversion;
            }
        }

        return 's';
    }

    /// <returns>The place of the directive's last character.</returns>
    private int Directive(string text, int percent, StringBuilder literal, IReadOnlyDictionary<string, string> properties)
    {
        int at = percent + 1;
        if (char.IsAsciiDigit(text[at]))
        {
            int number = 0;
            for (; at < text.Length && char.IsAsciiDigit(text[at]); at++)
            {
                number = Math.Min((10 * number) + (text[at] - '0'), ushort.MaxValue);
            }

            int end = at < text.Length && text[at] == '!' ? text.IndexOf('!', at + 1) : -1;
            ReadOnlySpan<char> conversion = end > 0 ? text.AsSpan(at + 1, end - at - 1) : default;
            if (number != 0)
            {
                Flush(literal);
                _pieces.Add(new Piece(null, number, WppConversion.Parse(conversion)));
            }

            return number != 0 && end > 0 ? end : at - 1;
        }

        if (text[at] == '!' && text.IndexOf('!', at + 1) is > 0 and int close)
        {
            string name = text[(at + 1)..close];
            literal.Append(properties.GetValueOrDefault(name, text[percent..(close + 1)]));
            return close;
        }

        literal.Append(text[at] switch
        {
            '%' => "%",
            'n' => "\n",
            'r' => "\r",
            't' => "\t",
            'b' => " ",
            '.' => ".",
            '!' => "!",
            char other => "%" + other,
        });
        return at;
    }

    private void Flush(StringBuilder literal)
    {
        if (literal.Length > 0)
        {
            _pieces.Add(new Piece(literal.ToString(), 0, default));
            literal.Clear();
        }
    }

    private static string Escaped(char letter) => letter switch
    {
        'n' => "\n",
        'r' => "\r",
        't' => "\t",
        '"' or '\\' or '\'' => letter.ToString(),
        _ => "\\" + letter,
    };

    /// <summary>A piece: text, or an argument where the text is null.</summary>
    public readonly record struct Piece(string? Literal, int Argument, WppConversion Conversion);
}
