using System.Buffers.Binary;

namespace Tracer.Adversary;

/// <summary>Compressed buffers of a few bytes that become as much as a buffer may: a match of XPRESS can stand for any length.</summary>
internal static class Bombs
{
    private const int HeaderBytes = 72;
    private const int BufferBytes = 16 * 1024 * 1024;

    /// <summary>An event, then zeros.</summary>
    public static byte[] OfZeros(int bytes, int cpus) =>
        Of(bytes, cpus, ticks => [.. AdversaryTrace.Record(0x0F44, ticks), 0], distance: 1);

    /// <summary>An event again and again.</summary>
    public static byte[] OfEvents(int bytes) => Of(bytes, cpus: 1, ticks => AdversaryTrace.Record(0x0F44, ticks, 16), distance: 32);

    private static byte[] Of(int bytes, int cpus, Func<long, byte[]> literals, int distance)
    {
        using MemoryStream stream = AdversaryTrace.Begun(cpus, BufferBytes);
        var writer = new EtlBufferWriter(stream);
        for (int number = 0; stream.Length < bytes; number++)
        {
            byte[] packed = Packed(literals(AdversaryTrace.FirstTicks + (1000L * number)), distance, BufferBytes - HeaderBytes);
            var header = new EtlBufferHeader
            {
                BufferSize = (uint)(HeaderBytes + packed.Length),
                FilledBytes = BufferBytes,
                SavedOffset = BufferBytes,
                SequenceNumber = number + 1,
                ProcessorIndex = (ushort)(number % cpus),
                State = 3,
                Flags = 0x60,
            };
            writer.Write(header, packed);
        }

        return stream.ToArray();
    }

    /// <summary>Literal bytes, then one match that reaches to the end.</summary>
    private static byte[] Packed(byte[] literals, int distance, int madeBytes)
    {
        var packed = new List<byte>();
        int wordAt = 0;
        for (int token = 0; token <= literals.Length; token++)
        {
            // Every 32 tokens begin with a word of flags; that of the match alone is not zero.
            if (token % 32 == 0)
            {
                wordAt = packed.Count;
                packed.AddRange(new byte[4]);
            }

            if (token < literals.Length)
            {
                packed.Add(literals[token]);
            }
        }

        int bit = 31 - (literals.Length % 32);
        packed[wordAt + (bit / 8)] |= (byte)(1 << (bit % 8));
        byte[] match = new byte[2 + 1 + 1 + 2 + 4];
        BinaryPrimitives.WriteUInt16LittleEndian(match, (ushort)(((distance - 1) << 3) | 7));
        (match[2], match[3]) = (15, 255);
        BinaryPrimitives.WriteUInt32LittleEndian(match.AsSpan(6), (uint)(madeBytes - literals.Length - 3));
        return [.. packed, .. match];
    }
}
