namespace Tracer.Symbols;

/// <summary>Names.</summary>
internal sealed partial class ItaniumDemangler
{
    private ItaniumNode Name(NameState? state)
    {
        if (!Enter())
        {
            return Leave(Nothing);
        }

        if (Next == 'N')
        {
            return Leave(NestedName(state));
        }

        if (Next == 'Z')
        {
            return Leave(LocalName(state));
        }

        bool isSubstitution = Next == 'S' && Ahead(1) != 't';
        ItaniumNode name = isSubstitution ? Substitution() : UnscopedName(state);
        if (Next == 'I')
        {
            if (!isSubstitution)
            {
                Remember(name);
            }

            name = new TemplateNode(name, TemplateArguments(state is not null));
            if (state is not null)
            {
                state.EndsWithArguments = true;
            }
        }
        else if (isSubstitution)
        {
            Fail();
        }

        return Leave(name);
    }

    private ItaniumNode UnscopedName(NameState? state)
    {
        bool isStandard = Take("St");
        Take('L');
        ItaniumNode name = UnqualifiedName(state, null);
        return isStandard ? new QualifiedNode(new TextNode("std"), name) : name;
    }

    private ItaniumNode NestedName(NameState? state)
    {
        Require('N');
        string qualifiers = ConstVolatile() + ReferenceQualifier();
        if (state is not null)
        {
            state.Qualifiers = qualifiers;
        }

        ItaniumNode? soFar = null;
        while (!_hasFailed && !Take('E'))
        {
            if (state is not null)
            {
                state.EndsWithArguments = false;
            }

            if (Next == 'S')
            {
                ItaniumNode scope = Take("St") ? new TextNode("std") : Substitution();
                if (soFar is not null)
                {
                    return Fail();
                }

                soFar = scope;
                continue;
            }

            switch (Next)
            {
                case 'T':
                    if (soFar is not null)
                    {
                        return Fail();
                    }

                    soFar = TemplateParameter();
                    break;
                case 'I':
                    if (soFar is null or TemplateNode)
                    {
                        return Fail();
                    }

                    soFar = new TemplateNode(soFar, TemplateArguments(state is not null));
                    if (state is not null)
                    {
                        state.EndsWithArguments = true;
                    }

                    break;
                case 'D' when Ahead(1) is 't' or 'T':
                    if (soFar is not null)
                    {
                        return Fail();
                    }

                    soFar = Decltype();
                    break;
                default:
                    soFar = NamePart(state, soFar);
                    break;
            }

            Remember(soFar);
            Take('M');
        }

        if (soFar is null || _hasFailed || _substitutions.Count == 0)
        {
            return Fail();
        }

        // The whole is remembered by whoever uses it as a type.
        _substitutions.RemoveAt(_substitutions.Count - 1);
        return soFar;
    }

    private ItaniumNode NamePart(NameState? state, ItaniumNode? scope)
    {
        Take('L');
        if (scope is StandardNode standard && Next is 'C' or 'D')
        {
            scope = standard.InFull;
        }

        ItaniumNode name = UnqualifiedName(state, scope);
        return scope is null ? name : new QualifiedNode(scope, name);
    }

    private QualifiedNode LocalName(NameState? state)
    {
        Require('Z');
        ItaniumNode function = Encoding() ?? Nothing;
        Require('E');
        if (Take('s'))
        {
            Discriminator();
            return new QualifiedNode(function, new TextNode("string literal"));
        }

        if (Take('d'))
        {
            _ = Digits(isSigned: true);
            Require('_');
            return new QualifiedNode(function, Name(state));
        }

        ItaniumNode entity = Name(state);
        Discriminator();
        return new QualifiedNode(function, entity);
    }

    /// <summary>Tells things of one name in one function apart: "_" and a digit, or "__" digits "_".</summary>
    private void Discriminator()
    {
        if (Next == '_' && char.IsAsciiDigit(Ahead(1)))
        {
            _at += 2;
        }
        else if (Next == '_' && Ahead(1) == '_')
        {
            int start = _at;
            _at += 2;
            if (Digits().Length == 0 || !Take('_'))
            {
                _at = start;
            }
        }
        else if (char.IsAsciiDigit(Next))
        {
            // Old compilers put digits at the very end.
            int start = _at;
            _ = Digits();
            if (_at < _text.Length)
            {
                _at = start;
            }
        }
    }

    private ItaniumNode UnqualifiedName(NameState? state, ItaniumNode? scope)
    {
        ItaniumNode name;
        if (Next is >= '1' and <= '9')
        {
            name = SourceName();
        }
        else if (Next == 'U')
        {
            name = UnnamedType();
        }
        else if (Next is 'C' or 'D' && !Sees("DC"))
        {
            name = scope is null ? Fail() : Structor(state, scope);
        }
        else if (Take("DC"))
        {
            List<ItaniumNode> names = [];
            while (!_hasFailed && !Take('E'))
            {
                names.Add(SourceName());
            }

            name = new BindingNode([.. names]);
        }
        else
        {
            name = OperatorName(state);
        }

        return Tags(name);
    }

