using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// What <c>analyzer symbols FILE RVA... --format json</c> prints, one object a line: the function at an address of a module.
/// </summary>
public sealed record AddressSymbol : IJsonRecord<AddressSymbol>
{
    /// <summary>The address from the module's base, in hexadecimal: <c>0x1234</c>.</summary>
    public required string Rva { get; init; }

    /// <summary>
    /// The function, outermost where others' code stands in it, readable; <c>sub_1a2b0</c> where only the unwind data tells that there is
    /// one. Null where nothing does.
    /// </summary>
    public required string? Function { get; init; }

    /// <summary>The same as a linker knows it; null where that is no other name, or not known.</summary>
    public required string? Decorated { get; init; }

    /// <summary>
    /// Bytes from where the function, or the part of it that holds the address, begins; from the module's base without one.
    /// </summary>
    public required long Offset { get; init; }

    /// <summary>The line of the outermost function; null where not known.</summary>
    public required SourceLine? Source { get; init; }

    /// <summary>The calls whose callees' code stands in the function and holds the address, the innermost first.</summary>
    public required IReadOnlyList<InlinedCall> Inlines { get; init; }

    /// <summary>What the name rests on: <c>private</c>, <c>public</c>, <c>export</c>, <c>pdata</c>, <c>module</c>.</summary>
    public required string Proof { get; init; }

    static JsonTypeInfo<AddressSymbol> IJsonRecord<AddressSymbol>.JsonType(bool indented) => SymbolsJson.In(indented).AddressSymbol;
}

/// <param name="File">The file as the compiler wrote it.</param>
/// <param name="Line">The line, from 1.</param>
public sealed record SourceLine(string File, int Line);

/// <summary>A call whose callee's code stands in the caller.</summary>
/// <param name="File">Its file; null where not known.</param>
/// <param name="Line">The line in the callee; null where not known.</param>
public sealed record InlinedCall(string Function, string? File, int? Line);
