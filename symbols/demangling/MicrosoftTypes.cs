namespace Tracer.Symbols;

/// <summary>Types: what stands before and behind the name that they are for.</summary>
internal sealed class MicrosoftTypes(MicrosoftCursor cursor, MicrosoftDemangler demangler)
{
    private const int MaximumDimensions = 64;

    public TypeText Type(Qualifying qualifying)
    {
        if (!cursor.Enter())
        {
            cursor.Leave();
            return new TypeText("", "");
        }

        string qualifiers = "";
        if (qualifying == Qualifying.Spelled || (qualifying == Qualifying.Optional && cursor.Take('?')))
        {
            qualifiers = Qualifiers(out _);
        }

        TypeText type = Unqualified();
        cursor.Leave();
        return Qualify(type, qualifiers);
    }

    /// <summary>Puts qualifiers behind a type that does not have them yet.</summary>
    public TypeText Qualify(TypeText type, string qualifiers)
    {
        foreach (string word in qualifiers.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            int star = type.Kind == TypeKind.Pointer ? type.Left.LastIndexOfAny(['*', '&']) : type.Left.Length;
            if (!type.Left.AsSpan(Math.Min(star + 1, type.Left.Length)).Contains(word, StringComparison.Ordinal))
            {
                type = type with { Left = cursor.Written((type.Left is [.., '*' or '&'] ? type.Left : type.Left + " ") + word) };
            }
        }

        return type;
    }