    private ItaniumNode Tags(ItaniumNode name)
    {
        while (!_hasFailed && Take('B'))
        {
            name = new TaggedNode(name, SourceText());
        }

        return name;
    }

    private string SourceText()
    {
        int length = Count();
        if (_hasFailed || length == 0 || length > _text.Length - _at)
        {
            Fail();
            return "";
        }

        _at += length;
        return _text.Substring(_at - length, length);
    }

    private TextNode SourceName()
    {
        string name = SourceText();
        return new TextNode(name.StartsWith("_GLOBAL__N", StringComparison.Ordinal) ? "(anonymous namespace)" : name);
    }

    private ItaniumNode Structor(NameState? state, ItaniumNode scope)
    {
        if (state is not null)
        {
            state.IsStructorOrConversion = true;
        }

        bool isDestructor = Next == 'D';
        _at++;
        bool isInherited = !isDestructor && Take('I');
        if (isDestructor ? Next is not ('0' or '1' or '2' or '4' or '5') : Next is < '1' or > '5')
        {
            return Fail();
        }

        _at++;
        if (isInherited)
        {
            _ = Name(state);
        }

        return new StructorNode(scope, isDestructor);
    }

    private ItaniumNode UnnamedType()
    {
        if (Take("Ut"))
        {
            string number = Digits();
            Require('_');
            return new TextNode("'unnamed" + number + "'");
        }

        if (Take("Ub"))
        {
            // A block of Objective-C.
            _ = Digits();
            Require('_');
            return new TextNode("'block-literal'");
        }

        if (!Take("Ul") || !Enter())
        {
            return Fail();
        }

        (int lambdaLevel, int[] declared) = (_lambdaLevel, [.. _declared]);
        _lambdaLevel = _levels.Count;
        List<ItaniumNode> level = [];
        _levels.Add(level);
        List<ItaniumNode> declarations = [];
        while (!_hasFailed && Next == 'T' && Ahead(1) is ('y' or 'n' or 't' or 'p'))
        {
            declarations.Add(Declaration(level));
        }

        // Without declarations the parameters "auto" have no level of their own to look in.
        if (level.Count == 0)
        {
            _levels.RemoveAt(_levels.Count - 1);
        }

        List<ItaniumNode> parameters = [];
        if (!Take('v'))
        {
            while (!IsAtEnd)
            {
                parameters.Add(Type());
            }
        }

        if (level.Count > 0)
        {
            _levels.RemoveAt(_levels.Count - 1);
        }

        Require('E');
        string count = Digits();
        Require('_');
        _lambdaLevel = lambdaLevel;
        declared.CopyTo(_declared, 0);
        return Leave(new ClosureNode(count, [.. declarations], [.. parameters]));
    }

    /// <summary>Ty a type, Tn a value, Tt a template, Tp a pack of one of them.</summary>
    private ItaniumNode Declaration(List<ItaniumNode> level)
    {
        if (!Enter())
        {
            return Leave(Nothing);
        }

        bool isPack = Take("Tp");
        int kind = Take("Ty") ? 0 : Take("Tn") ? 1 : Take("Tt") ? 2 : -1;
        if (kind < 0)
        {
            return Leave(Fail());
        }

        int number = _declared[kind]++;
        TextNode name = new((kind switch { 0 => "$T", 1 => "$N", _ => "$TT" }) + (number == 0 ? "" : Invariant(number - 1)));
        level.Add(isPack ? new PackNode([name]) : name);
        switch (kind)
        {
            case 0:
                return Leave(new DeclarationNode(isPack ? "typename" : "typename ", null, name, isPack));
            case 1:
                return Leave(new DeclarationNode("", Type(), name, isPack));
            default:
                List<ItaniumNode> inner = [];
                List<ItaniumNode> innerLevel = [];
                _levels.Add(innerLevel);
                while (!_hasFailed && !Take('E'))
                {
                    inner.Add(Declaration(innerLevel));
                }

                _levels.RemoveAt(_levels.Count - 1);
                ItaniumNode arguments = new ArgumentsNode([.. inner]);
                return Leave(new DeclarationNode(
                    "", new AffixedTypeNode("template", arguments, isPack ? " typename" : " typename", null), name, isPack));
        }
    }

    private static string Invariant(int number) => number.ToString(System.Globalization.CultureInfo.InvariantCulture);

    private string ConstVolatile()
    {
        (bool isRestrict, bool isVolatile, bool isConst) = (Take('r'), Take('V'), Take('K'));
        return (isConst ? " const" : "") + (isVolatile ? " volatile" : "") + (isRestrict ? " restrict" : "");
    }

    private string ReferenceQualifier() => Take('O') ? " &&" : Take('R') ? " &" : "";
}
