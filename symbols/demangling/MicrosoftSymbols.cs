namespace Tracer.Symbols;

/// <summary>Whole symbols: functions, variables, and what the compiler makes.</summary>
internal sealed class MicrosoftSymbols(MicrosoftCursor cursor, MicrosoftDemangler demangler)
{
    private static readonly string[] Access = ["private: ", "protected: ", "public: "];

    public DemangledText Symbol()
    {
        if (!cursor.Enter())
        {
            cursor.Leave();
            return default;
        }

        cursor.Require('?');
        DemangledText symbol = MadeByCompiler() ?? Named();
        cursor.Leave();
        return symbol;
    }

    /// <summary>Symbols with an encoding of their own.</summary>
    private DemangledText? MadeByCompiler()
    {
        if (cursor.Take("?_7"))
        {
            return Table("`vftable'");
        }

        if (cursor.Take("?_8"))
        {
            return Table("`vbtable'");
        }

        if (cursor.Take("?_S"))
        {
            return Table("`local vftable'");
        }

        if (cursor.Take("?_R4"))
        {
            return Table("`RTTI Complete Object Locator'");
        }

        if (cursor.Take("?_R0"))
        {
            string type = MicrosoftCursor.Spaced(demangler.Types.Type(Qualifying.Optional).Whole) + "`RTTI Type Descriptor'";
            cursor.Require('@');
            cursor.Require('8');
            return new DemangledText(type, type);
        }

        if (cursor.Take("?_R1"))
        {
            string[] numbers = [cursor.NumberText(), cursor.NumberText(), cursor.NumberText(), cursor.NumberText()];
            return Untyped($"`RTTI Base Class Descriptor at ({string.Join(", ", numbers)})'");
        }

        if (cursor.Take("?_R2"))
        {
            return Untyped("`RTTI Base Class Array'");
        }

        if (cursor.Take("?_R3"))
        {
            return Untyped("`RTTI Class Hierarchy Descriptor'");
        }

        if (cursor.Take("?_9"))
        {
            return VirtualCall();
        }

        if (cursor.Take("?_B"))
        {
            return Guard("`local static guard'");
        }

        if (cursor.Take("?__J"))
        {
            return Guard("`local static thread guard'");
        }

        if (cursor.Take("?_C@_"))
        {
            string literal = demangler.Literals.StringLiteral();
            return new DemangledText(literal, literal);
        }

        return cursor.Take("?__E") ? InitializerOf("`dynamic initializer for ")
            : cursor.Take("?__F") ? InitializerOf("`dynamic atexit destructor for ")
            : null;
    }

    private DemangledText Table(string kind)
    {
        NamePiece name = demangler.Names.InScopes(new NamePiece(kind));
        if (!cursor.Take('6') && !cursor.Take('7'))
        {
            cursor.Fail();
            return default;
        }

        string qualifiers = demangler.Types.Qualifiers(out _);
        List<string> targets = [];
        while (!cursor.HasFailed && cursor.At < cursor.Text.Length && !cursor.Take('@'))
        {
            targets.Add("`" + demangler.Names.TypeName().Full + "'");
        }

        string target = targets.Count == 0 ? "" : "{for " + string.Join("s ", targets) + "}";
        return new DemangledText(
            cursor.Written((qualifiers.Length > 0 ? qualifiers + " " : "") + name.Full + target), cursor.Written(name.Short + target));
    }

    private DemangledText Untyped(string kind)
    {
        NamePiece name = demangler.Names.InScopes(new NamePiece(kind));
        cursor.Require('8');
        return new DemangledText(name.Full, name.Short);
    }

    private DemangledText VirtualCall()
    {
        NamePiece name = demangler.Names.InScopes(default);
        if (!cursor.Take("$B"))
        {
            cursor.Fail();
        }

        string offset = cursor.NumberText();
        cursor.Require('A');
        string convention = demangler.Types.Convention();
        string call = $"`vcall'{{{offset}, {{flat}}}}";
        return new DemangledText(cursor.Written($"[thunk]: {convention} {name.Full}{call}"), cursor.Written(name.Short + call));
    }

    private DemangledText Guard(string kind)
    {
        NamePiece name = demangler.Names.InScopes(new NamePiece(kind));
        if (cursor.Take("4IA"))
        {
            return new DemangledText(name.Full, name.Short);
        }

        cursor.Require('5');
        string number = cursor.At < cursor.Text.Length ? cursor.NumberText() : "0";
        string suffix = number == "0" ? "" : "{" + number + "}";
        return new DemangledText(cursor.Written(name.Full + suffix), cursor.Written(name.Short + suffix));
    }

    private DemangledText InitializerOf(string kind)
    {
        NamePiece target;
        if (cursor.Next == '?')
        {
            // A static member, whose whole symbol stands here, ended by one "@" or two.
            DemangledText member = Symbol();
            target = new NamePiece("`" + member.Full, "'" + member.Short);
            cursor.Require('@');
            cursor.Take('@');
        }
        else
        {
            NamePiece variable = demangler.Names.InScopes(demangler.Names.LeafName().Piece);
            target = new NamePiece("'" + variable.Full, "'" + variable.Short);
        }

        NamePiece name = new(cursor.Written(kind + target.Full + "''"), cursor.Written(kind + target.Short + "''"));
        return Function(name, isConversion: false);
    }

