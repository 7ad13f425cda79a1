using System.Buffers.Binary;

namespace Tracer.Symbols;

/// <summary>The unwind table of ARM64 images. It does not tell which function a separated piece belongs to.</summary>
/// <remarks>
/// Entry, 8 bytes ("ARM64 exception handling" in the Visual C++ documentation):
/// <code>
/// 0 u32 RVA of the first byte
/// 4 u32 bits 0-1: 0 = the RVA of an .xdata record, 1 = packed, 2 = packed, of a piece without prologue
///       bits 2-12, if packed: length in words of 4 bytes
/// </code>
/// .xdata record: u32, bits 0-17: length in words of 4 bytes; bits 18-19: version, 0.
/// </remarks>
internal sealed class UnwindTableArm64(PeMap map, PeDirectory directory, PeOddityList oddities)
    : UnwindTable(map, directory, EntrySize, oddities)
{
    private const int EntrySize = 8;

    protected override bool TryRead(ReadOnlySpan<byte> entry, out FunctionBounds bounds)
    {
        bounds = default;
        if (entry.Length < EntrySize)
        {
            return false;
        }

        uint begin = BinaryPrimitives.ReadUInt32LittleEndian(entry);
        uint data = BinaryPrimitives.ReadUInt32LittleEndian(entry[4..]);
        uint words;
        switch (data & 3)
        {
            case 0:
                ReadOnlySpan<byte> record = Map.At(data, 4);
                if (record.Length < 4)
                {
                    return false;
                }

                words = BinaryPrimitives.ReadUInt32LittleEndian(record) & 0x3FFFF;
                break;
            case 1 or 2:
                words = (data >> 2) & 0x7FF;
                break;
            default:
                return false;
        }

        uint end = unchecked(begin + (words * 4));
        bounds = new FunctionBounds(begin, end, begin, end);
        return end > begin;
    }
}
