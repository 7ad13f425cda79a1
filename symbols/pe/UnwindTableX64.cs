using System.Buffers.Binary;

namespace Tracer.Symbols;

/// <summary>The unwind table of x64 images.</summary>
/// <remarks>
/// RUNTIME_FUNCTION, 12 bytes ("x64 exception handling" in the Visual C++ documentation):
/// <code>
/// 0 u32 RVA of the first byte  4 u32 RVA behind the last  8 u32 RVA of the UNWIND_INFO; if odd, of another RUNTIME_FUNCTION instead
/// </code>
/// UNWIND_INFO:
/// <code>
/// 0 u8 version (3 bits), flags (5 bits; 4 = chained)  1 u8 size of prologue  2 u8 count of codes  3 u8 frame register
/// 4 u16 codes, their count made even; then, if chained, the RUNTIME_FUNCTION of the function's piece before
/// </code>
/// </remarks>
internal sealed class UnwindTableX64(PeMap map, PeDirectory directory, PeOddityList oddities)
    : UnwindTable(map, directory, EntrySize, oddities)
{
    private const int EntrySize = 12;
    private const int ChainedFlag = 4;

    /// <summary>Compilers chain a piece to the first one, or to the one before it: three or four links.</summary>
    private const int MaximumLinks = 32;

    protected override bool TryRead(ReadOnlySpan<byte> entry, out FunctionBounds bounds)
    {
        bounds = default;
        if (entry.Length < EntrySize || !IsSound(entry))
        {
            return false;
        }

        uint pieceBegin = BinaryPrimitives.ReadUInt32LittleEndian(entry);
        uint pieceEnd = BinaryPrimitives.ReadUInt32LittleEndian(entry[4..]);
        ReadOnlySpan<byte> primary = entry;
        for (int links = 0; links < MaximumLinks; links++)
        {
            ReadOnlySpan<byte> parent = ParentOf(primary);
            if (parent.IsEmpty)
            {
                bounds = new FunctionBounds(
                    BinaryPrimitives.ReadUInt32LittleEndian(primary),
                    BinaryPrimitives.ReadUInt32LittleEndian(primary[4..]),
                    pieceBegin,
                    pieceEnd);
                return true;
            }

            primary = parent;
        }

        // A chain without end: what is certain is the piece itself.
        bounds = new FunctionBounds(pieceBegin, pieceEnd, pieceBegin, pieceEnd);
        return true;
    }

    private static bool IsSound(ReadOnlySpan<byte> entry) =>
        BinaryPrimitives.ReadUInt32LittleEndian(entry) < BinaryPrimitives.ReadUInt32LittleEndian(entry[4..]);

    /// <summary>The entry that this one is chained to; empty if it is a function's first, or if the chain is damaged.</summary>
    private ReadOnlySpan<byte> ParentOf(ReadOnlySpan<byte> entry)
    {
        uint unwind = BinaryPrimitives.ReadUInt32LittleEndian(entry[8..]);
        ReadOnlySpan<byte> parent;
        if ((unwind & 1) != 0)
        {
            parent = Map.At(unwind & ~1u, EntrySize);
        }
        else
        {
            ReadOnlySpan<byte> info = Map.At(unwind, 4);
            if (info.Length < 4 || ((info[0] >> 3) & ChainedFlag) == 0)
            {
                return default;
            }

            uint codes = (uint)((info[2] + 1) & ~1) * 2;
            parent = Map.At(unchecked(unwind + 4 + codes), EntrySize);
        }

        return parent.Length == EntrySize && IsSound(parent) ? parent : default;
    }
}
