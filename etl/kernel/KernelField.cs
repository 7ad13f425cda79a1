using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>
/// One field of a <see cref="KernelLayout"/>: its name, how many bytes it has with 8-byte and with 4-byte pointers, how it is shown, and
/// which versions of the record have it.
/// </summary>
/// <remarks>The short names are for tables: they are read as columns with <c>using static</c>.</remarks>
public sealed class KernelField
{
    private const int CountBytes = 4;

    private readonly FieldKind _kind;
    private readonly int _bytesWith8;
    private readonly int _bytesWith4;
    private readonly Naming? _naming;
    private readonly int _firstVersion;
    private readonly int _endVersion = int.MaxValue;

    private KernelField(string name, FieldKind kind, int bytesWith8, int bytesWith4, Naming? naming = null)
    {
        Name = name;
        _kind = kind;
        _bytesWith8 = bytesWith8;
        _bytesWith4 = bytesWith4;
        _naming = naming;
    }

    private KernelField(KernelField field, int firstVersion, int endVersion)
        : this(field.Name, field._kind, field._bytesWith8, field._bytesWith4, field._naming)
    {
        Elements = field.Elements;
        _firstVersion = firstVersion;
        _endVersion = endVersion;
    }

    private delegate FieldValue Naming(ulong value);

    /// <summary>Its name; empty for reserved bytes, and for the elements of a list that are no structures.</summary>
    public string Name { get; }

    /// <summary>The first version beyond which nothing changes for this field.</summary>
    internal int LastChange => Math.Max(_firstVersion, _endVersion == int.MaxValue ? 0 : _endVersion);

    /// <summary>Bytes without a meaning: the reader passes over them, the writer fills them with zeros.</summary>
    internal bool IsReserved => _kind == FieldKind.Null && Elements.Length == 0;

    /// <summary>Whether its size is told by its content.</summary>
    internal bool IsVariable => Elements.Length > 0 || IsEndedText;

    /// <summary>The fields of one element where it is a list; otherwise none.</summary>
    internal KernelField[] Elements { get; private init; } = [];

    /// <summary>Whether it is text, of fixed size or ended by a NUL.</summary>
    internal bool IsText => _kind is FieldKind.Utf16Text or FieldKind.Text8;

    /// <summary>Whether it is UTF-16 text.</summary>
    internal bool IsUtf16 => _kind == FieldKind.Utf16Text;

    private bool IsEndedText => _bytesWith8 == 0 && IsText;

    /// <summary>One byte, unsigned.</summary>
    public static KernelField U8(string name) => new(name, FieldKind.Unsigned, 1, 1);

    /// <summary>Two bytes, unsigned.</summary>
    public static KernelField U16(string name) => new(name, FieldKind.Unsigned, 2, 2);

    /// <summary>Four bytes, unsigned.</summary>
    public static KernelField U32(string name) => new(name, FieldKind.Unsigned, 4, 4);

    /// <summary>Eight bytes, unsigned.</summary>
    public static KernelField U64(string name) => new(name, FieldKind.Unsigned, 8, 8);

    /// <summary>A number of a pointer's width, unsigned.</summary>
    public static KernelField Size(string name) => new(name, FieldKind.Unsigned, 8, 4);

    /// <summary>One byte, signed.</summary>
    public static KernelField I8(string name) => new(name, FieldKind.Signed, 1, 1);

    /// <summary>Four bytes, signed.</summary>
    public static KernelField I32(string name) => new(name, FieldKind.Signed, 4, 4);

    /// <summary>Eight bytes, signed.</summary>
    public static KernelField I64(string name) => new(name, FieldKind.Signed, 8, 8);

    /// <summary>One byte of flags.</summary>
    public static KernelField Hex8(string name) => new(name, FieldKind.Hexadecimal, 1, 1);

    /// <summary>Two bytes of flags.</summary>
    public static KernelField Hex16(string name) => new(name, FieldKind.Hexadecimal, 2, 2);

