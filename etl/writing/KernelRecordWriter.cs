using System.Buffers.Binary;
using System.Text;
using Tracer.Etl.Kernel;

namespace Tracer.Etl;

/// <summary>
/// Fills the payload of a kernel record field by field from the layout that reads it; what the layout reserves is zero. Allocates nothing.
/// </summary>
/// <remarks>Fields come in the order of the layout; <see cref="ArgumentException"/> where one is left out or does not fit.</remarks>
public ref struct KernelRecordWriter
{
    private readonly ReadOnlySpan<KernelField> _record;
    private readonly int _version;
    private readonly int _pointerBytes;
    private readonly Span<byte> _room;
    private ReadOnlySpan<KernelField> _fields;
    private int _place;
    private int _placeBehindList;
    private int _elementsLeft;
    private int _length;

    /// <summary>Begins a record.</summary>
    /// <param name="layout">Its layout.</param>
    /// <param name="version">Its version.</param>
    /// <param name="pointerBytes">Width of pointers in bytes: 4 or 8.</param>
    /// <param name="room">Takes the payload.</param>
    public KernelRecordWriter(KernelLayout layout, int version, int pointerBytes, Span<byte> room)
    {
        _record = layout.Fields;
        _fields = _record;
        _version = version;
        _pointerBytes = pointerBytes;
        _room = room;
    }

    /// <summary>The payload; every field of the version must have been put.</summary>
    public ReadOnlySpan<byte> Written
    {
        get
        {
            PassOver();
            return _place == _record.Length && _elementsLeft == 0
                ? _room[.._length]
                : throw new ArgumentException($"The field {_fields[_place].Name} is missing.");
        }
    }

    /// <summary>Puts a number or an address; of one that is wider than the field the low bytes.</summary>
    /// <param name="name">The field's name; empty for an element of a list that is no structure.</param>
    /// <param name="value">Its value; nothing is written where the version lacks the field.</param>
    public void Put(string name, ulong value)
    {
        if (Next(name, isText: false) is KernelField field)
        {
            Span<byte> bytes = stackalloc byte[sizeof(ulong)];
            BinaryPrimitives.WriteUInt64LittleEndian(bytes, value);
            bytes[..field.Bytes(_pointerBytes)].CopyTo(Take(field.Bytes(_pointerBytes)));
        }
    }

    /// <summary>Puts text: all of it and a NUL, or what the field of fixed size has room for before one NUL.</summary>
    /// <param name="name">The field's name.</param>
    /// <param name="text">The text; nothing is written where the version lacks the field.</param>
    public void Put(string name, string text)
    {
        if (Next(name, isText: true) is not KernelField field)
        {
            return;
        }

        Encoding encoding = field.IsUtf16 ? Encoding.Unicode : Encoding.UTF8;
        int unit = field.IsUtf16 ? 2 : 1;
        int bytes = field.Bytes(_pointerBytes);
        ReadOnlySpan<char> fitting = bytes == 0 ? text : text.AsSpan(0, Math.Min(text.Length, (bytes / unit) - 1));
        Span<byte> room = Take(bytes == 0 ? encoding.GetByteCount(fitting) + unit : bytes);
        room[encoding.GetBytes(fitting, room)..].Clear();
    }

    /// <summary>Begins a list: so many elements follow, each with its fields.</summary>
    /// <param name="name">The field's name.</param>
    /// <param name="count">How many elements.</param>
    public void BeginList(string name, int count)
    {
        Put(name, (ulong)count);
        if (count > 0)
        {
            _placeBehindList = _place;
            _fields = _fields[_place - 1].Elements;
            _place = 0;
            _elementsLeft = count;
        }
    }

    /// <summary>Appends zeros behind the last field, as systems do that write more than is known.</summary>
    /// <param name="bytes">How many.</param>
    public void Append(int bytes)
    {
        PassOver();
        Take(bytes).Clear();
    }

    /// <summary>The field that comes next; null for one that the version lacks.</summary>
    private KernelField? Next(string name, bool isText)
    {
        PassOver();
        if (_place < _fields.Length && _fields[_place].Name == name && _fields[_place].IsText == isText)
        {
            return _fields[_place++];
        }

        foreach (KernelField field in _fields)
        {
            if (field.Name == name && !field.IsIn(_version))
            {
                return null;
            }
        }

        throw new ArgumentException($"{name} is not the field that comes next.", nameof(name));
    }

    /// <summary>Goes over what has no value: reserved bytes, fields that the version lacks, the end of an element.</summary>
    private void PassOver()
    {
        while (true)
        {
            for (; _place < _fields.Length && (_fields[_place].IsReserved || !_fields[_place].IsIn(_version)); _place++)
            {
                Take(_fields[_place].IsIn(_version) ? _fields[_place].Bytes(_pointerBytes) : 0).Clear();
            }

            if (_elementsLeft == 0 || _place < _fields.Length)
            {
                return;
            }

            _elementsLeft--;
            _place = _elementsLeft > 0 ? 0 : _placeBehindList;
            _fields = _elementsLeft > 0 ? _fields : _record;
        }
    }

    private Span<byte> Take(int bytes)
    {
        if (bytes > _room.Length - _length)
        {
            throw new ArgumentException($"The payload has more than {_room.Length} bytes.");
        }

        Span<byte> taken = _room.Slice(_length, bytes);
        _length += bytes;
        return taken;
    }
}
