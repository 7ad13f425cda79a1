namespace Tracer.Etl.Decoding;

/// <summary>
/// How a field is to be shown. The numbers are those of TDH (TDH_OUTTYPE_* of tdh.h); TraceLogging's are translated. What has no name here,
/// or does not fit the in-type, is shown as the in-type suggests.
/// </summary>
public enum FieldOutType
{
    /// <summary>As the in-type suggests.</summary>
    Default = 0,

    /// <summary>Text; integers of 8 and 16 bits are characters.</summary>
    String = 1,

    /// <summary>A point in time.</summary>
    DateTime = 2,

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

    /// <summary>True or false.</summary>
    Boolean = 13,

    /// <summary>GUID.</summary>
    Guid = 14,

    /// <summary>Bytes in hexadecimal.</summary>
    HexBinary = 15,

    /// <summary>Hexadecimal, 1 byte.</summary>
    HexInt8 = 16,

    /// <summary>Hexadecimal, 2 bytes.</summary>
    HexInt16 = 17,

    /// <summary>Hexadecimal, 4 bytes.</summary>
    HexInt32 = 18,

    /// <summary>Hexadecimal, 8 bytes.</summary>
    HexInt64 = 19,

    /// <summary>Process id.</summary>
    Pid = 20,

    /// <summary>Thread id.</summary>
    Tid = 21,

    /// <summary>Port in network order.</summary>
    Port = 22,

    /// <summary>IPv4 address in network order.</summary>
    IPv4 = 23,

    /// <summary>IPv6 address in network order.</summary>
    IPv6 = 24,

    /// <summary>SOCKADDR: family, port, address.</summary>
    SocketAddress = 25,

    /// <summary>Time as text of WMI.</summary>
    CimDateTime = 26,

    /// <summary>Time stamp in the file's clock.</summary>
    EtwTime = 27,

    /// <summary>XML.</summary>
    Xml = 28,

    /// <summary>Error code of an unspecified kind.</summary>
    ErrorCode = 29,

    /// <summary>Win32 error code.</summary>
    Win32Error = 30,

    /// <summary>NTSTATUS.</summary>
    NtStatus = 31,

    /// <summary>HRESULT.</summary>
    HResult = 32,

    /// <summary>JSON.</summary>
    Json = 34,

    /// <summary>UTF-8 text.</summary>
    Utf8 = 35,

    /// <summary>PKCS#7 message, with optional type information.</summary>
    Pkcs7 = 36,

    /// <summary>Address of code.</summary>
    CodePointer = 37,

    /// <summary>A point in time, UTC.</summary>
    DateTimeUtc = 38,

    /// <summary>Walked over, but not shown.</summary>
    NoPrint = 301,
}
