namespace Tracer.Symbols;

/// <summary>Expressions: in template arguments, array lengths and decltype.</summary>
internal sealed partial class ItaniumDemangler
{
    private ItaniumNode OperatorName(NameState? state)
    {
        if (Take("cv"))
        {
            // The type may use arguments that come behind it.
            bool permits = _permitsForward;
            _permitsForward |= state is not null;
            ItaniumNode type = Type();
            _permitsForward = permits;
            if (state is not null)
            {
                state.IsStructorOrConversion = true;
            }

            return new ConversionNode(type);
        }

        if (Take("li"))
        {
            return new TextNode("operator\"\" " + SourceText());
        }

        if (Next == 'v' && char.IsAsciiDigit(Ahead(1)))
        {
            _at += 2;
            return new ConversionNode(SourceName());
        }

        if (_at + 2 <= _text.Length && ItaniumOperator.Of(_text.Substring(_at, 2)) is { IsName: true } known)
        {
            _at += 2;
            return new TextNode(known.Name);
        }

        return Fail();
    }

    private ItaniumNode Expression()
    {
        if (!Enter())
        {
            return Leave(Nothing);
        }

        return Leave(ExpressionHere());
    }

    private ItaniumNode ExpressionHere()
    {
        bool isGlobal = Take("gs");
        if (_at + 2 <= _text.Length && ItaniumOperator.Of(_text.Substring(_at, 2)) is { } known)
        {
            _at += 2;
            return Operation(known, isGlobal);
        }

        switch (Next)
        {
            case 'L':
                return Literal();
            case 'T':
                return TemplateParameter();
            case 'f':
                return char.IsAsciiDigit(Ahead(2)) && Ahead(1) == 'L' || Ahead(1) is 'p' or 'T' ? FunctionParameter() : Fold();
        }

        switch (_text.Substring(_at, Math.Min(2, _text.Length - _at)))
        {
            case "cv":
                _at += 2;
                ItaniumNode type = Type();
                return new ConversionExpressionNode(type, Take('_') ? ExpressionsToE() : [Expression()]);
            case "cp":
                _at += 2;
                ItaniumNode called = Expression();
                return new CallNode(new EnclosedNode("", called, Precedence.Primary), ExpressionsToE());
            case "il":
                _at += 2;
                return new BracedNode(null, BracedToE());
            case "tl":
                _at += 2;
                ItaniumNode made = Type();
                return new BracedNode(made, BracedToE());
            case "nx":
                _at += 2;
                return new EnclosedNode("noexcept ", Expression(), Precedence.Unary);
            case "tw":
                _at += 2;
                return new UnaryNode("throw ", Expression(), "", Precedence.Assignment);
            case "tr":
                _at += 2;
                return new TextNode("throw");
            case "sp":
                _at += 2;
                return new ExpansionNode(Expression());
            case "sZ":
                _at += 2;
                ItaniumNode counted = Next == 'T' ? TemplateParameter() : FunctionParameter();
                return new EnclosedNode("sizeof...", new ExpansionNode(counted), Precedence.Primary);
            case "sP":
                _at += 2;
                List<ItaniumNode> arguments = [];
                while (!_hasFailed && !Take('E'))
                {
                    arguments.Add(TemplateArgument());
                }

                return new EnclosedNode("sizeof... ", new ArgumentPackNode([.. arguments]), Precedence.Primary);
            case "mc":
                _at += 2;
                ItaniumNode target = Type();
                ItaniumNode value = Expression();
                _ = Digits(isSigned: true);
                Require('E');
                return new ConversionExpressionNode(target, [value]);
        }

        if (Next == 'u' && char.IsAsciiDigit(Ahead(1)))
        {
            return VendorExpression();
        }

        return UnresolvedName(isGlobal);
    }

    private ItaniumNode Operation(ItaniumOperator known, bool isGlobal)
    {
        switch (known.Form)
        {
            case OperatorForm.Prefix:
                return new UnaryNode(known.Symbol, Expression(), "", known.Precedence);
            case OperatorForm.Postfix:
                return Take('_')
                    ? new UnaryNode(known.Symbol, Expression(), "", known.Precedence)
                    : new UnaryNode("", Expression(), known.Symbol, known.Precedence);
            case OperatorForm.Binary:
                ItaniumNode left = Expression();
                return new BinaryNode(left, known.Symbol, Expression(), known.Precedence);
            case OperatorForm.Member:
                ItaniumNode owner = Expression();
                return new MemberNode(owner, known.Symbol, Expression(), known.Precedence);
            case OperatorForm.Subscript:
                ItaniumNode array = Expression();
                return new SubscriptNode(array, Expression());
            case OperatorForm.Delete:
                return new UnaryNode((isGlobal ? "::" : "") + known.Symbol + " ", Expression(), "", known.Precedence);
            case OperatorForm.Call:
                ItaniumNode function = Expression();
                return new CallNode(function, ExpressionsToE());
            case OperatorForm.Conditional:
                ItaniumNode condition = Expression();
                ItaniumNode then = Expression();
                return new ConditionalNode(condition, then, Expression());
            case OperatorForm.Cast:
                ItaniumNode type = Type();
                return new CastNode(known.Symbol, type, Expression());
            case OperatorForm.OfType:
                return new EnclosedNode(known.Symbol, Type(), known.Precedence);
            case OperatorForm.OfExpression:
                return new EnclosedNode(known.Symbol, Expression(), known.Precedence);
            case OperatorForm.New:
                return New(known, isGlobal);
            default:
                return Fail();
        }
    }

