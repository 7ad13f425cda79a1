using System.Buffers.Binary;
using System.Text;

namespace Tracer.Simulator.Writing;

/// <summary>Lays the fields of a record's payload out one behind the other, without gaps.</summary>
/// <param name="pointerBytes">Width of a pointer in bytes: 4 or 8.</param>
internal ref struct PayloadSpan(Span<byte> room, int pointerBytes)
{
    private readonly Span<byte> _room = room;

    /// <summary>Bytes laid out so far.</summary>
    public int Length { get; private set; }

    public readonly ReadOnlySpan<byte> Written => _room[..Length];

    /// <summary>One byte.</summary>
    public void UInt8(byte value) => _room[Length++] = value;

    /// <summary>Two bytes.</summary>
    public void UInt16(ushort value) => BinaryPrimitives.WriteUInt16LittleEndian(Take(2), value);

    /// <summary>Four bytes.</summary>
    public void UInt32(uint value) => BinaryPrimitives.WriteUInt32LittleEndian(Take(4), value);

    /// <summary>Eight bytes.</summary>
    public void UInt64(ulong value) => BinaryPrimitives.WriteUInt64LittleEndian(Take(8), value);

    /// <summary>Eight bytes, signed.</summary>
    public void Int64(long value) => BinaryPrimitives.WriteInt64LittleEndian(Take(8), value);

    /// <summary>A pointer; of a wider value the low bytes.</summary>
    public void Pointer(ulong value)
    {
        if (pointerBytes == 8)
        {
            UInt64(value);
        }
        else
        {
            UInt32((uint)value);
        }
    }

    public void Guid(Guid value) => value.TryWriteBytes(Take(16));

    /// <summary>So many bytes of zero.</summary>
    public void Zeros(int bytes) => Take(bytes).Clear();

    /// <summary>Bytes as they are.</summary>
    public void Bytes(ReadOnlySpan<byte> value) => value.CopyTo(Take(value.Length));

    /// <summary>UTF-16 text without an end.</summary>
    public void Utf16Units(string text) => Encoding.Unicode.GetBytes(text, Take(2 * text.Length));

    /// <summary>UTF-16 text and its NUL.</summary>
    public void Utf16(string text)
    {
        Utf16Units(text);
        UInt16(0);
    }

    /// <summary>UTF-16 text in a field of fixed size, filled up with NULs.</summary>
    /// <param name="text">The text; cut so that one NUL fits.</param>
    public void FixedUtf16(string text, int units)
    {
        Span<byte> field = Take(2 * units);
        field.Clear();
        Encoding.Unicode.GetBytes(text.AsSpan(0, Math.Min(text.Length, units - 1)), field);
    }

    /// <summary>UTF-8 text and its NUL.</summary>
    public void Utf8(string text)
    {
        Encoding.UTF8.GetBytes(text, Take(Encoding.UTF8.GetByteCount(text)));
        UInt8(0);
    }

    private Span<byte> Take(int bytes)
    {
        Span<byte> taken = _room.Slice(Length, bytes);
        Length += bytes;
        return taken;
    }
}
