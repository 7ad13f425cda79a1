using System.Buffers.Binary;
using Tracer.Etl.Tests.Writing;

namespace Tracer.Etl.Tests.Reading;

/// <summary>A sound trace and where its lengths and flags are: what mutations aim at.</summary>
internal sealed class FuzzBase
{
    private static readonly int[] HeaderFields = [0x00, 0x04, 0x08, 0x0C, 0x10, 0x18, 0x28, 0x2C, 0x30, 0x34, 0x36];

    public FuzzBase(string name, byte[] bytes)
        : this(name, bytes, StoredFile.Buffers(bytes))
    {
    }

    private FuzzBase(string name, byte[] bytes, List<StoredBuffer> buffers)
    {
        Name = name;
        Bytes = bytes;
        Buffers = buffers;
        Headers = [.. Buffers.SelectMany(buffer => HeaderFields.Select(field => buffer.At + field))];
        Lengths = [.. Buffers.SelectMany(LengthsOf)];
        Records = [.. Buffers.SelectMany(RecordsOf)];
    }

    /// <summary>Bytes that need be no sound trace: all of it counts as one buffer.</summary>
    public static FuzzBase OfAny(string name, byte[] bytes) => new(name, bytes, [new StoredBuffer(0, bytes)]);

    public string Name { get; }

    public byte[] Bytes { get; }

    public List<StoredBuffer> Buffers { get; }

    /// <summary>Places of fields of buffer headers.</summary>
    public int[] Headers { get; }

    /// <summary>Places of the sizes of events and of their extended items.</summary>
    public int[] Lengths { get; }

    /// <summary>The events of buffers that are not compressed: places and lengths.</summary>
    public (int At, int Length)[] Records { get; }

    private static IEnumerable<(int At, int Length)> RecordsOf(StoredBuffer buffer)
    {
        int at = 72;
        foreach (StoredEvent stored in HasEvents(buffer) ? buffer.Events() : [])
        {
            yield return (buffer.At + at, stored.Record.Length);
            at += stored.Record.Length + stored.Padding.Length;
        }
    }

    private static bool HasEvents(StoredBuffer buffer) => buffer.Bytes.Length >= 72 && !buffer.IsCompressed && buffer.Filled >= 72
        && buffer.Filled <= buffer.Bytes.Length && buffer.Size == buffer.Bytes.Length;

    private static IEnumerable<int> LengthsOf(StoredBuffer buffer)
    {
        int at = 72;
        foreach (StoredEvent stored in HasEvents(buffer) ? buffer.Events() : [])
        {
            byte kind = stored.Record[2];
            yield return buffer.At + at + (kind is (>= 1 and <= 4) or 16 or 17 ? 4 : 0);
            if (kind is 18 or 19 && (stored.Record[4] & 1) != 0)
            {
                yield return buffer.At + at + 80;
                yield return buffer.At + at + 84;
                yield return buffer.At + at + 86;
            }

            at += stored.Record.Length + stored.Padding.Length;
        }
    }
}

/// <summary>Makes damaged traces out of sound ones; the same random numbers give the same damage.</summary>
/// <param name="bases">The sound ones.</param>
/// <param name="random">Random numbers.</param>
/// <param name="smallOfLarge">One file in so many is made of a large trace: they take a hundred times as long.</param>
internal sealed class TraceMutator(IReadOnlyList<FuzzBase> bases, Random random, int smallOfLarge = 64)
{
    private const int SmallBytes = 256 * 1024;
    private const int MaximumBytes = 8 * 1024 * 1024;

    private readonly FuzzBase[] _small = [.. bases.Where(one => one.Bytes.Length <= SmallBytes)];
    private readonly FuzzBase[] _large = [.. bases.Where(one => one.Bytes.Length > SmallBytes)];

    private static readonly uint[] Extremes =
    [
        0, 1, 7, 8, 15, 16, 71, 72, 73, 79, 80, 0x7F, 0xFF, 0x100, 0x200, 0x1000, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x20000,
        0xFF_FFF8, 0x100_0000, 0x100_0008, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFF8, 0xFFFF_FFFF,
    ];

    public byte[] Next(out string name)
    {
        FuzzBase[] some = _large.Length > 0 && random.Next(smallOfLarge) == 0 ? _large : _small;
        FuzzBase origin = some[random.Next(some.Length)];
        byte[] bytes = (byte[])origin.Bytes.Clone();
        name = origin.Name;
        int mutations = random.Next(4) switch { 0 => 1, 1 => 2, 2 => random.Next(1, 8), _ => random.Next(1, 40) };
        for (int i = 0; i < mutations && bytes.Length > 0; i++)
        {
            int kind = random.Next(18);
            name += $" {kind}";
            bytes = Mutate(bytes, origin, kind);
        }

        return bytes.Length <= MaximumBytes ? bytes : bytes[..MaximumBytes];
    }

