namespace Tracer.Symbols.Pdb;

/// <summary>A call whose callee's code stands in the caller.</summary>
/// <param name="Function">The callee, with its scope or class, as stored.</param>
/// <param name="Source">
/// The line of the callee; where its code holds another inlined call, the line of that call. null: not known.
/// </param>
public readonly record struct PdbInlineFrame(string Function, PdbSource? Source);
