namespace Tracer.Etl;

/// <summary>
/// In-types of TraceLogging fields: how the value is stored (low five bits of the In byte; TlgIn_t of TraceLoggingProvider.h).
/// </summary>
public enum TraceLoggingInType : byte
{
    /// <summary>No value.</summary>
    Null = 0,

    /// <summary>UTF-16 text to a 2-byte NUL.</summary>
    UnicodeString = 1,

    /// <summary>8-bit text to a NUL.</summary>
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
    Bool32 = 13,

    /// <summary>u16 length and bytes.</summary>
    Binary = 14,

    /// <summary>16 bytes.</summary>
    Guid = 15,

    /// <summary>Pointer of the event's width; reserved, schemas use <see cref="HexInt32"/> or <see cref="HexInt64"/>.</summary>
    Pointer = 16,

    /// <summary>FILETIME, 8 bytes.</summary>
    FileTime = 17,

    /// <summary>SYSTEMTIME, 16 bytes.</summary>
    SystemTime = 18,

    /// <summary>SID: 8 bytes and 4 for each sub-authority.</summary>
    Sid = 19,

    /// <summary>Unsigned, 4 bytes, shown in hexadecimal.</summary>
    HexInt32 = 20,

    /// <summary>Unsigned, 8 bytes, shown in hexadecimal.</summary>
    HexInt64 = 21,

    /// <summary>u16 length in bytes and UTF-16 text.</summary>
    CountedString = 22,

    /// <summary>u16 length and 8-bit text.</summary>
    CountedAnsiString = 23,

    /// <summary>No value of its own: so many of the following fields, as the Out byte says, are its members.</summary>
    Struct = 24,

    /// <summary>u16 length and bytes.</summary>
    CountedBinary = 25,
}

/// <summary>
/// Out-types of TraceLogging fields: how the value is shown (low seven bits of the Out byte; TlgOut_t of TraceLoggingProvider.h).
/// </summary>
public enum TraceLoggingOutType : byte
{
    /// <summary>As the in-type suggests; the Out byte is left out.</summary>
    Default = 0,

    /// <summary>Not shown.</summary>
    NoPrint = 1,

    /// <summary>Text.</summary>
    String = 2,

    /// <summary>True or false.</summary>
    Boolean = 3,

    /// <summary>Hexadecimal.</summary>
    Hex = 4,

    /// <summary>Process id.</summary>
    Pid = 5,

    /// <summary>Thread id.</summary>
    Tid = 6,

    /// <summary>Port, big-endian.</summary>
    Port = 7,

    /// <summary>IPv4 address.</summary>
    IPv4 = 8,

    /// <summary>IPv6 address.</summary>
    IPv6 = 9,

    /// <summary>Socket address.</summary>
    SocketAddress = 10,

    /// <summary>XML.</summary>
    Xml = 11,

    /// <summary>JSON.</summary>
    Json = 12,

    /// <summary>Win32 error code.</summary>
    Win32Error = 13,

    /// <summary>NTSTATUS.</summary>
    NtStatus = 14,

    /// <summary>HRESULT.</summary>
    HResult = 15,

    /// <summary>FILETIME.</summary>
    FileTime = 16,

    /// <summary>Signed number.</summary>
    Signed = 17,

    /// <summary>Unsigned number.</summary>
    Unsigned = 18,

    /// <summary>UTF-8 text.</summary>
    Utf8 = 35,

    /// <summary>PKCS#7 message, with optional type information.</summary>
    Pkcs7 = 36,

    /// <summary>Address of code.</summary>
    CodePointer = 37,

    /// <summary>Date and time, UTC.</summary>
    DateTimeUtc = 38,
}
