namespace Tracer.Symbols;

/// <summary>A name in both forms; behind a fault, nothing.</summary>
/// <param name="full">With result, parameters, access and calling convention, as the reference tool prints it.</param>
/// <param name="brief">Scopes, name and template arguments.</param>
internal readonly struct DemangledText(string full, string brief)
{
    private readonly string? _full = full;
    private readonly string? _brief = brief;

    public string Full => _full ?? "";

    public string Short => _brief ?? "";
}
