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

/// <summary>Where a symbol store is, as a symbol path names it.</summary>
/// <param name="Text">A folder, a share, or an address of HTTP or HTTPS; empty for the default cache.</param>
public readonly record struct SymbolStoreLocation(string Text)
{
    /// <summary>Whether it is the default cache: the folder that the program itself keeps symbols in.</summary>
    public bool IsDefaultCache => Text.Length == 0;

    /// <summary>Whether it is a server that is asked over HTTP or HTTPS.</summary>
    public bool IsServer =>
        Text.StartsWith("http://", StringComparison.OrdinalIgnoreCase)
        || Text.StartsWith("https://", StringComparison.OrdinalIgnoreCase);

    /// <summary>
    /// Whether it is a folder of this machine that the user named: no server, no share of another machine, not the default cache.
    /// </summary>
    public bool IsLocalFolder => !IsDefaultCache && !IsServer && Text is not ['\\' or '/', '\\' or '/', ..];

    /// <inheritdoc/>
    public override string ToString() => Text;
}
