using System.Globalization;

namespace Tracer.Symbols;

/// <summary>Types.</summary>
internal sealed partial class MicrosoftDemangler
{
    private const int MaximumDimensions = 64;

    /// <summary>Where const and volatile of a type are written.</summary>
    private enum Qualifying
    {
        /// <summary>Nowhere: parameters do not have any.</summary>
        Dropped,

        /// <summary>Always, before the type.</summary>
        Spelled,

        /// <summary>Behind "?", if there are any: results.</summary>
        Optional,
    }

    private TypeText Type(Qualifying qualifying)
    {
        if (!Enter())
        {
            Leave();
            return new TypeText("", "");
        }

        string qualifiers = "";
        if (qualifying == Qualifying.Spelled || (qualifying == Qualifying.Optional && Take('?')))
        {
            qualifiers = Qualifiers(out _);
        }

        TypeText type = Unqualified();
        Leave();
        return Qualify(type, qualifiers);
    }

    /// <summary>Puts qualifiers behind a type that does not have them yet.</summary>
    private TypeText Qualify(TypeText type, string qualifiers)
    {
        foreach (string word in qualifiers.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            int star = type.Kind == TypeKind.Pointer ? type.Left.LastIndexOfAny(['*', '&']) : type.Left.Length;
            if (!type.Left.AsSpan(Math.Min(star + 1, type.Left.Length)).Contains(word, StringComparison.Ordinal))
            {
                type = type with { Left = Written((type.Left is [.., '*' or '&'] ? type.Left : type.Left + " ") + word) };
            }
        }

        return type;
    }

    private TypeText Unqualified()
    {
        if (Take("$$T"))
        {
            return new TypeText("std::nullptr_t", "");
        }

        if (Take("$$A6"))
        {
            return FunctionType("");
        }

        if (Take("$$A8@@"))
        {
            return FunctionType(MemberQualifiers());
        }

        if (Take("$$C"))
        {
            return Type(Qualifying.Spelled);
        }

        if (Take("$$BY"))
        {
            return ArrayType();
        }

        switch (Next)
        {
            case 'T':
                return TagType("union ", 1);
            case 'U':
                return TagType("struct ", 1);
            case 'V':
                return TagType("class ", 1);
            case 'W':
                return TagType("enum ", 2);
            case 'A' or 'P' or 'Q' or 'R' or 'S' or '$':
                return Pointer();
            case 'Y':
                _at++;
                return ArrayType();
            case '?':
                _at++;
                return new TypeText(TypeName().Full, "");
            default:
                return new TypeText(Primitive(), "");
        }
    }

    private TypeText TagType(string word, int letters)
    {
        if (letters == 2 && !(_at + 1 < text.Length && text[_at + 1] is >= '0' and <= '7'))
        {
            Fail();
            return new TypeText("", "");
        }

        _at += letters;
        return new TypeText(Written(word + TypeName().Full), "");
    }

    /// <summary>A or B, C, D: none, const, volatile, both; Q to T the same of a member.</summary>
    private string Qualifiers(out bool isMember)
    {
        char letter = TakeAny();
        isMember = letter is >= 'Q' and <= 'T';
        switch (letter)
        {
            case 'A' or 'Q':
                return "";
            case 'B' or 'R':
                return "const";
            case 'C' or 'S':
                return "volatile";
            case 'D' or 'T':
                return "const volatile";
            default:
                Fail();
                return "";
        }
    }

    private TypeText Pointer()
    {
        string star;
        string qualifiers = "";
        if (Take("$$Q"))
        {
            star = "&&";
        }
        else if (Take("$$R"))
        {
            (star, qualifiers) = ("&&", "volatile");
        }
        else
        {
            char letter = TakeAny();
            star = letter is 'A' or 'B' ? "&" : "*";
            qualifiers = letter switch
            {
                'Q' => "const",
                'R' => "volatile",
                'S' => "const volatile",
                'A' or 'P' => "",
                _ => "\0",
            };
            if (qualifiers == "\0")
            {
                Fail();
                return new TypeText("", "");
            }
        }

        if (Take('6'))
        {
            return PointerTo(FunctionType(""), "", "", star, qualifiers);
        }

        if (Take('8'))
        {
            string owner = TypeName().Full;
            return PointerTo(FunctionType(MemberQualifiers()), owner, "", star, qualifiers);
        }

        string before = "";
        for (; Next is 'E' or 'I' or 'F'; _at++)
        {
            // E is __ptr64, which nobody writes.
            if (Next == 'I')
            {
                qualifiers += qualifiers.Length > 0 ? " __restrict" : "__restrict";
            }
            else if (Next == 'F')
            {
                before = "__unaligned ";
            }
        }

        string ofTarget = Qualifiers(out bool isMember);
        string memberOf = isMember ? TypeName().Full : "";
        TypeText target = Qualify(Type(Qualifying.Dropped), ofTarget);
        return PointerTo(target, memberOf, before, star, qualifiers);
    }

