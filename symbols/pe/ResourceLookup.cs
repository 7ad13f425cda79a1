using System.Buffers.Binary;

namespace Tracer.Symbols;

/// <summary>Finds a resource of an image by its type: the first name, and of its languages English if there is one.</summary>
/// <remarks>
/// Three levels of tables: type, name, language (PE format specification, "The .rsrc Section").
/// <code>
/// table  12 u16 count of named entries  14 u16 count of numbered ones  16 entries, the named ones first
/// entry   0 u32 number, or bit 31 and the offset of a name   4 u32 offset of a data entry, or bit 31 and the offset of a table
/// data    0 u32 RVA   4 u32 size   8 u32 code page
/// </code>
/// Offsets count from the beginning of the resource directory.
/// </remarks>
internal static class ResourceLookup
{
    private const int TableSize = 16;
    private const int EntrySize = 8;
    private const int DataSize = 16;
    private const uint Flag = 0x8000_0000;
    private const uint English = 0x409;

    /// <summary>The bytes of the resource; where the image has none, or it is damaged, nothing.</summary>
    public static ReadOnlySpan<byte> Find(
        PeMap map, PeDirectory directory, uint type, int limit, PeOddityList oddities, out uint rva)
    {
        rva = 0;
        if (!directory.IsPresent || !TryFindEntry(map, directory, 0, type, isExact: true, out uint names))
        {
            return default;
        }

        if ((names & Flag) == 0
            || !TryFindEntry(map, directory, names & ~Flag, 1, isExact: false, out uint languages)
            || (languages & Flag) == 0
            || !TryFindEntry(map, directory, languages & ~Flag, English, isExact: false, out uint data)
            || (data & Flag) != 0)
        {
            oddities.Add(map.PlaceOf(directory.Rva), $"the tree of resources of type {type} is damaged");
            return default;
        }

        ReadOnlySpan<byte> entry = map.At(unchecked(directory.Rva + data), DataSize);
        if (entry.Length < DataSize)
        {
            oddities.Add(map.PlaceOf(directory.Rva), $"the entry of a resource of type {type} lies outside its section");
            return default;
        }

        rva = BinaryPrimitives.ReadUInt32LittleEndian(entry);
        int size = (int)Math.Min(BinaryPrimitives.ReadUInt32LittleEndian(entry[4..]), (uint)limit);
        ReadOnlySpan<byte> bytes = map.At(rva, size);
        if (bytes.Length < size)
        {
            oddities.Add(map.PlaceOf(rva), $"a resource of type {type} and {size} bytes is cut short after {bytes.Length}");
        }

        return bytes;
    }

    private static bool TryFindEntry(PeMap map, PeDirectory directory, uint table, uint number, bool isExact, out uint offset)
    {
        offset = 0;
        ReadOnlySpan<byte> header = map.At(unchecked(directory.Rva + table), TableSize);
        if (header.Length < TableSize)
        {
            return false;
        }

        int count = BinaryPrimitives.ReadUInt16LittleEndian(header[12..]) + BinaryPrimitives.ReadUInt16LittleEndian(header[14..]);
        ReadOnlySpan<byte> entries = map.At(unchecked(directory.Rva + table + TableSize), count * EntrySize);
        bool isFound = false;
        for (; entries.Length >= EntrySize; entries = entries[EntrySize..])
        {
            bool isNumber = BinaryPrimitives.ReadUInt32LittleEndian(entries) == number;
            if (isNumber || (!isExact && !isFound))
            {
                offset = BinaryPrimitives.ReadUInt32LittleEndian(entries[4..]);
                isFound = true;
            }

            if (isNumber)
            {
                break;
            }
        }

        return isFound;
    }
}
