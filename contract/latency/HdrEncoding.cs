using System.Buffers;
using System.Buffers.Binary;
using System.IO.Compression;

namespace Tracer.Contract;

/// <summary>
/// The interchange form of a histogram that the tools of HdrHistogram read: its compressed encoding V2, in base64. Numbers are big-endian.
/// </summary>
/// <remarks>
/// <para>Outside: cookie u32 0x1C849314, length u32, and so many bytes of a zlib stream. Inside: cookie u32 0x1C849313, length u32 of the
/// counts, index offset u32 (0), significant digits u32, lowest u64, highest u64, conversion ratio f64 (1), then the counts up to the last
/// that is not 0, each as ZigZag LEB128 of at most nine bytes, the ninth with eight bits of the number; a negative number stands for so
/// many counts of 0 (AbstractHistogram.java and ZigZagEncoding.java of HdrHistogram 2.2).</para>
/// <para>The zlib stream stores its bytes as they are: compressing them gives other bytes on another processor or release, and a report
/// of one trace must always be the same.</para>
/// </remarks>
public static class HdrEncoding
{
    private const uint CompressedCookie = 0x1C849314;
    private const uint Cookie = 0x1C849313;
    private const int OuterBytes = 8;
    private const int HeaderBytes = 40;
    private const int MostBytesOfNumber = 9;

    /// <summary>Most bytes of an encoding that are read: no histogram of Tracer comes near.</summary>
    private const int MostBytes = 1 << 22;

    /// <returns>Base64.</returns>
    public static string Encode(HdrHistogram histogram)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        byte[] inner = Inner(histogram);
        using var stream = new MemoryStream();
        Span<byte> outer = stackalloc byte[OuterBytes];
        stream.Write(outer);
        using (var zip = new ZLibStream(stream, CompressionLevel.NoCompression, leaveOpen: true))
        {
            zip.Write(inner);
        }