    /// <summary>Four bytes of flags, or a status.</summary>
    public static KernelField Hex32(string name) => new(name, FieldKind.Hexadecimal, 4, 4);

    /// <summary>Eight bytes of flags, or a mask of processors.</summary>
    public static KernelField Hex64(string name) => new(name, FieldKind.Hexadecimal, 8, 8);

    /// <summary>A mask of a pointer's width.</summary>
    public static KernelField HexSize(string name) => new(name, FieldKind.Hexadecimal, 8, 4);

    /// <summary>Address of data or of a kernel object.</summary>
    public static KernelField Pointer(string name) => new(name, FieldKind.Pointer, 8, 4);

    /// <summary>Address of code.</summary>
    public static KernelField Code(string name) => new(name, FieldKind.CodePointer, 8, 4);

    /// <summary>One byte that is not 0 where it is true.</summary>
    public static KernelField Flag(string name) => new(name, FieldKind.Boolean, 1, 1);

    /// <summary>Time stamp in ticks of the trace's clock.</summary>
    public static KernelField Ticks(string name) => new(name, FieldKind.Ticks, 8, 8);

    /// <summary>FILETIME: 100 ns since 1601, UTC.</summary>
    public static KernelField FileTime(string name) => new(name, FieldKind.FileTime, 8, 8);

    /// <summary>SYSTEMTIME, 16 bytes.</summary>
    public static KernelField SystemTime(string name) => new(name, FieldKind.SystemTime, 16, 16);

    /// <summary>GUID, 16 bytes.</summary>
    public static KernelField Guid(string name) => new(name, FieldKind.Guid, 16, 16);

    /// <summary>IPv4 address in network order.</summary>
    public static KernelField IPv4(string name) => new(name, FieldKind.IPv4, 4, 4);

    /// <summary>IPv6 address in network order.</summary>
    public static KernelField IPv6(string name) => new(name, FieldKind.IPv6, 16, 16);

    /// <summary>Port, two bytes in network order.</summary>
    public static KernelField Port(string name) => new(name, FieldKind.Port, 2, 2);

    /// <summary>UTF-16 text that a NUL, or the end of the record, ends.</summary>
    public static KernelField Wide(string name) => new(name, FieldKind.Utf16Text, 0, 0);

    /// <summary>UTF-16 text in a field of fixed size, filled up with NULs.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="characters">Its size in UTF-16 units.</param>
    public static KernelField Wide(string name, int characters) => new(name, FieldKind.Utf16Text, 2 * characters, 2 * characters);

    /// <summary>8-bit text that a NUL, or the end of the record, ends.</summary>
    public static KernelField Narrow(string name) => new(name, FieldKind.Text8, 0, 0);

    /// <summary>Four bytes, shown by the name that an enumeration gives them; signed as the enumeration is where it has none.</summary>
    public static KernelField Named<TEnum>(string name)
        where TEnum : struct, Enum =>
        new(name, FieldKind.Named, 4, 4, Enum.GetUnderlyingType(typeof(TEnum)) == typeof(int)
            ? value => NamedNumber<TEnum>.Of((ulong)(int)value)
            : NamedNumber<TEnum>.Of);

    /// <summary>Bytes without a meaning.</summary>
    public static KernelField Reserved(int bytes) => Reserved(bytes, bytes);

    /// <summary>Bytes without a meaning, whose number depends on the width of pointers.</summary>
    public static KernelField Reserved(int bytesWith8, int bytesWith4) => new("", FieldKind.Null, bytesWith8, bytesWith4);

    /// <summary>A count of four bytes and so many elements: structures, or single values where an element has one field.</summary>
    public static KernelField List(string name, params KernelField[] elements) =>
        new(name, FieldKind.Null, CountBytes, CountBytes) { Elements = elements };

    /// <summary>The field, which records before a version lack.</summary>
    public KernelField From(int version) => new(this, version, _endVersion);

    /// <summary>The field, which records from a version on lack.</summary>
    public KernelField Before(int version) => new(this, _firstVersion, version);

