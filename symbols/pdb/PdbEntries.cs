namespace Tracer.Symbols.Pdb;

/// <summary>A procedure of a PDB's private symbols.</summary>
/// <param name="Name">As stored, mostly undecorated.</param>
/// <param name="Rva">Where it begins in the image.</param>
/// <param name="Length">Bytes of code.</param>
/// <param name="Module">The module that it is in: see <see cref="PdbFile.ModuleName"/>.</param>
/// <param name="IsSeparated">Whether it is code of a procedure of that name that was put elsewhere.</param>
public readonly record struct PdbProcedure(string Name, uint Rva, uint Length, int Module, bool IsSeparated);

/// <summary>A public symbol of a PDB.</summary>
/// <param name="Name">As stored: decorated.</param>
/// <param name="Rva">Where it is in the image.</param>
/// <param name="IsFunction">Whether the linker knew it as code.</param>
public readonly record struct PdbPublic(string Name, uint Rva, bool IsFunction);

/// <summary>A variable of a PDB's global symbols.</summary>
/// <param name="Name">As stored, mostly undecorated.</param>
/// <param name="Rva">Where it is in the image.</param>
/// <param name="IsLocal">Whether only one object file knows it by that name.</param>
public readonly record struct PdbVariable(string Name, uint Rva, bool IsLocal);
