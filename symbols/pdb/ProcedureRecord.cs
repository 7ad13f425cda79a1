namespace Tracer.Symbols.Pdb;

/// <summary>
/// S_GPROC32, S_LPROC32, their _ID and _DPC forms (cvinfo.h: PROCSYM32). Behind the kind:
/// <code>
///  0 4 scope outside    12 4 bytes of code        24 4 type       32 2 section
///  4 4 its end          16 4 end of the prologue  28 4 offset     34 1 flags
///  8 4 next             20 4 begin of epilogue                    35 .. name
/// </code>
/// </summary>
internal readonly record struct ProcedureRecord(uint Length, uint Offset, ushort Section)
{
    public const int NameAt = 35;

    private const int LengthAt = 12;
    private const int OffsetAt = 28;
    private const int SectionAt = 32;

    public static bool TryRead(ReadOnlySpan<byte> fields, out ProcedureRecord record)
    {
        record = fields.Length < NameAt
            ? default
            : new(LittleEndian.UInt32(fields, LengthAt), LittleEndian.UInt32(fields, OffsetAt), LittleEndian.UInt16(fields, SectionAt));
        return fields.Length >= NameAt;
    }
}
