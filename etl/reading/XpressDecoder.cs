using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Tracer.Etl.Reading;

/// <summary>How a decompression ended.</summary>
internal enum XpressEnd
{
    /// <summary>The wanted length was reached.</summary>
    Complete,

    /// <summary>The input ended before the wanted length was reached; what came before it is good.</summary>
    InputEnded,

    /// <summary>
    /// A match reaches before the start, what came before it may be good; or beyond the wanted length, up to which it was made.
    /// </summary>
    Damaged,
}

/// <summary>
/// Decompresses the body of a compressed buffer: MS-XCA plain LZ77, "XPRESS without Huffman". The wanted length comes from
/// the buffer header, because the stream has no end mark.
/// </summary>
/// <remarks>
/// A stream is a u32 of 32 flag bits, most significant first, and its 32 tokens, again and again. Flag 0: a literal byte. Flag 1: a u16
/// whose upper 13 bits are the distance less one and whose lower 3 are the length less three; 7 there means that more length follows in
/// a nibble (two matches share a byte), 15 there in a byte, 255 there in a u16, 0 there in a u32.
/// </remarks>
internal static class XpressDecoder
{
    /// <summary>
    /// How many bytes behind the wanted length a destination must have: copies go in steps of up to so many bytes and may spill.
    /// </summary>
    public const int Slack = 64;

    private const int MinimumMatch = 3;
    private const int LengthInNibble = 7;
    private const int LengthInByte = 15;
    private const int LengthInWord = 255;

    /// <summary>Beyond every length that a match can have.</summary>
    private const long NoLength = 2L * uint.MaxValue;

