namespace Tracer.Symbols.Pdb;

/// <summary>
/// S_THUNK32: a few instructions that lead elsewhere, as into an import (cvinfo.h: THUNKSYM32). Behind the kind:
/// <code>
///  0 4 scope outside     8 4 next       16 2 section           20 1 what for
///  4 4 its end          12 4 offset     18 2 bytes of code     21 .. name
/// </code>
/// </summary>
internal readonly record struct ThunkRecord(uint Length, uint Offset, ushort Section)
{
    public const int NameAt = 21;

    private const int OffsetAt = 12;
    private const int SectionAt = 16;
    private const int LengthAt = 18;

    public static bool TryRead(ReadOnlySpan<byte> fields, out ThunkRecord record)
    {
        record = fields.Length < NameAt
            ? default
            : new(LittleEndian.UInt16(fields, LengthAt), LittleEndian.UInt32(fields, OffsetAt), LittleEndian.UInt16(fields, SectionAt));
        return fields.Length >= NameAt;
    }
}
