namespace Tracer.Contract;

/// <summary>A driver, or other image of the kernel, as far as the trace describes its file.</summary>
public sealed record DriverFile
{
    /// <summary>File name as in the trace.</summary>
    public required string Name { get; init; }

    /// <summary>Its path, with a drive letter where the trace has the mapping; null where unknown.</summary>
    public required string? Path { get; init; }

    /// <summary>File version; null where unknown.</summary>
    public required string? Version { get; init; }

    /// <summary>Company name of the version resource; null where unknown.</summary>
    public required string? Company { get; init; }

    /// <summary>When it was built, UTC; null where unknown, or where a hash stands in its place (reproducible build).</summary>
    public required DateTime? Timestamp { get; init; }

    /// <summary>Size of the mapping in bytes.</summary>
    public required long Size { get; init; }

    /// <summary>File name of its PDB; null where unknown.</summary>
    public required string? Pdb { get; init; }

    /// <summary>GUID and age of its PDB, as the folder in a symbol store is called; null where unknown.</summary>
    public required string? PdbId { get; init; }
}
