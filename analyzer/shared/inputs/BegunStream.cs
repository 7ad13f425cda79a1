namespace Tracer.AnalyzerShared.Inputs;

/// <summary>A pipe of which the first bytes were read already, given again from its start; it counts what was taken.</summary>
/// <param name="start">The first bytes.</param>
internal sealed class BegunStream(ReadOnlyMemory<byte> start, Stream rest) : ForwardStream
{
    private ReadOnlyMemory<byte> _start = start;
    private long _taken;

    /// <summary>How many bytes were taken; it cannot be set.</summary>
    public override long Position
    {
        get => _taken;
        set => throw new NotSupportedException();
    }

    public override int Read(Span<byte> buffer)
    {
        int read = Math.Min(buffer.Length, _start.Length);
        if (read > 0)
        {
            _start.Span[..read].CopyTo(buffer);
            _start = _start[read..];
        }
        else
        {
            read = rest.Read(buffer);
        }

        _taken += read;
        return read;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            rest.Dispose();
        }

        base.Dispose(disposing);
    }
}
