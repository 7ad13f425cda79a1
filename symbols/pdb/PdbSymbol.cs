namespace Tracer.Symbols.Pdb;

/// <summary>What a PDB says about an address.</summary>
public readonly struct PdbSymbol
{
    /// <summary>
    /// The function, outermost where others' code stands in it, as stored: of private symbols mostly undecorated, of public symbols
    /// decorated.
    /// </summary>
    public required string Function { get; init; }

    /// <summary>The decorated name of the function; null where the PDB has none.</summary>
    public string? Decorated { get; init; }

    /// <summary>
    /// RVA where the function begins, or where the part of it begins that was put elsewhere and holds the address
    /// (<see cref="IsSeparated"/>).
    /// </summary>
    public required uint Start { get; init; }

    /// <summary>Bytes from <see cref="Start"/> to the address.</summary>
    public required uint Offset { get; init; }

    /// <summary>Bytes of code from <see cref="Start"/>; null where the PDB does not say.</summary>
    public uint? Length { get; init; }

    /// <summary>Whether the address is in code of the function that was put elsewhere because it seldom runs.</summary>
    public bool IsSeparated { get; init; }

    /// <summary><see cref="SymbolProof.Private"/> or <see cref="SymbolProof.Public"/>.</summary>
    public required SymbolProof Proof { get; init; }

    /// <summary>The line of the function that the address belongs to; of an inlined call, the line of that call. null: not known.</summary>
    public PdbSource? Source { get; init; }

    /// <summary>The calls whose callees' code stands in the function and holds the address, the innermost first.</summary>
    public PdbInlineFrames Inlines { get; init; }
}

/// <summary>A place in a source file.</summary>
/// <param name="File">The path, as the compiler knew it. Nothing to be trusted: it may name anything.</param>
/// <param name="Line">The line, from 1.</param>
public readonly record struct PdbSource(string File, int Line);

/// <summary>A call whose callee's code stands in the caller.</summary>
/// <param name="Function">The callee, with its scope or class, as stored.</param>
/// <param name="Source">
/// The line of the callee; where its code holds another inlined call, the line of that call. null: not known.
/// </param>
public readonly record struct PdbInlineFrame(string Function, PdbSource? Source);
