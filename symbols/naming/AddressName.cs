using Tracer.Symbols.Pdb;

namespace Tracer.Symbols;

/// <summary>What an address in a module is called, and what the name rests on.</summary>
public readonly struct AddressName
{
    /// <summary>
    /// The function, outermost where others' code stands in it, readable: scopes and template arguments, no parameters. <c>sub_1a2b0</c>
    /// where only the unwind data tells that there is one; null where nothing does.
    /// </summary>
    public string? Function { get; init; }

    /// <summary>The same as a linker knows it; null where that is no other name, or not known.</summary>
    public string? Decorated { get; init; }

    /// <summary>
    /// Bytes from where the function begins, or the part of it that was put elsewhere and holds the address; from the module's base
    /// where no function is known.
    /// </summary>
    public uint Offset { get; init; }

    /// <summary>The line of the outermost function; null where not known.</summary>
    public PdbSource? Source { get; init; }

    /// <summary>The calls whose callees' code stands in the function and holds the address, the innermost first.</summary>
    public PdbInlineFrames Inlines { get; init; }

    /// <summary>What the name rests on.</summary>
    public required SymbolProof Proof { get; init; }
}
