namespace Tracer.Simulator;

/// <summary>Takes a trace that nobody will read, and forgets it.</summary>
internal sealed class ForgetfulStream : Stream
{
    private long _length;

    public override bool CanRead => true;

    public override bool CanSeek => true;

    public override bool CanWrite => true;

    public override long Length => _length;

    public override long Position { get; set; }

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count)
    {
        int read = (int)Math.Clamp(_length - Position, 0, count);
        Array.Clear(buffer, offset, read);
        Position += read;
        return read;
    }

    public override long Seek(long offset, SeekOrigin origin) => Position = offset + origin switch
    {
        SeekOrigin.Current => Position,
        SeekOrigin.End => _length,
        _ => 0,
    };

    public override void SetLength(long value) => _length = value;

    public override void Write(byte[] buffer, int offset, int count)
    {
        Position += count;
        _length = Math.Max(_length, Position);
    }

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        Position += buffer.Length;
        _length = Math.Max(_length, Position);
    }
}
