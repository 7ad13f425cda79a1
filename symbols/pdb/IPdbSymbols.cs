namespace Tracer.Symbols.Pdb;

/// <summary>
/// What a PDB says about addresses, whoever reads it: <see cref="PdbFile"/> on any system, or DIA on Windows
/// (<see cref="Dia.DiaPdb"/>). Both give the same answers. Safe for several threads.
/// </summary>
public interface IPdbSymbols
{
    /// <summary>What an image's debug directory must say for the PDB to be its own.</summary>
    PdbId Id { get; }

    /// <summary>Finds the function that holds an address.</summary>
    /// <param name="rva">The address, in bytes from the image's base.</param>
    /// <param name="symbol">The function, and what else is known.</param>
    /// <returns>False where neither a procedure nor a public symbol is known to hold it.</returns>
    bool TryFind(uint rva, out PdbSymbol symbol);
}
