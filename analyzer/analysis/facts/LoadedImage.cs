namespace Tracer.Analysis.Facts;

/// <summary>An image (driver, program or library) that was mapped at an address for some time.</summary>
public sealed class LoadedImage
{
    /// <summary>
    /// File name in the trace: the last component of the path, case preserved. Where the trace has no name, <c>image@0x</c> and the base
    /// address.
    /// </summary>
    public required string Name { get; init; }

    /// <summary>NT path in the trace; empty where there is none.</summary>
    public required string Path { get; init; }

    public required ulong Base { get; init; }

    /// <summary>Size of the mapping in bytes.</summary>
    public required ulong Size { get; init; }

    /// <summary>The process it was mapped in; 0 for a kernel image.</summary>
    public required uint ProcessId { get; init; }

    /// <summary>When it was mapped, in ticks; long.MinValue where it was mapped before the trace.</summary>
    public required long LoadTicks { get; init; }

    /// <summary>When it was unmapped, in ticks; long.MaxValue where it stayed mapped.</summary>
    public required long UnloadTicks { get; init; }

    /// <summary>Time stamp of the PE header: a time, or a hash in a reproducible build; 0 where the trace has none.</summary>
    public uint TimeDateStamp { get; init; }

    /// <summary>The PDB of the image; null where the trace does not give it.</summary>
    public ImagePdb? Pdb { get; init; }

    /// <summary>Description of the file; null where not even its path is known.</summary>
    public required ImageDescription? Description { get; init; }

    /// <summary>Index in <see cref="ImageTable.Images"/>, which holds the kernel's images first, sorted by address and time.</summary>
    public required int Number { get; init; }

    /// <summary>Whether an address lies in the image, whatever the time.</summary>
    public bool Covers(ulong address) => address >= Base && address - Base < Size;

    /// <summary>Name and address range, for the debugger.</summary>
    public override string ToString() => FormattableString.Invariant($"{Name} 0x{Base:x}+0x{Size:x}");
}
