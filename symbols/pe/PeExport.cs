namespace Tracer.Symbols;

/// <summary>One exported name, or one ordinal without a name.</summary>
/// <param name="Rva">Where the code or data stands; 0 for a forwarder.</param>
/// <param name="Ordinal">Its number, the directory's base included.</param>
/// <param name="Name">Null if it is exported by its ordinal alone.</param>
/// <param name="Forwarder">Where it is instead, as <c>MODULE.Name</c> or <c>MODULE.#ordinal</c>; null unless it is a forwarder.</param>
public readonly record struct PeExport(uint Rva, uint Ordinal, string? Name, string? Forwarder)
{
    /// <summary>The name, or <c>#ordinal</c>.</summary>
    public override string ToString() => Name ?? string.Create(System.Globalization.CultureInfo.InvariantCulture, $"#{Ordinal}");
}
