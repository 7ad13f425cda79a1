using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>An image (driver, program or library) that was mapped for some time at some addresses.</summary>
public sealed class LoadedImage
{
    /// <summary>
    /// File name as in the trace: the last component of its path, case kept. Where the trace has no name, <c>image@0x</c> and its address.
    /// </summary>
    public required string Name { get; init; }

    /// <summary>Path as the trace has it, an NT path; empty where it has none.</summary>
    public required string Path { get; init; }

    /// <summary>Its first address.</summary>
    public required ulong Base { get; init; }

    /// <summary>Size of its mapping in bytes.</summary>
    public required ulong Size { get; init; }

    /// <summary>Process that it was mapped in; 0 for the kernel's.</summary>
    public required uint ProcessId { get; init; }

    /// <summary>When it was mapped, in ticks; long.MinValue where it was there before the trace.</summary>
    public required long LoadTicks { get; init; }

    /// <summary>When it was unmapped, in ticks; long.MaxValue where it stayed.</summary>
    public required long UnloadTicks { get; init; }

    /// <summary>Time stamp of its header: a time, or a hash of a reproducible build; 0 where the trace has none.</summary>
    public uint TimeDateStamp { get; init; }

    /// <summary>The PDB that it was linked with; null where the trace does not tell.</summary>
    public ImagePdb? Pdb { get; init; }

    /// <summary>What the trace says of the file; null where it does not even have its path.</summary>
    public required ImageDescription? Description { get; init; }

    /// <summary>Its place in <see cref="ImageTable.Images"/>: the kernel's first, by address and time.</summary>
    public required int Number { get; init; }

    /// <summary>Whether an address lies in it, whatever the time.</summary>
    /// <param name="address">The address.</param>
    public bool Covers(ulong address) => address >= Base && address - Base < Size;

    /// <summary>Its name and place, for a debugger.</summary>
    public override string ToString() => FormattableString.Invariant($"{Name} 0x{Base:x}+0x{Size:x}");
}
