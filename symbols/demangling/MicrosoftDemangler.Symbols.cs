namespace Tracer.Symbols;

/// <summary>Whole symbols: functions, variables, and what the compiler makes.</summary>
internal sealed partial class MicrosoftDemangler
{
    private static readonly string[] Access = ["private: ", "protected: ", "public: "];

    /// <summary>"?", a name, and what it is.</summary>
    private DemangledText Symbol()
    {
        if (!Enter())
        {
            Leave();
            return default;
        }

        Require('?');
        DemangledText symbol = MadeByCompiler() ?? Named();
        Leave();
        return symbol;
    }

    /// <summary>Symbols with an encoding of their own.</summary>
    private DemangledText? MadeByCompiler()
    {
        if (Take("?_7"))
        {
            return Table("`vftable'");
        }

        if (Take("?_8"))
        {
            return Table("`vbtable'");
        }

        if (Take("?_S"))
        {
            return Table("`local vftable'");
        }

        if (Take("?_R4"))
        {
            return Table("`RTTI Complete Object Locator'");
        }

        if (Take("?_R0"))
        {
            string type = Spaced(Type(Qualifying.Optional).Whole) + "`RTTI Type Descriptor'";
            Require('@');
            Require('8');
            return new DemangledText(type, type);
        }

        if (Take("?_R1"))
        {
            string[] numbers = [NumberText(), NumberText(), NumberText(), NumberText()];
            return Untyped($"`RTTI Base Class Descriptor at ({string.Join(", ", numbers)})'");
        }

        if (Take("?_R2"))
        {
            return Untyped("`RTTI Base Class Array'");
        }

        if (Take("?_R3"))
        {
            return Untyped("`RTTI Class Hierarchy Descriptor'");
        }

        if (Take("?_9"))
        {
            return VirtualCall();
        }

        if (Take("?_B"))
        {
            return Guard("`local static guard'");
        }

        if (Take("?__J"))
        {
            return Guard("`local static thread guard'");
        }

        if (Take("?_C@_"))
        {
            string literal = StringLiteral();
            return new DemangledText(literal, literal);
        }

        return Take("?__E") ? InitializerOf("`dynamic initializer for ")
            : Take("?__F") ? InitializerOf("`dynamic atexit destructor for ")
            : null;
    }

    private DemangledText Table(string kind)
    {
        NamePiece name = InScopes(new NamePiece(kind));
        if (!Take('6') && !Take('7'))
        {
            Fail();
            return default;
        }

        string qualifiers = Qualifiers(out _);
        List<string> targets = [];
        while (!_hasFailed && _at < text.Length && !Take('@'))
        {
            targets.Add("`" + TypeName().Full + "'");
        }

        string target = targets.Count == 0 ? "" : "{for " + string.Join("s ", targets) + "}";
        return new DemangledText(
            Written((qualifiers.Length > 0 ? qualifiers + " " : "") + name.Full + target), Written(name.Short + target));
    }

    private DemangledText Untyped(string kind)
    {
        NamePiece name = InScopes(new NamePiece(kind));
        Require('8');
        return new DemangledText(name.Full, name.Short);
    }

    private DemangledText VirtualCall()
    {
        NamePiece name = InScopes(default);
        if (!Take("$B"))
        {
            Fail();
        }

        string offset = NumberText();
        Require('A');
        string convention = Convention();
        string call = $"`vcall'{{{offset}, {{flat}}}}";
        return new DemangledText(Written($"[thunk]: {convention} {name.Full}{call}"), Written(name.Short + call));
    }

    private DemangledText Guard(string kind)
    {
        NamePiece name = InScopes(new NamePiece(kind));
        if (Take("4IA"))
        {
            return new DemangledText(name.Full, name.Short);
        }

        Require('5');
        string number = _at < text.Length ? NumberText() : "0";
        string suffix = number == "0" ? "" : "{" + number + "}";
        return new DemangledText(Written(name.Full + suffix), Written(name.Short + suffix));
    }

    private DemangledText InitializerOf(string kind)
    {
        NamePiece target;
        if (Next == '?')
        {
            // A static member, whose whole symbol stands here, ended by one "@" or two.
            DemangledText member = Symbol();
            target = new NamePiece("`" + member.Full, "'" + member.Short);
            Require('@');
            Take('@');
        }
        else
        {
            NamePiece variable = InScopes(LeafName().Piece);
            target = new NamePiece("'" + variable.Full, "'" + variable.Short);
        }

        NamePiece name = new(Written(kind + target.Full + "''"), Written(kind + target.Short + "''"));
        return Function(name, isConversion: false);
    }

