namespace Tracer.Symbols;

/// <summary>One part of a symbol path, between two semicolons.</summary>
public abstract record SymbolPathElement
{
    private protected SymbolPathElement()
    {
    }
}

/// <summary>A plain folder: <c>C:\symbols</c>.</summary>
/// <param name="Folder">The folder or share.</param>
public sealed record SymbolFolderElement(string Folder) : SymbolPathElement
{
    /// <inheritdoc/>
    public override string ToString() => Folder;
}

/// <summary>
/// Stores that are asked one after the other: <c>srv*near*far*server</c>. What a far one has is copied to all nearer ones.
/// </summary>
/// <param name="Stores">The stores, the nearest first; at least one.</param>
public sealed record SymbolStoresElement(IReadOnlyList<SymbolStoreLocation> Stores) : SymbolPathElement
{
    /// <inheritdoc/>
    public bool Equals(SymbolStoresElement? other) => other is not null && Stores.SequenceEqual(other.Stores);

    /// <inheritdoc/>
    public override int GetHashCode() => Stores.Aggregate(0, HashCode.Combine);

    /// <inheritdoc/>
    public override string ToString() => "srv*" + string.Join('*', Stores);
}

/// <summary>A store that keeps what the stores and servers right of it have: <c>cache*folder</c>.</summary>
/// <param name="Store">The store; the default cache in <c>cache*</c>.</param>
public sealed record SymbolCacheElement(SymbolStoreLocation Store) : SymbolPathElement
{
    /// <inheritdoc/>
    public override string ToString() => "cache*" + Store;
}

/// <summary>A part that can't be used. The rest of the path can.</summary>
/// <param name="Text">The part.</param>
/// <param name="Problem">Why, as a sentence's end: "asks for ...".</param>
public sealed record SymbolUnusableElement(string Text, string Problem) : SymbolPathElement
{
    /// <inheritdoc/>
    public override string ToString() => Text;
}
