namespace Tracer.Symbols.Pdb;

/// <summary>
/// The object files that the image was linked from, and where their symbols and lines are. Each entry:
/// <code>
/// 34  2  stream of its symbols, FFFF for none        44  4  bytes of C13 lines
/// 36  4  bytes of symbols (with a signature of 4)    64  ..  name, NUL, name of the library, NUL, to a multiple of 4
/// 40  4  bytes of C11 lines
/// </code>
/// (LLVM, "The PDB DBI Stream", Module Info Substream.) Their stream holds symbols, C11 lines, C13 lines, in this order.
/// </summary>
internal sealed class ModuleTable
{
    private const int FixedBytes = 64;
    private const int StreamAt = 34;
    private const int SymbolBytesAt = 36;
    private const int OldLineBytesAt = 40;
    private const int LineBytesAt = 44;
    private const int MaximumNameBytes = 8192;
    private const int Largest = FixedBytes + (2 * MaximumNameBytes);

    /// <summary>Most entries are shorter; longer ones are tried again with more bytes.</summary>
    private const int Usual = 512;

    /// <summary>Contributions number modules by 16 bits.</summary>
    private const int MaximumModules = ushort.MaxValue;

    private readonly MsfStream? _stream;
    private readonly List<Entry> _entries = [];

    private ModuleTable(MsfStream? stream) => _stream = stream;

    public static ModuleTable Empty { get; } = new(null);

    public int Count => _entries.Count;

    public Entry this[int module] => _entries[module];

    public static ModuleTable Read(DbiHeader dbi, DamageLog damage)
    {
        var table = new ModuleTable(dbi.Stream);
        var scratch = default(MsfStream.Scratch);
        try
        {
            long at = dbi.Modules.Offset;
            while (at + FixedBytes < dbi.Modules.End && table.Count < MaximumModules)
            {
                long rest = dbi.Modules.End - at;
                int length = table.Add(at, dbi.Stream.Take(at, (int)Math.Min(Usual, rest), ref scratch));
                length = length > 0 ? length : table.Add(at, dbi.Stream.Take(at, (int)Math.Min(Largest, rest), ref scratch));
                if (length == 0)
                {
                    damage.Add(dbi.Stream.FileOffset(at), $"the list of modules ends after {table.Count} of them: a name does not end");
                    break;
                }

                at += length;
            }
        }
        finally
        {
            scratch.Dispose();
        }

        return table;
    }

    /// <summary>The name of a module: its object file, or what the linker calls it.</summary>
    public string Name(int module)
    {
        var scratch = default(MsfStream.Scratch);
        try
        {
            long at = _entries[module].RecordOffset + FixedBytes;
            return LittleEndian.Text(_stream!.TakeUpTo(at, MaximumNameBytes, ref scratch));
        }
        finally
        {
            scratch.Dispose();
        }
    }

    /// <returns>Bytes of the entry; 0 where its names do not end.</returns>
    private int Add(long at, ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < FixedBytes)
        {
            return 0;
        }

        int name = bytes[FixedBytes..].IndexOf((byte)0);
        int library = name < 0 ? -1 : bytes[(FixedBytes + name + 1)..].IndexOf((byte)0);
        if (library < 0)
        {
            return 0;
        }

        _entries.Add(new Entry(
            at,
            LittleEndian.UInt16(bytes, StreamAt),
            LittleEndian.UInt32(bytes, SymbolBytesAt),
            LittleEndian.UInt32(bytes, OldLineBytesAt),
            LittleEndian.UInt32(bytes, LineBytesAt)));
        return (FixedBytes + name + 1 + library + 1 + 3) & ~3;
    }

    internal readonly record struct Entry(long RecordOffset, ushort Stream, uint SymbolBytes, uint OldLineBytes, uint LineBytes);
}
