namespace Tracer.Symbols.Pdb;

/// <summary>A procedure of a PDB's private symbols.</summary>
/// <param name="Name">As stored, mostly undecorated.</param>
/// <param name="Rva">Where it begins in the image.</param>
/// <param name="Length">Bytes of code.</param>
/// <param name="Module">The module that it is in: see <see cref="PdbFile.ModuleName"/>.</param>
/// <param name="IsSeparated">Whether it is code of a procedure of that name that was put elsewhere.</param>
public readonly record struct PdbProcedure(string Name, uint Rva, uint Length, int Module, bool IsSeparated);
