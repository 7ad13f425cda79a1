namespace Tracer.Symbols;

/// <summary>
/// A name that is being read: the cursor, the budget, and what is remembered for back references. A fault does not throw: the cursor is put
/// at the end, where nothing is found any more, and the whole name counts as unknown.
/// </summary>
internal sealed class MicrosoftCursor(string text)
{
    /// <summary>Ten names and ten types can be referred back to, by one digit.</summary>
    public const int MaximumReferences = 10;

    /// <summary>Calls inside calls; a sound name of 4,096 letters has some dozens.</summary>
    private const int MaximumDepth = 128;

    /// <summary>Letters written in all, results that are only parts of others included: back references can double at each step.</summary>
    private const int MaximumWork = 1 << 20;

    private int _depth;
    private int _work;

    /// <summary>The whole decorated name.</summary>
    public string Text => text;

    public int At { get; set; }

    /// <summary>Whether there was a fault: nothing more is found then.</summary>
    public bool HasFailed { get; private set; }

    /// <summary>Names that can be referred back to.</summary>
    public List<NamePiece> Names { get; set; } = [];

    /// <summary>Types of parameters that can be referred back to.</summary>
    public List<TypeText> Types { get; set; } = [];

    /// <summary>The next letter; NUL at the end.</summary>
    public char Next => At < text.Length ? text[At] : '\0';

    /// <summary>Goes past a letter; false, and nothing taken, where another one is next.</summary>
    public bool Take(char letter)
    {
        if (Next != letter || letter == '\0')
        {
            return false;
        }

        At++;
        return true;
    }

    /// <summary>Goes past some letters; false, and nothing taken, where others are next.</summary>
    public bool Take(string letters)
    {
        if (!Sees(letters))
        {
            return false;
        }

        At += letters.Length;
        return true;
    }

    /// <summary>Whether some letters are next.</summary>
    public bool Sees(string letters) => text.AsSpan(At).StartsWith(letters, StringComparison.Ordinal);

    /// <summary>Takes the next letter, whichever it is; a fault at the end.</summary>
    public char TakeAny()
    {
        char letter = Next;
        if (letter == '\0')
        {
            Fail();
        }
        else
        {
            At++;
        }

        return letter;
    }

    /// <summary>Goes past a letter; a fault where another one is next.</summary>
    public void Require(char letter)
    {
        if (!Take(letter))
        {
            Fail();
        }
    }

    /// <summary>The name is none that is known.</summary>
    public void Fail()
    {
        HasFailed = true;
        At = text.Length;
    }

    /// <summary>Counts what was written, so that it stays bounded.</summary>
    public string Written(string result)
    {
        _work += result.Length + 1;
        if (_work > MaximumWork)
        {
            Fail();
            return "";
        }

        return result;
    }

    /// <summary>Begins a step that may hold others of its kind. Each is ended by <see cref="Leave"/>.</summary>
    public bool Enter()
    {
        _depth++;
        if (_depth > MaximumDepth)
        {
            Fail();
        }

        return !HasFailed;
    }

    public void Leave() => _depth--;

    /// <summary>A blank where the text so far ends in a word.</summary>
    public static string Spaced(string left) =>
        left.Length > 0 && (char.IsAsciiLetterOrDigit(left[^1]) || left[^1] is '>' or '_' or '\'') ? left + " " : left;

    /// <summary>
    /// A number: "?" for a minus; then a digit for 1 to 10, or hexadecimal digits written as A to P and ended by "@".
    /// </summary>
    public (ulong Value, bool IsNegative) Number()
    {
        bool isNegative = Take('?');
        if (char.IsAsciiDigit(Next))
        {
            return ((ulong)(TakeAny() - '0' + 1), isNegative);
        }

        ulong value = 0;
        while (Next is >= 'A' and <= 'P')
        {
            value = (value << 4) | (uint)(TakeAny() - 'A');
        }

        Require('@');
        return (value, isNegative);
    }

    /// <summary>A number in decimal digits.</summary>
    public string NumberText()
    {
        (ulong value, bool isNegative) = Number();
        return (isNegative ? "-" : "") + value.ToString(CultureInfo.InvariantCulture);
    }

    /// <summary>A number of 32 bits whose sign is its highest bit.</summary>
    public string SignedNumberText()
    {
        (ulong value, bool isNegative) = Number();
        return unchecked((int)(isNegative ? 0 - value : value)).ToString(CultureInfo.InvariantCulture);
    }
}
