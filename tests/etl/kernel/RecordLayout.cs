using System.Buffers.Binary;
using System.Text;

namespace Tracer.Etl.Tests.Kernel;

/// <summary>
/// Bytes of a record from its layout as the reference gives it, typed token by token: <c>01000000</c> hexadecimal bytes as they stand in
/// the file; <c>{5}</c> a pointer, eight or four bytes, and in the expected fields its text; <c>&lt;5&gt;</c> a number of a pointer's
/// width; <c>w:abc</c> UTF-16 text and its NUL; <c>w8:abc</c> UTF-16 text in eight characters; <c>a:abc</c> 8-bit text and its NUL;
/// <c>z8</c> eight zeros.
/// </summary>
internal static class RecordLayout
{
    public static byte[] Payload(string layout, int pointerBytes)
    {
        var bytes = new List<byte>();
        foreach (string token in layout.Split((char[])[' ', '\n'], StringSplitOptions.RemoveEmptyEntries))
        {
            bytes.AddRange(Token(token, pointerBytes));
        }

        return [.. bytes];
    }

    /// <summary>The expected fields with the texts of pointers put in.</summary>
    public static string Expected(string fields, int pointerBytes)
    {
        string text = string.Join(' ', fields.Split((char[])[' ', '\n'], StringSplitOptions.RemoveEmptyEntries));
        for (int i = 0; i < 16; i++)
        {
            text = text.Replace($"{{{i}}}", $"0x{PointerOf(i, pointerBytes):x}", StringComparison.Ordinal);
        }

        return text;
    }

    /// <summary>A record with a PERFINFO header: time stamp 7.</summary>
    public static byte[] PerfInfo(int hook, int version, int pointerBytes, ReadOnlySpan<byte> payload) =>
    [
        (byte)version, 0, (byte)(pointerBytes == 8 ? 0x11 : 0x10), 0xC0, (byte)(payload.Length + 16), (byte)((payload.Length + 16) >> 8),
        (byte)hook, (byte)(hook >> 8), 7, 0, 0, 0, 0, 0, 0, 0, .. payload,
    ];

    /// <summary>A record with a classic header: level 4, thread 1, process 2, time stamp 7.</summary>
    public static byte[] Classic(Guid classId, int opcode, int version, int pointerBytes, ReadOnlySpan<byte> payload) =>
    [
        (byte)(payload.Length + 48), (byte)((payload.Length + 48) >> 8), (byte)(pointerBytes == 8 ? 20 : 10), 0xC0, (byte)opcode, 4,
        (byte)version, 0, 1, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, .. classId.ToByteArray(), 0, 0, 0, 0, 0, 0, 0, 0, .. payload,
    ];

    private static byte[] Token(string token, int pointerBytes)
    {
        string rest = token[1..].TrimEnd('}', '>');
        switch (token[0])
        {
            case '{':
                return Pointer(PointerOf(Number(rest), pointerBytes), pointerBytes);
            case '<':
                return Pointer((ulong)Number(rest), pointerBytes);
            case 'z':
                return new byte[Number(rest)];
            case 'w' when token[1] == ':':
                return Encoding.Unicode.GetBytes(token[2..] + '\0');
            case 'w':
                int colon = token.IndexOf(':', StringComparison.Ordinal);
                return Encoding.Unicode.GetBytes(token[(colon + 1)..].PadRight(Number(token[1..colon]), '\0'));
            case 'a' when token[1] == ':':
                return [.. Encoding.UTF8.GetBytes(token[2..]), 0];
            default:
                return Convert.FromHexString(token);
        }
    }

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);

    private static ulong PointerOf(int number, int pointerBytes) =>
        (pointerBytes == 8 ? 0xFFFF_F800_1234_5600 : 0x8234_5600) + (uint)number;

    private static byte[] Pointer(ulong value, int pointerBytes)
    {
        byte[] bytes = new byte[8];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, value);
        return bytes[..pointerBytes];
    }
}
