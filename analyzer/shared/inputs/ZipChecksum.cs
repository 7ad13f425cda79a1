using System.Buffers.Binary;

namespace Tracer.AnalyzerShared.Inputs;

/// <summary>The CRC-32 of a .zip (polynomial 0x04C11DB7, reflected), eight bytes at a time.</summary>
internal sealed class ZipChecksum
{
    private const uint Polynomial = 0xEDB88320;
    private const int Step = 8;

    /// <summary>By how many bytes follow, and by the byte.</summary>
    private static readonly uint[][] Tables = Made();

    private uint _state = uint.MaxValue;

    /// <summary>Of what was added so far.</summary>
    public uint Value => ~_state;

    public void Add(ReadOnlySpan<byte> bytes)
    {
        uint state = _state;
        for (; bytes.Length >= Step; bytes = bytes[Step..])
        {
            uint low = state ^ BinaryPrimitives.ReadUInt32LittleEndian(bytes);
            uint high = BinaryPrimitives.ReadUInt32LittleEndian(bytes[4..]);
            state = Tables[7][(byte)low] ^ Tables[6][(byte)(low >> 8)] ^ Tables[5][(byte)(low >> 16)] ^ Tables[4][low >> 24]
                ^ Tables[3][(byte)high] ^ Tables[2][(byte)(high >> 8)] ^ Tables[1][(byte)(high >> 16)] ^ Tables[0][high >> 24];
        }

        foreach (byte one in bytes)
        {
            state = Tables[0][(byte)(state ^ one)] ^ (state >> 8);
        }

        _state = state;
    }

    private static uint[][] Made()
    {
        uint[][] tables = [.. Enumerable.Range(0, Step).Select(static _ => new uint[256])];
        for (uint value = 0; value < 256; value++)
        {
            uint state = value;
            for (int bit = 0; bit < 8; bit++)
            {
                state = (state >> 1) ^ ((state & 1) * Polynomial);
            }

            tables[0][value] = state;
        }

        for (int behind = 1; behind < Step; behind++)
        {
            for (int value = 0; value < 256; value++)
            {
                uint before = tables[behind - 1][value];
                tables[behind][value] = tables[0][(byte)before] ^ (before >> 8);
            }
        }

        return tables;
    }
}