    /// <summary>Whether records of a version have it.</summary>
    internal bool IsIn(int version) => version >= _firstVersion && version < _endVersion;

    /// <summary>Its size in bytes, as far as it does not depend on its content: of a list the count, of an ended text nothing.</summary>
    internal int Bytes(int pointerBytes) => pointerBytes == 8 ? _bytesWith8 : _bytesWith4;

    /// <summary>Gives the field to a sink.</summary>
    /// <param name="payload">The record.</param>
    /// <param name="offset">Where the field starts; its fixed bytes are there.</param>
    /// <param name="sink">Takes it.</param>
    /// <returns>Where the next field starts.</returns>
    internal int Give(RecordPayload payload, int offset, IFieldSink sink)
    {
        if (Elements.Length > 0)
        {
            return GiveList(payload, offset, sink);
        }

        int next = offset + Bytes(payload.PointerBytes);
        if (IsEndedText)
        {
            sink.Field(Name, IsUtf16
                ? FieldValue.Utf16Text(payload.Utf16(offset, out next))
                : FieldValue.Text8(payload.Text8(offset, out next)));
        }
        else if (!IsReserved)
        {
            sink.Field(Name, Value(payload, offset, next - offset));
        }

        return next;
    }

    // An element is listed where all of its bytes are there; a text where its first byte is.
    private int GiveList(RecordPayload payload, int offset, IFieldSink sink)
    {
        uint announced = payload.UInt32(offset);
        int elementBytes = 0;
        foreach (KernelField field in Elements)
        {
            elementBytes += field.Bytes(payload.PointerBytes);
        }

        int next = offset + CountBytes;
        sink.BeginArray(Name);
        for (uint i = 0; i < announced && payload.Length - next >= Math.Max(elementBytes, 1); i++)
        {
            next = GiveElement(payload, next, sink);
        }

        sink.EndArray();
        return next;
    }

    private int GiveElement(RecordPayload payload, int offset, IFieldSink sink)
    {
        if (Elements.Length == 1)
        {
            return Elements[0].Give(payload, offset, sink);
        }

        sink.BeginStruct("");
        foreach (KernelField field in Elements)
        {
            offset = field.Give(payload, offset, sink);
        }

        sink.EndStruct();
        return offset;
    }

    private FieldValue Value(RecordPayload payload, int offset, int bytes) => _kind switch
    {
        FieldKind.Unsigned => FieldValue.Unsigned(payload.Unsigned(offset, bytes)),
        FieldKind.Signed => FieldValue.Signed((long)payload.Unsigned(offset, bytes) << (64 - (8 * bytes)) >> (64 - (8 * bytes))),
        FieldKind.Hexadecimal => FieldValue.Hexadecimal(payload.Unsigned(offset, bytes)),
        FieldKind.Pointer => FieldValue.Pointer(payload.Unsigned(offset, bytes)),
        FieldKind.CodePointer => FieldValue.CodePointer(payload.Unsigned(offset, bytes)),
        FieldKind.Boolean => FieldValue.Boolean(payload.Unsigned(offset, bytes) != 0),
        FieldKind.Ticks => FieldValue.Ticks(payload.Int64(offset)),
        FieldKind.FileTime => FieldValue.FileTime(payload.Int64(offset)),
        FieldKind.Named => _naming!(payload.Unsigned(offset, bytes)),
        FieldKind.Port => FieldValue.Port(payload.UInt16BigEndian(offset)),
        FieldKind.Guid => FieldValue.Guid(payload.Slice(offset, bytes)),
        FieldKind.SystemTime => FieldValue.SystemTime(payload.Slice(offset, bytes)),
        FieldKind.IPv4 => FieldValue.IPv4(payload.Slice(offset, bytes)),
        FieldKind.IPv6 => FieldValue.IPv6(payload.Slice(offset, bytes)),
        _ => FieldValue.Utf16Text(payload.FixedUtf16(offset, bytes / 2)),
    };
}