    private DemangledText Named()
    {
        Leaf leaf = LeafName();
        List<NamePiece> scopes = Scopes();
        if (_hasFailed)
        {
            return default;
        }

        NamePiece piece = leaf.Piece;
        if (leaf.Kind is LeafKind.Constructor or LeafKind.Destructor)
        {
            if (scopes.Count == 0)
            {
                Fail();
                return default;
            }

            string prefix = leaf.Kind == LeafKind.Destructor ? "~" : "";
            piece = new NamePiece(prefix + scopes[0].Full + piece.Full, prefix + scopes[0].Short + piece.Short);
        }

        NamePiece name = Qualified(scopes, piece);
        return Next is >= '0' and <= '4' ? Variable(name) : Function(name, leaf.Kind == LeafKind.Conversion);
    }

    private DemangledText Variable(NamePiece name)
    {
        char kind = TakeAny();
        TypeText type = Type(Qualifying.Dropped);
        if (type.Kind == TypeKind.Pointer)
        {
            type = PointerVariable(type);
        }
        else
        {
            type = Qualify(type, Qualifiers(out _));
        }

        string access = kind <= '2' ? Access[kind - '0'] + "static " : "";
        string left = type.Kind == TypeKind.Function ? Spaced(type.Left) + type.Convention : type.Left;
        return new DemangledText(Written(access + Spaced(left) + name.Full + type.Right), name.Short);
    }

    /// <summary>
    /// Behind the type of a pointer variable stand, a second time, the pointer's __restrict and its target's qualifiers; of a pointer to a
    /// member also the class.
    /// </summary>
    private TypeText PointerVariable(TypeText type)
    {
        string restrict = "";
        for (; Next is 'E' or 'I' or 'F'; _at++)
        {
            restrict = Next == 'I' && !type.Left.EndsWith("__restrict", StringComparison.Ordinal) ? "__restrict" : restrict;
        }

        _ = Qualifiers(out bool isMember);
        if (isMember)
        {
            _ = TypeName();
        }

        return Qualify(type, restrict);
    }

    private DemangledText Function(NamePiece name, bool isConversion)
    {
        bool isExternC = Take("$$J0");

        // Managed code, and ARM64EC code, have no word of their own.
        _ = Take("$$F") || Take("$$H") || Take("$$h");
        if (Take('9'))
        {
            return new DemangledText(Written("extern \"C\" " + name.Full), name.Short);
        }

        string prefix = "";
        string adjustment = "";
        bool isMember = true;
        if (Take('$'))
        {
            bool isExtended = Take('R');
            int access = TakeAny() - '0';
            if (access is < 0 or > 5)
            {
                Fail();
                return default;
            }

            string[] numbers = new string[isExtended ? 4 : 2];
            for (int i = 0; i < numbers.Length; i++)
            {
                numbers[i] = SignedNumberText();
            }

            prefix = "[thunk]: " + Access[access / 2] + "virtual ";
            adjustment = (isExtended ? "`vtordispex{" : "`vtordisp{") + string.Join(", ", numbers) + "}'";
        }
        else
        {
            int letter = TakeAny() - 'A';
            if (letter is < 0 or > 'Z' - 'A')
            {
                Fail();
                return default;
            }

            // Eight letters for each access: plain, static, virtual and thunk, each near and far. Then the functions outside of classes.
            int kind = letter % 8 / 2;
            isMember = letter < 24 && kind != 1;
            prefix = letter >= 24 ? "" : Access[letter / 8] + (kind == 1 ? "static " : kind >= 2 ? "virtual " : "");
            if (letter < 24 && kind == 3)
            {
                prefix = "[thunk]: " + prefix;
                adjustment = "`adjustor{" + SignedNumberText() + "}'";
            }
        }

        return FunctionSignature(name, isConversion, prefix + (isExternC ? "extern \"C\" " : ""), adjustment, isMember);
    }

    private DemangledText FunctionSignature(NamePiece name, bool isConversion, string prefix, string adjustment, bool isMember)
    {
        string memberQualifiers = isMember ? MemberQualifiers() : "";
        string convention = Convention();
        TypeText result = Take('@') ? new TypeText("", "") : Type(Qualifying.Optional);
        string parameters = Parameters();
        string noexcept = ExceptionSpecification();
        if (isConversion)
        {
            name = new NamePiece(Written(name.Full + " " + result.Whole), Written(name.Short + " " + result.Whole));
        }

        string left = result.Kind == TypeKind.Function ? Spaced(result.Left) + result.Convention : result.Left;
        string full = prefix + (left.Length > 0 ? left + " " : "") + convention + " " + name.Full + adjustment
            + "(" + parameters + ")" + memberQualifiers + noexcept + result.Right;
        return new DemangledText(Written(full), Written(name.Short + adjustment));
    }
}
