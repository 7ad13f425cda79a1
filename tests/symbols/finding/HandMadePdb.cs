using System.Buffers.Binary;

namespace Tracer.Symbols.Tests.Finding;

/// <summary>
/// PDBs that hold nothing but their identity, and the least reader that tells it: MSF blocks of 512 bytes, of which 0 is the header, 3 the
/// info stream (version, time, age, GUID), 4 the directory and 5 the list of the directory's blocks.
/// </summary>
internal static class HandMadePdb
{
    private const int BlockSize = 512;

    public static readonly PdbId Id = new(new Guid("497b72f6-390a-44fc-878e-5a2d63b6cc4b"), 1);

    /// <summary>The identity with one byte of the GUID changed.</summary>
    public static readonly PdbId OtherId = new(new Guid("497b72f6-390a-44fc-878e-5a2d63b6cc4a"), 1);

    public static byte[] Make(PdbId id, int blocks = 6)
    {
        byte[] bytes = new byte[BlockSize * blocks];
        new Random(blocks).NextBytes(bytes.AsSpan(BlockSize * 6));
        "Microsoft C/C++ MSF 7.00\r\n\u001aDS\0\0\0"u8.CopyTo(bytes);
        uint[] header = [BlockSize, 1, (uint)blocks, 16, 0, 5];
        uint[] directory = [2, 0, 28, 3];
        uint[] info = [20000404, 0, id.Age];
        Put(bytes, 32, header);
        Put(bytes, 3 * BlockSize, info);
        id.Guid.TryWriteBytes(bytes.AsSpan((3 * BlockSize) + 12));
        Put(bytes, 4 * BlockSize, directory);
        Put(bytes, 5 * BlockSize, [4]);
        return bytes;
    }

    public static PdbId? ReadId(SymbolBytes bytes, out string? problem)
    {
        problem = "is no PDB";
        ReadOnlySpan<byte> start = bytes.At(0, 6 * BlockSize);
        if (start.Length < 6 * BlockSize || !start.StartsWith("Microsoft C/C++ MSF 7.00\r\n"u8))
        {
            return null;
        }

        problem = null;
        ReadOnlySpan<byte> info = start[(3 * BlockSize)..];
        return new PdbId(new Guid(info[12..28]), BinaryPrimitives.ReadUInt32LittleEndian(info[8..]));
    }

    private static void Put(byte[] bytes, int at, uint[] numbers)
    {
        foreach (uint number in numbers)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(at), number);
            at += 4;
        }
    }
}
