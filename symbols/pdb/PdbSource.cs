namespace Tracer.Symbols.Pdb;

/// <summary>A place in a source file.</summary>
/// <param name="File">The path, as the compiler knew it. Nothing to be trusted: it may name anything.</param>
/// <param name="Line">The line, from 1.</param>
public readonly record struct PdbSource(string File, int Line);
