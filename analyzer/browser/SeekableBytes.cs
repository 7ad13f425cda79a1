namespace Tracer.Browser;

/// <summary>A stream over bytes that are read at a place.</summary>
internal abstract class SeekableBytes : Stream
{
    public override bool CanRead => true;

    public override bool CanSeek => true;

    public override bool CanWrite => false;

    public override long Position { get; set; }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override int Read(Span<byte> buffer)
    {
        int wanted = (int)Math.Clamp(Length - Position, 0, buffer.Length);
        int read = wanted == 0 ? 0 : Read(Position, buffer[..wanted]);
        Position += read;
        return read;
    }

    public override long Seek(long offset, SeekOrigin origin) => Position = origin switch
    {
        SeekOrigin.Begin => offset,
        SeekOrigin.Current => Position + offset,
        _ => Length + offset,
    };

    public override void Flush()
    {
    }

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    /// <param name="offset">From where, before the end.</param>
    /// <param name="buffer">Takes the bytes.</param>
    protected abstract int Read(long offset, Span<byte> buffer);
}
