using System.Runtime.Versioning;

namespace Tracer.Browser;

/// <summary>A file of the user, read in pieces where they are asked for.</summary>
/// <param name="set">See <see cref="PageFiles.Read"/>.</param>
/// <param name="file">See <see cref="PageFiles.Read"/>.</param>
/// <param name="length">How many bytes it has.</param>
[SupportedOSPlatform("browser")]
internal sealed class GivenFile(string name, int set, int file, long length, Action wasRead) : SeekableBytes
{
    public override long Length => length;

    protected override int Read(long offset, Span<byte> buffer)
    {
        int read = PageFiles.Read(set, file, offset, buffer);
        wasRead();
        return read >= 0 ? read : throw new IOException(
            $"{name} cannot be read any more: it was changed or removed since it was given to the page; give it again");
    }
}
