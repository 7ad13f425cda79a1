namespace Tracer.Symbols.Tests.Finding;

/// <summary>
/// A deflate writer that can look back beyond its own stream, which .NET's can't: one block with the fixed codes of RFC 1951, 3.2.6, greedy
/// matches found by a table of three-byte beginnings.
/// </summary>
internal sealed class FixedDeflate
{
    private static readonly int[] LengthBases =
        [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];

    private static readonly int[] LengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];

    private readonly List<byte> _bytes = [];
    private int _bit;

    /// <summary>Compresses a part of some bytes.</summary>
    /// <param name="all">The bytes.</param>
    /// <param name="begin">Where the part begins; matches may lie before it.</param>
    /// <param name="window">How far back matches may lie.</param>
    public static byte[] Compress(ReadOnlySpan<byte> all, int begin, int end, int window)
    {
        FixedDeflate writer = new();
        writer.Bits(3, 3); // The last block, with fixed codes.
        Dictionary<int, int> seen = [];
        for (int at = Math.Max(0, begin - window); at < end;)
        {
            int beginning = at + 3 <= end ? all[at] | (all[at + 1] << 8) | (all[at + 2] << 16) : -1;
            int length = 0;
            if (at >= begin && beginning >= 0 && seen.TryGetValue(beginning, out int earlier) && at - earlier <= window)
            {
                while (length < 258 && at + length < end && all[earlier + length] == all[at + length])
                {
                    length++;
                }

                writer.Match(length, at - earlier);
            }
            else if (at >= begin)
            {
                writer.Literal(all[at]);
            }

            if (beginning >= 0)
            {
                seen[beginning] = at;
            }

            at += Math.Max(length, 1);
        }

        writer.Code(0, 7); // End of block.
        return [.. writer._bytes];
    }

    private void Literal(byte value)
    {
        (int code, int length) = value < 144 ? (0x30 + value, 8) : (0x190 + value - 144, 9);
        Code(code, length);
    }

    private void Match(int length, int distance)
    {
        int index = Array.FindLastIndex(LengthBases, candidate => candidate <= length);
        int symbol = 257 + index;
        Code(symbol < 280 ? symbol - 256 : 0xC0 + symbol - 280, symbol < 280 ? 7 : 8);
        Bits(length - LengthBases[index], LengthBits[index]);

        // Two codes for each number of extra bits: 1 to 4 have none, then 5 and 7 one, 9 and 13 two, ...
        int extra = 0;
        int distanceBase = 1;
        int distanceCode = 0;
        while (distanceCode < 29 && distance >= distanceBase + (1 << extra))
        {
            distanceBase += 1 << extra;
            distanceCode++;
            extra = distanceCode < 4 ? 0 : (distanceCode / 2) - 1;
        }

        Code(distanceCode, 5);
        Bits(distance - distanceBase, extra);
    }

    /// <summary>A code of Huffman, whose first bit is its highest.</summary>
    private void Code(int code, int length)
    {
        for (int i = length - 1; i >= 0; i--)
        {
            Bits((code >> i) & 1, 1);
        }
    }

    private void Bits(int value, int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (_bit % 8 == 0)
            {
                _bytes.Add(0);
            }

            _bytes[^1] |= (byte)(((value >> i) & 1) << (_bit++ % 8));
        }
    }
}
