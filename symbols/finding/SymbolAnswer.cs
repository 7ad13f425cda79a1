namespace Tracer.Symbols;

/// <summary>What kind of place a file was found in.</summary>
public enum SymbolSource
{
    /// <summary>Nowhere.</summary>
    None,

    /// <summary>Beside the trace.</summary>
    Beside,

    /// <summary>A plain folder of the symbol path.</summary>
    Folder,

    /// <summary>A store, or the cache.</summary>
    Store,

    /// <summary>A server, asked now.</summary>
    Server,
}

/// <summary>A file of symbols, or why there is none.</summary>
public sealed class SymbolAnswer
{
    internal SymbolAnswer(SymbolBytes? bytes, string? path, string? origin, SymbolSource source, IReadOnlyList<SymbolAttempt> attempts) =>
        (Bytes, Path, Origin, Source, Attempts) = (bytes, path, origin, source, attempts);

    /// <summary>
    /// The file's bytes, whose identity is the wanted one; valid until the finder is disposed of. Null if it was not found.
    /// </summary>
    public SymbolBytes? Bytes { get; }

    /// <summary>The path of the file that is used.</summary>
    public string? Path { get; }

    /// <summary>Where it came from in this process: the same path, the file that it was copied or expanded from, or the address.</summary>
    public string? Origin { get; }

    /// <summary>What kind of place that is.</summary>
    public SymbolSource Source { get; }

    /// <summary>What was tried before in vain, in order; also copies to nearer stores that failed.</summary>
    public IReadOnlyList<SymbolAttempt> Attempts { get; }
}
