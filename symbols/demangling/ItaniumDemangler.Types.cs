namespace Tracer.Symbols;

/// <summary>Types.</summary>
internal sealed partial class ItaniumDemangler
{
    private static string? Builtin(char letter) => letter switch
    {
        'v' => "void",
        'w' => "wchar_t",
        'b' => "bool",
        'c' => "char",
        'a' => "signed char",
        'h' => "unsigned char",
        's' => "short",
        't' => "unsigned short",
        'i' => "int",
        'j' => "unsigned int",
        'l' => "long",
        'm' => "unsigned long",
        'x' => "long long",
        'y' => "unsigned long long",
        'n' => "__int128",
        'o' => "unsigned __int128",
        'f' => "float",
        'd' => "double",
        'e' => "long double",
        'g' => "__float128",
        'z' => "...",
        _ => null,
    };

    private static string? ExtendedBuiltin(char letter) => letter switch
    {
        'd' => "decimal64",
        'e' => "decimal128",
        'f' => "decimal32",
        'h' => "half",
        'i' => "char32_t",
        's' => "char16_t",
        'u' => "char8_t",
        'a' => "auto",
        'c' => "decltype(auto)",
        'n' => "std::nullptr_t",
        _ => null,
    };

    private ItaniumNode Type()
    {
        if (!Enter())
        {
            return Leave(Nothing);
        }

        if (Builtin(Next) is { } builtin)
        {
            _at++;
            return Leave(new TextNode(builtin));
        }

        bool isRemembered = true;
        ItaniumNode type = TypeToRemember(ref isRemembered);
        return Leave(isRemembered ? Remember(type) : type);
    }

    private ItaniumNode TypeToRemember(ref bool isRemembered)
    {
        switch (Next)
        {
            case 'r' or 'V' or 'K':
                int after = 0;
                while (Ahead(after) is 'r' or 'V' or 'K')
                {
                    after++;
                }

                return Ahead(after) == 'F' || (Ahead(after) == 'D' && Ahead(after + 1) is 'o' or 'O' or 'w' or 'x')
                    ? FunctionType()
                    : QualifiedType();
            case 'U':
                return QualifiedType();
            case 'u':
                return VendorType();
            case 'D':
                return TypeOfD(ref isRemembered);
            case 'F':
                return FunctionType();
            case 'A':
                return ArrayType();
            case 'M':
                _at++;
                ItaniumNode owner = Type();
                return new MemberPointerNode(owner, Type());
            case 'T' when Ahead(1) is 's' or 'u' or 'e':
                string word = Ahead(1) switch { 's' => "struct ", 'u' => "union ", _ => "enum " };
                _at += 2;
                return new AffixedTypeNode(word, Name(null), "", null);
            case 'T':
                ItaniumNode parameter = TemplateParameter();
                if (Next != 'I' || (_permitsForward && !IsTypeBehindArguments()))
                {
                    return parameter;
                }

                Remember(parameter);
                return new TemplateNode(parameter, TemplateArguments(isOfSymbol: false));
            case 'P':
                _at++;
                return new PointerNode(Type());
            case 'R':
                _at++;
                return new ReferenceNode(Type(), isRvalue: false);
            case 'O':
                _at++;
                return new ReferenceNode(Type(), isRvalue: true);
            case 'C':
                _at++;
                return new AffixedTypeNode("", Type(), " complex", null);
            case 'G':
                _at++;
                return new AffixedTypeNode("", Type(), " imaginary", null);
            case 'S' when Ahead(1) != 't':
                return SubstitutedType(ref isRemembered);
            default:
                return Name(null);
        }
    }

    /// <summary>
    /// In the type of a conversion operator, arguments may belong to the template parameter or to the operator itself: "cvT_I..E" can be
    /// "operator T_&lt;...&gt;" or "operator T_" with arguments of its own. It is the former if more arguments follow.
    /// </summary>
    private bool IsTypeBehindArguments()
    {
        (int at, int count, int depth, int nodes) = (_at, _substitutions.Count, _depth, _nodes);
        _ = TemplateArguments(isOfSymbol: false);
        bool isType = !_hasFailed && Next == 'I';
        _substitutions.RemoveRange(Math.Min(count, _substitutions.Count), Math.Max(0, _substitutions.Count - count));
        (_at, _depth, _hasFailed) = (at, depth, _nodes > MaximumNodes);
        _nodes = Math.Max(_nodes, nodes);
        return isType;
    }

    private ItaniumNode SubstitutedType(ref bool isRemembered)
    {
        ItaniumNode known = Substitution();
        if (Next == 'I' && (!_permitsForward || IsTypeBehindArguments()))
        {
            return new TemplateNode(known, TemplateArguments(isOfSymbol: false));
        }

        isRemembered = false;
        return known;
    }

