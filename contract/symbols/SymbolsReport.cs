using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// What <c>analyzer symbols TRACE --format json</c> prints: schema <c>tracer.symbols/1</c>, each module with the identities that its
/// symbols must have and what was found where. For one PDB or image it holds that alone.
/// </summary>
public sealed record SymbolsReport : IReport<SymbolsReport>
{
    /// <summary>The schema that this record writes.</summary>
    public const string SchemaName = "tracer.symbols/1";

    /// <summary>Always <see cref="SchemaName"/>.</summary>
    [JsonRequired]
    public string Schema { get; init; } = SchemaName;

    /// <summary>The file that was read, as the user named it.</summary>
    public required string Path { get; init; }

    /// <summary>The modules: the kernel's by address, then those of processes, each file once.</summary>
    public required IReadOnlyList<SymbolModule> Modules { get; init; }

    static string IReport<SymbolsReport>.SchemaName => SchemaName;

    static JsonTypeInfo<SymbolsReport> IJsonRecord<SymbolsReport>.JsonType(bool indented) => SymbolsJson.In(indented).SymbolsReport;
}

public sealed record SymbolModule
{
    /// <summary>File name as in the trace.</summary>
    public required string Name { get; init; }

    /// <summary>Whether it is mapped in the kernel; null where that is not known.</summary>
    public required bool? Kernel { get; init; }

    /// <summary>The image that is needed; null where the trace lacks its identity.</summary>
    public required NeededFile? Image { get; init; }

    /// <summary>The PDB that is needed; null where nothing tells which.</summary>
    public required NeededFile? Pdb { get; init; }

    /// <summary>What names its functions: <c>pdb</c>, <c>image</c>, <c>none</c>.</summary>
    public required string Names { get; init; }
}

/// <summary>A file that symbols are read from, and where it was found.</summary>
public sealed record NeededFile
{
    public required string Name { get; init; }

    /// <summary>Its folder in a symbol store: GUID and age of a PDB, time stamp and size of an image.</summary>
    public required string Key { get; init; }

    /// <summary>The path of the file that is used; null where none was found.</summary>
    public required string? Path { get; init; }

    /// <summary>
    /// Where it came from: <c>beside</c> the trace, <c>folder</c>, <c>store</c>, <c>server</c>; null where it was not found.
    /// </summary>
    public required string? Source { get; init; }

    /// <summary>The places that were looked at in vain, a sentence each.</summary>
    public required IReadOnlyList<string> Tried { get; init; }
}
