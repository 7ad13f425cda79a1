using System.Buffers.Binary;

namespace Tracer.Symbols.Tests.Pdb;

/// <summary>Puts streams into a container, as the reader expects it or scattered over its pages.</summary>
internal static class MsfWriter
{
    private const int SuperBlockBytes = 52;

    /// <param name="streams">The streams; null: one that is not there.</param>
    /// <param name="pageSize">Bytes of a page.</param>
    /// <param name="order">Where given: pages are taken in an order that these random numbers shuffle.</param>
    public static byte[] Write(IReadOnlyList<byte[]?> streams, int pageSize = 4096, Random? order = null)
    {
        int dataPages = streams.Sum(stream => Pages(stream?.Length ?? 0, pageSize));
        int directoryBytes = sizeof(uint) * (1 + streams.Count + dataPages);
        int directoryPages = Pages(directoryBytes, pageSize);
        int mapPages = Pages(directoryPages * sizeof(uint), pageSize);
        int count = 3 + dataPages + directoryPages + mapPages;
        int[] free = [.. Enumerable.Range(3, count - 3)];
        order?.Shuffle(free);
        var pages = new Queue<int>(free);
        byte[] file = new byte[count * pageSize];
        List<uint> directory = [(uint)streams.Count, .. streams.Select(stream => stream is null ? uint.MaxValue : (uint)stream.Length)];
        foreach (byte[]? stream in streams)
        {
            directory.AddRange(Put(file, stream ?? [], pageSize, pages));
        }

        uint[] directoryAt = Put(file, Bytes(directory), pageSize, pages);
        uint[] mapAt = Put(file, Bytes(directoryAt), pageSize, pages);
        "Microsoft C/C++ MSF 7.00\r\n\u001ADS\0\0\0"u8.CopyTo(file);
        uint[] header = [(uint)pageSize, 1, (uint)count, (uint)directoryBytes, 0];
        Bytes([.. header, .. mapAt]).CopyTo(file.AsSpan(SuperBlockBytes - (header.Length * sizeof(uint))));
        return file;
    }

    public static byte[] Bytes(IEnumerable<uint> numbers)
    {
        uint[] all = [.. numbers];
        byte[] bytes = new byte[all.Length * sizeof(uint)];
        for (int i = 0; i < all.Length; i++)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(i * sizeof(uint)), all[i]);
        }

        return bytes;
    }

    private static int Pages(int bytes, int pageSize) => (bytes + pageSize - 1) / pageSize;

    private static uint[] Put(byte[] file, byte[] stream, int pageSize, Queue<int> pages)
    {
        List<uint> used = [];
        for (int at = 0; at < stream.Length; at += pageSize)
        {
            int page = pages.Dequeue();
            used.Add((uint)page);
            stream.AsSpan(at, Math.Min(pageSize, stream.Length - at)).CopyTo(file.AsSpan(page * pageSize));
        }

        return [.. used];
    }
}
