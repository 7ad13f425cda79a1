namespace Tracer.Symbols;

/// <summary>A name in both forms.</summary>
/// <param name="Full">With result, parameters, access and calling convention, as the reference tool prints it.</param>
/// <param name="Short">Scopes, name and template arguments.</param>
internal readonly record struct DemangledText(string Full, string Short);
