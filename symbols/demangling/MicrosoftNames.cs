namespace Tracer.Symbols;

/// <summary>Names and their scopes.</summary>
internal sealed class MicrosoftNames(MicrosoftCursor cursor, MicrosoftDemangler demangler)
{
    /// <summary>Operators and members that the compiler makes, by the letters after "?".</summary>
    private static readonly Dictionary<string, string> SpecialNames = new(StringComparer.Ordinal)
    {
        ["2"] = "operator new",
        ["3"] = "operator delete",
        ["4"] = "operator=",
        ["5"] = "operator>>",
        ["6"] = "operator<<",
        ["7"] = "operator!",
        ["8"] = "operator==",
        ["9"] = "operator!=",
        ["A"] = "operator[]",
        ["C"] = "operator->",
        ["D"] = "operator*",
        ["E"] = "operator++",
        ["F"] = "operator--",
        ["G"] = "operator-",
        ["H"] = "operator+",
        ["I"] = "operator&",
        ["J"] = "operator->*",
        ["K"] = "operator/",
        ["L"] = "operator%",
        ["M"] = "operator<",
        ["N"] = "operator<=",
        ["O"] = "operator>",
        ["P"] = "operator>=",
        ["Q"] = "operator,",
        ["R"] = "operator()",
        ["S"] = "operator~",
        ["T"] = "operator^",
        ["U"] = "operator|",
        ["V"] = "operator&&",
        ["W"] = "operator||",
        ["X"] = "operator*=",
        ["Y"] = "operator+=",
        ["Z"] = "operator-=",
        ["_0"] = "operator/=",
        ["_1"] = "operator%=",
        ["_2"] = "operator>>=",
        ["_3"] = "operator<<=",
        ["_4"] = "operator&=",
        ["_5"] = "operator|=",
        ["_6"] = "operator^=",
        ["_7"] = "`vftable'",
        ["_8"] = "`vbtable'",
        ["_9"] = "`vcall'",
        ["_A"] = "`typeof'",
        ["_B"] = "`local static guard'",
        ["_D"] = "`vbase dtor'",
        ["_E"] = "`vector deleting dtor'",
        ["_F"] = "`default ctor closure'",
        ["_G"] = "`scalar deleting dtor'",
        ["_H"] = "`vector ctor iterator'",
        ["_I"] = "`vector dtor iterator'",
        ["_J"] = "`vector vbase ctor iterator'",
        ["_K"] = "`virtual displacement map'",
        ["_L"] = "`eh vector ctor iterator'",
        ["_M"] = "`eh vector dtor iterator'",
        ["_N"] = "`eh vector vbase ctor iterator'",
        ["_O"] = "`copy ctor closure'",
        ["_P"] = "`udt returning'",
        ["_S"] = "`local vftable'",
        ["_T"] = "`local vftable ctor closure'",
        ["_U"] = "operator new[]",
        ["_V"] = "operator delete[]",
        ["_X"] = "`placement delete closure'",
        ["_Y"] = "`placement delete[] closure'",
        ["__A"] = "`managed vector ctor iterator'",
        ["__B"] = "`managed vector dtor iterator'",
        ["__C"] = "`EH vector copy ctor iterator'",
        ["__D"] = "`EH vector vbase copy ctor iterator'",
        ["__G"] = "`vector copy ctor iterator'",
        ["__H"] = "`vector vbase copy constructor iterator'",
        ["__I"] = "`managed vector vbase copy constructor iterator'",
        ["__J"] = "`local static thread guard'",
        ["__L"] = "operator co_await",
        ["__M"] = "operator<=>",
    };

    public NamePiece TypeName()
    {
        if (!cursor.Enter())
        {
            cursor.Leave();
            return default;
        }

        NamePiece leaf = cursor.Next switch
        {
            >= '0' and <= '9' => NameReference(),
            '?' when cursor.Sees("?$") => demangler.Templates.TemplateName(isRemembered: true).Piece,
            _ => ScopePiece(),
        };
        NamePiece name = InScopes(leaf);
        cursor.Leave();
        return name;
    }

    /// <summary>The name of a function, variable or template: it may be an operator.</summary>
    public Leaf LeafName() => cursor.Next switch
    {
        >= '0' and <= '9' => new Leaf(NameReference(), LeafKind.Plain),
        '?' when cursor.Sees("?$") => demangler.Templates.TemplateName(isRemembered: false),
        '?' => SpecialName(),
        _ => new Leaf(SimpleName(), LeafKind.Plain),
    };

