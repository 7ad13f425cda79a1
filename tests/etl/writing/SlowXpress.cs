namespace Tracer.Etl.Tests.Writing;

/// <summary>
/// A decoder of plain LZ77 written from the format's description one sentence after the other, byte by byte: what the product is
/// compared with.
/// It throws on input that is no such stream.
/// </summary>
internal static class SlowXpress
{
    /// <summary>Decodes a whole stream, which must be used up but for flags of no token.</summary>
    public static byte[] Decode(ReadOnlySpan<byte> input, int outputBytes)
    {
        byte[] output = Decode(input, outputBytes, out int at, out uint flags, out int flagsLeft);
        if (flagsLeft == 0)
        {
            Assert.Equal(uint.MaxValue, Number(input, ref at, 4));
        }
        else
        {
            Assert.True(~flags >> (32 - flagsLeft) == 0, "the flags without a token are ones");
        }

        Assert.Equal(input.Length, at);
        return output;
    }

    /// <summary>Decodes the start of a stream, whatever follows.</summary>
    public static byte[] Start(ReadOnlySpan<byte> input, int outputBytes) => Decode(input, outputBytes, out _, out _, out _);

    private static byte[] Decode(ReadOnlySpan<byte> input, int outputBytes, out int at, out uint flags, out int flagsLeft)
    {
        List<byte> output = [];
        at = 0;
        flags = 0;
        flagsLeft = 0;
        int halfByte = -1;
        while (output.Count < outputBytes)
        {
            if (flagsLeft == 0)
            {
                flags = Number(input, ref at, 4);
                flagsLeft = 32;
            }

            bool isMatch = (flags & 0x80000000) != 0;
            flags <<= 1;
            flagsLeft--;
            if (!isMatch)
            {
                output.Add((byte)Number(input, ref at, 1));
                continue;
            }

            uint token = Number(input, ref at, 2);
            int distance = (int)(token >> 3) + 1;
            uint length = token & 7;
            if (length == 7)
            {
                length = NextHalfByte(input, ref at, ref halfByte);
                if (length == 15)
                {
                    length = Number(input, ref at, 1);
                    if (length == 255)
                    {
                        length = Number(input, ref at, 2);
                        length = length != 0 ? length : Number(input, ref at, 4);
                        length = checked(length - 22);
                    }

                    length += 15;
                }

                length += 7;
            }

            Assert.InRange(distance, 1, output.Count);
            for (uint i = 0; i < length + 3; i++)
            {
                output.Add(output[^distance]);
            }
        }

        Assert.Equal(outputBytes, output.Count);
        return [.. output];
    }

    private static uint NextHalfByte(ReadOnlySpan<byte> input, ref int at, ref int halfByte)
    {
        if (halfByte < 0)
        {
            halfByte = at;
            return Number(input, ref at, 1) & 0x0F;
        }

        uint high = (uint)input[halfByte] >> 4;
        halfByte = -1;
        return high;
    }

    private static uint Number(ReadOnlySpan<byte> input, ref int at, int bytes)
    {
        uint value = 0;
        for (int i = 0; i < bytes; i++)
        {
            value |= (uint)input[at++] << (8 * i);
        }

        return value;
    }
}
