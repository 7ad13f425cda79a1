namespace Tracer.Etl.Decoding;

/// <summary>
/// How a field is stored. The numbers are those of TDH (TDH_INTYPE_* of tdh.h), which TraceLogging shares but for its binary (14) and
/// struct (24); a number without a name here cannot be walked over.
/// </summary>
public enum FieldInType
{
    /// <summary>No bytes.</summary>
    Null = 0,

    /// <summary>UTF-16 text to a NUL, to the end of the payload where there is none, or of a given length in characters.</summary>
    UnicodeString = 1,

    /// <summary>8-bit text, as <see cref="UnicodeString"/>.</summary>
    AnsiString = 2,

    /// <summary>Signed, 1 byte.</summary>
    Int8 = 3,

    /// <summary>Unsigned, 1 byte.</summary>
    UInt8 = 4,

    /// <summary>Signed, 2 bytes.</summary>
    Int16 = 5,

    /// <summary>Unsigned, 2 bytes.</summary>
    UInt16 = 6,

    /// <summary>Signed, 4 bytes.</summary>
    Int32 = 7,

    /// <summary>Unsigned, 4 bytes.</summary>
    UInt32 = 8,

    /// <summary>Signed, 8 bytes.</summary>
    Int64 = 9,

    /// <summary>Unsigned, 8 bytes.</summary>
    UInt64 = 10,

    /// <summary>Single precision.</summary>
    Float = 11,

    /// <summary>Double precision.</summary>
    Double = 12,

    /// <summary>4 bytes, 0 is false.</summary>
    Boolean = 13,

    /// <summary>Bytes of a given length; 16 for an IPv6 address, else to the end of the payload, where none is given.</summary>
    Binary = 14,

    /// <summary>16 bytes.</summary>
    Guid = 15,

    /// <summary>Pointer of the event's width.</summary>
    Pointer = 16,

    /// <summary>FILETIME, 8 bytes.</summary>
    FileTime = 17,

    /// <summary>SYSTEMTIME, 16 bytes.</summary>
    SystemTime = 18,

    /// <summary>SID, 8 bytes and 4 for each sub-authority.</summary>
    Sid = 19,

    /// <summary>Unsigned, 4 bytes, shown in hexadecimal.</summary>
    HexInt32 = 20,

    /// <summary>Unsigned, 8 bytes, shown in hexadecimal.</summary>
    HexInt64 = 21,

    /// <summary>u16 length in bytes and UTF-16 text.</summary>
    ManifestCountedString = 22,

    /// <summary>u16 length and 8-bit text.</summary>
    ManifestCountedAnsiString = 23,

    /// <summary>No bytes of its own: the members follow.</summary>
    Struct = 24,

    /// <summary>u16 length and bytes. TraceLogging's binary is this one.</summary>
    ManifestCountedBinary = 25,

    /// <summary>As <see cref="ManifestCountedString"/>, of WMI classes.</summary>
    CountedString = 300,

    /// <summary>As <see cref="ManifestCountedAnsiString"/>, of WMI classes.</summary>
    CountedAnsiString = 301,

    /// <summary>Big-endian u16 length in bytes and UTF-16 text.</summary>
    ReversedCountedString = 302,

    /// <summary>Big-endian u16 length and 8-bit text.</summary>
    ReversedCountedAnsiString = 303,

    /// <summary>UTF-16 text to the end of the payload, or of a given length in characters.</summary>
    NonNullTerminatedString = 304,

    /// <summary>8-bit text to the end of the payload, or of a given length.</summary>
    NonNullTerminatedAnsiString = 305,

    /// <summary>One UTF-16 character.</summary>
    UnicodeChar = 306,

    /// <summary>One 8-bit character.</summary>
    AnsiChar = 307,

    /// <summary>Unsigned, of the width of a pointer.</summary>
    SizeT = 308,

    /// <summary>u32 length and bytes.</summary>
    HexDump = 309,

    /// <summary>TOKEN_USER (two pointers) and a SID; 4 bytes of zero where there is none.</summary>
    WbemSid = 310,
}
