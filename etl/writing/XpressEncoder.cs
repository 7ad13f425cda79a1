using System.Buffers.Binary;
using System.Numerics;

namespace Tracer.Etl;

/// <summary>
/// Compresses one buffer with XPRESS without Huffman codes (MS-XCA plain LZ77), the format of compressed .etl buffers. The
/// tables are made once; a call allocates nothing, and the same input gives the same output whatever was compressed before.
/// </summary>
/// <remarks>
/// The output is a sequence of groups: a u32 of 32 flags, first token in the highest bit, then the tokens: a literal byte (flag 0) or a
/// match (flag 1). A match is a u16, distance - 1 in the upper 13 bits and length - 3 in the lower 3, then what does not fit those 3
/// bits: half a byte (two matches share one byte), a byte, a u16, a u32, each present when all before it is saturated.
/// </remarks>
internal sealed class XpressEncoder
{
    private const int MinimumMatch = 3;
    private const int MaximumDistance = 8192;
    private const int HashBits = 14;
    private const uint HashMultiplier = 2654435761;

    // How many earlier places with the same hash are tried, and from which length on a match is good enough to stop trying.
    private const int MaximumTries = 8;
    private const int GoodMatch = 48;

    // Inside a long match, repeats of what is already known, not every place is worth remembering.
    private const int RememberedOfMatch = 16;

    private const int LengthInToken = 7;
    private const int LengthInNibble = 15;
    private const int LengthInByte = 255;

    private readonly int[] _newest = new int[1 << HashBits];
    private readonly int[] _older = new int[MaximumDistance];

    /// <returns>Bytes of output, or 0 when they are more than the destination holds.</returns>
    public int Encode(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        if (destination.Length < sizeof(uint))
        {
            return 0;
        }

        _newest.AsSpan().Fill(-1);
        var output = new TokenStream(destination);
        int at = 0;
        while (at < source.Length)
        {
            int length = LongestMatch(source, at, out int distance);
            bool taken = length >= MinimumMatch ? output.TryPutMatch(distance, length) : output.TryPutLiteral(source[at]);
            if (!taken)
            {
                return 0;
            }

            int next = at + Math.Max(1, length);
            Remember(source, at, Math.Min(next, at + RememberedOfMatch));
            at = next;
        }

        return output.Finish();
    }

    private static int Hash(ReadOnlySpan<byte> source, int at) =>
        (int)((BinaryPrimitives.ReadUInt32LittleEndian(source[at..]) << 8) * HashMultiplier >> (32 - HashBits));

    private static int MatchLength(ReadOnlySpan<byte> earlier, ReadOnlySpan<byte> current)
    {
        int length = 0;
        while (current.Length - length >= sizeof(ulong))
        {
            ulong difference = BinaryPrimitives.ReadUInt64LittleEndian(earlier[length..])
                ^ BinaryPrimitives.ReadUInt64LittleEndian(current[length..]);
            if (difference != 0)
            {
                return length + (BitOperations.TrailingZeroCount(difference) / 8);
            }

            length += sizeof(ulong);
        }

        while (length < current.Length && earlier[length] == current[length])
        {
            length++;
        }

        return length;
    }

    private int LongestMatch(ReadOnlySpan<byte> source, int at, out int distance)
    {
        distance = 0;
        int longest = 0;
        if (at + sizeof(uint) > source.Length)
        {
            return 0;
        }

        ReadOnlySpan<byte> current = source[at..];
        int earlier = _newest[Hash(source, at)];
        for (int tries = MaximumTries; tries > 0 && earlier >= 0 && at - earlier <= MaximumDistance; tries--)
        {
            // A longer match differs from the longest so far at its end: one comparison tells most that are not.
            if (longest == 0 || (longest < current.Length && source[earlier + longest] == current[longest]))
            {
                int length = MatchLength(source[earlier..], current);
                if (length > longest)
                {
                    longest = length;
                    distance = at - earlier;
                    if (length >= GoodMatch)
                    {
                        break;
                    }
                }
            }

            // The ring still holds what this place was followed by: only places 8192 on would overwrite it.
            earlier = _older[earlier % MaximumDistance];
        }

        return longest >= MinimumMatch ? longest : 0;
    }

