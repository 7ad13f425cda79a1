namespace Tracer.Symbols;

/// <summary>One part of a qualified name, in both forms; behind a fault, nothing.</summary>
internal readonly struct NamePiece(string full, string brief)
{
    private readonly string? _full = full;
    private readonly string? _brief = brief;

    public NamePiece(string both)
        : this(both, both)
    {
    }

    public string Full => _full ?? "";

    public string Short => _brief ?? "";
}

/// <summary>
/// A type as it stands around the name that it is for: <c>int (*</c> and <c>)[3]</c>. What is between a function's result and its
/// parameters is kept apart, because a pointer to it takes the convention into its parentheses.
/// </summary>
internal sealed record TypeText(string Left, string Right, TypeKind Kind = TypeKind.Plain, string Convention = "")
{
    public string Whole => (Kind == TypeKind.Function ? Left + (Left.Length > 0 ? " " : "") + Convention : Left) + Right;
}

/// <summary>What a type is, as far as it matters for writing types around it.</summary>
internal enum TypeKind
{
    Plain,
    Pointer,
    Array,
    Function,
}

/// <summary>What a leaf name means for the symbol that it names.</summary>
internal enum LeafKind
{
    Plain,
    Constructor,
    Destructor,
    Conversion,
}

/// <summary>The last part of a qualified name.</summary>
internal readonly record struct Leaf(NamePiece Piece, LeafKind Kind);

/// <summary>Where const and volatile of a type are written.</summary>
internal enum Qualifying
{
    /// <summary>Nowhere: parameters do not have any.</summary>
    Dropped,

    /// <summary>Always, before the type.</summary>
    Spelled,

    /// <summary>Behind "?", if there are any: results.</summary>
    Optional,
}
