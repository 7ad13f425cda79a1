namespace Tracer.AnalyzerCommand.Commands.Pack;

/// <summary>Memory that takes only so many bytes.</summary>
internal sealed class BoundedMemory(long most) : MemoryStream
{
    public override void Write(byte[] buffer, int offset, int count)
    {
        Check(count);
        base.Write(buffer, offset, count);
    }

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        Check(buffer.Length);
        base.Write(buffer);
    }

    private void Check(int count)
    {
        if (Position + count > most)
        {
            throw new PackTooLargeException();
        }
    }
}

/// <summary>A pack would be larger than it may be.</summary>
internal sealed class PackTooLargeException : Exception;
