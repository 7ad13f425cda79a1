using System.Buffers.Binary;
using System.Collections;
using System.Runtime.InteropServices;

namespace Tracer.Symbols;

/// <summary>
/// The exports of an image, ordered by RVA and then by name as the image has them; forwarders come first, at RVA 0. Names are made when
/// they are asked for. Safe for several threads at once.
/// </summary>
/// <remarks>
/// Export directory, 40 bytes (PE format specification, "The .edata Section"):
/// <code>
/// 12 u32 RVA of the module's name  16 u32 OrdinalBase  20 u32 count of addresses  24 u32 count of names
/// 28 u32 RVA of addresses (u32 each: an RVA, or inside the directory's own bytes the text of a forwarder)
/// 32 u32 RVA of names (u32 each: the RVA of a text)  36 u32 RVA of ordinals (u16 each: the index of the address that this name is for)
/// </code>
/// </remarks>
public sealed class PeExports : IReadOnlyList<PeExport>
{
    private const int DirectorySize = 40;
    private const int MaximumCount = 0x1_0000;
    private const int MaximumNameBytes = 4096;

    private readonly PeMap? _map;
    private readonly uint _ordinalBase;
    private readonly Entry[] _entries = [];

    private PeExports()
    {
    }

    private PeExports(PeMap map, string? moduleName, uint ordinalBase, Entry[] entries)
    {
        (_map, ModuleName, _ordinalBase, _entries) = (map, moduleName, ordinalBase, entries);
    }

    /// <summary>The name that the image gives itself, such as <c>ntoskrnl.exe</c>; null if it gives none.</summary>
    public string? ModuleName { get; }

    /// <summary>How many there are: every name, and every ordinal without one.</summary>
    public int Count => _entries.Length;

    internal static PeExports None { get; } = new();

    /// <summary>One of them, in the order of their RVAs.</summary>
    /// <param name="index">0 for the first.</param>
    public PeExport this[int index]
    {
        get
        {
            Entry entry = _entries[index];
            return new PeExport(
                entry.Rva,
                unchecked(_ordinalBase + entry.Index),
                entry.NameRva == 0 ? null : _map!.TextAt(entry.NameRva, MaximumNameBytes),
                entry.ForwarderRva == 0 ? null : _map!.TextAt(entry.ForwarderRva, MaximumNameBytes) ?? "");
        }
    }

    /// <summary>Finds the first export at exactly this RVA.</summary>
    /// <returns>Whether there is one.</returns>
    public bool TryFind(uint rva, out PeExport export) => TryFindWithin(rva, rva, out export);

    /// <summary>Finds the last RVA at or below <paramref name="rva"/> with an export, and the first export there.</summary>
    /// <param name="from">Exports below this RVA are not considered.</param>
    /// <param name="rva">Exports above this RVA are not considered.</param>
    /// <param name="export">The export.</param>
    /// <returns>Whether there is one.</returns>
    public bool TryFindWithin(uint from, uint rva, out PeExport export)
    {
        int end = FirstAbove(rva);
        if (end == 0 || _entries[end - 1].Rva < from || _entries[end - 1].Rva == 0)
        {
            export = default;
            return false;
        }

        uint at = _entries[end - 1].Rva;
        export = this[FirstAbove(at - 1)];
        return true;
    }

    /// <inheritdoc/>
    public IEnumerator<PeExport> GetEnumerator()
    {
        for (int i = 0; i < Count; i++)
        {
            yield return this[i];
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal static PeExports Read(PeMap map, PeDirectory directory, PeOddityList oddities)
    {
        if (!directory.IsPresent)
        {
            return None;
        }

        ReadOnlySpan<byte> header = map.At(directory.Rva, DirectorySize);
        if (header.Length < DirectorySize)
        {
            oddities.Add(map.PlaceOf(directory.Rva), "the export directory lies outside the sections");
            return None;
        }

        uint addressCount = BinaryPrimitives.ReadUInt32LittleEndian(header[20..]);
        uint nameCount = BinaryPrimitives.ReadUInt32LittleEndian(header[24..]);
        ReadOnlySpan<uint> addresses = Table<uint>(map, header, 28, addressCount, "addresses", oddities);
        ReadOnlySpan<uint> names = Table<uint>(map, header, 32, nameCount, "names", oddities);
        ReadOnlySpan<ushort> ordinals = Table<ushort>(map, header, 36, nameCount, "ordinals", oddities);

        List<Entry> entries = new(Math.Max(addresses.Length, names.Length));
        var isNamed = new bool[addresses.Length];
        int strays = 0;
        for (int i = 0; i < Math.Min(names.Length, ordinals.Length); i++)
        {
            ushort index = Little(ordinals[i]);
            if (index < addresses.Length)
            {
                isNamed[index] = true;
                entries.Add(Entry.Of(Little(addresses[index]), index, Little(names[i]), entries.Count, directory));
            }
            else
            {
                strays++;
            }
        }

        if (strays > 0)
        {
            oddities.Add(map.PlaceOf(directory.Rva), $"{strays} exported names belong to ordinals that do not exist");
        }

        for (int i = 0; i < addresses.Length; i++)
        {
            // An address of 0 is an ordinal that is not in use.
            if (!isNamed[i] && addresses[i] != 0)
            {
                entries.Add(Entry.Of(Little(addresses[i]), (ushort)i, 0, entries.Count, directory));
            }
        }

        Entry[] sorted = [.. entries];
        Array.Sort(sorted);
        string? moduleName = map.TextAt(BinaryPrimitives.ReadUInt32LittleEndian(header[12..]), MaximumNameBytes);
        return new PeExports(map, moduleName, BinaryPrimitives.ReadUInt32LittleEndian(header[16..]), sorted);
    }

    private static ReadOnlySpan<T> Table<T>(
        PeMap map, ReadOnlySpan<byte> header, int field, uint count, string what, PeOddityList oddities)
        where T : struct
    {
        uint rva = BinaryPrimitives.ReadUInt32LittleEndian(header[field..]);
        int wanted = (int)Math.Min(count, MaximumCount) * Marshal.SizeOf<T>();
        ReadOnlySpan<T> table = MemoryMarshal.Cast<byte, T>(map.At(rva, wanted));
        if (table.Length < count)
        {
            oddities.Add(map.PlaceOf(rva), $"the table of exported {what} has {count} entries, {table.Length} are read");
        }

        return table;
    }

    private static uint Little(uint value) => BitConverter.IsLittleEndian ? value : BinaryPrimitives.ReverseEndianness(value);

    private static ushort Little(ushort value) => BitConverter.IsLittleEndian ? value : BinaryPrimitives.ReverseEndianness(value);

    /// <summary>The index of the first export above an RVA.</summary>
    private int FirstAbove(uint rva)
    {
        int low = SortedSearch.FirstNot(0, _entries.Length, (_entries, rva), static (at, i) => at._entries[i].Rva <= at.rva);

        return low;
    }

    private readonly record struct Entry(uint Rva, ushort Index, uint NameRva, uint ForwarderRva, int Order) : IComparable<Entry>
    {
        public static Entry Of(uint address, ushort index, uint nameRva, int order, PeDirectory directory) =>
            address >= directory.Rva && address - directory.Rva < directory.Size
                ? new Entry(0, index, nameRva, address, order)
                : new Entry(address, index, nameRva, 0, order);

        public int CompareTo(Entry other) => Rva != other.Rva ? Rva.CompareTo(other.Rva) : Order.CompareTo(other.Order);
    }
}

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
