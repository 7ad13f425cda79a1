namespace Tracer.Symbols;

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
