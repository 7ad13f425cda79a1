using System.Buffers.Binary;

namespace Tracer.Symbols.Tests.Pdb;

/// <summary>A sound PDB and where its lengths and page numbers are: what mutations aim at.</summary>
internal sealed class PdbFuzzBase
{
    private const int SuperBlockBytes = 56;
    private const int HeadBytes = 64;

    public PdbFuzzBase(string name, byte[] bytes)
    {
        Name = name;
        Bytes = bytes;
        PageSize = Word(32);
        Directory = Word(Word(52) * PageSize) * PageSize;
        Streams = Word(Directory);
        List<int> heads = [];
        List<int> pages = [];
        int number = Directory + (4 * (1 + Streams));
        for (int i = 0; i < Streams; i++)
        {
            int length = Word(Directory + 4 + (4 * i));
            for (int at = 0; length != -1 && at < length && number + 4 <= bytes.Length; at += PageSize, number += 4)
            {
                pages.Add(Word(number) * PageSize);
                StreamPages.TryAdd(i, pages[^1]);
                heads.AddRange(at > 0 ? [] : Enumerable.Range(0, HeadBytes / 2).Select(field => pages[^1] + (2 * field)));
            }
        }

        DirectoryEnd = number;
        Heads = [.. heads];
        Pages = [.. pages];
    }

    /// <summary>Where the first page of each stream is.</summary>
    public Dictionary<int, int> StreamPages { get; } = [];

    public string Name { get; }

    public byte[] Bytes { get; }

    public int PageSize { get; }

    public int Directory { get; }

    public int DirectoryEnd { get; }

    public int Streams { get; }

    /// <summary>Places in the first bytes of each stream, where lengths and numbers of streams are.</summary>
    public int[] Heads { get; }

    public int[] Pages { get; }

    public static int SuperBlockField(Random random) => 32 + (4 * random.Next((SuperBlockBytes - 32) / 4));

    private int Word(int at) => at >= 0 && at + 4 <= Bytes.Length ? BinaryPrimitives.ReadInt32LittleEndian(Bytes.AsSpan(at)) : 0;
}

/// <summary>Makes damaged PDBs out of sound ones; the same random numbers give the same damage.</summary>
internal sealed class PdbMutator(IReadOnlyList<PdbFuzzBase> bases, Random random)
{
    private static readonly uint[] Extremes =
    [
        0, 1, 2, 3, 4, 5, 7, 8, 0x10, 0x7F, 0x80, 0xFF, 0x100, 0x200, 0x1000, 0x1001, 0x110E, 0x1110, 0x1132, 0x114D, 0x7FFF, 0x8000,
        0xFFFE, 0xFFFF, 0x10000, 0x10_0000, 0xFF_FFFF, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFC, 0xFFFF_FFFF,
    ];

    public byte[] Next(out string name)
    {
        PdbFuzzBase origin = bases[random.Next(bases.Count)];
        byte[] bytes = (byte[])origin.Bytes.Clone();
        name = origin.Name;
        int mutations = random.Next(4) switch { 0 => 1, 1 => 2, 2 => random.Next(1, 8), _ => random.Next(1, 60) };
        for (int i = 0; i < mutations && bytes.Length > 0; i++)
        {
            int kind = random.Next(14);
            name += $" {kind}";
            bytes = Mutate(bytes, origin, kind);
        }

        return bytes;
    }

    private byte[] Mutate(byte[] bytes, PdbFuzzBase origin, int kind)
    {
        switch (kind)
        {
            case 0:
                bytes[random.Next(bytes.Length)] ^= (byte)(1 << random.Next(8));
                return bytes;
            case 1:
                return random.Next(8) != 0 ? bytes : bytes[..random.Next(bytes.Length)];
            case 2:
                Put(bytes, random.Next(4) != 0 ? random.Next(bytes.Length) : PdbFuzzBase.SuperBlockField(random), sizeof(uint));
                return bytes;
            case 3 or 4:
                Range(bytes).Fill(kind == 3 ? (byte)0 : (byte)0xFF);
                return bytes;
            case 5:
                Put(bytes, origin.Directory + (4 * random.Next(1 + origin.Streams)), sizeof(uint));
                return bytes;
            case 6:
                int entry = origin.Directory + (4 * (1 + origin.Streams));
                Put(bytes, entry + (4 * random.Next(Math.Max(1, (origin.DirectoryEnd - entry) / 4))), sizeof(uint));
                return bytes;
            case 7 or 8:
                Put(bytes, Pick(origin.Heads), 1 << random.Next(3));
                return bytes;
            case 9:
                Copy(bytes, Pick(origin.Pages), Pick(origin.Pages), origin.PageSize);
                return bytes;
            case 10:
                int from = random.Next(bytes.Length) & ~3;
                Copy(bytes, from, random.Next(bytes.Length) & ~3, random.Next(4, 400) & ~3);
                return bytes;
            default:
                // Records begin at multiples of 4: lengths, kinds and fields of them.
                Put(bytes, Pick(origin.Pages) + ((random.Next(origin.PageSize) & ~1) % origin.PageSize), 1 << random.Next(3));
                return bytes;
        }
    }

    private int Pick(int[] places) => places.Length == 0 ? 0 : places[random.Next(places.Length)];

    private Span<byte> Range(byte[] bytes)
    {
        int start = random.Next(bytes.Length);
        int most = random.Next(3) switch { 0 => 16, 1 => 128, _ => 4096 };
        return bytes.AsSpan(start, Math.Min(random.Next(1, most), bytes.Length - start));
    }

    private static void Copy(byte[] bytes, int from, int to, int length)
    {
        int fitting = Math.Min(length, bytes.Length - Math.Max(from, to));
        if (fitting > 0)
        {
            bytes.AsSpan(from, fitting).CopyTo(bytes.AsSpan(to));
        }
    }

    private void Put(byte[] bytes, int at, int width)
    {
        Span<byte> value = stackalloc byte[sizeof(uint)];
        uint number = random.Next(3) == 0 ? (uint)random.NextInt64() : Extremes[random.Next(Extremes.Length)];
        BinaryPrimitives.WriteUInt32LittleEndian(value, number);
        if (at >= 0 && at < bytes.Length)
        {
            value[..Math.Min(width, bytes.Length - at)].CopyTo(bytes.AsSpan(at));
        }
    }
}
