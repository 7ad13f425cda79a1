using System.Buffers.Binary;

namespace Tracer.Etl;

/// <summary>
/// Puts the values of a TraceLogging event one behind the other, in the order and with the types of its schema, into memory of the caller.
/// It allocates nothing and does not know the schema: a reader finds the values only if they are the schema's. Every method throws
/// <see cref="ArgumentException"/> when the memory is full.
/// </summary>
/// <param name="memory">Takes the payload.</param>
public ref struct TraceLoggingPayload(Span<byte> memory)
{
    private readonly Span<byte> _memory = memory;
    private int _used;

    /// <summary>The payload so far.</summary>
    public readonly ReadOnlySpan<byte> Bytes => _memory[.._used];

    /// <summary>Adds a byte.</summary>
    public void UInt8(byte value) => Take(sizeof(byte))[0] = value;

    /// <summary>Adds a signed byte.</summary>
    public void Int8(sbyte value) => UInt8((byte)value);

    /// <summary>Adds two bytes.</summary>
    public void UInt16(ushort value) => BinaryPrimitives.WriteUInt16LittleEndian(Take(sizeof(ushort)), value);

    /// <summary>Adds two bytes, signed.</summary>
    public void Int16(short value) => UInt16((ushort)value);

    /// <summary>Adds four bytes; also for <see cref="TraceLoggingInType.HexInt32"/>.</summary>
    public void UInt32(uint value) => BinaryPrimitives.WriteUInt32LittleEndian(Take(sizeof(uint)), value);

    /// <summary>Adds four bytes, signed.</summary>
    public void Int32(int value) => UInt32((uint)value);

    /// <summary>Adds eight bytes; also for <see cref="TraceLoggingInType.HexInt64"/>.</summary>
    public void UInt64(ulong value) => BinaryPrimitives.WriteUInt64LittleEndian(Take(sizeof(ulong)), value);

    /// <summary>Adds eight bytes, signed; also for <see cref="TraceLoggingInType.FileTime"/>, in 100 ns since 1601.</summary>
    public void Int64(long value) => UInt64((ulong)value);

    /// <summary>Adds a single-precision number.</summary>
    public void Float(float value) => BinaryPrimitives.WriteSingleLittleEndian(Take(sizeof(float)), value);

    /// <summary>Adds a double-precision number.</summary>
    public void Double(double value) => BinaryPrimitives.WriteDoubleLittleEndian(Take(sizeof(double)), value);

    /// <summary>Adds a truth value of four bytes.</summary>
    public void Bool32(bool value) => UInt32(value ? 1u : 0);

    /// <summary>Adds a GUID.</summary>
    public void Guid(in Guid value) => value.TryWriteBytes(Take(16));

    /// <summary>Adds a SYSTEMTIME.</summary>
    public void SystemTime(EtlSystemTime value) => value.Write(Take(EtlSystemTime.Bytes));

    /// <summary>Adds the bytes of a value as they are: a SID, or an array whose count is fixed or was added before.</summary>
    public void Raw(scoped ReadOnlySpan<byte> value) => value.CopyTo(Take(value.Length));

    /// <summary>Adds UTF-16 text and its NUL.</summary>
    /// <exception cref="ArgumentException">A NUL in the text would end it early, or the memory is full.</exception>
    public void UnicodeString(ReadOnlySpan<char> value)
    {
        RefuseNul(value.Contains('\0'));
        Utf16Bytes.Put(value, Take(2 * value.Length));
        UInt16(0);
    }

    /// <summary>Adds 8-bit text and its NUL.</summary>
    /// <exception cref="ArgumentException">A NUL in the text would end it early, or the memory is full.</exception>
    public void AnsiString(ReadOnlySpan<byte> value)
    {
        RefuseNul(value.Contains((byte)0));
        Raw(value);
        UInt8(0);
    }

    /// <summary>Adds a u16 length in bytes and UTF-16 text: <see cref="TraceLoggingInType.CountedString"/>.</summary>
    public void CountedString(ReadOnlySpan<char> value)
    {
        UInt16(Length(2 * (long)value.Length));
        Utf16Bytes.Put(value, Take(2 * value.Length));
    }

    /// <summary>
    /// Adds a u16 length and bytes: <see cref="TraceLoggingInType.Binary"/>, <see cref="TraceLoggingInType.CountedBinary"/> and
    /// <see cref="TraceLoggingInType.CountedAnsiString"/>.
    /// </summary>
    public void CountedBytes(ReadOnlySpan<byte> value)
    {
        UInt16(Length(value.Length));
        Raw(value);
    }

    /// <summary>Adds the count of a variable array; its values follow with their own methods.</summary>
    public void ArrayCount(int count) => UInt16(Length(count));

    /// <summary>Adds a variable array of bytes: count and values.</summary>
    public void UInt8Array(ReadOnlySpan<byte> values) => CountedBytes(values);

    /// <summary>Adds a variable array of eight-byte values: count and values.</summary>
    public void UInt64Array(ReadOnlySpan<ulong> values)
    {
        ArrayCount(values.Length);
        foreach (ulong value in values)
        {
            UInt64(value);
        }
    }

    private static void RefuseNul(bool hasNul)
    {
        if (hasNul)
        {
            throw new ArgumentException("A NUL would end the text early.");
        }
    }

    private static ushort Length(long length) => length is >= 0 and <= ushort.MaxValue
        ? (ushort)length
        : throw new ArgumentException($"A length of {length} does not fit 16 bits.", nameof(length));

    private Span<byte> Take(int bytes)
    {
        if (bytes > _memory.Length - _used)
        {
            throw new ArgumentException($"The payload does not fit {_memory.Length} bytes.");
        }

        Span<byte> place = _memory.Slice(_used, bytes);
        _used += bytes;
        return place;
    }
}
