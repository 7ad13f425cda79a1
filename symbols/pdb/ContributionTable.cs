namespace Tracer.Symbols.Pdb;

/// <summary>
/// Which module each piece of code came from: the index from an address to the symbols that may name it.
/// <code>
///  0  4   version: F12EBA2D (entries of 28 bytes) or F13151E4 (of 32)
///  4  ..  entries:  0  2  section     8  4  bytes                16  2  module
///                   4  4  offset     12  4  characteristics
/// </code>
/// Kept are the pieces in sections of code, 10 bytes each.
/// </summary>
internal sealed class ContributionTable
{
    private const uint Version60 = 0xF12E_BA2D;
    private const uint Version2 = 0xF131_51E4;
    private const int EntryBytes60 = 28;
    private const int EntryBytes2 = 32;
    private const int OffsetAt = 4;
    private const int LengthAt = 8;
    private const int ModuleAt = 16;
    private const int EntriesAtOnce = 2048;
    private const int FirstCapacity = 1024;

    private uint[] _starts = [];
    private uint[] _lengths = [];
    private ushort[] _modules = [];

    private ContributionTable()
    {
    }

    /// <summary>How many pieces of code.</summary>
    public int Count { get; private set; }

    public static ContributionTable Read(DbiHeader dbi, SectionTable sections, DamageLog damage)
    {
        var table = new ContributionTable();
        StreamPart part = dbi.Contributions;
        if (part.Length < sizeof(uint))
        {
            return table;
        }

        uint version = dbi.Stream.UInt32(part.Offset);
        if (version is not Version60 and not Version2)
        {
            damage.Add(dbi.Stream.FileOffset(part.Offset), $"section contributions of the unknown version {version:X8} are left out");
            return table;
        }

        table.ReadEntries(dbi.Stream, part, version == Version60 ? EntryBytes60 : EntryBytes2, sections);
        table.Sort();
        return table;
    }

    /// <summary>The piece that holds an RVA; -1 where none does.</summary>
    public int Find(uint rva)
    {
        int at = Array.BinarySearch(_starts, 0, Count, rva);
        at = at < 0 ? ~at - 1 : at;
        return at >= 0 && rva - _starts[at] < _lengths[at] ? at : -1;
    }

    public int Module(int piece) => _modules[piece];

    private void ReadEntries(MsfStream stream, StreamPart part, int entryBytes, SectionTable sections)
    {
        var scratch = default(MsfStream.Scratch);
        try
        {
            for (long at = part.Offset + sizeof(uint); at + entryBytes <= part.End;)
            {
                int bytes = (int)Math.Min((long)EntriesAtOnce * entryBytes, (part.End - at) / entryBytes * entryBytes);
                ReadOnlySpan<byte> entries = stream.Take(at, bytes, ref scratch);
                if (entries.IsEmpty)
                {
                    return;
                }

                at += bytes;
                for (; entries.Length >= entryBytes; entries = entries[entryBytes..])
                {
                    Add(entries, sections);
                }
            }
        }
        finally
        {
            scratch.Dispose();
        }
    }

    private void Add(ReadOnlySpan<byte> entry, SectionTable sections)
    {
        ushort section = LittleEndian.UInt16(entry, 0);
        uint length = LittleEndian.UInt32(entry, LengthAt);
        if (length == 0 || !sections.IsCode(section) || !sections.TryRva(section, LittleEndian.UInt32(entry, OffsetAt), out uint rva))
        {
            return;
        }

        if (Count == _starts.Length)
        {
            int capacity = Math.Max(FirstCapacity, Count * 2);
            Array.Resize(ref _starts, capacity);
            Array.Resize(ref _lengths, capacity);
            Array.Resize(ref _modules, capacity);
        }

        _starts[Count] = rva;
        _lengths[Count] = length;
        _modules[Count] = LittleEndian.UInt16(entry, ModuleAt);
        Count++;
    }

    /// <summary>Linkers write them in order; where one did not, they are sorted, equal addresses as they stood.</summary>
    private void Sort()
    {
        bool isSorted = true;
        for (int i = 1; i < Count && isSorted; i++)
        {
            isSorted = _starts[i - 1] <= _starts[i];
        }

        if (isSorted)
        {
            return;
        }

        int[] order = [.. Enumerable.Range(0, Count)];
        ulong[] keys = [.. order.Select(i => ((ulong)_starts[i] << 32) | (uint)i)];
        Array.Sort(keys, order);
        _starts = [.. order.Select(i => _starts[i])];
        _lengths = [.. order.Select(i => _lengths[i])];
        _modules = [.. order.Select(i => _modules[i])];
    }
}