    private TypeText Unqualified()
    {
        if (cursor.Take("$$T"))
        {
            return new TypeText("std::nullptr_t", "");
        }

        if (cursor.Take("$$A6"))
        {
            return FunctionType("");
        }

        if (cursor.Take("$$A8@@"))
        {
            return FunctionType(MemberQualifiers());
        }

        if (cursor.Take("$$C"))
        {
            return Type(Qualifying.Spelled);
        }

        if (cursor.Take("$$BY"))
        {
            return ArrayType();
        }

        switch (cursor.Next)
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
                cursor.At++;
                return ArrayType();
            case '?':
                cursor.At++;
                return new TypeText(demangler.Names.TypeName().Full, "");
            default:
                return new TypeText(Primitive(), "");
        }
    }

    private TypeText TagType(string word, int letters)
    {
        if (letters == 2 && !(cursor.At + 1 < cursor.Text.Length && cursor.Text[cursor.At + 1] is >= '0' and <= '7'))
        {
            cursor.Fail();
            return new TypeText("", "");
        }

        cursor.At += letters;
        return new TypeText(cursor.Written(word + demangler.Names.TypeName().Full), "");
    }

    /// <summary>A or B, C, D: none, const, volatile, both; Q to T the same of a member.</summary>
    public string Qualifiers(out bool isMember)
    {
        char letter = cursor.TakeAny();
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
                cursor.Fail();
                return "";
        }
    }

    private TypeText Pointer()
    {
        string star;
        string qualifiers = "";
        if (cursor.Take("$$Q"))
        {
            star = "&&";
        }
        else if (cursor.Take("$$R"))
        {
            (star, qualifiers) = ("&&", "volatile");
        }
        else
        {
            char letter = cursor.TakeAny();
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
                cursor.Fail();
                return new TypeText("", "");
            }
        }

        if (cursor.Take('6'))
        {
            return PointerTo(FunctionType(""), "", "", star, qualifiers);
        }

        if (cursor.Take('8'))
        {
            string owner = demangler.Names.TypeName().Full;
            return PointerTo(FunctionType(MemberQualifiers()), owner, "", star, qualifiers);
        }

        string before = "";
        for (; cursor.Next is 'E' or 'I' or 'F'; cursor.At++)
        {
            // E is __ptr64, which nobody writes.
            if (cursor.Next == 'I')
            {
                qualifiers += qualifiers.Length > 0 ? " __restrict" : "__restrict";
            }
            else if (cursor.Next == 'F')
            {
                before = "__unaligned ";
            }
        }

        string ofTarget = Qualifiers(out bool isMember);
        string memberOf = isMember ? demangler.Names.TypeName().Full : "";
        TypeText target = Qualify(Type(Qualifying.Dropped), ofTarget);
        return PointerTo(target, memberOf, before, star, qualifiers);
    }

    private TypeText PointerTo(TypeText target, string memberOf, string before, string star, string qualifiers)
    {
        string inside = before
            + (target.Kind == TypeKind.Function ? "(" + target.Convention + " " : target.Kind == TypeKind.Array ? "(" : "")
            + (memberOf.Length > 0 ? memberOf + "::" : "")
            + star + qualifiers;
        string left = target.Kind == TypeKind.Function && target.Left.Length > 0 ? target.Left + " " : MicrosoftCursor.Spaced(target.Left);
        return new TypeText(
            cursor.Written(left + inside),
            cursor.Written(target.Kind is TypeKind.Array or TypeKind.Function ? ")" + target.Right : target.Right),
            TypeKind.Pointer);
    }

    private TypeText ArrayType()
    {
        (ulong dimensions, bool isNegative) = cursor.Number();
        if (isNegative || dimensions is 0 or > MaximumDimensions)
        {
            cursor.Fail();
            return new TypeText("", "");
        }

        string lengths = "";
        for (ulong i = 0; i < dimensions && !cursor.HasFailed; i++)
        {
            (ulong length, _) = cursor.Number();
            lengths += "[" + (length == 0 ? "" : length.ToString(CultureInfo.InvariantCulture)) + "]";
        }

        string qualifiers = cursor.Take("$$C") ? Qualifiers(out _) : "";
        TypeText element = Qualify(Type(Qualifying.Dropped), qualifiers);
        return new TypeText(element.Left, cursor.Written(lengths + element.Right), TypeKind.Array);
    }

    private TypeText FunctionType(string memberQualifiers)
    {
        if (!cursor.Enter())
        {
            cursor.Leave();
            return new TypeText("", "");
        }

        string convention = Convention();
        TypeText result = cursor.Take('@') ? new TypeText("", "") : Type(Qualifying.Optional);
        string parameters = Parameters();
        string noexcept = ExceptionSpecification();
        cursor.Leave();
        return new TypeText(
            result.Left,
            cursor.Written("(" + parameters + ")" + memberQualifiers + noexcept + result.Right),
            TypeKind.Function,
            convention);
    }

    /// <summary>What stands behind the parameters of a member function: const, volatile, __restrict, &amp;.</summary>
    public string MemberQualifiers()
    {
        string suffix = "";
        string reference = "";
        string unaligned = "";
        for (; cursor.Next is 'E' or 'I' or 'F' or 'G' or 'H'; cursor.At++)
        {
            switch (cursor.Next)
            {
                case 'I':
                    suffix += " __restrict";
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
        return (qualifiers.Length > 0 ? " " + qualifiers : "") + suffix + unaligned + reference;
    }

    public string Convention()
    {
        switch (cursor.TakeAny())
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
                cursor.Fail();
                return "";
        }
    }

    public string Parameters()
    {
        if (cursor.Take('X'))
        {
            return "void";
        }

        List<string> parameters = [];
        while (!cursor.HasFailed && cursor.Next is not ('@' or 'Z'))
        {
            if (char.IsAsciiDigit(cursor.Next))
            {
                int index = cursor.TakeAny() - '0';
                if (index >= cursor.Types.Count)
                {
                    cursor.Fail();
                    break;
                }

                parameters.Add(cursor.Written(cursor.Types[index].Whole));
                continue;
            }

            int start = cursor.At;
            TypeText type = Type(Qualifying.Dropped);
            if (cursor.At - start > 1 && cursor.Types.Count < MicrosoftCursor.MaximumReferences)
            {
                cursor.Types.Add(type);
            }

            parameters.Add(type.Whole);
        }

        if (cursor.Take('Z'))
        {
            parameters.Add("...");
        }
        else
        {
            cursor.Require('@');
        }

        return cursor.Written(string.Join(", ", parameters));
    }

    public string ExceptionSpecification()
    {
        if (cursor.Take("_E"))
        {
            return " noexcept";
        }

        cursor.Require('Z');
        return "";
    }

    private string Primitive()
    {
        char letter = cursor.TakeAny();
        string name = letter == '_' ? ExtendedPrimitive(cursor.TakeAny()) : letter switch
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
            cursor.Fail();
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
