using System.Buffers.Binary;
using System.Net;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Decoding;

/// <summary>Turns the bytes of one element into a value, by in-type, out-type and map.</summary>
internal static class PayloadValue
{
    private const int FamilyIPv4 = 2;
    private const int FamilyIPv6 = 23;

    /// <summary>Bytes of a type that has always the same; -1 for the others.</summary>
    public static int NaturalBytes(FieldInType inType, int pointerBytes) => inType switch
    {
        FieldInType.Null => 0,
        FieldInType.Int8 or FieldInType.UInt8 or FieldInType.AnsiChar => 1,
        FieldInType.Int16 or FieldInType.UInt16 or FieldInType.UnicodeChar => 2,
        FieldInType.Int32 or FieldInType.UInt32 or FieldInType.Float or FieldInType.Boolean or FieldInType.HexInt32 => 4,
        FieldInType.Int64 or FieldInType.UInt64 or FieldInType.Double or FieldInType.FileTime or FieldInType.HexInt64 => 8,
        FieldInType.Guid or FieldInType.SystemTime => 16,
        FieldInType.Pointer or FieldInType.SizeT => pointerBytes,
        _ => -1,
    };

    /// <summary>
    /// Bytes of a character where an array of the field is text, as TraceLogging writes character arrays; 0 where it is none.
    /// </summary>
    public static int CharacterBytes(FieldDefinition definition) => (definition.InType, definition.OutType) switch
    {
        (FieldInType.UInt8 or FieldInType.Int8, FieldOutType.String or FieldOutType.Utf8 or FieldOutType.Json or FieldOutType.Xml) => 1,
        (FieldInType.UInt16 or FieldInType.Int16, FieldOutType.String) => 2,
        (FieldInType.AnsiChar, _) => 1,
        (FieldInType.UnicodeChar, _) => 2,
        _ => 0,
    };

    /// <summary>The text before the first NUL, in whole characters.</summary>
    public static ReadOnlySpan<byte> ToNul(ReadOnlySpan<byte> text, int characterBytes)
    {
        if (characterBytes == 1)
        {
            int length = text.IndexOf((byte)0);
            return length < 0 ? text : text[..length];
        }

        int characters = MemoryMarshal.Cast<byte, char>(text).IndexOf('\0');
        return text[..(characters < 0 ? text.Length & ~1 : 2 * characters)];
    }

    /// <summary>The value of a field that is an integer, sign-extended where its type is signed.</summary>
    public static bool TryInteger(FieldDefinition definition, ReadOnlySpan<byte> bytes, out ulong value)
    {
        bool isInteger = definition.InType is (>= FieldInType.Int8 and <= FieldInType.UInt64) or FieldInType.Boolean
            or FieldInType.Pointer or FieldInType.SizeT or FieldInType.HexInt32 or FieldInType.HexInt64;
        bool isSigned = definition.InType is FieldInType.Int8 or FieldInType.Int16 or FieldInType.Int32 or FieldInType.Int64;
        value = isInteger ? Integer(bytes, isSigned) : 0;
        return isInteger;
    }

    public static FieldValue Of(FieldDefinition definition, ReadOnlySpan<byte> bytes)
    {
        switch (definition.InType)
        {
            case FieldInType.Null:
                return FieldValue.Null;
            case FieldInType.UnicodeString or FieldInType.NonNullTerminatedString:
                return FieldValue.Utf16Text(ToNul(bytes, 2));
            case FieldInType.ManifestCountedString or FieldInType.CountedString or FieldInType.ReversedCountedString
                or FieldInType.UnicodeChar:
                return FieldValue.Utf16Text(bytes[..(bytes.Length & ~1)]);
            case FieldInType.AnsiString or FieldInType.NonNullTerminatedAnsiString:
                return FieldValue.Text8(ToNul(bytes, 1));
            case FieldInType.ManifestCountedAnsiString or FieldInType.CountedAnsiString or FieldInType.ReversedCountedAnsiString
                or FieldInType.AnsiChar:
                return FieldValue.Text8(bytes);
            case FieldInType.Float:
                return FieldValue.Double(BinaryPrimitives.ReadSingleLittleEndian(bytes));
            case FieldInType.Double:
                return FieldValue.Double(BinaryPrimitives.ReadDoubleLittleEndian(bytes));
            case FieldInType.Guid:
                return FieldValue.Guid(bytes);
            case FieldInType.SystemTime:
                return FieldValue.SystemTime(bytes);
            case FieldInType.FileTime:
                long time = BinaryPrimitives.ReadInt64LittleEndian(bytes);
                return definition.OutType == FieldOutType.EtwTime ? FieldValue.Ticks(time) : FieldValue.FileTime(time);
            case FieldInType.Sid:
                return FieldValue.Sid(bytes);
            case FieldInType.WbemSid:
                return bytes.IsEmpty ? FieldValue.Null : FieldValue.Sid(bytes);
            case FieldInType.Binary or FieldInType.ManifestCountedBinary or FieldInType.HexDump:
                return OfBinary(definition.OutType, bytes);
            default:
                return OfInteger(definition, bytes);
        }
    }