        byte[] bytes = stream.ToArray();
        BinaryPrimitives.WriteUInt32BigEndian(bytes, CompressedCookie);
        BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(4), bytes.Length - OuterBytes);
        return Convert.ToBase64String(bytes);
    }

    /// <summary>Decodes a histogram, which may come from another program.</summary>
    /// <returns>
    /// The histogram; its least, greatest and sum are those of the buckets. Null where the text is none, or one of a kind that Tracer does
    /// not use: shifted, or of fractions.
    /// </returns>
    public static HdrHistogram? Decode(string base64)
    {
        ArgumentNullException.ThrowIfNull(base64);
        if (base64.Length > MostBytes)
        {
            return null;
        }

        byte[] bytes = new byte[base64.Length];
        return Convert.TryFromBase64String(base64, bytes, out int length) && Unpacked(bytes.AsSpan(0, length)) is { } inner
            ? OfInner(inner)
            : null;
    }

    private static byte[]? Unpacked(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < OuterBytes || BinaryPrimitives.ReadUInt32BigEndian(bytes) != CompressedCookie
            || BinaryPrimitives.ReadInt32BigEndian(bytes[4..]) != bytes.Length - OuterBytes)
        {
            return null;
        }

        byte[] inner = ArrayPool<byte>.Shared.Rent(MostBytes);
        try
        {
            using var zip = new ZLibStream(new MemoryStream(bytes[OuterBytes..].ToArray()), CompressionMode.Decompress);
            int length = zip.ReadAtLeast(inner.AsSpan(0, MostBytes), MostBytes, throwOnEndOfStream: false);
            return length == MostBytes ? null : inner[..length];
        }
        catch (InvalidDataException)
        {
            return null;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(inner);
        }
    }

    private static byte[] Inner(HdrHistogram histogram)
    {
        HdrLayout layout = histogram.Layout;
        using var counts = new MemoryStream();
        int next = 0;
        for (int index = histogram.NextCounted(0); index >= 0; index = histogram.NextCounted(index + 1))
        {
            // A single 0 is written as the count that it is.
            if (index - next > 0)
            {
                WriteNumber(counts, index - next == 1 ? 0 : next - index);
            }

            WriteNumber(counts, histogram.CountAt(index));
            next = index + 1;
        }

        byte[] inner = new byte[HeaderBytes + counts.Length];
        BinaryPrimitives.WriteUInt32BigEndian(inner, Cookie);
        BinaryPrimitives.WriteInt32BigEndian(inner.AsSpan(4), (int)counts.Length);
        BinaryPrimitives.WriteInt32BigEndian(inner.AsSpan(12), layout.Digits);
        BinaryPrimitives.WriteInt64BigEndian(inner.AsSpan(16), layout.Lowest);
        BinaryPrimitives.WriteInt64BigEndian(inner.AsSpan(24), layout.Highest);
        BinaryPrimitives.WriteDoubleBigEndian(inner.AsSpan(32), 1);
        counts.ToArray().CopyTo(inner, HeaderBytes);
        return inner;
    }

    private static HdrHistogram? OfInner(ReadOnlySpan<byte> inner)
    {
        if (inner.Length < HeaderBytes || BinaryPrimitives.ReadUInt32BigEndian(inner) != Cookie
            || BinaryPrimitives.ReadInt32BigEndian(inner[4..]) != inner.Length - HeaderBytes
            || !IsOfWholeNumbers(inner)
            || LayoutOf(inner) is not { } layout)
        {
            return null;
        }

        var histogram = new HdrHistogram(layout);
        ReadOnlySpan<byte> counts = inner[HeaderBytes..];
        long index = 0;
        while (!counts.IsEmpty)
        {
            if (!TryReadNumber(ref counts, out long count) || count < -layout.Counters)
            {
                return null;
            }

            if (count <= 0)
            {
                index += count == 0 ? 1 : -count;
                continue;
            }

            if (index >= layout.Counters || count > long.MaxValue - histogram.Count)
            {
                return null;
            }

            histogram.AddBucket((int)index++, count);
        }

        return histogram;
    }

    /// <summary>
    /// Whether counts stand where their values are, and values are whole numbers. The JavaScript of HdrHistogram ignores both fields and
    /// writes a whole 1 into each.
    /// </summary>
    private static bool IsOfWholeNumbers(ReadOnlySpan<byte> inner)
    {
        int offset = BinaryPrimitives.ReadInt32BigEndian(inner[8..]);
        return (offset == 0 && BinaryPrimitives.ReadDoubleBigEndian(inner[32..]) == 1)
            || (offset == 1 && BinaryPrimitives.ReadInt64BigEndian(inner[32..]) == 1);
    }

    private static HdrLayout? LayoutOf(ReadOnlySpan<byte> inner)
    {
        const int MostDigits = 5;
        const long MostLowest = 1L << 30;
        int digits = BinaryPrimitives.ReadInt32BigEndian(inner[12..]);
        long lowest = BinaryPrimitives.ReadInt64BigEndian(inner[16..]);
        long highest = BinaryPrimitives.ReadInt64BigEndian(inner[24..]);
        return digits is >= 1 and <= MostDigits && lowest is >= 1 and <= MostLowest && highest >= 2 * lowest
            ? new HdrLayout(lowest, highest, digits)
            : null;
    }

    private static void WriteNumber(Stream output, long number)
    {
        ulong zigzag = ((ulong)number << 1) ^ (ulong)(number >> 63);
        for (int written = 1; written < MostBytesOfNumber && zigzag >= 0x80; written++)
        {
            output.WriteByte((byte)(zigzag | 0x80));
            zigzag >>= 7;
        }

        output.WriteByte((byte)zigzag);
    }

    private static bool TryReadNumber(ref ReadOnlySpan<byte> bytes, out long number)
    {
        ulong zigzag = 0;
        for (int i = 0; i < Math.Min(bytes.Length, MostBytesOfNumber); i++)
        {
            bool isLast = i == MostBytesOfNumber - 1 || bytes[i] < 0x80;
            zigzag |= (ulong)(isLast ? bytes[i] : bytes[i] & 0x7F) << (7 * i);
            if (isLast)
            {
                bytes = bytes[(i + 1)..];
                number = (long)(zigzag >> 1) ^ -(long)(zigzag & 1);
                return true;
            }
        }

        number = 0;
        return false;
    }
}