    private NewNode New(ItaniumOperator known, bool isGlobal)
    {
        List<ItaniumNode> places = [];
        while (!_hasFailed && !Take('_'))
        {
            places.Add(Expression());
        }

        ItaniumNode type = Type();
        ItaniumNode[]? values = Take("pi") ? ExpressionsToE() : null;
        if (values is null)
        {
            Require('E');
        }

        return new NewNode(isGlobal, known.Symbol == "new[]", [.. places], type, values);
    }

    private ItaniumNode[] ExpressionsToE()
    {
        List<ItaniumNode> expressions = [];
        while (!_hasFailed && !Take('E'))
        {
            expressions.Add(Expression());
        }

        return [.. expressions];
    }

    private ItaniumNode[] BracedToE()
    {
        List<ItaniumNode> expressions = [];
        while (!_hasFailed && !Take('E'))
        {
            expressions.Add(Braced());
        }

        return [.. expressions];
    }

    private ItaniumNode Braced()
    {
        if (!Enter())
        {
            return Leave(Nothing);
        }

        if (Take("di"))
        {
            ItaniumNode field = SourceName();
            return Leave(new DesignatorNode(field, null, Braced(), isArray: false));
        }

        if (Take("dx"))
        {
            ItaniumNode index = Expression();
            return Leave(new DesignatorNode(index, null, Braced(), isArray: true));
        }

        if (Take("dX"))
        {
            ItaniumNode first = Expression();
            ItaniumNode last = Expression();
            return Leave(new DesignatorNode(first, last, Braced(), isArray: true));
        }

        return Leave(Expression());
    }

    /// <summary>"fp" [cv] [number] "_"; "fL" level "p" the same; "fpT" is "this".</summary>
    private ItaniumNode FunctionParameter()
    {
        if (Take("fpT"))
        {
            return new TextNode("this");
        }

        if (Take("fL"))
        {
            _ = Digits();
            Require('p');
        }
        else if (!Take("fp"))
        {
            return Fail();
        }

        _ = ConstVolatile();
        string number = Digits();
        Require('_');
        return new TextNode("fp" + number);
    }

    /// <summary>fl, fr: without a start; fL, fR: with one.</summary>
    private ItaniumNode Fold()
    {
        Require('f');
        char kind = Next;
        _at = Math.Min(_at + 1, _text.Length);
        if (kind is not ('l' or 'r' or 'L' or 'R')
            || _at + 2 > _text.Length
            || ItaniumOperator.Of(_text.Substring(_at, 2)) is not { Form: OperatorForm.Binary or OperatorForm.Member } known)
        {
            return Fail();
        }

        _at += 2;
        bool isLeft = kind is 'l' or 'L';
        ItaniumNode first = Expression();
        ItaniumNode? second = kind is 'L' or 'R' ? Expression() : null;
        return isLeft && second is not null
            ? new FoldNode(isLeft, known.Symbol, second, first)
            : new FoldNode(isLeft, known.Symbol, first, second);
    }

    private CallNode VendorExpression()
    {
        Require('u');
        string name = SourceText();
        if (name == "__uuidof")
        {
            bool isType = Take('t');
            if (!isType)
            {
                Require('z');
            }

            return new CallNode(new TextNode(name), [isType ? Type() : Expression()]);
        }

        List<ItaniumNode> arguments = [];
        while (!_hasFailed && !Take('E'))
        {
            arguments.Add(TemplateArgument());
        }

        return new CallNode(new TextNode(name), [.. arguments]);
    }

    /// <summary>A name that depends on a template parameter: "sr" type name, "srN" type names "E" name, or the name alone.</summary>
    private ItaniumNode UnresolvedName(bool isGlobal)
    {
        ItaniumNode? scope = null;
        if (Take("srN"))
        {
            scope = UnresolvedType();
            while (!_hasFailed && !Take('E'))
            {
                scope = new QualifiedNode(scope, SimpleId());
            }
        }
        else if (Take("sr"))
        {
            if (char.IsAsciiDigit(Next))
            {
                do
                {
                    ItaniumNode part = SimpleId();
                    scope = scope is not null ? new QualifiedNode(scope, part) : isGlobal ? new MadeForNode("::", part) : part;
                }
                while (!_hasFailed && !Take('E'));
                return new QualifiedNode(scope, BaseUnresolvedName());
            }

            scope = UnresolvedType();
        }

        ItaniumNode name = BaseUnresolvedName();
        name = scope is null ? name : new QualifiedNode(scope, name);
        return isGlobal ? new MadeForNode("::", name) : name;
    }

    private ItaniumNode UnresolvedType()
    {
        ItaniumNode type;
        if (Next == 'T')
        {
            type = Remember(TemplateParameter());
        }
        else if (Next == 'D')
        {
            type = Remember(Decltype());
        }
        else
        {
            type = Take("St") ? Remember(new QualifiedNode(new TextNode("std"), SourceName())) : Substitution();
        }

        return Next == 'I' ? Remember(new TemplateNode(type, TemplateArguments(isOfSymbol: false))) : type;
    }

    private ItaniumNode SimpleId()
    {
        ItaniumNode name = SourceName();
        return Next == 'I' ? new TemplateNode(name, TemplateArguments(isOfSymbol: false)) : name;
    }

    private ItaniumNode BaseUnresolvedName()
    {
        if (char.IsAsciiDigit(Next))
        {
            return SimpleId();
        }

        if (Take("dn"))
        {
            ItaniumNode owner = char.IsAsciiDigit(Next) ? SimpleId() : UnresolvedType();
            return new MadeForNode("~", owner);
        }

        Take("on");
        ItaniumNode name = OperatorName(null);
        return Next == 'I' ? new TemplateNode(name, TemplateArguments(isOfSymbol: false)) : name;
    }
}
