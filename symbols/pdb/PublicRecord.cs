namespace Tracer.Symbols.Pdb;

/// <summary>
/// S_PUB32: a symbol that the linker knew by its decorated name (cvinfo.h: PUBSYM32). Behind the kind:
/// <code>
/// 0 4 flags: 1 code, 2 function      4 4 offset      8 2 section      10 .. name
/// </code>
/// </summary>
internal readonly record struct PublicRecord(uint Flags, uint Offset, ushort Section)
{
    public const int NameAt = 10;

    private const int OffsetAt = 4;
    private const int SectionAt = 8;
    private const uint CodeFlag = 1;
    private const uint FunctionFlag = 2;

    public bool IsFunction => (Flags & (CodeFlag | FunctionFlag)) != 0;

    /// <summary>Section and offset as one number, in the order of addresses.</summary>
    public ulong Place => PlaceOf(Section, Offset);

    public static ulong PlaceOf(ushort section, uint offset) => ((ulong)section << 32) | offset;

    public static bool TryRead(ReadOnlySpan<byte> fields, out PublicRecord record)
    {
        record = fields.Length < NameAt
            ? default
            : new(LittleEndian.UInt32(fields, 0), LittleEndian.UInt32(fields, OffsetAt), LittleEndian.UInt16(fields, SectionAt));
        return fields.Length >= NameAt;
    }
}
