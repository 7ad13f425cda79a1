namespace Tracer.Symbols;

/// <summary>Where a <see cref="SymbolFinder"/> looks.</summary>
public sealed record SymbolFinderSettings
{
    /// <summary>Folders of the traces: files beside a trace are found without being asked for.</summary>
    public IReadOnlyList<string> FoldersBeside { get; init; } = [];

    /// <summary>The symbol path of the user; it must not come out of a trace.</summary>
    public SymbolPath Path { get; init; } = SymbolPath.Empty;

    /// <summary>
    /// The default cache, which <c>cache*</c> and <c>srv**</c> mean; null for none. See <see cref="DiskSymbolFiles.DefaultCache"/>.
    /// </summary>
    public string? CacheFolder { get; init; }

    /// <summary>
    /// Whether servers of the path may be asked. Only the user may turn this on: a trace from a stranger must not make the program call
    /// out.
    /// </summary>
    public bool AskServers { get; init; }

    /// <summary>The largest file that a compressed one may expand to, in bytes.</summary>
    public long MaximumExpandedBytes { get; init; } = 2L << 30;
}
