namespace Tracer.Browser;

/// <summary>A stream over bytes that are read at a place.</summary>
internal abstract class SeekableBytes : Stream
{
    /// <inheritdoc/>
    public override bool CanRead => true;

    /// <inheritdoc/>
    public override bool CanSeek => true;

    /// <inheritdoc/>
    public override bool CanWrite => false;

    /// <inheritdoc/>
    public override long Position { get; set; }

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    /// <inheritdoc/>
    public override int Read(Span<byte> buffer)
    {
        int wanted = (int)Math.Clamp(Length - Position, 0, buffer.Length);
        int read = wanted == 0 ? 0 : Read(Position, buffer[..wanted]);
        Position += read;
        return read;
    }

    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin) => Position = origin switch
    {
        SeekOrigin.Begin => offset,
        SeekOrigin.Current => Position + offset,
        _ => Length + offset,
    };

    /// <inheritdoc/>
    public override void Flush()
    {
    }

    /// <inheritdoc/>
    public override void SetLength(long value) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    /// <summary>Reads at a place.</summary>
    /// <param name="offset">From where, before the end.</param>
    /// <param name="buffer">Takes the bytes.</param>
    protected abstract int Read(long offset, Span<byte> buffer);
}
