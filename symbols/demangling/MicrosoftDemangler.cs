using System.Globalization;

namespace Tracer.Symbols;

/// <summary>
/// Reads one decorated name of Microsoft's C++ ABI. No published grammar exists: what is known comes from compilers, from undname and
/// from LLVM's MicrosoftMangle documentation. Here: the cursor, the budget, and what is remembered for back references.
/// </summary>
/// <remarks>
/// <code>
/// ?f@H@ns@@YAHH@Z
///  ^ ^ ^  ^^^^^^ no exception specification ("Z")
///  | | |  |||| + parameters: int, end
///  | | |  |||+ returns int
///  | | |  ||+ __cdecl
///  | | |  |+ a free function
///  name, then its scopes from the innermost out, ended by "@"
/// </code>
/// A fault does not throw: the cursor is put at the end, where nothing is found any more, and the whole name counts as unknown.
/// </remarks>
internal sealed partial class MicrosoftDemangler(string text)
{
    /// <summary>Ten names and ten types can be referred back to, by one digit.</summary>
    private const int MaximumReferences = 10;

    /// <summary>Calls inside calls; a sound name of 4,096 letters has some dozens.</summary>
    private const int MaximumDepth = 128;

    /// <summary>Letters written in all, results that are only parts of others included: back references can double at each step.</summary>
    private const int MaximumWork = 1 << 20;

    private List<NamePiece> _names = [];
    private List<TypeText> _types = [];
    private int _at;
    private int _depth;
    private int _work;
    private bool _hasFailed;

    private char Next => _at < text.Length ? text[_at] : '\0';

    /// <summary>Both forms of the name; null if it is none that is known.</summary>
    public static DemangledText? Demangle(string decorated)
    {
        // A linker's or optimizer's suffix, such as ".cold" or ".llvm.123", is no part of the name. In string literals a dot is encoded.
        int suffix = decorated.IndexOf('.');
        var demangler = new MicrosoftDemangler(suffix > 0 ? decorated[..suffix] : decorated);
        DemangledText symbol = demangler.Symbol();
        return demangler._hasFailed || demangler._at < demangler.Length
            ? null
            : suffix > 0 ? new DemangledText($"{symbol.Full} ({decorated[suffix..]})", symbol.Short) : symbol;
    }

    private int Length => text.Length;

    private bool Take(char letter)
    {
        if (Next != letter || letter == '\0')
        {
            return false;
        }

        _at++;
        return true;
    }

    private bool Take(string letters)
    {
        if (!Sees(letters))
        {
            return false;
        }

        _at += letters.Length;
        return true;
    }

    private bool Sees(string letters) => text.AsSpan(_at).StartsWith(letters, StringComparison.Ordinal);

    private char TakeAny()
    {
        char letter = Next;
        if (letter == '\0')
        {
            Fail();
        }
        else
        {
            _at++;
        }

        return letter;
    }

    private void Require(char letter)
    {
        if (!Take(letter))
        {
            Fail();
        }
    }

    private void Fail()
    {
        _hasFailed = true;
        _at = text.Length;
    }

    /// <summary>Counts what was written, so that it stays bounded.</summary>
    private string Written(string result)
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
    private bool Enter()
    {
        _depth++;
        if (_depth > MaximumDepth)
        {
            Fail();
        }

        return !_hasFailed;
    }

    private void Leave() => _depth--;

    /// <summary>A blank where the text so far ends in a word.</summary>
    private static string Spaced(string left) =>
        left.Length > 0 && (char.IsAsciiLetterOrDigit(left[^1]) || left[^1] is '>' or '_' or '\'') ? left + " " : left;

    /// <summary>
    /// A number: "?" for a minus; then a digit for 1 to 10, or hexadecimal digits written as A to P and ended by "@".
    /// </summary>
    private (ulong Value, bool IsNegative) Number()
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

    private string NumberText()
    {
        (ulong value, bool isNegative) = Number();
        return (isNegative ? "-" : "") + value.ToString(CultureInfo.InvariantCulture);
    }

    /// <summary>A number of 32 bits whose sign is its highest bit.</summary>
    private string SignedNumberText()
    {
        (ulong value, bool isNegative) = Number();
        return unchecked((int)(isNegative ? 0 - value : value)).ToString(CultureInfo.InvariantCulture);
    }

    /// <summary>One part of a qualified name, in both forms; behind a fault, nothing.</summary>
    private readonly struct NamePiece(string full, string brief)
    {
        private readonly string? _full = full;
        private readonly string? _brief = brief;

        public NamePiece(string both)
            : this(both, both)
        {
        }

        public string Full => _full ?? "";

        public string Short => _brief ?? "";
    }

    /// <summary>
    /// A type as it stands around the name that it is for: <c>int (*</c> and <c>)[3]</c>. What is between a function's result and its
    /// parameters is kept apart, because a pointer to it takes the convention into its parentheses.
    /// </summary>
    private sealed record TypeText(string Left, string Right, TypeKind Kind = TypeKind.Plain, string Convention = "")
    {
        /// <summary>The type by itself.</summary>
        public string Whole => (Kind == TypeKind.Function ? Left + (Left.Length > 0 ? " " : "") + Convention : Left) + Right;
    }

    private enum TypeKind
    {
        Plain,
        Pointer,
        Array,
        Function,
    }
}
