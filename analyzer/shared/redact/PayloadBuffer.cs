using System.Buffers.Binary;
using System.Text;

namespace Tracer.AnalyzerShared.Redact;

/// <summary>Builds the payload of one record after the other, little-endian, in memory of its own.</summary>
internal sealed class PayloadBuffer
{
    public const int MostCharacters = 1024;

    private byte[] _bytes = new byte[4096];
    private int _length;

    public ReadOnlySpan<byte> Bytes => _bytes.AsSpan(0, _length);

    public PayloadBuffer Begin()
    {
        _length = 0;
        return this;
    }

    /// <summary>Takes bytes as they are.</summary>
    public PayloadBuffer Raw(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(Take(bytes.Length));
        return this;
    }

    public PayloadBuffer Zeros(int count)
    {
        Take(count).Clear();
        return this;
    }

    /// <summary>Takes a number of two bytes.</summary>
    public PayloadBuffer U16(ushort value)
    {
        BinaryPrimitives.WriteUInt16LittleEndian(Take(sizeof(ushort)), value);
        return this;
    }

    /// <summary>Takes a number of four bytes.</summary>
    public PayloadBuffer U32(uint value)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(Take(sizeof(uint)), value);
        return this;
    }

    /// <summary>Takes a number of eight bytes.</summary>
    public PayloadBuffer U64(ulong value)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(Take(sizeof(ulong)), value);
        return this;
    }

    /// <summary>Takes a number of a pointer's width.</summary>
    public PayloadBuffer Pointer(ulong value, int pointerBytes) => pointerBytes == sizeof(uint) ? U32((uint)value) : U64(value);

    /// <summary>Takes UTF-16 text and its NUL.</summary>
    public PayloadBuffer Wide(string text) => Characters(Cut(text)).U16(0);

    /// <summary>Takes UTF-16 text without a NUL.</summary>
    public PayloadBuffer Characters(string text)
    {
        Encoding.Unicode.GetBytes(text, Take(2 * text.Length));
        return this;
    }

    /// <summary>Takes UTF-16 text in a field of fixed size, filled up with NULs.</summary>
    public PayloadBuffer Wide(string text, int characters)
    {
        text = text[..Math.Min(text.Length, characters - 1)];
        return Characters(text).Zeros(2 * (characters - text.Length));
    }

    /// <summary>Takes UTF-8 text and its NUL.</summary>
    public PayloadBuffer Narrow(string text)
    {
        Encoding.UTF8.GetBytes(Cut(text), Take(Encoding.UTF8.GetByteCount(Cut(text))));
        return Zeros(1);
    }

    private static string Cut(string text) => text[..Math.Min(text.Length, MostCharacters)];

    private Span<byte> Take(int count)
    {
        if (_length + count > _bytes.Length)
        {
            Array.Resize(ref _bytes, Math.Max(2 * _bytes.Length, _length + count));
        }

        _length += count;
        return _bytes.AsSpan(_length - count, count);
    }
}
