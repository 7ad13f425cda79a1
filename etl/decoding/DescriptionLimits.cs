namespace Tracer.Etl.Decoding;

/// <summary>
/// What descriptions of events in a trace may take, so that neither memory nor printed text is larger than the trace asks for: each event
/// of a kind prints its names again. What is cut or left out is counted.
/// </summary>
internal sealed class DescriptionLimits
{
    /// <summary>Longer names of providers, events, fields and values are cut.</summary>
    public const int MaximumNameCharacters = 512;

    /// <summary>Fields, events, values and texts that manifests may define in all.</summary>
    public const int MaximumDefinitions = 1 << 18;

    private const string Ellipsis = "…";

    private int _definitions;

    public int NamesCut { get; private set; }

    public int DefinitionsLeftOut { get; private set; }

    /// <summary>A name, cut where it is too long.</summary>
    public string NameOf(string name)
    {
        if (name.Length <= MaximumNameCharacters)
        {
            return name;
        }

        NamesCut++;
        return name[..(MaximumNameCharacters - Ellipsis.Length)] + Ellipsis;
    }

    /// <summary>Whether one more definition may be taken.</summary>
    public bool TryDefine()
    {
        if (_definitions >= MaximumDefinitions)
        {
            DefinitionsLeftOut++;
            return false;
        }

        _definitions++;
        return true;
    }
}
