namespace Tracer.AnalyzerShared.Inputs;

/// <summary>
/// A file of which, until <see cref="End"/>, only so much may be read: each file of a .zip takes more memory than its entry has bytes, and
/// all entries are read at once.
/// </summary>
/// <param name="maximum">How many bytes may be read.</param>
internal sealed class DirectoryBytes(Stream inner, long maximum, string name) : Stream
{
    private long _left = maximum;

    public override bool CanRead => true;

    public override bool CanSeek => true;

    public override bool CanWrite => false;

    public override long Length => inner.Length;

    public override long Position
    {
        get => inner.Position;
        set => inner.Position = value;
    }

    /// <summary>The directory was read: now anything may be.</summary>
    public void End() => _left = long.MaxValue;

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override int Read(Span<byte> buffer)
    {
        int read = inner.Read(buffer);
        _left -= read;
        return _left >= 0
            ? read
            : throw new EtlFormatException($"{name} is a .zip of far too many files: unpack it and name the .etl file");
    }

    public override long Seek(long offset, SeekOrigin origin) => inner.Seek(offset, origin);

    public override void Flush()
    {
    }

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
