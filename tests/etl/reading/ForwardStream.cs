namespace Tracer.Etl.Tests.Reading;

/// <summary>Bytes as a pipe gives them: forward only, some at a time, and perhaps not all.</summary>
internal sealed class ForwardStream(byte[] bytes, int chunk, int failsAt = int.MaxValue) : Stream
{
    private int _at;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(Span<byte> buffer)
    {
        if (_at >= failsAt)
        {
            throw new IOException("the cable was pulled");
        }

        int count = Math.Min(Math.Min(chunk, buffer.Length), bytes.Length - _at);
        bytes.AsSpan(_at, count).CopyTo(buffer);
        _at += count;
        return count;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
