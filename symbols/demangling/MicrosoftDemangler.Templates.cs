namespace Tracer.Symbols;

/// <summary>Templates and their arguments.</summary>
internal sealed partial class MicrosoftDemangler
{
    /// <summary>"?$", a name, arguments up to "@". Back references inside it are its own.</summary>
    private Leaf TemplateName(bool isRemembered)
    {
        if (!Enter())
        {
            Leave();
            return default;
        }

        (List<NamePiece> names, List<TypeText> types) = (_names, _types);
        (_names, _types) = ([], []);
        Require('?');
        Require('$');
        Leaf leaf = LeafName();
        NamePiece arguments = TemplateArguments();
        (_names, _types) = (names, types);
        leaf = leaf with
        {
            Piece = new NamePiece(Written(leaf.Piece.Full + arguments.Full), Written(leaf.Piece.Short + arguments.Short)),
        };
        if (isRemembered)
        {
            // A constructor is no scope.
            if (leaf.Kind != LeafKind.Plain)
            {
                Fail();
            }

            Remember(leaf.Piece);
        }

        Leave();
        return leaf;
    }

    private NamePiece TemplateArguments()
    {
        List<string> arguments = [];
        while (!_hasFailed && !Take('@'))
        {
            // A pack without elements, or the border between two packs.
            if (Take("$S") || Take("$$V") || Take("$$$V") || Take("$$Z"))
            {
                continue;
            }

            arguments.Add(TemplateArgument());
        }

        return new NamePiece(Written("<" + string.Join(", ", arguments) + ">"));
    }

    private string TemplateArgument()
    {
        if (Take("$$Y"))
        {
            return TypeName().Full;
        }

        if (Take("$$B"))
        {
            return Type(Qualifying.Dropped).Whole;
        }

        if (Take("$$C"))
        {
            return Type(Qualifying.Spelled).Whole;
        }

        // "auto": the type of the value comes before it, and the value goes without its "$".
        bool isAuto = Take("$M");
        if (isAuto)
        {
            _ = Type(Qualifying.Dropped);
        }

        int start = _at;
        if (isAuto || Take('$'))
        {
            char kind = TakeAny();
            switch (kind)
            {
                case '0':
                    return NumberText();
                case '1':
                    return Written("&" + SymbolArgument());
                case 'E' when Next == '?':
                    return SymbolArgument();
                case 'H' or 'I' or 'J':
                    string function = Next == '?' ? SymbolArgument() : "";
                    return Offsets(function, kind - 'H' + 1);
                case 'F' or 'G':
                    return Offsets("", kind - 'F' + 2);
            }

            _at = isAuto ? text.Length : start;
        }

        return Type(Qualifying.Dropped).Whole;
    }

    private string SymbolArgument()
    {
        if (!Enter())
        {
            Leave();
            return "";
        }

        string symbol = Symbol().Full;
        Leave();
        return symbol;
    }

    /// <summary>A pointer to a member, as the function and the numbers that it consists of.</summary>
    private string Offsets(string function, int count)
    {
        List<string> parts = function.Length > 0 ? [function] : [];
        for (int i = 0; i < count; i++)
        {
            parts.Add(SignedNumberText());
        }

        return Written("{" + string.Join(", ", parts) + "}");
    }
}
