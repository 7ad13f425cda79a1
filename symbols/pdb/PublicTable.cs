namespace Tracer.Symbols.Pdb;

/// <summary>
/// Public symbols in order of their addresses: a list of places in the stream of symbol records. Searched where it is, because a large PDB
/// has a million of them and a trace needs few.
/// <code>
/// 0 4  bytes of the hash by name      4 4  bytes of the list      28 ..  hash, then list of 4 bytes each
/// </code>
/// (LLVM, "The PDB Global and Public Symbol Streams"; microsoft-pdb, gsi.h: PSGSIHDR.)
/// </summary>
internal sealed class PublicTable
{
    private const int HeaderBytes = 28;

    /// <summary>So many symbols at one address are compared; the linker folds equal functions into one.</summary>
    private const int MaximumEqual = 256;

    private const int MaximumNameBytes = 8192;

    private readonly BoundedNames _made = new();
    private readonly MsfStream? _list;
    private readonly MsfStream? _records;
    private readonly SectionTable _sections;
    private readonly long _first;

    private PublicTable(MsfStream? list, MsfStream? records, SectionTable sections, DamageLog damage)
    {
        _records = records;
        _sections = sections;
        if (list is null || records is null || list.Length < HeaderBytes)
        {
            return;
        }

        _first = (long)HeaderBytes + list.UInt32(0);
        long bytes = Math.Min(list.UInt32(sizeof(uint)), Math.Max(0, list.Length - _first));
        if (bytes < list.UInt32(sizeof(uint)))
        {
            damage.Add(list.FileOffset(0), "the list of public symbols claims more bytes than there are; the missing ones are left out");
        }

        _list = list;
        Count = (int)Math.Min(bytes / sizeof(uint), int.MaxValue);
    }

    public int Count { get; }

    public static PublicTable Read(MsfFile file, DbiHeader? dbi, MsfStream? records, SectionTable sections, DamageLog damage) =>
        new(file.Stream(dbi?.PublicsStream ?? -1), records, sections, damage);

    /// <summary>A public symbol, by its place in the order of addresses.</summary>
    /// <returns>false where its record is damaged.</returns>
    public bool TryRecord(int at, out PublicRecord record)
    {
        Span<byte> bytes = stackalloc byte[SymbolWalk.FieldsAt + PublicRecord.NameAt];
        record = default;
        return _list is not null
            && _records!.TryRead(RecordAt(at), bytes)
            && LittleEndian.UInt16(bytes, sizeof(ushort)) == SymbolKinds.Public
            && PublicRecord.TryRead(bytes[SymbolWalk.FieldsAt..], out record);
    }

    /// <summary>The name of a public symbol, by its place in the order of addresses.</summary>
    public string Name(int at)
    {
        uint place = RecordAt(at);
        if (_made.TryGet(place, out string made))
        {
            return made;
        }

        var scratch = default(MsfStream.Scratch);
        try
        {
            return _made.Add(place, LittleEndian.Text(NameBytes(at, ref scratch)));
        }
        finally
        {
            scratch.Dispose();
        }
    }

    /// <summary>The symbol at an address or the nearest before it in its section; -1 where none is. Of equal ones the best.</summary>
    public int Find(uint rva, string? fitting = null)
    {
        if (_list is null || !_sections.TryPlace(rva, out ushort section, out uint offset))
        {
            return -1;
        }

        ulong place = PublicRecord.PlaceOf(section, offset);
        int low = SortedSearch.FirstNot(
            0,
            Count,
            (Table: this, place),
            static (at, i) => !at.Table.TryRecord(i, out PublicRecord probe) || probe.Place <= at.place);

        return low > 0 && TryRecord(low - 1, out PublicRecord found) && found.Section == section && found.Place <= place
            ? Best(low - 1, found.Place, fitting)
            : -1;
    }

    /// <summary>The name of the symbol at an address that fits a procedure's name best; null where there is none.</summary>
    public string? NameAt(uint rva, string procedure)
    {
        int found = Find(rva, Identifier(procedure));
        return found >= 0 && TryRecord(found, out PublicRecord record) && _sections.TryRva(record.Section, record.Offset, out uint start)
            && start == rva
            ? Name(found)
            : null;
    }

    /// <summary>The last word of a function's name, without what it is a template of: it stands in the decorated name as it is.</summary>
    public static string Identifier(string name)
    {
        int end = name.Length;
        if (name.EndsWith('>'))
        {
            int depth = 0;
            do
            {
                end--;
                depth += name[end] == '>' ? 1 : name[end] == '<' ? -1 : 0;
            }
            while (depth > 0 && end > 0);
        }

        int start = end;
        while (start > 0 && (char.IsAsciiLetterOrDigit(name[start - 1]) || name[start - 1] is '_' or '$'))
        {
            start--;
        }

        return name[start..end];
    }

    /// <summary>
    /// Of the symbols at one address: functions before others, then those that hold the wanted word, then the least name by its bytes. So
    /// the choice never depends on the order in which a linker wrote them.
    /// </summary>
    private int Best(int last, ulong place, string? fitting)
    {
        if (last == 0 || !TryRecord(last - 1, out PublicRecord before) || before.Place != place)
        {
            return last;
        }

        byte[] word = fitting is null ? [] : System.Text.Encoding.UTF8.GetBytes(fitting);
        var scratch = default(MsfStream.Scratch);
        var bestScratch = default(MsfStream.Scratch);
        try
        {
            int best = last;
            int bestRank = Rank(last, word, ref bestScratch, out ReadOnlySpan<byte> bestName);
            for (int at = last - 1; at >= 0 && at > last - MaximumEqual; at--)
            {
                if (!TryRecord(at, out PublicRecord other) || other.Place != place)
                {
                    break;
                }

                int rank = Rank(at, word, ref scratch, out ReadOnlySpan<byte> name);
                if (rank > bestRank || (rank == bestRank && name.SequenceCompareTo(bestName) < 0))
                {
                    (scratch, bestScratch) = (bestScratch, scratch);
                    (best, bestRank) = (at, rank);
                    bestName = name;
                }
            }

            return best;
        }
        finally
        {
            scratch.Dispose();
            bestScratch.Dispose();
        }
    }

    private int Rank(int at, ReadOnlySpan<byte> word, ref MsfStream.Scratch scratch, out ReadOnlySpan<byte> name)
    {
        bool isFunction = TryRecord(at, out PublicRecord record) && record.IsFunction;
        name = NameBytes(at, ref scratch);
        return (isFunction ? 2 : 0) + (word.Length > 0 && name.IndexOf(word) >= 0 ? 1 : 0);
    }

    private uint RecordAt(int at) => _list!.UInt32(_first + ((long)at * sizeof(uint)));

    private ReadOnlySpan<byte> NameBytes(int at, ref MsfStream.Scratch scratch)
    {
        uint place = RecordAt(at);
        int length = (int)(_records!.UInt32(place) & ushort.MaxValue) + sizeof(ushort) - SymbolWalk.FieldsAt - PublicRecord.NameAt;
        int most = Math.Clamp(length, 0, MaximumNameBytes);
        return LittleEndian.Terminated(_records.TakeUpTo(place + SymbolWalk.FieldsAt + (long)PublicRecord.NameAt, most, ref scratch));
    }
}
