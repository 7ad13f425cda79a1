namespace Tracer.Symbols.Pdb;

/// <summary>
/// Names in type and id records, behind the kind (microsoft-pdb, cvinfo.h):
/// <code>
/// 1601 LF_FUNC_ID     0 4 id of the scope      4 4 type     8 .. name
/// 1602 LF_MFUNC_ID    0 4 type of the class    4 4 type     8 .. name
/// 1605 LF_STRING_ID   0 4 id of more texts     4 .. text
/// 1504 LF_CLASS, 1505 LF_STRUCTURE, 1519 LF_INTERFACE
///                     0 2 members  2 2 properties  4 4 members  8 4 bases  12 4 shape  16 size, then name
/// 1608 LF_CLASS2, 1609 LF_STRUCTURE2 (and 160B LF_INTERFACE2; unconfirmed)
///                     0 4 properties  4 4 members  8 4 bases  12 4 shape  16 2 members  18 size, then name
/// 1506 LF_UNION       0 2 members  2 2 properties  4 4 members  8 size, then name
/// 160A LF_UNION2      0 4 properties  4 4 members  8 2 members  10 size, then name (unconfirmed)
/// 1507 LF_ENUM        0 2 members  2 2 properties  4 4 type  8 4 members  12 name
/// </code>
/// A size is 2 bytes below 8000, or a kind of number from 8000 on and then that number.
/// </summary>
internal static class TypeNames
{
    public const ushort FunctionId = 0x1601;
    public const ushort MemberFunctionId = 0x1602;
    public const ushort StringId = 0x1605;

    /// <summary>The scope or class of a function's id, at the beginning of its fields.</summary>
    public const int ScopeAt = 0;

    private const ushort FirstNumberKind = 0x8000;

    /// <summary>The bytes of the name, up to the end of the record; none where the kind has no name.</summary>
    public static ReadOnlySpan<byte> Name(ushort kind, ReadOnlySpan<byte> fields) => kind switch
    {
        FunctionId or MemberFunctionId => From(fields, 8),
        StringId => From(fields, 4),
        0x1504 or 0x1505 or 0x1519 => BehindSize(From(fields, 16)),
        0x1608 or 0x1609 or 0x160B => BehindSize(From(fields, 18)),
        0x1506 => BehindSize(From(fields, 8)),
        0x160A => BehindSize(From(fields, 10)),
        0x1507 => From(fields, 12),
        _ => default,
    };

    private static ReadOnlySpan<byte> From(ReadOnlySpan<byte> fields, int at) => at < fields.Length ? fields[at..] : default;

    private static ReadOnlySpan<byte> BehindSize(ReadOnlySpan<byte> rest)
    {
        if (rest.Length < sizeof(ushort))
        {
            return default;
        }

        ushort kind = LittleEndian.UInt16(rest, 0);
        int number = (kind - FirstNumberKind) switch
        {
            < 0 => 0,
            0 => sizeof(byte),
            1 or 2 => sizeof(ushort),
            3 or 4 => sizeof(uint),
            9 or 10 => sizeof(ulong),
            _ => rest.Length,
        };
        return From(rest, sizeof(ushort) + number);
    }
}
