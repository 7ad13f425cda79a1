namespace Tracer.Symbols.Pdb;

/// <summary>A variable of a PDB's global symbols.</summary>
/// <param name="Name">As stored, mostly undecorated.</param>
/// <param name="Rva">Where it is in the image.</param>
/// <param name="IsLocal">Whether only one object file knows it by that name.</param>
public readonly record struct PdbVariable(string Name, uint Rva, bool IsLocal);
