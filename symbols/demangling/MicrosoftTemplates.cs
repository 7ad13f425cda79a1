namespace Tracer.Symbols;

/// <summary>Templates and their arguments.</summary>
internal sealed class MicrosoftTemplates(MicrosoftCursor cursor, MicrosoftDemangler demangler)
{
    /// <summary>"?$", a name, arguments up to "@". Back references inside it are its own.</summary>
    public Leaf TemplateName(bool isRemembered)
    {
        if (!cursor.Enter())
        {
            cursor.Leave();
            return default;
        }

        (List<NamePiece> names, List<TypeText> types) = (cursor.Names, cursor.Types);
        (cursor.Names, cursor.Types) = ([], []);
        cursor.Require('?');
        cursor.Require('$');
        Leaf leaf = demangler.Names.LeafName();
        NamePiece arguments = TemplateArguments();
        (cursor.Names, cursor.Types) = (names, types);
        leaf = leaf with
        {
            Piece = new NamePiece(cursor.Written(leaf.Piece.Full + arguments.Full), cursor.Written(leaf.Piece.Short + arguments.Short)),
        };
        if (isRemembered)
        {
            // A constructor is no scope.
            if (leaf.Kind != LeafKind.Plain)
            {
                cursor.Fail();
            }

            demangler.Names.Remember(leaf.Piece);
        }

        cursor.Leave();
        return leaf;
    }

    private NamePiece TemplateArguments()
    {
        List<string> arguments = [];
        while (!cursor.HasFailed && !cursor.Take('@'))
        {
            // A pack without elements, or the border between two packs.
            if (cursor.Take("$S") || cursor.Take("$$V") || cursor.Take("$$$V") || cursor.Take("$$Z"))
            {
                continue;
            }

            arguments.Add(TemplateArgument());
        }

        return new NamePiece(cursor.Written("<" + string.Join(", ", arguments) + ">"));
    }

    private string TemplateArgument()
    {
        if (cursor.Take("$$Y"))
        {
            return demangler.Names.TypeName().Full;
        }

        if (cursor.Take("$$B"))
        {
            return demangler.Types.Type(Qualifying.Dropped).Whole;
        }

        if (cursor.Take("$$C"))
        {
            return demangler.Types.Type(Qualifying.Spelled).Whole;
        }

        // "auto": the type of the value comes before it, and the value goes without its "$".
        bool isAuto = cursor.Take("$M");
        if (isAuto)
        {
            _ = demangler.Types.Type(Qualifying.Dropped);
        }

        int start = cursor.At;
        if (isAuto || cursor.Take('$'))
        {
            char kind = cursor.TakeAny();
            switch (kind)
            {
                case '0':
                    return cursor.NumberText();
                case '1':
                    return cursor.Written("&" + SymbolArgument());
                case 'E' when cursor.Next == '?':
                    return SymbolArgument();
                case 'H' or 'I' or 'J':
                    string function = cursor.Next == '?' ? SymbolArgument() : "";
                    return Offsets(function, kind - 'H' + 1);
                case 'F' or 'G':
                    return Offsets("", kind - 'F' + 2);
            }

            cursor.At = isAuto ? cursor.Text.Length : start;
        }

        return demangler.Types.Type(Qualifying.Dropped).Whole;
    }

    private string SymbolArgument()
    {
        if (!cursor.Enter())
        {
            cursor.Leave();
            return "";
        }

        string symbol = demangler.Symbols.Symbol().Full;
        cursor.Leave();
        return symbol;
    }

    /// <summary>A pointer to a member, as the function and the numbers that it consists of.</summary>
    private string Offsets(string function, int count)
    {
        List<string> parts = function.Length > 0 ? [function] : [];
        for (int i = 0; i < count; i++)
        {
            parts.Add(cursor.SignedNumberText());
        }

        return cursor.Written("{" + string.Join(", ", parts) + "}");
    }
}