    private TypeText PointerTo(TypeText target, string memberOf, string before, string star, string qualifiers)
    {
        string inside = before
            + (target.Kind == TypeKind.Function ? "(" + target.Convention + " " : target.Kind == TypeKind.Array ? "(" : "")
            + (memberOf.Length > 0 ? memberOf + "::" : "")
            + star + qualifiers;
        return new TypeText(
            Written((target.Kind == TypeKind.Function && target.Left.Length > 0 ? target.Left + " " : Spaced(target.Left)) + inside),
            Written(target.Kind is TypeKind.Array or TypeKind.Function ? ")" + target.Right : target.Right),
            TypeKind.Pointer);
    }

    private TypeText ArrayType()
    {
        (ulong dimensions, bool isNegative) = Number();
        if (isNegative || dimensions is 0 or > MaximumDimensions)
        {
            Fail();
            return new TypeText("", "");
        }

        string lengths = "";
        for (ulong i = 0; i < dimensions && !_hasFailed; i++)
        {
            (ulong length, _) = Number();
            lengths += "[" + (length == 0 ? "" : length.ToString(CultureInfo.InvariantCulture)) + "]";
        }

        string qualifiers = Take("$$C") ? Qualifiers(out _) : "";
        TypeText element = Qualify(Type(Qualifying.Dropped), qualifiers);
        return new TypeText(element.Left, Written(lengths + element.Right), TypeKind.Array);
    }

    private TypeText FunctionType(string memberQualifiers)
    {
        if (!Enter())
        {
            Leave();
            return new TypeText("", "");
        }

        string convention = Convention();
        TypeText result = Take('@') ? new TypeText("", "") : Type(Qualifying.Optional);
        string parameters = Parameters();
        string noexcept = ExceptionSpecification();
        Leave();
        return new TypeText(
            result.Left, Written("(" + parameters + ")" + memberQualifiers + noexcept + result.Right), TypeKind.Function, convention);
    }

    /// <summary>What stands behind the parameters of a member function: const, volatile, __restrict, &amp;.</summary>
    private string MemberQualifiers()
    {
        string text = "";
        string reference = "";
        string unaligned = "";
        for (; Next is 'E' or 'I' or 'F' or 'G' or 'H'; _at++)
        {
            switch (Next)
            {
                case 'I':
                    text += " __restrict";
                    break;
                case 'F':
                    unaligned = " __unaligned";
                    break;
                case 'G':
                    reference = " &";
                    break;
                case 'H':
                    reference = " &&";
                    break;
            }
        }

        string qualifiers = Qualifiers(out _);
        return (qualifiers.Length > 0 ? " " + qualifiers : "") + text + unaligned + reference;
    }

    private string Convention()
    {
        switch (TakeAny())
        {
            case 'A' or 'B':
                return "__cdecl";
            case 'C' or 'D':
                return "__pascal";
            case 'E' or 'F':
                return "__thiscall";
            case 'G' or 'H':
                return "__stdcall";
            case 'I' or 'J':
                return "__fastcall";
            case 'M' or 'N':
                return "__clrcall";
            case 'O' or 'P':
                return "__eabi";
            case 'Q':
                return "__vectorcall";
            case 'S':
                return "__attribute__((__swiftcall__)) ";
            case 'W':
                return "__attribute__((__swiftasynccall__)) ";
            case 'w':
                return "__regcall";
            default:
                Fail();
                return "";
        }
    }

    private string Parameters()
    {
        if (Take('X'))
        {
            return "void";
        }

        List<string> parameters = [];
        while (!_hasFailed && Next is not ('@' or 'Z'))
        {
            if (char.IsAsciiDigit(Next))
            {
                int index = TakeAny() - '0';
                if (index >= _types.Count)
                {
                    Fail();
                    break;
                }

                parameters.Add(Written(_types[index].Whole));
                continue;
            }

            int start = _at;
            TypeText type = Type(Qualifying.Dropped);
            if (_at - start > 1 && _types.Count < MaximumReferences)
            {
                _types.Add(type);
            }

            parameters.Add(type.Whole);
        }

        if (Take('Z'))
        {
            parameters.Add("...");
        }
        else
        {
            Require('@');
        }

        return Written(string.Join(", ", parameters));
    }

    private string ExceptionSpecification()
    {
        if (Take("_E"))
        {
            return " noexcept";
        }

        Require('Z');
        return "";
    }

    private string Primitive()
    {
        char letter = TakeAny();
        string name = letter == '_' ? ExtendedPrimitive(TakeAny()) : letter switch
        {
            'X' => "void",
            'D' => "char",
            'C' => "signed char",
            'E' => "unsigned char",
            'F' => "short",
            'G' => "unsigned short",
            'H' => "int",
            'I' => "unsigned int",
            'J' => "long",
            'K' => "unsigned long",
            'M' => "float",
            'N' => "double",
            'O' => "long double",
            _ => "",
        };
        if (name.Length == 0)
        {
            Fail();
        }

        return name;
    }

    private static string ExtendedPrimitive(char letter) => letter switch
    {
        'D' => "__int8",
        'E' => "unsigned __int8",
        'F' => "__int16",
        'G' => "unsigned __int16",
        'H' => "__int32",
        'I' => "unsigned __int32",
        'J' => "__int64",
        'K' => "unsigned __int64",
        'L' => "__int128",
        'M' => "unsigned __int128",
        'N' => "bool",
        'P' => "auto",
        'Q' => "char8_t",
        'S' => "char16_t",
        'T' => "decltype(auto)",
        'U' => "char32_t",
        'W' => "wchar_t",
        _ => "",
    };
}
