using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Text;

namespace Tracer.Symbols.Pdb;

/// <summary>Fields of records that a caller has cut out and measured: all of a PDB is little-endian.</summary>
internal static class LittleEndian
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ushort UInt16(ReadOnlySpan<byte> record, int at) => BinaryPrimitives.ReadUInt16LittleEndian(record[at..]);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint UInt32(ReadOnlySpan<byte> record, int at) => BinaryPrimitives.ReadUInt32LittleEndian(record[at..]);

    /// <summary>The text before the first NUL, or all of it where none is.</summary>
    public static ReadOnlySpan<byte> Terminated(ReadOnlySpan<byte> bytes)
    {
        int end = bytes.IndexOf((byte)0);
        return end < 0 ? bytes : bytes[..end];
    }

    /// <summary>UTF-8, as linkers write names; bytes that are none become replacement characters.</summary>
    public static string Text(ReadOnlySpan<byte> bytes) => Encoding.UTF8.GetString(Terminated(bytes));
}
