using System.Collections.Concurrent;
using Tracer.Symbols.Pdb;

namespace Tracer.Symbols;

/// <summary>
/// Names addresses in one module by what there is of it: its PDB, its image, both or neither. The first that tells counts: a private
/// symbol; a public symbol; an export, if the image's unwind data says that the address lies in that function; a function of the unwind
/// data, which has no name (<c>sub_1a2b0</c>); the module alone. The nearest export is never given. Look-ups are safe for several threads
/// and allocate nothing when their names were made.
/// </summary>
/// <example>
/// <code>
/// ModuleNames names = new(pdb, image);
/// AddressName name = names.Find(0x1a2b7);
/// Console.WriteLine(name.Function is null ? $"nic.sys+0x{name.Offset:x}" : $"nic.sys!{name.Function}+0x{name.Offset:x}");
/// </code>
/// </example>
/// <param name="pdb">Its PDB; null where it is not at hand. It must be the image's own.</param>
/// <param name="image">The image; null where it is not at hand.</param>
public sealed class ModuleNames(IPdbSymbols? pdb, PeImage? image)
{
    /// <summary>So many names are kept; beyond them they are made anew.</summary>
    private const int MaximumKept = 1 << 16;

    private readonly ConcurrentDictionary<string, string> _readable = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<uint, string> _numbered = new();

    /// <summary>Its PDB.</summary>
    public IPdbSymbols? Pdb { get; } = pdb;

    /// <summary>Its image.</summary>
    public PeImage? Image { get; } = image;

    /// <summary>Names an address.</summary>
    /// <param name="rva">The address, in bytes from the module's base.</param>
    public AddressName Find(uint rva)
    {
        FunctionBounds bounds = default;
        bool isBounded = Image is not null && Image.TryFindFunction(rva, out bounds);
        if (Pdb is not null && Pdb.TryFind(rva, out PdbSymbol symbol) && !(isBounded && EndsBefore(in symbol, in bounds, rva)))
        {
            string function = Readable(symbol.Function);
            return new AddressName
            {
                Function = function,
                Decorated = symbol.Decorated == function ? null : symbol.Decorated,
                Offset = symbol.Offset,
                Source = symbol.Source,
                Inlines = symbol.Inlines,
                Proof = symbol.Proof,
            };
        }

        if (!isBounded)
        {
            return new AddressName { Offset = rva, Proof = SymbolProof.Module };
        }

        if (Image!.TryFindExportedFunction(rva, out PeExport export, out _))
        {
            // The export of a function stands at its begin; the address may be in a piece that was put elsewhere.
            uint begin = export.Rva >= bounds.PieceBegin && export.Rva <= rva ? export.Rva : bounds.PieceBegin;
            string decorated = export.Name ?? export.ToString();
            string function = Readable(decorated);
            return new AddressName
            {
                Function = function,
                Decorated = decorated == function ? null : decorated,
                Offset = rva - begin,
                Proof = SymbolProof.Export,
            };
        }

        return new AddressName { Function = Numbered(bounds.Begin), Offset = rva - bounds.PieceBegin, Proof = SymbolProof.Pdata };
    }

    /// <summary>
    /// A public symbol tells where a function begins, not where it ends: what the unwind data says is another function is not its.
    /// </summary>
    private static bool EndsBefore(in PdbSymbol symbol, in FunctionBounds bounds, uint rva) =>
        symbol.Proof == SymbolProof.Public
        && (symbol.Start < bounds.PieceBegin || symbol.Start > rva)
        && symbol.Start != bounds.Begin;

    private string Readable(string name)
    {
        if (_readable.TryGetValue(name, out string? readable))
        {
            return readable;
        }

        readable = SymbolName.Demangle(name);
        if (_readable.Count < MaximumKept)
        {
            _readable.TryAdd(name, readable);
        }

        return readable;
    }

    private string Numbered(uint begin)
    {
        if (_numbered.TryGetValue(begin, out string? name))
        {
            return name;
        }

        name = string.Create(CultureInfo.InvariantCulture, $"sub_{begin:x}");
        if (_numbered.Count < MaximumKept)
        {
            _numbered.TryAdd(begin, name);
        }

        return name;
    }
}