    private DemangledText Named()
    {
        Leaf leaf = demangler.Names.LeafName();
        List<NamePiece> scopes = demangler.Names.Scopes();
        if (cursor.HasFailed)
        {
            return default;
        }

        NamePiece piece = leaf.Piece;
        if (leaf.Kind is LeafKind.Constructor or LeafKind.Destructor)
        {
            if (scopes.Count == 0)
            {
                cursor.Fail();
                return default;
            }

            string prefix = leaf.Kind == LeafKind.Destructor ? "~" : "";
            piece = new NamePiece(prefix + scopes[0].Full + piece.Full, prefix + scopes[0].Short + piece.Short);
        }

        NamePiece name = demangler.Names.Qualified(scopes, piece);
        return cursor.Next is >= '0' and <= '4' ? Variable(name) : Function(name, leaf.Kind == LeafKind.Conversion);
    }

    private DemangledText Variable(NamePiece name)
    {
        char kind = cursor.TakeAny();
        TypeText type = demangler.Types.Type(Qualifying.Dropped);
        if (type.Kind == TypeKind.Pointer)
        {
            type = PointerVariable(type);
        }
        else
        {
            type = demangler.Types.Qualify(type, demangler.Types.Qualifiers(out _));
        }

        string access = kind <= '2' ? Access[kind - '0'] + "static " : "";
        string left = type.Kind == TypeKind.Function ? MicrosoftCursor.Spaced(type.Left) + type.Convention : type.Left;
        return new DemangledText(cursor.Written(access + MicrosoftCursor.Spaced(left) + name.Full + type.Right), name.Short);
    }

    /// <summary>
    /// Behind the type of a pointer variable stand, a second time, the pointer's __restrict and its target's qualifiers; of a pointer to a
    /// member also the class.
    /// </summary>
    private TypeText PointerVariable(TypeText type)
    {
        string restrict = "";
        for (; cursor.Next is 'E' or 'I' or 'F'; cursor.At++)
        {
            restrict = cursor.Next == 'I' && !type.Left.EndsWith("__restrict", StringComparison.Ordinal) ? "__restrict" : restrict;
        }

        _ = demangler.Types.Qualifiers(out bool isMember);
        if (isMember)
        {
            _ = demangler.Names.TypeName();
        }

        return demangler.Types.Qualify(type, restrict);
    }

    private DemangledText Function(NamePiece name, bool isConversion)
    {
        bool isExternC = cursor.Take("$$J0");

        // Managed code, and ARM64EC code, have no word of their own.
        _ = cursor.Take("$$F") || cursor.Take("$$H") || cursor.Take("$$h");
        if (cursor.Take('9'))
        {
            return new DemangledText(cursor.Written("extern \"C\" " + name.Full), name.Short);
        }

        string prefix = "";
        string adjustment = "";
        bool isMember = true;
        if (cursor.Take('$'))
        {
            bool isExtended = cursor.Take('R');
            int access = cursor.TakeAny() - '0';
            if (access is < 0 or > 5)
            {
                cursor.Fail();
                return default;
            }

            string[] numbers = new string[isExtended ? 4 : 2];
            for (int i = 0; i < numbers.Length; i++)
            {
                numbers[i] = cursor.SignedNumberText();
            }

            prefix = "[thunk]: " + Access[access / 2] + "virtual ";
            adjustment = (isExtended ? "`vtordispex{" : "`vtordisp{") + string.Join(", ", numbers) + "}'";
        }
        else
        {
            int letter = cursor.TakeAny() - 'A';
            if (letter is < 0 or > 'Z' - 'A')
            {
                cursor.Fail();
                return default;
            }

            // Eight letters for each access: plain, static, virtual and thunk, each near and far. Then the functions outside of classes.
            int kind = letter % 8 / 2;
            isMember = letter < 24 && kind != 1;
            prefix = letter >= 24 ? "" : Access[letter / 8] + (kind == 1 ? "static " : kind >= 2 ? "virtual " : "");
            if (letter < 24 && kind == 3)
            {
                prefix = "[thunk]: " + prefix;
                adjustment = "`adjustor{" + cursor.SignedNumberText() + "}'";
            }
        }

        return FunctionSignature(name, isConversion, prefix + (isExternC ? "extern \"C\" " : ""), adjustment, isMember);
    }

    private DemangledText FunctionSignature(NamePiece name, bool isConversion, string prefix, string adjustment, bool isMember)
    {
        string memberQualifiers = isMember ? demangler.Types.MemberQualifiers() : "";
        string convention = demangler.Types.Convention();
        TypeText result = cursor.Take('@') ? new TypeText("", "") : demangler.Types.Type(Qualifying.Optional);
        string parameters = demangler.Types.Parameters();
        string noexcept = demangler.Types.ExceptionSpecification();
        if (isConversion)
        {
            name = new NamePiece(cursor.Written(name.Full + " " + result.Whole), cursor.Written(name.Short + " " + result.Whole));
        }

        string left = result.Kind == TypeKind.Function ? MicrosoftCursor.Spaced(result.Left) + result.Convention : result.Left;
        string full = prefix + (left.Length > 0 ? left + " " : "") + convention + " " + name.Full + adjustment
            + "(" + parameters + ")" + memberQualifiers + noexcept + result.Right;
        return new DemangledText(cursor.Written(full), cursor.Written(name.Short + adjustment));
    }
}
