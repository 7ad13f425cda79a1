namespace Tracer.AnalyzerCommand.Commands.Mcp.Traces;

/// <summary>A file that is read for a client, who may take back the request, and may be told how far it is.</summary>
/// <param name="file">The file, which this then owns.</param>
internal sealed class WatchedFile(FileStream file, ToolWork work) : Stream
{
    public override bool CanRead => true;

    public override bool CanSeek => true;

    public override bool CanWrite => false;

    public override long Length => file.Length;

    public override long Position
    {
        get => file.Position;
        set => file.Position = value;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override int Read(Span<byte> buffer)
    {
        work.Cancellation.ThrowIfCancellationRequested();
        int read = file.Read(buffer);
        work.Add(read);
        return read;
    }

    public override long Seek(long offset, SeekOrigin origin) => file.Seek(offset, origin);

    public override void Flush()
    {
    }

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            file.Dispose();
        }

        base.Dispose(disposing);
    }
}
