namespace Tracer.Symbols;

/// <summary>Whole symbols.</summary>
internal sealed partial class ItaniumDemangler
{
    /// <summary>What the end of a name means for the symbol.</summary>
    private sealed class NameState
    {
        public bool IsStructorOrConversion { get; set; }

        public bool EndsWithArguments { get; set; }

        public string Qualifiers { get; set; } = "";

        public int FirstForward { get; init; }
    }

    private bool IsAtEnd => Next is '\0' or 'E' or '.' or '_' || _hasFailed;

    private ItaniumNode? Encoding()
    {
        if (!Enter())
        {
            return Leave<ItaniumNode?>(null);
        }

        List<List<ItaniumNode>> levels = _levels;
        _levels = [];
        ItaniumNode node = Next is 'T' or 'G' ? SpecialName() : FunctionOrVariable();
        _levels = levels;
        return Leave(_hasFailed ? null : node);
    }

    private ItaniumNode FunctionOrVariable()
    {
        NameState state = new() { FirstForward = _forwards.Count };
        ItaniumNode name = Name(state);
        ResolveForwards(state.FirstForward);
        if (IsAtEnd)
        {
            return name;
        }

        List<ItaniumNode> conditions = [];
        if (Take("Ua9enable_ifI"))
        {
            while (!_hasFailed && !Take('E'))
            {
                conditions.Add(TemplateArgument());
            }
        }

        ItaniumNode? result = !state.IsStructorOrConversion && state.EndsWithArguments ? Type() : null;
        List<ItaniumNode> parameters = [];
        if (!Take('v'))
        {
            do
            {
                parameters.Add(Type());
            }
            while (!IsAtEnd);
        }

        return new FunctionSymbolNode(result, name, [.. parameters], [.. conditions], state.Qualifiers);
    }

    private void ResolveForwards(int first)
    {
        for (int i = first; i < _forwards.Count; i++)
        {
            if (_levels.Count == 0 || _forwards[i].Index >= _levels[0].Count)
            {
                Fail();
                return;
            }

            _forwards[i].Argument = _levels[0][_forwards[i].Index];
        }

        _forwards.RemoveRange(first, _forwards.Count - first);
    }

    private ItaniumNode SpecialName()
    {
        string code = _text.Substring(_at, Math.Min(2, _text.Length - _at));
        _at = Math.Min(_at + 2, _text.Length);
        switch (code)
        {
            case "TV":
                return new MadeForNode("vtable for ", Type());
            case "TT":
                return new MadeForNode("VTT for ", Type());
            case "TI":
                return new MadeForNode("typeinfo for ", Type());
            case "TS":
                return new MadeForNode("typeinfo name for ", Type());
            case "TA":
                return new MadeForNode("template parameter object for ", TemplateArgument());
            case "TW":
                return new MadeForNode("thread-local wrapper routine for ", Name(null));
            case "TH":
                return new MadeForNode("thread-local initialization routine for ", Name(null));
            case "GV":
                return new MadeForNode("guard variable for ", Name(null));
            case "GI":
                return new MadeForNode("initializer for module ", Name(null));
            case "Tc":
                CallOffset();
                CallOffset();
                return new MadeForNode("covariant return thunk to ", Encoding() ?? Nothing);
            case "Th":
                _at--;
                CallOffset();
                return new MadeForNode("non-virtual thunk to ", Encoding() ?? Nothing);
            case "Tv":
                _at--;
                CallOffset();
                return new MadeForNode("virtual thunk to ", Encoding() ?? Nothing);
            case "TC":
                ItaniumNode part = Type();
                _ = Digits(isSigned: true);
                Require('_');
                return new ConstructionTableNode(Type(), part);
            case "GR":
                ItaniumNode name = Name(null);
                if (Next != '\0' && !Take('_'))
                {
                    _ = Index(36);
                }

                return new MadeForNode("reference temporary for ", name);
            default:
                return Fail();
        }
    }

    /// <summary>"h" offset "_", or "v" offset "_" offset "_".</summary>
    private void CallOffset()
    {
        bool isVirtual = Take('v');
        if (!isVirtual)
        {
            Require('h');
        }

        _ = Digits(isSigned: true);
        Require('_');
        if (isVirtual)
        {
            _ = Digits(isSigned: true);
            Require('_');
        }
    }
}
