namespace Tracer.Symbols.Pdb;

/// <summary>
/// S_SEPCODE: code of a procedure that was put elsewhere, because it seldom runs (cvinfo.h: SEPCODESYM). Behind the kind:
/// <code>
///  0 4 scope outside     8 4 bytes of code     16 4 offset                     24 2 section
///  4 4 its end          12 4 flags             20 4 offset of the procedure    26 2 section of the procedure
/// </code>
/// Unconfirmed: only Microsoft's linker writes it, and no real file with it was at hand.
/// </summary>
internal readonly record struct SeparatedCodeRecord(uint Length, uint Offset, ushort Section, uint ParentOffset, ushort ParentSection)
{
    private const int Bytes = 28;
    private const int LengthAt = 8;
    private const int OffsetAt = 16;
    private const int ParentOffsetAt = 20;
    private const int SectionAt = 24;
    private const int ParentSectionAt = 26;

    public static bool TryRead(ReadOnlySpan<byte> fields, out SeparatedCodeRecord record)
    {
        record = fields.Length < Bytes
            ? default
            : new(
                LittleEndian.UInt32(fields, LengthAt),
                LittleEndian.UInt32(fields, OffsetAt),
                LittleEndian.UInt16(fields, SectionAt),
                LittleEndian.UInt32(fields, ParentOffsetAt),
                LittleEndian.UInt16(fields, ParentSectionAt));
        return fields.Length >= Bytes;
    }
}
