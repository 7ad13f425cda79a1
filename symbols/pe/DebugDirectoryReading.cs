using System.Buffers.Binary;

namespace Tracer.Symbols;

/// <summary>The debug directory: which PDBs belong to an image, and whether its build is reproducible.</summary>
/// <remarks>
/// IMAGE_DEBUG_DIRECTORY, 28 bytes (PE format specification, "Debug Directory"):
/// <code>
///  0 u32 Characteristics  4 u32 TimeDateStamp  8 u16, u16 version  12 u32 Type (2 CodeView, 16 repro, 17 embedded portable PDB)
/// 16 u32 SizeOfData      20 u32 AddressOfRawData (RVA, 0 if not mapped)  24 u32 PointerToRawData (file offset)
/// </code>
/// A CodeView entry of version 0x504D belongs to a portable PDB.
/// </remarks>
internal static class DebugDirectoryReading
{
    private const int EntrySize = 28;

    /// <summary>Linkers write up to six; nobody needs to see more of a hostile image.</summary>
    private const int MaximumEntries = 256;

    private const uint CodeView = 2;
    private const uint Reproducible = 16;
    private const ushort PortableVersion = 0x504D;

    public static (List<PdbReference> References, bool IsReproducible) Read(
        PeMap map, PeLayout layout, PeDirectory directory, PeOddityList oddities)
    {
        List<PdbReference> references = [];
        bool isReproducible = false;
        if (!directory.IsPresent)
        {
            return (references, isReproducible);
        }

        ReadOnlySpan<byte> entries = map.At(directory.Rva, (int)Math.Min(directory.Size, MaximumEntries * EntrySize));
        if (entries.Length < directory.Size)
        {
            oddities.Add(map.PlaceOf(directory.Rva), $"the debug directory has {directory.Size} bytes, {entries.Length} are read");
        }

        for (; entries.Length >= EntrySize; entries = entries[EntrySize..])
        {
            uint type = BinaryPrimitives.ReadUInt32LittleEndian(entries[12..]);
            isReproducible |= type == Reproducible;
            if (type == CodeView)
            {
                ReadCodeView(map, layout, entries[..EntrySize], references, oddities);
            }
        }

        return (references, isReproducible);
    }

    private static void ReadCodeView(
        PeMap map, PeLayout layout, ReadOnlySpan<byte> entry, List<PdbReference> references, PeOddityList oddities)
    {
        int size = (int)Math.Min(BinaryPrimitives.ReadUInt32LittleEndian(entry[16..]), PdbReference.MaximumSize);
        uint rva = BinaryPrimitives.ReadUInt32LittleEndian(entry[20..]);
        uint pointer = BinaryPrimitives.ReadUInt32LittleEndian(entry[24..]);
        bool isInFile = layout == PeLayout.File && pointer != 0;
        ReadOnlySpan<byte> record = isInFile ? map.InFile(pointer, size) : map.At(rva, size);
        long place = isInFile ? pointer : map.PlaceOf(rva);
        if (record.Length < size)
        {
            oddities.Add(place, $"the CodeView record of {size} bytes is cut short after {record.Length}");
        }

        bool isPortable = BinaryPrimitives.ReadUInt16LittleEndian(entry[10..]) == PortableVersion;
        if (PdbReference.Read(record, isPortable) is { } reference)
        {
            references.Add(reference);
        }
        else
        {
            oddities.Add(place, "a CodeView record that is neither RSDS nor NB10");
        }
    }
}
