using System.Globalization;
using System.Runtime.CompilerServices;

namespace Tracer.Symbols;

/// <summary>
/// Reads one name of the Itanium C++ ABI ("5.1 External Names" there) into a tree. Here: the cursor, the bounds, and what is remembered for
/// back references. A fault does not throw: the cursor is put at the end, where nothing is found any more, and the name counts as unknown.
/// </summary>
internal sealed partial class ItaniumDemangler
{
    /// <summary>Steps inside steps; real names have up to some hundred.</summary>
    private const int MaximumDepth = 256;

    private const int MaximumNodes = 1 << 17;

    private readonly string _text;
    private readonly List<ItaniumNode> _substitutions = [];

    /// <summary>Template arguments by level: of the name itself first, then of lambdas inside it.</summary>
    private List<List<ItaniumNode>> _levels = [];

    private readonly List<ForwardNode> _forwards = [];
    private int _at;
    private int _depth;
    private int _nodes;
    private bool _hasFailed;
    private bool _permitsForward;
    private int _lambdaLevel = -1;
    private readonly int[] _declared = new int[3];

    private ItaniumDemangler(string text) => _text = text;

    private char Next => _at < _text.Length ? _text[_at] : '\0';

    /// <summary>Both forms of the name; null if it is none that is known.</summary>
    public static DemangledText? Demangle(string decorated)
    {
        var demangler = new ItaniumDemangler(decorated);
        demangler._at = decorated.IndexOf('Z') + 1;
        ItaniumNode? node = demangler.Encoding();
        string suffix = "";
        if (demangler.Next == '.' && !demangler._hasFailed)
        {
            suffix = decorated[demangler._at..];
            demangler._at = decorated.Length;
        }

        if (node is null || demangler._hasFailed || demangler._at < decorated.Length)
        {
            return null;
        }

        ItaniumWriter full = new(isShort: false);
        full.Write(node);
        ItaniumWriter brief = new(isShort: true);
        brief.Write(node);
        return full.HasFailed || brief.HasFailed
            ? null
            : new DemangledText(suffix.Length > 0 ? $"{full} ({suffix})" : full.ToString(), brief.ToString());
    }

    private char Ahead(int letters) => _at + letters < _text.Length ? _text[_at + letters] : '\0';

    private bool Sees(string letters) => _text.AsSpan(_at).StartsWith(letters, StringComparison.Ordinal);

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

    private void Require(char letter)
    {
        if (!Take(letter))
        {
            Fail();
        }
    }

    private ItaniumNode Fail()
    {
        _hasFailed = true;
        _at = _text.Length;
        return Nothing;
    }

    private static ItaniumNode Nothing { get; } = new TextNode("");

    /// <summary>Begins a step that may hold others of its kind. Each is ended by <see cref="Leave"/>.</summary>
    private bool Enter()
    {
        if (++_depth > MaximumDepth || ++_nodes > MaximumNodes || !RuntimeHelpers.TryEnsureSufficientExecutionStack())
        {
            Fail();
        }

        return !_hasFailed;
    }

    private T Leave<T>(T result)
    {
        _depth--;
        return result;
    }

    private ItaniumNode Remember(ItaniumNode node)
    {
        _substitutions.Add(node);
        return node;
    }

    /// <summary>Digits.</summary>
    private string Digits(bool isSigned = false)
    {
        int start = _at;
        if (isSigned)
        {
            Take('n');
        }

        while (char.IsAsciiDigit(Next))
        {
            _at++;
        }

        return _text[start.._at];
    }

    private int Count()
    {
        string digits = Digits();
        if (int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out int count))
        {
            return count;
        }

        Fail();
        return 0;
    }

    /// <summary>Nothing for 0, or a number plus one, then "_".</summary>
    private int Index(int radix)
    {
        if (Take('_'))
        {
            return 0;
        }

        long value = 0;
        bool hasDigits = false;
        for (; char.IsAsciiDigit(Next) || (radix == 36 && char.IsAsciiLetterUpper(Next)); _at++)
        {
            hasDigits = true;
            value = Math.Min((value * radix) + (char.IsAsciiDigit(Next) ? Next - '0' : Next - 'A' + 10), int.MaxValue);
        }

        Require('_');
        if (!hasDigits)
        {
            Fail();
        }

        return (int)Math.Min(value + 1, int.MaxValue);
    }

    private ItaniumNode Substitution()
    {
        Require('S');
        switch (Next)
        {
            case 'a':
                return Standard("std::allocator", "std::allocator");
            case 'b':
                return Standard("std::basic_string", "std::basic_string");
            case 's':
                return Standard("std::string", "std::basic_string<char, std::char_traits<char>, std::allocator<char>>");
            case 'i':
                return Standard("std::istream", "std::basic_istream<char, std::char_traits<char>>");
            case 'o':
                return Standard("std::ostream", "std::basic_ostream<char, std::char_traits<char>>");
            case 'd':
                return Standard("std::iostream", "std::basic_iostream<char, std::char_traits<char>>");
        }

        int index = Index(36);
        return index < _substitutions.Count && !_hasFailed ? _substitutions[index] : Fail();
    }

    private ItaniumNode Standard(string name, string full)
    {
        _at++;
        ItaniumNode node = new StandardNode(name, full);
        ItaniumNode tagged = Tags(node);
        return ReferenceEquals(node, tagged) ? node : Remember(tagged);
    }
}
