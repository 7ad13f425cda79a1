namespace Tracer.Symbols;

/// <summary>Template parameters and arguments.</summary>
internal sealed partial class ItaniumDemangler
{
    /// <summary>"T_", "T0_" ..., or "TL" level "_" and the same.</summary>
    private ItaniumNode TemplateParameter()
    {
        Require('T');
        int level = 0;
        if (Take('L'))
        {
            level = Index(10) + 1;
        }

        int index = Index(10);
        if (_hasFailed)
        {
            return Nothing;
        }

        if (_permitsForward && level == 0)
        {
            ForwardNode forward = new(index);
            _forwards.Add(forward);
            return forward;
        }

        if (level < _levels.Count && index < _levels[level].Count)
        {
            return _levels[level][index];
        }

        // A parameter "auto" of a lambda is a template parameter that nobody declared.
        return level == _lambdaLevel && level <= _levels.Count ? new TextNode("auto") : Fail();
    }

    /// <param name="isOfSymbol">Whether they belong to the symbol itself: then "T_" means them from here on.</param>
    private ItaniumNode TemplateArguments(bool isOfSymbol)
    {
        if (!Enter())
        {
            return Leave(Nothing);
        }

        Require('I');
        List<ItaniumNode> known = [];
        if (isOfSymbol)
        {
            _levels = [known];
        }

        List<ItaniumNode> arguments = [];
        while (!_hasFailed && !Take('E'))
        {
            ItaniumNode argument;
            if (isOfSymbol)
            {
                // What an argument itself holds does not see the arguments before it by another symbol's numbers.
                List<List<ItaniumNode>> levels = _levels;
                argument = TemplateArgument();
                _levels = levels;
                known.Add(argument is ArgumentPackNode pack ? new PackNode([.. pack.Elements]) : argument);
            }
            else
            {
                argument = TemplateArgument();
            }

            arguments.Add(argument);
        }

        return Leave(new ArgumentsNode([.. arguments]));
    }

    private ItaniumNode TemplateArgument()
    {
        if (!Enter())
        {
            return Leave(Nothing);
        }

        switch (Next)
        {
            case 'X':
                _at++;
                ItaniumNode expression = Expression();
                Require('E');
                return Leave(expression);
            case 'J':
                _at++;
                List<ItaniumNode> elements = [];
                while (!_hasFailed && !Take('E'))
                {
                    elements.Add(TemplateArgument());
                }

                return Leave(new ArgumentPackNode([.. elements]));
            case 'L' when Ahead(1) == 'Z':
                _at += 2;
                ItaniumNode symbol = Encoding() ?? Nothing;
                Require('E');
                return Leave(symbol);
            case 'L':
                return Leave(Literal());
            default:
                return Leave(Type());
        }
    }
}
