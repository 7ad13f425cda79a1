using System.Buffers.Binary;

namespace Tracer.Symbols.Tests.Finding;

/// <summary>A cabinet of one file, as makecab and compress write them.</summary>
internal sealed class HandMadeCabinet
{
    private const int BlockBytes = 32 * 1024;

    public const int MethodAt = 42;

    public ushort Method { get; init; } = 1;

    /// <summary>How far back blocks look; 0 makes each one a stream of its own.</summary>
    public int Window { get; init; } = BlockBytes;

    public bool HasCheckSums { get; init; } = true;

    /// <summary>Bytes that are reserved in header, folder and blocks.</summary>
    public byte Reserve { get; init; }

    public uint? ClaimedLength { get; init; }

    public byte[] Make(byte[] file)
    {
        List<byte[]> blocks = [];
        for (int at = 0; at < file.Length; at += BlockBytes)
        {
            int end = Math.Min(at + BlockBytes, file.Length);
            byte[] packed = Method == 1
                ? [.. "CK"u8, .. FixedDeflate.Compress(file, at, end, Window)]
                : file[at..end];
            blocks.Add(Block(packed, end - at));
        }

        int folderAt = 36 + (Reserve > 0 ? 4 + Reserve : 0);
        int fileAt = folderAt + 8 + Reserve;
        byte[] name = [.. "anything.pdb"u8, 0];
        int dataAt = fileAt + 16 + name.Length;
        byte[] head = new byte[dataAt];
        "MSCF"u8.CopyTo(head);
        U32(head, 8, (uint)(dataAt + blocks.Sum(block => block.Length)));
        U32(head, 16, (uint)fileAt);
        (head[24], head[25]) = (3, 1);
        U16(head, 26, 1);
        U16(head, 28, 1);
        if (Reserve > 0)
        {
            U16(head, 30, 4);
            U16(head, 36, Reserve);
            (head[38], head[39]) = (Reserve, Reserve);
        }

        U32(head, folderAt, (uint)dataAt);
        U16(head, folderAt + 4, (ushort)blocks.Count);
        U16(head, folderAt + 6, Method);
        U32(head, fileAt, ClaimedLength ?? (uint)file.Length);
        name.CopyTo(head, fileAt + 16);
        return [.. head, .. blocks.SelectMany(block => block)];
    }

    private byte[] Block(byte[] packed, int length)
    {
        byte[] block = new byte[8 + Reserve + packed.Length];
        U16(block, 4, (ushort)packed.Length);
        U16(block, 6, (ushort)length);
        packed.CopyTo(block, 8 + Reserve);
        if (HasCheckSums)
        {
            U32(block, 0, CheckSum(block.AsSpan(4, 4 + Reserve)) ^ CheckSum(packed));
        }

        return block;
    }

    private static uint CheckSum(ReadOnlySpan<byte> bytes)
    {
        uint sum = 0;
        int whole = bytes.Length & ~3;
        for (int i = 0; i < whole; i++)
        {
            sum ^= (uint)bytes[i] << (8 * (i % 4));
        }

        for (int i = whole; i < bytes.Length; i++)
        {
            sum ^= (uint)bytes[i] << (8 * (bytes.Length - 1 - i));
        }

        return sum;
    }

    private static void U16(byte[] bytes, int at, ushort value) => BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(at), value);

    private static void U32(byte[] bytes, int at, uint value) => BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(at), value);
}
