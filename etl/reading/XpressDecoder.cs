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

    /// <summary>What is copied at once.</summary>
    private const int CopyBytes = 16;

    /// <summary>More than one word of flags, the literals it can announce and a usual match take.</summary>
    private const int UsualBytes = 64;

    /// <summary>The flags of a word of which all are used.</summary>
    private const ulong NoFlags = 1UL << 63;

    /// <summary>Beyond every length that a match can have.</summary>
    private const long NoLength = 2L * uint.MaxValue;

    /// <summary>Multiplied by them, so many bytes are repeated up to eight.</summary>
    private static ReadOnlySpan<ulong> Repetitions =>
    [
        0, 0x0101_0101_0101_0101, 0x0001_0001_0001_0001, 0x0001_0000_0100_0001, 0x0000_0001_0000_0001, 0x0000_0100_0000_0001,
        0x0001_0000_0000_0001, 0x0100_0000_0000_0001,
    ];

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
        Place place = new(0, 0, NoFlags, -1);
        XpressEnd end = XpressEnd.Complete;
        while (place.Made < wantedBytes)
        {
            if (sourceEnd - place.At >= UsualBytes)
            {
                place = DecodeUsual(source, ref to, wantedBytes, place);
                if (place.Made == wantedBytes)
                {
                    break;
                }
            }

            // What is unusual, or near the end of either.
            (int at, int made, ulong flags, int halfUsedByte) = place;
            if (flags == NoFlags)
            {
                if (sourceEnd - at < sizeof(uint))
                {
                    end = XpressEnd.InputEnded;
                    break;
                }

                flags = WithEnd(Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref from, at)));
                at += sizeof(uint);
            }

            int literals = BitOperations.LeadingZeroCount(flags);
            int taken = Math.Min(literals, wantedBytes - made);
            if (taken > sourceEnd - at)
            {
                taken = sourceEnd - at;
                end = XpressEnd.InputEnded;
            }

            source.Slice(at, taken).CopyTo(destination[made..]);
            at += taken;
            made += taken;
            flags <<= literals;
            place = new Place(at, made, flags, halfUsedByte);
            if (end != XpressEnd.Complete)
            {
                break;
            }

            if (flags == NoFlags || made == wantedBytes)
            {
                continue;
            }

            flags <<= 1;
            if (sourceEnd - at < sizeof(ushort))
            {
                end = XpressEnd.InputEnded;
                break;
            }

            uint match = Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref from, at));
            at += sizeof(ushort);
            int distance = (int)(match >> 3) + 1;
            long length = match & 7;
            bool hasLength = length != LengthInNibble || TryReadLength(source, ref at, ref halfUsedByte, out length);
            place = new Place(at, made, flags, halfUsedByte);
            if (!hasLength)
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
            place = place with { Made = made + (int)length };
        }

        consumedBytes = place.At;
        madeBytes = place.Made;
        return end;
    }

    /// <summary>
    /// Decompresses up to the first token that is damaged, longer than nearly all, or near an end of source or destination: all that is
    /// asked of a token is asked once.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
    private static Place DecodeUsual(ReadOnlySpan<byte> source, ref byte to, int wantedBytes, Place place)
    {
        ref byte from = ref MemoryMarshal.GetReference(source);
        nint last = source.Length - UsualBytes;
        (nint at, nint made, ulong flags, nint halfUsedByte) = (place.At, place.Made, place.Flags, place.HalfUsedByte);
        while (at <= last)
        {
            int literals = BitOperations.LeadingZeroCount(flags);
            nint behind = made + literals;
            if (behind >= wantedBytes)
            {
                break;
            }

            // The destination's slack, or the next token, takes what is copied too much.
            Copy(ref Unsafe.Add(ref from, at), ref Unsafe.Add(ref to, made));
            if (literals > CopyBytes)
            {
                Copy(ref Unsafe.Add(ref from, at + CopyBytes), ref Unsafe.Add(ref to, made + CopyBytes));
            }

            at += literals;
            made = behind;
            flags <<= literals;
            if (flags == NoFlags)
            {
                flags = WithEnd(Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref from, at)));
                at += sizeof(uint);
                continue;
            }

            uint match = Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref from, at));
            nint next = at + sizeof(ushort);
            nint half = halfUsedByte;
            nint length = (nint)(match & 7);
            if (length == LengthInNibble)
            {
                if (half >= 0)
                {
                    length = Unsafe.Add(ref from, half) >> 4;
                    half = -1;
                }
                else
                {
                    half = next;
                    length = Unsafe.Add(ref from, next++) & 0xF;
                }

                if (length == LengthInByte)
                {
                    length += Unsafe.Add(ref from, next++);
                    if (length == LengthInByte + LengthInWord)
                    {
                        break;
                    }
                }

                length += LengthInNibble;
            }

            length += MinimumMatch;
            nint distance = (nint)(match >> 3) + 1;
            if (distance > made || length > wantedBytes - made)
            {
                break;
            }

            Repeat(ref Unsafe.Add(ref to, made), (int)distance, (int)length);
            at = next;
            made += length;
            flags <<= 1;
            halfUsedByte = half;
        }

        return new Place((int)at, (int)made, flags, (int)halfUsedByte);
    }

    /// <summary>Flags from the highest bit on, and the bit behind them that tells where they end.</summary>
    private static ulong WithEnd(uint flags) => ((ulong)flags << 32) | (1UL << 31);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Copy(ref byte from, ref byte to) => Vector128.LoadUnsafe(ref from).StoreUnsafe(ref to);

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
    /// Writes up to 32 bytes too many.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Repeat(ref byte to, int distance, int length)
    {
        if (distance >= CopyBytes)
        {
            // Twice without asking: few matches are longer than both.
            ref byte from = ref Unsafe.Subtract(ref to, distance);
            Copy(ref from, ref to);
            Copy(ref Unsafe.Add(ref from, CopyBytes), ref Unsafe.Add(ref to, CopyBytes));
            for (int i = 2 * CopyBytes; i < length; i += CopyBytes)
            {
                Copy(ref Unsafe.Add(ref from, i), ref Unsafe.Add(ref to, i));
            }
        }
        else
        {
            RepeatNear(ref to, distance, length);
        }
    }

    /// <summary>A match that overlaps itself: what it repeats is made about eight bytes long where it is shorter.</summary>
    private static void RepeatNear(ref byte to, int distance, int length)
    {
        ref byte from = ref Unsafe.Subtract(ref to, distance);
        ulong eight = Unsafe.ReadUnaligned<ulong>(ref from);
        if (distance >= sizeof(ulong))
        {
            Unsafe.WriteUnaligned(ref to, eight);
            for (int i = sizeof(ulong); i < length; i += sizeof(ulong))
            {
                eight = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref from, i));
                Unsafe.WriteUnaligned(ref Unsafe.Add(ref to, i), eight);
            }

            return;
        }

        eight = (eight & ((1UL << (8 * distance)) - 1)) * Repetitions[distance];
        int step = sizeof(ulong) - (sizeof(ulong) % distance);
        for (int i = 0; i < length; i += step)
        {
            Unsafe.WriteUnaligned(ref Unsafe.Add(ref to, i), eight);
        }
    }

    /// <param name="Made">What was made.</param>
    /// <param name="At">What was used of the source.</param>
    /// <param name="Flags">The flags that are left, see <see cref="WithEnd"/>.</param>
    /// <param name="HalfUsedByte">Where a byte is of which only a nibble was used; -1 for none.</param>
    private readonly record struct Place(int At, int Made, ulong Flags, int HalfUsedByte);
}
