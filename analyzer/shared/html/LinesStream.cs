using System.Text;

namespace Tracer.AnalyzerShared.Html;

/// <summary>
/// Passes UTF-8 on as text, piece by piece as it comes: a report of half a gigabyte is never in memory as a whole. The pieces may end
/// anywhere, also within a character.
/// </summary>
internal sealed class LinesStream(PrintableWriter writer) : Stream
{
    private const int BufferBytes = 16 * 1024;

    private readonly Decoder _decoder = Encoding.UTF8.GetDecoder();
    private readonly char[] _letters = new char[BufferBytes + 2];
    private int _held;

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        while (buffer.Length > 0)
        {
            ReadOnlySpan<byte> piece = buffer[..Math.Min(buffer.Length, BufferBytes)];
            buffer = buffer[piece.Length..];
            int count = _held + _decoder.GetChars(piece, _letters.AsSpan(_held), flush: false);
            // Both halves of a pair go together: alone each would be escaped.
            _held = count > 0 && char.IsHighSurrogate(_letters[count - 1]) ? 1 : 0;
            writer.WriteLines(_letters.AsSpan(0, count - _held));
            _letters[0] = _held > 0 ? _letters[count - 1] : '\0';
        }
    }

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
