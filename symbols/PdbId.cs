namespace Tracer.Symbols;

/// <summary>
/// Identity of a PDB file, as the RSDS debug directory of an image and the DbgID_RSDS event of a trace give it. A PDB is used for an
/// image only if both are equal, bit for bit.
/// </summary>
/// <param name="Guid">Changes with every full link.</param>
/// <param name="Age">Counts the writes to the PDB since then.</param>
public readonly record struct PdbId(Guid Guid, uint Age)
{
    /// <summary>
    /// The folder of this PDB in a symbol store: 32 upper-case hexadecimal digits of the GUID, then the age in hexadecimal.
    /// </summary>
    public string StoreKey => Guid.ToString("N").ToUpperInvariant() + Age.ToString("X", CultureInfo.InvariantCulture);
}
