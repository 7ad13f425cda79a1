using System.Buffers.Binary;

namespace Tracer.Etl;

/// <summary>UTF-16 text in little-endian bytes, code unit by code unit: half of a surrogate pair survives reading and writing.</summary>
internal static class Utf16Bytes
{
    /// <summary>Reads text up to a NUL, or to the end where there is none.</summary>
    /// <param name="bytes">From the first code unit on.</param>
    /// <param name="usedBytes">Bytes of the text and its NUL.</param>
    public static string TextToNul(ReadOnlySpan<byte> bytes, out int usedBytes)
    {
        int units = 0;
        while ((2 * units) + 1 < bytes.Length && (bytes[2 * units] | bytes[(2 * units) + 1]) != 0)
        {
            units++;
        }

        usedBytes = Math.Min(bytes.Length, 2 * (units + 1));
        char[] text = new char[units];
        for (int i = 0; i < units; i++)
        {
            text[i] = (char)BinaryPrimitives.ReadUInt16LittleEndian(bytes[(2 * i)..]);
        }

        return new string(text);
    }

    /// <summary>Writes text without a NUL.</summary>
    /// <returns>Bytes written.</returns>
    public static int Put(ReadOnlySpan<char> text, Span<byte> destination)
    {
        for (int i = 0; i < text.Length; i++)
        {
            BinaryPrimitives.WriteUInt16LittleEndian(destination[(2 * i)..], text[i]);
        }

        return 2 * text.Length;
    }
}