    private ItaniumNode QualifiedType()
    {
        if (!Enter())
        {
            return Leave(Nothing);
        }

        if (Take('U'))
        {
            string word = SourceText();
            if (word.StartsWith("objcproto", StringComparison.Ordinal))
            {
                return Leave(new AffixedTypeNode("", QualifiedType(), "<" + ProtocolOf(word) + ">", null));
            }

            ItaniumNode? arguments = Next == 'I' ? TemplateArguments(isOfSymbol: false) : null;
            ItaniumNode inner = QualifiedType();
            return Leave(arguments is null
                ? new AffixedTypeNode("", inner, " " + word, null)
                : new AffixedTypeNode("", inner, " " + word, arguments));
        }

        string qualifiers = ConstVolatile();
        ItaniumNode type = Type();
        return Leave(qualifiers.Length > 0 ? new QualifiedTypeNode(type, qualifiers) : type);
    }

    /// <summary>"objcproto" and a source name of its own.</summary>
    private static string ProtocolOf(string word) => word["objcproto".Length..].TrimStart("0123456789".ToCharArray());

    private ItaniumNode VendorType()
    {
        Require('u');
        string name = SourceText();
        if (!Take('I'))
        {
            return new TextNode(name);
        }

        ItaniumNode type = Type();
        Require('E');
        return new AffixedTypeNode(name + "(", type, ")", null);
    }

    private ItaniumNode TypeOfD(ref bool isRemembered)
    {
        if (ExtendedBuiltin(Ahead(1)) is { } builtin)
        {
            _at += 2;
            isRemembered = false;
            return new TextNode(builtin);
        }

        switch (Ahead(1))
        {
            case 'F':
                _at += 2;
                isRemembered = false;
                string bits = Digits();
                if (bits.Length == 0)
                {
                    return Fail();
                }

                Require('_');
                return new TextNode("_Float" + bits);
            case 'B' or 'U':
                bool isSigned = Ahead(1) == 'B';
                _at += 2;
                isRemembered = false;
                ItaniumNode size = char.IsAsciiDigit(Next) ? new TextNode(Digits()) : Expression();
                Require('_');
                return new AffixedTypeNode(isSigned ? "_BitInt(" : "unsigned _BitInt(", size, ")", null);
            case 't' or 'T':
                return Decltype();
            case 'v':
                return VectorType();
            case 'p':
                _at += 2;
                return new ExpansionNode(Type());
            case 'o' or 'O' or 'w' or 'x':
                return FunctionType();
            default:
                return Name(null);
        }
    }

    private AffixedTypeNode Decltype()
    {
        _at += 2;
        ItaniumNode expression = Expression();
        Require('E');
        return new AffixedTypeNode("decltype(", expression, ")", null);
    }

    private AffixedTypeNode VectorType()
    {
        _at += 2;
        if (Next is >= '1' and <= '9')
        {
            TextNode count = new(Digits());
            Require('_');
            if (Take('p'))
            {
                return new AffixedTypeNode("pixel vector[", count, "]", null);
            }

            return new AffixedTypeNode("", Type(), " vector[", new AffixedTypeNode("", count, "]", null));
        }

        if (!Take('_'))
        {
            ItaniumNode expression = Expression();
            Require('_');
            return new AffixedTypeNode("", Type(), " vector[", new AffixedTypeNode("", expression, "]", null));
        }

        return new AffixedTypeNode("", Type(), " vector[]", null);
    }

    private FunctionTypeNode FunctionType()
    {
        string qualifiers = ConstVolatile();
        ItaniumNode? exceptions = null;
        if (Take("Do"))
        {
            exceptions = new TextNode("noexcept");
        }
        else if (Take("DO"))
        {
            exceptions = new AffixedTypeNode("noexcept(", Expression(), ")", null);
            Require('E');
        }
        else if (Take("Dw"))
        {
            List<ItaniumNode> types = [];
            while (!_hasFailed && !Take('E'))
            {
                types.Add(Type());
            }

            exceptions = new AffixedTypeNode("throw(", new ArgumentPackNode([.. types]), ")", null);
        }

        Take("Dx");
        Require('F');
        Take('Y');
        ItaniumNode result = Type();
        List<ItaniumNode> parameters = [];
        string reference = "";
        while (!_hasFailed && !Take('E'))
        {
            if (Take('v'))
            {
                continue;
            }

            if (Take("RE"))
            {
                reference = " &";
                break;
            }

            if (Take("OE"))
            {
                reference = " &&";
                break;
            }

            parameters.Add(Type());
        }

        return new FunctionTypeNode(result, [.. parameters], qualifiers + reference, exceptions);
    }

    private ArrayNode ArrayType()
    {
        Require('A');
        ItaniumNode? length = null;
        if (char.IsAsciiDigit(Next))
        {
            length = new TextNode(Digits());
            Require('_');
        }
        else if (!Take('_'))
        {
            length = Expression();
            Require('_');
        }

        return new ArrayNode(Type(), length);
    }
}
