using Tracer.Symbols;

namespace Tracer.Capture.Merge;

/// <summary>
/// The bytes of a file, read as they are asked for and kept until it is closed. What one image makes us read is limited, whatever its
/// headers say. For one thread.
/// </summary>
/// <param name="stream">The file; the caller disposes of it.</param>
internal sealed class StreamedBytes(Stream stream) : SymbolBytes
{
    /// <summary>Headers, debug directory and version of the largest images of Windows take less than a tenth.</summary>
    private const int MostBytes = 4 * 1024 * 1024;

    private readonly List<(long Offset, byte[] Bytes)> _pieces = [];
    private int _read;

    public override long Length { get; } = stream.Length;

    public override ReadOnlySpan<byte> At(long offset, int length)
    {
        if (offset < 0 || length <= 0 || offset >= Length)
        {
            return default;
        }

        length = (int)Math.Min(length, Length - offset);
        foreach ((long start, byte[] bytes) in _pieces)
        {
            if (offset >= start && offset + length <= start + bytes.Length)
            {
                return bytes.AsSpan((int)(offset - start), length);
            }
        }

        // In steps of pages: the parts of a header are asked for one by one.
        const int Page = 4096;
        int wanted = (int)Math.Min(Math.Max(length, Page), Length - offset);
        if (_read + wanted > MostBytes)
        {
            return default;
        }

        byte[] piece = new byte[wanted];
        stream.Position = offset;
        int read = stream.ReadAtLeast(piece, wanted, throwOnEndOfStream: false);
        _read += wanted;
        _pieces.Add((offset, piece));
        return piece.AsSpan(0, Math.Min(length, read));
    }
}