    private Leaf SpecialName()
    {
        cursor.Require('?');
        switch (cursor.Next)
        {
            case '0':
                cursor.At++;
                return new Leaf(default, LeafKind.Constructor);
            case '1':
                cursor.At++;
                return new Leaf(default, LeafKind.Destructor);
            case 'B':
                cursor.At++;
                return new Leaf(new NamePiece("operator"), LeafKind.Conversion);
        }

        if (cursor.Take("__K"))
        {
            return new Leaf(new NamePiece("operator \"\"" + SimpleName().Full), LeafKind.Plain);
        }

        int length = !cursor.Sees("_") ? 1 : cursor.Sees("__") ? 3 : 2;
        if (cursor.At + length <= cursor.Text.Length
            && SpecialNames.TryGetValue(cursor.Text.Substring(cursor.At, length), out string? name))
        {
            cursor.At += length;
            return new Leaf(new NamePiece(name), LeafKind.Plain);
        }

        cursor.Fail();
        return default;
    }

    private NamePiece SimpleName()
    {
        int end = cursor.Text.IndexOf('@', cursor.At);
        if (end <= cursor.At)
        {
            cursor.Fail();
            return default;
        }

        NamePiece name = new(cursor.Written(cursor.Text[cursor.At..end]));
        cursor.At = end + 1;
        Remember(name);
        return name;
    }

    private NamePiece NameReference()
    {
        int index = cursor.TakeAny() - '0';
        if (index < cursor.Names.Count)
        {
            return cursor.Names[index];
        }

        cursor.Fail();
        return default;
    }

    public void Remember(NamePiece name)
    {
        if (cursor.Names.Count < MicrosoftCursor.MaximumReferences && !cursor.Names.Exists(known => known.Full == name.Full))
        {
            cursor.Names.Add(name);
        }
    }

    /// <summary>The scopes behind a leaf, up to "@", put before it.</summary>
    public NamePiece InScopes(NamePiece leaf)
    {
        List<NamePiece> scopes = Scopes();
        return Qualified(scopes, leaf);
    }

    /// <summary>The scopes up to "@", the innermost first.</summary>
    public List<NamePiece> Scopes()
    {
        List<NamePiece> scopes = [];
        while (!cursor.HasFailed && !cursor.Take('@'))
        {
            scopes.Add(ScopePiece());
        }

        return scopes;
    }

    public NamePiece Qualified(List<NamePiece> scopes, NamePiece leaf)
    {
        scopes.Reverse();
        NamePiece name = new(
            cursor.Written(string.Concat(scopes.Select(scope => scope.Full + "::")) + leaf.Full),
            cursor.Written(string.Concat(scopes.Select(scope => scope.Short.Length > 0 ? scope.Short + "::" : "")) + leaf.Short));
        scopes.Reverse();
        return name;
    }

    private NamePiece ScopePiece()
    {
        if (char.IsAsciiDigit(cursor.Next))
        {
            return NameReference();
        }

        if (cursor.Sees("?$"))
        {
            return demangler.Templates.TemplateName(isRemembered: true).Piece;
        }

        if (cursor.Take("?A"))
        {
            int end = cursor.Text.IndexOf('@', cursor.At);
            if (end < 0)
            {
                cursor.Fail();
                return default;
            }

            // It is remembered under the letters that tell this namespace from others of its kind.
            cursor.At = end + 1;
            NamePiece anonymous = new("`anonymous namespace'");
            if (cursor.Names.Count < MicrosoftCursor.MaximumReferences)
            {
                cursor.Names.Add(anonymous);
            }

            return anonymous;
        }

        return SeesLocalScope() ? LocalScope() : SimpleName();
    }

    /// <summary>"?", a number, "?": what follows is inside a function's body.</summary>
    private bool SeesLocalScope()
    {
        if (cursor.Next != '?')
        {
            return false;
        }

        int end = cursor.Text.IndexOf('?', cursor.At + 1);
        ReadOnlySpan<char> number = end < 0 ? default : cursor.Text.AsSpan((cursor.At + 1)..end);
        if (number.Length <= 1)
        {
            return number.Length == 1 && (number[0] == '@' || char.IsAsciiDigit(number[0]));
        }

        return number[^1] == '@' && number[0] is >= 'B' and <= 'P' && number[..^1].IndexOfAnyExceptInRange('A', 'P') < 0;
    }

    private NamePiece LocalScope()
    {
        if (!cursor.Enter())
        {
            cursor.Leave();
            return default;
        }

        cursor.Require('?');
        string number = cursor.NumberText();
        cursor.Require('?');
        DemangledText function = demangler.Symbols.Symbol();
        cursor.Leave();
        return new NamePiece(cursor.Written($"`{function.Full}'::`{number}'"), function.Short);
    }
}
