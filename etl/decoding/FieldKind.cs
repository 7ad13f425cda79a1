namespace Tracer.Etl.Decoding;

/// <summary>What a decoded field is: how <see cref="FieldValue"/> holds it and how it is shown.</summary>
public enum FieldKind
{
    /// <summary>No value.</summary>
    Null,

    /// <summary>Unsigned number, up to 64 bits.</summary>
    Unsigned,

    /// <summary>Signed number, up to 64 bits.</summary>
    Signed,

    /// <summary>Unsigned number that is meant to be read in hexadecimal: flags, masks, error codes, keys.</summary>
    Hexadecimal,

    /// <summary>Pointer: an address of data or of a kernel object.</summary>
    Pointer,

    /// <summary>Address of code, which a symbol can name.</summary>
    CodePointer,

    /// <summary>True or false.</summary>
    Boolean,

    /// <summary>Floating point number; single precision is widened.</summary>
    Double,

    /// <summary>A number with the name that the event's own map or the format gives it.</summary>
    Named,

    /// <summary>Text as UTF-16 bytes, without the NUL that ended it.</summary>
    Utf16Text,

    /// <summary>8-bit text, without the NUL that ended it; read as UTF-8 and, where it is none, as Latin-1.</summary>
    Text8,

    /// <summary>Text that was put together while decoding.</summary>
    String,

    /// <summary>GUID, 16 bytes.</summary>
    Guid,

    /// <summary>FILETIME: 100 ns since 1601, UTC.</summary>
    FileTime,

    /// <summary>SYSTEMTIME, 16 bytes: eight u16, year to milliseconds.</summary>
    SystemTime,

    /// <summary>Time stamp in ticks of the file's clock; see <see cref="TraceClock"/>.</summary>
    Ticks,

    /// <summary>SID bytes.</summary>
    Sid,

    /// <summary>IPv4 address, 4 bytes in network order.</summary>
    IPv4,

    /// <summary>IPv6 address, 16 bytes in network order.</summary>
    IPv6,

    /// <summary>Port, already turned from network order.</summary>
    Port,

    /// <summary>Bytes without a known inner form.</summary>
    Binary,
}
