namespace Tracer.Symbols.Pdb;

/// <summary>A public symbol of a PDB.</summary>
/// <param name="Name">As stored: decorated.</param>
/// <param name="Rva">Where it is in the image.</param>
/// <param name="IsFunction">Whether the linker knew it as code.</param>
public readonly record struct PdbPublic(string Name, uint Rva, bool IsFunction);
