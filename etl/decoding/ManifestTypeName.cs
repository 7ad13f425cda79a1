namespace Tracer.Etl.Decoding;

/// <summary>The names that manifests give to types, with any prefix ("win:", "xs:", "trace:").</summary>
internal static class ManifestTypeName
{
    /// <summary>A type that cannot be walked over, for names that nobody knows.</summary>
    public const FieldInType UnknownInType = (FieldInType)(-1);

    public static FieldInType InType(string? name) => Bare(name) switch
    {
        "UnicodeString" => FieldInType.UnicodeString,
        "AnsiString" => FieldInType.AnsiString,
        "Int8" => FieldInType.Int8,
        "UInt8" => FieldInType.UInt8,
        "Int16" => FieldInType.Int16,
        "UInt16" => FieldInType.UInt16,
        "Int32" => FieldInType.Int32,
        "UInt32" => FieldInType.UInt32,
        "Int64" => FieldInType.Int64,
        "UInt64" => FieldInType.UInt64,
        "Float" => FieldInType.Float,
        "Double" => FieldInType.Double,
        "Boolean" => FieldInType.Boolean,
        "Binary" => FieldInType.Binary,
        "GUID" => FieldInType.Guid,
        "Pointer" => FieldInType.Pointer,
        "FILETIME" => FieldInType.FileTime,
        "SYSTEMTIME" => FieldInType.SystemTime,
        "SID" => FieldInType.Sid,
        "HexInt32" => FieldInType.HexInt32,
        "HexInt64" => FieldInType.HexInt64,
        "CountedUnicodeString" => FieldInType.ManifestCountedString,
        "CountedAnsiString" => FieldInType.ManifestCountedAnsiString,
        "CountedBinary" => FieldInType.ManifestCountedBinary,
        "SizeT" => FieldInType.SizeT,
        _ => UnknownInType,
    };

    public static FieldOutType OutType(string? name) => Bare(name) switch
    {
        "string" => FieldOutType.String,
        "dateTime" or "DateTimeCultureInsensitive" => FieldOutType.DateTime,
        "DateTimeUtc" => FieldOutType.DateTimeUtc,
        "byte" => FieldOutType.Int8,
        "unsignedByte" => FieldOutType.UInt8,
        "short" => FieldOutType.Int16,
        "unsignedShort" => FieldOutType.UInt16,
        "int" => FieldOutType.Int32,
        "unsignedInt" => FieldOutType.UInt32,
        "long" => FieldOutType.Int64,
        "unsignedLong" => FieldOutType.UInt64,
        "float" => FieldOutType.Float,
        "double" => FieldOutType.Double,
        "boolean" => FieldOutType.Boolean,
        "GUID" => FieldOutType.Guid,
        "hexBinary" => FieldOutType.HexBinary,
        "HexInt8" => FieldOutType.HexInt8,
        "HexInt16" => FieldOutType.HexInt16,
        "HexInt32" => FieldOutType.HexInt32,
        "HexInt64" => FieldOutType.HexInt64,
        "PID" => FieldOutType.Pid,
        "TID" => FieldOutType.Tid,
        "Port" => FieldOutType.Port,
        "IPv4" => FieldOutType.IPv4,
        "IPv6" => FieldOutType.IPv6,
        "SocketAddress" => FieldOutType.SocketAddress,
        "CIMDateTime" => FieldOutType.CimDateTime,
        "ETWTIME" => FieldOutType.EtwTime,
        "Xml" => FieldOutType.Xml,
        "Json" => FieldOutType.Json,
        "Utf8" => FieldOutType.Utf8,
        "ErrorCode" => FieldOutType.ErrorCode,
        "Win32Error" => FieldOutType.Win32Error,
        "NTSTATUS" => FieldOutType.NtStatus,
        "HResult" => FieldOutType.HResult,
        "Pkcs7WithTypeInfo" => FieldOutType.Pkcs7,
        "CodePointer" => FieldOutType.CodePointer,
        "NoPrint" => FieldOutType.NoPrint,
        _ => FieldOutType.Default,
    };

    private static string? Bare(string? name) => name?[(name.LastIndexOf(':') + 1)..];
}
