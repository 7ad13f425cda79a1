using System.Buffers.Binary;
using System.Text;

namespace Tracer.Etl;

/// <summary>
/// Gathers the bytes of provider traits or of an event's schema: both begin with a u16 of their whole size (TraceLoggingProvider.h).
/// </summary>
internal sealed class TraceLoggingMetadata
{
    private readonly List<byte> _bytes = [0, 0];

    public void AddByte(byte value) => _bytes.Add(value);

    public void AddUInt16(ushort value)
    {
        _bytes.Add((byte)value);
        _bytes.Add((byte)(value >> 8));
    }

    public void AddBytes(ReadOnlySpan<byte> bytes) => _bytes.AddRange(bytes);

    /// <summary>Adds UTF-8 text and a NUL.</summary>
    public void AddText(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (text.Contains('\0', StringComparison.Ordinal))
        {
            throw new ArgumentException("A NUL would end a name early.", nameof(text));
        }

        _bytes.AddRange(Encoding.UTF8.GetBytes(text));
        _bytes.Add(0);
    }

    /// <summary>
    /// Adds a tag: its 28 bits in groups of seven, the highest first, each in a byte whose bit 7 says that another follows. Groups of
    /// zeros at the end are left out, but for the first.
    /// </summary>
    public void AddTag(uint tag)
    {
        const int BitsPerByte = 7;
        const uint GroupMask = (1 << BitsPerByte) - 1;
        const byte Another = 0x80;
        if (tag >> TraceLoggingField.TagBits != 0)
        {
            throw new ArgumentException($"A tag has {TraceLoggingField.TagBits} bits, 0x{tag:X} has more.", nameof(tag));
        }

        uint rest = tag;
        do
        {
            byte group = (byte)(rest >> (TraceLoggingField.TagBits - BitsPerByte) & GroupMask);
            rest = (rest << BitsPerByte) & ((1u << TraceLoggingField.TagBits) - 1);
            _bytes.Add(rest == 0 ? group : (byte)(group | Another));
        }
        while (rest != 0);
    }

    /// <summary>Gives the bytes with their size in front.</summary>
    public byte[] Finish()
    {
        byte[] bytes = [.. _bytes];
        if (bytes.Length > ushort.MaxValue)
        {
            throw new ArgumentException($"The names and fields take {bytes.Length} bytes; at most {ushort.MaxValue} fit.");
        }

        BinaryPrimitives.WriteUInt16LittleEndian(bytes, (ushort)bytes.Length);
        return bytes;
    }
}
