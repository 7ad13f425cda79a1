namespace Tracer.AnalyzerCommand.Commands.Mcp.Traces;

/// <summary>One request on its way: whether it was taken back, and how much was read for it.</summary>
internal sealed class ToolWork(CancellationToken cancellation)
{
    private long _bytes;

    public CancellationToken Cancellation => cancellation;

    /// <summary>Bytes that were read for it so far; a trace is read twice or thrice.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Counts bytes.</summary>
    public void Add(int bytes) => Interlocked.Add(ref _bytes, bytes);
}
