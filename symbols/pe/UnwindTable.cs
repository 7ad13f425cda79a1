using System.Buffers.Binary;

namespace Tracer.Symbols;

/// <summary>The unwind table of an image: one entry for each piece of code that has a frame, in the order of their RVAs.</summary>
internal abstract class UnwindTable
{
    /// <summary>An address that the table is asked for may lie in unsorted damage: then a copy of the order is made, of no more.</summary>
    private const int MaximumEntries = 16 * 1024 * 1024;

    private readonly int _entrySize;
    private readonly long _offset;
    private int[]? _order;

    protected UnwindTable(PeMap map, PeDirectory directory, int entrySize, PeOddityList oddities)
    {
        (Map, _offset, _entrySize) = (map, map.PlaceOf(directory.Rva), entrySize);
        int told = (int)Math.Min(directory.Size / (uint)entrySize, MaximumEntries);
        Count = map.At(directory.Rva, told * entrySize).Length / entrySize;
        if (Count < told)
        {
            oddities.Add(map.PlaceOf(directory.Rva), $"the unwind table has {told} entries, {Count} are read");
        }

        OrderEntries(oddities);
    }

    /// <summary>How many entries it has.</summary>
    public int Count { get; }

    protected PeMap Map { get; }

    /// <summary>Finds the function of an address, in time of the logarithm of the table's length.</summary>
    public bool TryFind(uint rva, out FunctionBounds bounds)
    {
        bounds = default;
        int low = SortedSearch.FirstNot(0, Count, (this, rva), static (at, i) => at.Item1.BeginOf(i) <= at.rva);

        if (low == 0 || !TryRead(At(low - 1), out bounds))
        {
            return false;
        }

        if (rva >= bounds.PieceEnd && rva < bounds.End)
        {
            // Clang's assembler writes chained pieces inside their function: behind the piece the function goes on.
            bounds = new FunctionBounds(bounds.Begin, bounds.End, bounds.Begin, bounds.End);
        }

        return rva >= bounds.PieceBegin && rva < bounds.PieceEnd;
    }

    /// <summary>The bounds of one entry, in the order of RVAs.</summary>
    public bool TryGet(int index, out FunctionBounds bounds) => TryRead(At(index), out bounds);

    /// <returns>False for an entry that is damaged.</returns>
    protected abstract bool TryRead(ReadOnlySpan<byte> entry, out FunctionBounds bounds);

    private uint BeginOf(int index) => BinaryPrimitives.ReadUInt32LittleEndian(At(index));

    private ReadOnlySpan<byte> At(int index) => StoredAt(_order is null ? index : _order[index]);

    private ReadOnlySpan<byte> StoredAt(int index) => Map.InFile(_offset + ((long)index * _entrySize), _entrySize);

    /// <summary>Linkers sort the table. Where one has not, or damage has undone it, the order is kept beside it.</summary>
    private void OrderEntries(PeOddityList oddities)
    {
        uint last = 0;
        ReadOnlySpan<byte> table = Map.InFile(_offset, Count * _entrySize);
        for (int i = 0; i < Count; i++)
        {
            uint begin = BinaryPrimitives.ReadUInt32LittleEndian(table[(i * _entrySize)..]);
            if (begin >= last)
            {
                last = begin;
                continue;
            }

            oddities.Add(_offset + ((long)i * _entrySize), $"entry {i} of the unwind table is out of order");
            var order = new int[Count];
            var begins = new uint[Count];
            for (int k = 0; k < Count; k++)
            {
                order[k] = k;
                begins[k] = BinaryPrimitives.ReadUInt32LittleEndian(table[(k * _entrySize)..]);
            }

            Array.Sort(begins, order);
            _order = order;
            return;
        }
    }
}

/// <summary>
/// What the unwind table says about an address: in which function it lies, without any symbol. A compiler may split a function into
/// pieces (shrink-wrapped prologues, cold code); x64 tables tell the function of each piece, ARM64 tables do not, so there each piece is
/// a function by itself.
/// </summary>
/// <param name="Begin">RVA where the function begins: its first piece.</param>
/// <param name="End">RVA behind the first piece.</param>
/// <param name="PieceBegin">RVA where the piece that holds the address begins; the same as Begin in the first.</param>
/// <param name="PieceEnd">RVA behind that piece.</param>
public readonly record struct FunctionBounds(uint Begin, uint End, uint PieceBegin, uint PieceEnd)
{
    /// <summary>Whether the address lies in another piece than the function's first.</summary>
    public bool IsSplit => Begin != PieceBegin;
}
