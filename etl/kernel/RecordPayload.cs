using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Kernel;

/// <summary>
/// The payload of a kernel event with the width of its pointers: what typed views read their fields from. Every access is checked; a
/// view's <c>TryRead</c> checks the length once, so that accesses to its fixed part cannot fail.
/// </summary>
public readonly ref struct RecordPayload
{
    private readonly ReadOnlySpan<byte> _bytes;

    /// <summary>Takes the payload of an event.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public RecordPayload(in EtlEvent traceEvent)
    {
        _bytes = traceEvent.Payload;
        PointerBytes = traceEvent.PointerBytes;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private RecordPayload(ReadOnlySpan<byte> bytes, int pointerBytes)
    {
        _bytes = bytes;
        PointerBytes = pointerBytes;
    }

    /// <summary>Takes the payload of an event that has no pointers, so that their width need not be looked up.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static RecordPayload WithoutPointers(in EtlEvent traceEvent) => new(traceEvent.Payload, 8);

    /// <summary>The payload.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes;

    /// <summary>Its length in bytes.</summary>
    public int Length => _bytes.Length;

    /// <summary>Width of its pointers: 4 or 8 bytes.</summary>
    public int PointerBytes { get; }

    /// <summary>An offset or size that differs with the width of pointers.</summary>
    public int At(int with8, int with4) => PointerBytes == 8 ? with8 : with4;

    /// <summary>Reads a byte.</summary>
    public byte UInt8(int offset) => _bytes[offset];

    /// <summary>Reads a signed byte.</summary>
    public sbyte Int8(int offset) => (sbyte)_bytes[offset];

    /// <summary>Reads two bytes.</summary>
    public ushort UInt16(int offset) => Number<ushort>(offset);

    /// <summary>Reads two bytes that stand in network order, as ports do.</summary>
    public ushort UInt16BigEndian(int offset) => BinaryPrimitives.ReadUInt16BigEndian(_bytes[offset..]);

    /// <summary>Reads four bytes.</summary>
    public uint UInt32(int offset) => Number<uint>(offset);

    /// <summary>Reads four bytes, signed.</summary>
    public int Int32(int offset) => Number<int>(offset);

    /// <summary>Reads eight bytes.</summary>
    public ulong UInt64(int offset) => Number<ulong>(offset);

    /// <summary>Reads eight bytes, signed: time stamps.</summary>
    public long Int64(int offset) => Number<long>(offset);

    /// <summary>Reads a number of one, two, four or eight bytes.</summary>
    public ulong Unsigned(int offset, int bytes) => bytes switch
    {
        1 => UInt8(offset),
        2 => UInt16(offset),
        4 => UInt32(offset),
        _ => UInt64(offset),
    };

    /// <summary>Reads a pointer of the event's width.</summary>
    public ulong Pointer(int offset) => PointerBytes == 8 ? UInt64(offset) : UInt32(offset);

    /// <summary>Reads sixteen bytes as a GUID.</summary>
    public Guid Guid(int offset) => new(_bytes.Slice(offset, 16));

    /// <summary>
    /// UTF-16 text that starts here, as bytes without its NUL; to the end of the payload where the NUL is missing, empty where nothing is.
    /// </summary>
    /// <param name="offset">Where it starts.</param>
    /// <param name="next">Where the next field starts: behind the NUL.</param>
    public ReadOnlySpan<byte> Utf16(int offset, out int next)
    {
        ReadOnlySpan<byte> rest = offset < _bytes.Length ? _bytes[offset..] : default;
        for (int at = 0; at + 1 < rest.Length; at += 2)
        {
            if (rest[at] == 0 && rest[at + 1] == 0)
            {
                next = offset + at + 2;
                return rest[..at];
            }
        }

        next = _bytes.Length;
        return rest[..(rest.Length & ~1)];
    }

    /// <summary>8-bit text that starts here, without its NUL; as <see cref="Utf16"/> for what is missing.</summary>
    /// <param name="offset">Where it starts.</param>
    /// <param name="next">Where the next field starts: behind the NUL.</param>
    public ReadOnlySpan<byte> Text8(int offset, out int next)
    {
        ReadOnlySpan<byte> rest = offset < _bytes.Length ? _bytes[offset..] : default;
        int length = rest.IndexOf((byte)0);
        next = length < 0 ? _bytes.Length : offset + length + 1;
        return length < 0 ? rest : rest[..length];
    }

    /// <summary>Bytes of a field of fixed size.</summary>
    public ReadOnlySpan<byte> Slice(int offset, int length) => _bytes.Slice(offset, length);

    /// <summary>UTF-16 text in a field of fixed size: up to its NUL, or all of the field.</summary>
    /// <param name="offset">Where the field starts.</param>
    /// <param name="characters">Size of the field in UTF-16 units.</param>
    public ReadOnlySpan<byte> FixedUtf16(int offset, int characters)
    {
        ReadOnlySpan<byte> field = _bytes.Slice(offset, 2 * characters);
        return new RecordPayload(field, PointerBytes).Utf16(0, out _);
    }

    /// <summary>One of several UTF-16 texts that follow each other; empty where the payload ends before it.</summary>
    /// <param name="offset">Where the first starts.</param>
    /// <param name="index">How many to pass over.</param>
    public ReadOnlySpan<byte> Utf16Nth(int offset, int index) => Utf16(Utf16End(offset, index), out _);

    /// <summary>Where the field behind so many UTF-16 texts starts.</summary>
    /// <param name="offset">Where the first starts.</param>
    /// <param name="count">How many to pass over.</param>
    public int Utf16End(int offset, int count)
    {
        for (int i = 0; i < count && offset < Length; i++)
        {
            Utf16(offset, out offset);
        }

        return offset;
    }

    /// <summary>How many elements of an array are there: not more than announced, nor than the payload holds.</summary>
    /// <param name="announced">What the record says.</param>
    /// <param name="offset">Where the array starts.</param>
    /// <param name="elementBytes">Size of an element.</param>
    public int CountAt(uint announced, int offset, int elementBytes) =>
        offset >= Length ? 0 : (int)Math.Min(announced, (uint)((Length - offset) / elementBytes));

    /// <summary>Reads a little-endian number; one comparison checks that all of it is there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private T Number<T>(int offset)
        where T : unmanaged
    {
        if ((uint)offset + (ulong)Unsafe.SizeOf<T>() > (uint)_bytes.Length)
        {
            ThrowTooShort();
        }

        return Unsafe.ReadUnaligned<T>(ref Unsafe.Add(ref MemoryMarshal.GetReference(_bytes), offset));
    }

    [DoesNotReturn]
    private static void ThrowTooShort() => throw new ArgumentOutOfRangeException("offset", "The field is not within the payload.");
}