    private static FieldValue OfInteger(FieldDefinition definition, ReadOnlySpan<byte> bytes)
    {
        ulong value = Integer(bytes, isSigned: false);
        if (definition.Map?.NameOf(value) is string name)
        {
            return FieldValue.Named(value, name);
        }

        switch (definition.OutType)
        {
            case FieldOutType.HexInt8 or FieldOutType.HexInt16 or FieldOutType.HexInt32 or FieldOutType.HexInt64
                or FieldOutType.ErrorCode or FieldOutType.Win32Error or FieldOutType.NtStatus or FieldOutType.HResult:
                return definition.InType == FieldInType.Pointer ? FieldValue.Pointer(value) : FieldValue.Hexadecimal(value);
            case FieldOutType.Boolean:
                return FieldValue.Boolean(value != 0);
            case FieldOutType.CodePointer:
                return FieldValue.CodePointer(value);
            case FieldOutType.DateTime or FieldOutType.DateTimeUtc when bytes.Length == 8:
                return FieldValue.FileTime((long)value);
            case FieldOutType.EtwTime when bytes.Length == 8:
                return FieldValue.Ticks((long)value);
            case FieldOutType.Port when bytes.Length == 2:
                return FieldValue.Port(BinaryPrimitives.ReadUInt16BigEndian(bytes));
            case FieldOutType.IPv4 when bytes.Length == 4:
                return FieldValue.IPv4(bytes);
            case FieldOutType.String when bytes.Length == 1:
                return FieldValue.Text8(bytes);
            case FieldOutType.String when bytes.Length == 2:
                return FieldValue.Utf16Text(bytes);
            case FieldOutType.Int8 or FieldOutType.Int16 or FieldOutType.Int32 or FieldOutType.Int64
                when definition.InType is not FieldInType.Boolean:
                return FieldValue.Signed((long)Integer(bytes, isSigned: true));
            case FieldOutType.UInt8 or FieldOutType.UInt16 or FieldOutType.UInt32 or FieldOutType.UInt64
                or FieldOutType.Pid or FieldOutType.Tid:
                return FieldValue.Unsigned(value);
            default:
                return ByInType(definition.InType, value, bytes);
        }
    }

    private static FieldValue ByInType(FieldInType inType, ulong value, ReadOnlySpan<byte> bytes) => inType switch
    {
        FieldInType.Int8 or FieldInType.Int16 or FieldInType.Int32 or FieldInType.Int64
            => FieldValue.Signed((long)Integer(bytes, isSigned: true)),
        FieldInType.Boolean => FieldValue.Boolean(value != 0),
        FieldInType.Pointer => FieldValue.Pointer(value),
        FieldInType.HexInt32 or FieldInType.HexInt64 => FieldValue.Hexadecimal(value),
        _ => FieldValue.Unsigned(value),
    };

    private static FieldValue OfBinary(FieldOutType outType, ReadOnlySpan<byte> bytes) => outType switch
    {
        FieldOutType.IPv6 when bytes.Length == 16 => FieldValue.IPv6(bytes),
        FieldOutType.IPv4 or FieldOutType.IPv6 when bytes.Length == 4 => FieldValue.IPv4(bytes),
        FieldOutType.Guid when bytes.Length == 16 => FieldValue.Guid(bytes),
        FieldOutType.SocketAddress => SocketAddress(bytes),
        FieldOutType.String or FieldOutType.Utf8 or FieldOutType.Json or FieldOutType.Xml => FieldValue.Text8(ToNul(bytes, 1)),
        _ => FieldValue.Binary(bytes),
    };

    /// <summary>SOCKADDR_IN (u16 family, port, address) or SOCKADDR_IN6 (u16 family, port, u32 flow, address, u32 scope).</summary>
    private static FieldValue SocketAddress(ReadOnlySpan<byte> bytes)
    {
        int family = bytes.Length >= 8 ? BinaryPrimitives.ReadUInt16LittleEndian(bytes) : 0;
        if (family is not (FamilyIPv4 or FamilyIPv6) || (family == FamilyIPv6 && bytes.Length < 24))
        {
            return FieldValue.Binary(bytes);
        }

        int port = BinaryPrimitives.ReadUInt16BigEndian(bytes[2..]);
        var address = new IPAddress(family == FamilyIPv4 ? bytes.Slice(4, 4) : bytes.Slice(8, 16));
        return FieldValue.String(new IPEndPoint(address, port).ToString());
    }

    private static ulong Integer(ReadOnlySpan<byte> bytes, bool isSigned) => bytes.Length switch
    {
        1 => isSigned ? (ulong)(sbyte)bytes[0] : bytes[0],
        2 => isSigned ? (ulong)BinaryPrimitives.ReadInt16LittleEndian(bytes) : BinaryPrimitives.ReadUInt16LittleEndian(bytes),
        4 => isSigned ? (ulong)BinaryPrimitives.ReadInt32LittleEndian(bytes) : BinaryPrimitives.ReadUInt32LittleEndian(bytes),
        8 => BinaryPrimitives.ReadUInt64LittleEndian(bytes),
        _ => 0,
    };
}