    private void Remember(ReadOnlySpan<byte> source, int first, int end)
    {
        end = Math.Min(end, source.Length - sizeof(uint) + 1);
        for (int at = first; at < end; at++)
        {
            int hash = Hash(source, at);
            _older[at % MaximumDistance] = _newest[hash];
            _newest[hash] = at;
        }
    }

    /// <summary>The output: groups of flags and tokens.</summary>
    private ref struct TokenStream
    {
        private const int FlagsPerGroup = 32;

        // Flags, token, half byte, byte, u16, u32: no token adds more than this, with the flags of the next group.
        private const int MaximumTokenBytes = 4 + 2 + 1 + 1 + 2 + 4;

        private readonly Span<byte> _bytes;
        private int _used;
        private int _flagsAt;
        private uint _flags;
        private int _flagCount;
        private int _halfByteAt = -1;

        public TokenStream(Span<byte> bytes)
        {
            _bytes = bytes;
            _used = sizeof(uint);
        }

        public bool TryPutLiteral(byte value)
        {
            if (_used + 1 + sizeof(uint) > _bytes.Length)
            {
                return false;
            }

            _bytes[_used++] = value;
            PutFlag(0);
            return true;
        }

        public bool TryPutMatch(int distance, int length)
        {
            if (_used + MaximumTokenBytes > _bytes.Length)
            {
                return false;
            }

            int rest = length - MinimumMatch;
            int inToken = Math.Min(rest, LengthInToken);
            BinaryPrimitives.WriteUInt16LittleEndian(_bytes[_used..], (ushort)(((distance - 1) << 3) | inToken));
            _used += sizeof(ushort);
            if (inToken == LengthInToken)
            {
                PutLongLength(rest);
            }

            PutFlag(1);
            return true;
        }

        /// <summary>Ends the last group, whose unused flags are ones as Windows leaves them.</summary>
        public readonly int Finish()
        {
            int unused = FlagsPerGroup - _flagCount;
            uint flags = unused == FlagsPerGroup ? uint.MaxValue : (_flags << unused) | ((1u << unused) - 1);
            BinaryPrimitives.WriteUInt32LittleEndian(_bytes[_flagsAt..], flags);
            return _used;
        }

        private void PutLongLength(int rest)
        {
            int beyondToken = rest - LengthInToken;
            int nibble = Math.Min(beyondToken, LengthInNibble);
            if (_halfByteAt < 0)
            {
                _halfByteAt = _used;
                _bytes[_used++] = (byte)nibble;
            }
            else
            {
                _bytes[_halfByteAt] |= (byte)(nibble << 4);
                _halfByteAt = -1;
            }

            if (nibble < LengthInNibble)
            {
                return;
            }

            int beyondNibble = beyondToken - LengthInNibble;
            _bytes[_used++] = (byte)Math.Min(beyondNibble, LengthInByte);
            if (beyondNibble < LengthInByte)
            {
                return;
            }

            // The wide forms hold the whole length - 3, not what is left of it.
            bool isShort = rest <= ushort.MaxValue;
            BinaryPrimitives.WriteUInt16LittleEndian(_bytes[_used..], isShort ? (ushort)rest : (ushort)0);
            _used += sizeof(ushort);
            if (!isShort)
            {
                BinaryPrimitives.WriteInt32LittleEndian(_bytes[_used..], rest);
                _used += sizeof(int);
            }
        }

        private void PutFlag(uint flag)
        {
            _flags = (_flags << 1) | flag;
            _flagCount++;
            if (_flagCount == FlagsPerGroup)
            {
                BinaryPrimitives.WriteUInt32LittleEndian(_bytes[_flagsAt..], _flags);
                _flagsAt = _used;
                _used += sizeof(uint);
                _flagCount = 0;
                _flags = 0;
            }
        }
    }
}
