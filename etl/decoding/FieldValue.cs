using System.Buffers.Binary;
using System.Net;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Unicode;

namespace Tracer.Etl.Decoding;

/// <summary>
/// One decoded value: a kind, and either a number or a view over the event's bytes. Made by the factory named after its kind; allocates
/// nothing until it is turned into text.
/// </summary>
public readonly ref struct FieldValue
{
    private FieldValue(FieldKind kind, ulong bits, ReadOnlySpan<byte> bytes = default, string? text = null)
    {
        Kind = kind;
        Bits = bits;
        Bytes = bytes;
        Text = text;
    }

    /// <summary>What it is.</summary>
    public FieldKind Kind { get; }

    /// <summary>The number of the kinds that are numbers; signed ones sign-extended, floating point as its 64 bits.</summary>
    public ulong Bits { get; }

    /// <summary>The bytes of the kinds that are bytes: text, GUID, SID, addresses, SYSTEMTIME, binary.</summary>
    public ReadOnlySpan<byte> Bytes { get; }

    /// <summary>
    /// The name of a <see cref="FieldKind.Named"/> number, the text of a <see cref="FieldKind.String"/>; null for other kinds.
    /// </summary>
    public string? Text { get; }

    /// <summary>No value.</summary>
    public static FieldValue Null => default;

    /// <summary>The number, signed.</summary>
    public long SignedBits => (long)Bits;

    /// <summary>The number of a <see cref="FieldKind.Double"/>.</summary>
    public double DoubleBits => BitConverter.UInt64BitsToDouble(Bits);

    /// <summary>An unsigned number.</summary>
    public static FieldValue Unsigned(ulong value) => new(FieldKind.Unsigned, value);

    /// <summary>A signed number.</summary>
    public static FieldValue Signed(long value) => new(FieldKind.Signed, (ulong)value);

    /// <summary>A number for hexadecimal.</summary>
    public static FieldValue Hexadecimal(ulong value) => new(FieldKind.Hexadecimal, value);

    /// <summary>An address of data.</summary>
    public static FieldValue Pointer(ulong value) => new(FieldKind.Pointer, value);

    /// <summary>An address of code.</summary>
    public static FieldValue CodePointer(ulong value) => new(FieldKind.CodePointer, value);

    /// <summary>A truth value.</summary>
    public static FieldValue Boolean(bool value) => new(FieldKind.Boolean, value ? 1u : 0u);

    /// <summary>A floating point number.</summary>
    public static FieldValue Double(double value) => new(FieldKind.Double, BitConverter.DoubleToUInt64Bits(value));

    /// <summary>A number with a name.</summary>
    public static FieldValue Named(ulong value, string name) => new(FieldKind.Named, value, text: name);

    /// <summary>UTF-16 text as bytes.</summary>
    public static FieldValue Utf16Text(ReadOnlySpan<byte> bytes) => new(FieldKind.Utf16Text, 0, bytes);

    /// <summary>8-bit text.</summary>
    public static FieldValue Text8(ReadOnlySpan<byte> bytes) => new(FieldKind.Text8, 0, bytes);

    /// <summary>Text put together while decoding.</summary>
    public static FieldValue String(string text) => new(FieldKind.String, 0, text: text);

    /// <summary>A GUID, 16 bytes.</summary>
    public static FieldValue Guid(ReadOnlySpan<byte> bytes) => new(FieldKind.Guid, 0, bytes[..16]);

    /// <summary>A FILETIME.</summary>
    public static FieldValue FileTime(long value) => new(FieldKind.FileTime, (ulong)value);

    /// <summary>A SYSTEMTIME, 16 bytes.</summary>
    public static FieldValue SystemTime(ReadOnlySpan<byte> bytes) => new(FieldKind.SystemTime, 0, bytes[..16]);

    /// <summary>A time stamp in the file's clock.</summary>
    public static FieldValue Ticks(long value) => new(FieldKind.Ticks, (ulong)value);

    /// <summary>A SID.</summary>
    public static FieldValue Sid(ReadOnlySpan<byte> bytes) => new(FieldKind.Sid, 0, bytes);

    /// <summary>An IPv4 address, 4 bytes in network order.</summary>
    public static FieldValue IPv4(ReadOnlySpan<byte> bytes) => new(FieldKind.IPv4, 0, bytes[..4]);

    /// <summary>An IPv6 address, 16 bytes in network order.</summary>
    public static FieldValue IPv6(ReadOnlySpan<byte> bytes) => new(FieldKind.IPv6, 0, bytes[..16]);

    /// <summary>A port in host order.</summary>
    public static FieldValue Port(ushort value) => new(FieldKind.Port, value);

    /// <summary>Bytes.</summary>
    public static FieldValue Binary(ReadOnlySpan<byte> bytes) => new(FieldKind.Binary, 0, bytes);

    /// <summary>The value as text, the same on every system.</summary>
    public override string ToString() => Kind switch
    {
        FieldKind.Null => "",
        FieldKind.Unsigned or FieldKind.Port => Bits.ToString(CultureInfo.InvariantCulture),
        FieldKind.Signed or FieldKind.Ticks => SignedBits.ToString(CultureInfo.InvariantCulture),
        FieldKind.Hexadecimal or FieldKind.Pointer or FieldKind.CodePointer => $"0x{Bits:x}",
        FieldKind.Boolean => Bits != 0 ? "true" : "false",
        FieldKind.Double => DoubleBits.ToString("R", CultureInfo.InvariantCulture),
        FieldKind.Named or FieldKind.String => Text ?? "",
        FieldKind.Utf16Text => Encoding.Unicode.GetString(Bytes),
        FieldKind.Text8 => TextOf8(Bytes),
        FieldKind.Guid => new Guid(Bytes).ToString(),
        FieldKind.FileTime => FileTimeText(SignedBits),
        FieldKind.SystemTime => SystemTimeText(Bytes),
        FieldKind.Sid => SidText(Bytes),
        FieldKind.IPv4 or FieldKind.IPv6 => new IPAddress(Bytes).ToString(),
        _ => Convert.ToHexStringLower(Bytes),
    };

    private static string TextOf8(ReadOnlySpan<byte> bytes) =>
        Utf8.IsValid(bytes) ? Encoding.UTF8.GetString(bytes) : Encoding.Latin1.GetString(bytes);

    private static string FileTimeText(long fileTime) => fileTime < 0 || fileTime > DateTime.MaxValue.ToFileTimeUtc()
        ? fileTime.ToString(CultureInfo.InvariantCulture)
        : DateTime.FromFileTimeUtc(fileTime).ToString("yyyy-MM-ddTHH:mm:ss.fffffffZ", CultureInfo.InvariantCulture);

    private static string SystemTimeText(ReadOnlySpan<byte> bytes)
    {
        // Year, month, day of week, day, hour, minute, second, milliseconds: whatever they hold, as they are.
        ReadOnlySpan<ushort> parts = MemoryMarshal.Cast<byte, ushort>(bytes);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{parts[0]:D4}-{parts[1]:D2}-{parts[3]:D2}T{parts[4]:D2}:{parts[5]:D2}:{parts[6]:D2}.{parts[7]:D3}");
    }

    private static string SidText(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < 8 || bytes.Length < 8 + (4 * bytes[1]))
        {
            return Convert.ToHexStringLower(bytes);
        }

        var text = new StringBuilder();
        ulong authority = BinaryPrimitives.ReadUInt64BigEndian(bytes) & 0xFFFF_FFFF_FFFF;
        text.Append(CultureInfo.InvariantCulture, $"S-{bytes[0]}-{authority}");
        for (int i = 0; i < bytes[1]; i++)
        {
            text.Append(CultureInfo.InvariantCulture, $"-{BinaryPrimitives.ReadUInt32LittleEndian(bytes[(8 + (4 * i))..])}");
        }

        return text.ToString();
    }
}