    /// <summary>Decompresses.</summary>
    /// <param name="source">The compressed bytes; may be longer than what is consumed.</param>
    /// <param name="destination">At least <paramref name="wantedBytes"/> and <see cref="Slack"/> long; the slack is overwritten.</param>
    /// <param name="wantedBytes">How many bytes to make.</param>
    /// <param name="consumedBytes">How many bytes of the source were used.</param>
    /// <param name="madeBytes">How many bytes were made; the wanted length when complete.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static XpressEnd Decode(
        ReadOnlySpan<byte> source, Span<byte> destination, int wantedBytes, out int consumedBytes, out int madeBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(wantedBytes);
        ArgumentOutOfRangeException.ThrowIfLessThan(destination.Length, (long)wantedBytes + Slack);
        ref byte from = ref MemoryMarshal.GetReference(source);
        ref byte to = ref MemoryMarshal.GetReference(destination);
        int sourceEnd = source.Length;
        int at = 0;
        int made = 0;
        int halfUsedByte = -1;
        uint flags = 0;
        int flagsLeft = 0;
        XpressEnd end = XpressEnd.Complete;
        while (made < wantedBytes)
        {
            if (flagsLeft == 0)
            {
                if (sourceEnd - at < sizeof(uint))
                {
                    end = XpressEnd.InputEnded;
                    break;
                }

                flags = Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref from, at));
                at += sizeof(uint);
                flagsLeft = 32;
            }

            int literals = Math.Min(BitOperations.LeadingZeroCount(flags), flagsLeft);
            if (literals > 0)
            {
                int taken = Math.Min(literals, wantedBytes - made);
                if (sourceEnd - at >= 32)
                {
                    // The destination's slack takes what is copied too much.
                    Vector128.LoadUnsafe(ref Unsafe.Add(ref from, at)).StoreUnsafe(ref Unsafe.Add(ref to, made));
                    if (taken > 16)
                    {
                        Vector128.LoadUnsafe(ref Unsafe.Add(ref from, at + 16)).StoreUnsafe(ref Unsafe.Add(ref to, made + 16));
                    }
                }
                else
                {
                    if (taken > sourceEnd - at)
                    {
                        taken = sourceEnd - at;
                        end = XpressEnd.InputEnded;
                    }

                    source.Slice(at, taken).CopyTo(destination[made..]);
                }

                at += taken;
                made += taken;
                if (end != XpressEnd.Complete)
                {
                    break;
                }

                flagsLeft -= literals;
                flags = literals == 32 ? 0 : flags << literals;
                if (flagsLeft == 0 || made == wantedBytes)
                {
                    continue;
                }
            }

            flags <<= 1;
            flagsLeft--;
            if (sourceEnd - at < sizeof(ushort))
            {
                end = XpressEnd.InputEnded;
                break;
            }

            uint match = Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref from, at));
            at += sizeof(ushort);
            int distance = (int)(match >> 3) + 1;
            long length = match & 7;
            if (length == LengthInNibble && !TryReadLength(source, ref at, ref halfUsedByte, out length))
            {
                end = XpressEnd.InputEnded;
                break;
            }

            length += MinimumMatch;
            if (length > wantedBytes - made || distance > made)
            {
                end = XpressEnd.Damaged;
                if (distance > made || length == NoLength)
                {
                    break;
                }

                length = wantedBytes - made; // Whoever wants only the start of a buffer gets it.
            }

            Repeat(ref Unsafe.Add(ref to, made), distance, (int)length);
            made += (int)length;
        }

        consumedBytes = at;
        madeBytes = made;
        return end;
    }

    /// <summary>Reads a length that did not fit the match word, cascading from nibble to u32.</summary>
    private static bool TryReadLength(ReadOnlySpan<byte> source, ref int at, ref int halfUsedByte, out long length)
    {
        length = 0;
        int nibble;
        if (halfUsedByte >= 0)
        {
            nibble = source[halfUsedByte] >> 4;
            halfUsedByte = -1;
        }
        else
        {
            if (at >= source.Length)
            {
                return false;
            }

            halfUsedByte = at;
            nibble = source[at++] & 0xF;
        }

        if (nibble != LengthInByte)
        {
            length = nibble + LengthInNibble;
            return true;
        }

        if (at >= source.Length)
        {
            return false;
        }

        length = source[at++];
        if (length != LengthInWord)
        {
            length += LengthInByte + LengthInNibble;
            return true;
        }

        if (source.Length - at < sizeof(ushort))
        {
            return false;
        }

        length = MemoryMarshal.Read<ushort>(source[at..]);
        at += sizeof(ushort);
        if (length == 0)
        {
            if (source.Length - at < sizeof(uint))
            {
                return false;
            }

            length = MemoryMarshal.Read<uint>(source[at..]);
            at += sizeof(uint);
        }

        // The wide forms are absolute; what the narrow ones could have said is no length.
        if (length < LengthInByte + LengthInNibble)
        {
            length = NoLength - MinimumMatch;
        }

        return true;
    }

    /// <summary>
    /// Copies <paramref name="length"/> bytes from <paramref name="distance"/> back, as if byte by byte: a match may overlap itself.
    /// Writes up to 16 bytes too many.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Repeat(ref byte to, int distance, int length)
    {
        if (distance >= 16)
        {
            ref byte from = ref Unsafe.Subtract(ref to, distance);
            Vector128.LoadUnsafe(ref from).StoreUnsafe(ref to);
            for (int i = 16; i < length; i += 16)
            {
                Vector128.LoadUnsafe(ref Unsafe.Add(ref from, i)).StoreUnsafe(ref Unsafe.Add(ref to, i));
            }
        }
        else
        {
            RepeatNear(ref to, distance, length);
        }
    }

    private static void RepeatNear(ref byte to, int distance, int length)
    {
        ref byte from = ref Unsafe.Subtract(ref to, distance);
        int done = 0;
        int step = distance;
        if (distance < 8)
        {
            // The first bytes one by one; from then on the pattern repeats at a multiple of the distance that is at least 8.
            int first = Math.Min(8, length);
            for (; done < first; done++)
            {
                Unsafe.Add(ref to, done) = Unsafe.Add(ref from, done);
            }

            step = distance * ((7 + distance) / distance);
        }

        for (; done < length; done += 8)
        {
            ulong eight = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref to, done - step));
            Unsafe.WriteUnaligned(ref Unsafe.Add(ref to, done), eight);
        }
    }
}
