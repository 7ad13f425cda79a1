namespace Tracer.CommandLine;

/// <summary>A stream whose faults name the file as the user wrote it, and say what they mean.</summary>
internal sealed class ToldStream(string path, Stream inner) : Stream
{
    // ENOSPC and EDQUOT of Linux and macOS as .NET reports them, ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL of Windows.
    private static readonly int[] Full = [28, 122, 69, unchecked((int)0x80070027), unchecked((int)0x80070070)];

    public Stream Inner => inner;

    public override bool CanRead => inner.CanRead;

    public override bool CanSeek => inner.CanSeek;

    public override bool CanWrite => inner.CanWrite;

    public override long Length => inner.Length;

    public override long Position
    {
        get => inner.Position;
        set => inner.Position = value;
    }

    public static IOException Told(string path, Exception fault)
    {
        string reason = fault switch
        {
            _ when Array.IndexOf(Full, fault.HResult) >= 0 => "the disk is full",
            UnauthorizedAccessException => "the system does not allow it to be written there",
            FileNotFoundException or DirectoryNotFoundException => "no file can be made there",
            _ => Folderless(fault.Message),
        };
        string name = path == OutputFile.StandardOutput ? "standard output" : path;
        return new IOException($"{name}: {reason}", fault);
    }

    public override void Flush() => Try(inner.Flush);

    public override int Read(byte[] buffer, int offset, int count) => inner.Read(buffer, offset, count);

    public override int Read(Span<byte> buffer) => inner.Read(buffer);

    public override long Seek(long offset, SeekOrigin origin) => inner.Seek(offset, origin);

    public override void SetLength(long value) => Try(() => inner.SetLength(value));

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        try
        {
            inner.Write(buffer);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw Told(path, fault);
        }
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            inner.Dispose();
        }

        base.Dispose(disposing);
    }

    /// <summary>.NET names the file that it had trouble with, which here is another than the user's.</summary>
    private static string Folderless(string message)
    {
        int quote = message.IndexOf(" '", StringComparison.Ordinal);
        return (quote < 0 ? message : message[..quote]).TrimEnd('.', ' ', ':');
    }

    private void Try(Action action)
    {
        try
        {
            action();
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw Told(path, fault);
        }
    }
}