    private byte[] Mutate(byte[] bytes, FuzzBase origin, int kind)
    {
        switch (kind)
        {
            case 0:
                bytes[random.Next(bytes.Length)] ^= (byte)(1 << random.Next(8));
                return bytes;
            case 1:
                return random.Next(4) != 0 ? bytes : bytes[..random.Next(bytes.Length)];
            case 2:
                byte[] other = _small[random.Next(_small.Length)].Bytes;
                return [.. bytes[..random.Next(bytes.Length)], .. other[random.Next(other.Length)..]];
            case 3 or 4:
                Range(bytes).Fill(kind == 3 ? (byte)0 : (byte)0xFF);
                return bytes;
            case 5 or 6:
                Put(bytes, Pick(origin.Headers), 1 << random.Next(4));
                return bytes;
            case 7 or 8:
                Put(bytes, Pick(origin.Lengths), sizeof(ushort));
                return bytes;
            case 9:
                Swap(bytes, origin);
                return bytes;
            case 10:
                StoredBuffer again = origin.Buffers[random.Next(origin.Buffers.Count)];
                int to = Math.Min(bytes.Length, origin.Buffers[random.Next(origin.Buffers.Count)].At);
                return [.. bytes[..to], .. again.Bytes, .. bytes[to..]];
            case 13 or 14 when origin.Records.Length > 0:
                PutInRecord(bytes, origin, isFromOther: kind == 13);
                return bytes;
            case 15 or 16 or 17 when origin.Records.Length > 0:
                CopyRecords(bytes, origin, random.Next(kind == 17 ? 64 : 2));
                return bytes;
            case 11:
                int at = random.Next(bytes.Length);
                byte[] inserted = new byte[random.Next(1, 200)];
                random.NextBytes(inserted);
                return [.. bytes[..at], .. inserted, .. bytes[at..]];
            default:
                int from = random.Next(bytes.Length);
                return [.. bytes[..from], .. bytes[Math.Min(bytes.Length, from + random.Next(1, 200))..]];
        }
    }

    private int Pick(int[] places) => places.Length == 0 ? 0 : places[random.Next(places.Length)];

    private Span<byte> Range(byte[] bytes)
    {
        int start = random.Next(bytes.Length);
        int most = random.Next(3) switch { 0 => 16, 1 => 128, _ => 8192 };
        return bytes.AsSpan(start, Math.Min(random.Next(1, most), bytes.Length - start));
    }

    private void Put(byte[] bytes, int at, int width)
    {
        Span<byte> value = stackalloc byte[sizeof(ulong)];
        ulong number = random.Next(3) == 0 ? (ulong)random.NextInt64() : Extremes[random.Next(Extremes.Length)];
        BinaryPrimitives.WriteUInt64LittleEndian(value, number);
        if (at < bytes.Length)
        {
            value[..Math.Min(width, bytes.Length - at)].CopyTo(bytes.AsSpan(at));
        }
    }

    /// <summary>
    /// Puts eight, four or two bytes of an event into an event: of another one (a time, an address, an id) or an extreme.
    /// </summary>
    private void PutInRecord(byte[] bytes, FuzzBase origin, bool isFromOther)
    {
        (int at, int length) = origin.Records[random.Next(origin.Records.Length)];
        int width = 2 << random.Next(3);
        int place = at + (random.Next(Math.Max(1, length / width)) * width);
        if (!isFromOther)
        {
            Put(bytes, place, width);
            return;
        }

        (int otherAt, int otherLength) = origin.Records[random.Next(origin.Records.Length)];
        int from = random.Next(2) == 0 ? otherAt + (place - at) : otherAt + (random.Next(Math.Max(1, otherLength / width)) * width);
        if (place + width <= bytes.Length && from + width <= origin.Bytes.Length)
        {
            origin.Bytes.AsSpan(from, width).CopyTo(bytes.AsSpan(place));
        }
    }

    /// <summary>Puts an event in the place of another of the same length, and of those behind it as long as they have it.</summary>
    private void CopyRecords(byte[] bytes, FuzzBase origin, int more)
    {
        (int at, int length) = origin.Records[random.Next(origin.Records.Length)];
        int place = random.Next(origin.Records.Length);
        for (int last = Math.Min(place + more, origin.Records.Length - 1); place <= last; place++)
        {
            if (origin.Records[place] is var (to, its) && its == length && to + length <= bytes.Length)
            {
                origin.Bytes.AsSpan(at, length).CopyTo(bytes.AsSpan(to));
            }
        }
    }

    private void Swap(byte[] bytes, FuzzBase origin)
    {
        StoredBuffer first = origin.Buffers[random.Next(origin.Buffers.Count)];
        StoredBuffer second = origin.Buffers[random.Next(origin.Buffers.Count)];
        int length = Math.Min(first.Bytes.Length, second.Bytes.Length);
        if (Math.Max(first.At, second.At) + length <= bytes.Length)
        {
            first.Bytes.AsSpan(0, length).CopyTo(bytes.AsSpan(second.At));
            second.Bytes.AsSpan(0, length).CopyTo(bytes.AsSpan(first.At));
        }
    }
}
