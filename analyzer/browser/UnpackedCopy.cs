using System.Runtime.Versioning;

namespace Tracer.Browser;

/// <summary>What a packed trace is unpacked into: a file that the browser keeps for the page, and that is gone with it.</summary>
/// <param name="set">See <see cref="PageFiles.Read"/>.</param>
/// <param name="wasUsed">Is called whenever something was read or written.</param>
[SupportedOSPlatform("browser")]
internal sealed class UnpackedCopy(int set, Action wasUsed) : SeekableBytes
{
    private long _length;

    public override bool CanWrite => true;

    public override long Length => _length;

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (!PageFiles.WriteCopy(set, Position, System.Runtime.InteropServices.MemoryMarshal.CreateSpan(
            ref System.Runtime.InteropServices.MemoryMarshal.GetReference(buffer), buffer.Length)))
        {
            throw new IOException("the trace becomes larger, when it is unpacked, than this browser lets a page keep: unpack it and give "
                + "the .etl file to the page");
        }

        Position += buffer.Length;
        _length = Math.Max(_length, Position);
        wasUsed();
    }

    protected override int Read(long offset, Span<byte> buffer)
    {
        int read = PageFiles.ReadCopy(set, offset, buffer);
        wasUsed();
        return read;
    }

    protected override void Dispose(bool disposing)
    {
        PageFiles.DropCopy(set);
        base.Dispose(disposing);
    }
}
