using System.Buffers.Binary;

namespace Tracer.Symbols;

/// <summary>Tells the identity of a PDB.</summary>
/// <param name="bytes">The file.</param>
/// <param name="problem">Why these bytes have none, as a sentence's end: "is no PDB".</param>
/// <returns>The identity that images name it by; null if there is none.</returns>
public delegate PdbId? PdbIdReader(SymbolBytes bytes, out string? problem);

/// <summary>A file that is looked for.</summary>
/// <param name="Name">Its name, which <see cref="SymbolFileName"/> allows.</param>
/// <param name="Key">Its folder in a store; null where that is not known, so that no store is looked at.</param>
/// <param name="Check">What is wrong with a file of that name; null if it is the wanted one.</param>
internal sealed record SymbolFileRequest(string Name, string? Key, Func<SymbolBytes, SymbolProblem?> Check)
{
    /// <summary>Whether no server is asked, even if servers may be.</summary>
    public bool IsNearOnly { get; init; }

    /// <summary>The name of the compressed file: <c>nic.pd_</c>.</summary>
    public string CompressedName => Name[..^1] + "_";

    /// <summary>The first letters of the name, which stores with two tiers have as a folder.</summary>
    public string? Tier => Name.Length >= 2 && !Name[..2].Contains('.', StringComparison.Ordinal) ? Name[..2] : null;

    public static SymbolFileRequest ForPdb(string name, PdbId id, PdbIdReader reader) => new(name, id.StoreKey, bytes =>
        reader(bytes, out string? problem) is not { } found ? new SymbolProblem(SymbolMiss.Damaged, problem ?? "has no identity")
        : found == id ? null
        : WrongId(found.StoreKey, id.StoreKey));

    public static SymbolFileRequest ForImage(string name, ImageId? id, PdbId? pdb) => new(name, id?.StoreKey, bytes =>
        !PeImage.TryRead(bytes, out PeImage? image, out string? problem)
            ? new SymbolProblem(SymbolMiss.Damaged, "is not an image: " + problem)
        : id is { } wanted && !(image.Id.TimeDateStamp == wanted.TimeDateStamp && image.Id.IsMappedAs(wanted.SizeOfImage))
            ? WrongId(image.Id.StoreKey, wanted.StoreKey)
        : pdb is not { } own || image.Pdbs.Any(one => one.Id == own) ? null
        : new SymbolProblem(
            SymbolMiss.WrongId,
            $"names the PDB {image.Pdbs.FirstOrDefault(one => one.Id is not null)?.Id?.StoreKey ?? "of nobody"}, not {own.StoreKey}"));

    /// <summary>What is wrong with a file that is about to be kept: the same, and whether it was cut off.</summary>
    public SymbolProblem? CheckWhole(SymbolBytes bytes) =>
        Check(bytes) ?? (LeastLength(bytes) is { } least && bytes.Length < least
            ? new SymbolProblem(SymbolMiss.Damaged, $"is cut off: it has {bytes.Length} of {least} bytes")
            : null);

    private static SymbolProblem WrongId(string found, string wanted) => new(SymbolMiss.WrongId, $"is {found}, not {wanted}");

    /// <summary>
    /// The bytes that a file has by its own header: blocks of a PDB (u32 size at 32, u32 count at 40), sections of an image.
    /// </summary>
    private static long? LeastLength(SymbolBytes bytes)
    {
        ReadOnlySpan<byte> header = bytes.At(0, 44);
        return header.Length == 44 && header.StartsWith("Microsoft C/C++ MSF 7.00\r\n"u8)
                ? (long)BinaryPrimitives.ReadUInt32LittleEndian(header[32..]) * BinaryPrimitives.ReadUInt32LittleEndian(header[40..])
            : header.StartsWith("MZ"u8) && PeImage.TryRead(bytes, out PeImage? image, out _) && image.Sections.Count > 0
                ? image.Sections.Max(section => section.RawOffset == 0 ? 0L : (long)section.RawOffset + section.RawSize)
            : null;
    }
}
