using Microsoft.Win32.SafeHandles;

namespace Tracer.Etl.Reading;

/// <summary>Where the bytes of a trace come from: a file, a stream that can seek, or a pipe.</summary>
internal abstract class TraceInput : IDisposable
{
    private long _bytesRead;

    /// <summary>Length in bytes when it was opened; <see cref="long.MaxValue"/> for a pipe, which tells none.</summary>
    public abstract long Length { get; }

    /// <summary>How many bytes have been read since <see cref="Restart"/>; may be asked by another thread.</summary>
    public long BytesRead => Interlocked.Read(ref _bytesRead);

    /// <summary>Whether any place can be read, in any order and by several threads; a pipe gives each byte once.</summary>
    public virtual bool CanGoBack => true;

    /// <summary>What is read goes to these.</summary>
    public SpareBlocks Blocks { get; } = new();

    /// <summary>Makes the input of a path; a path that names a pipe gives one.</summary>
    public static TraceInput OfPath(string path)
    {
        if (Directory.Exists(path))
        {
            throw new EtlFormatException($"{path} is a directory, not a trace");
        }

        var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        return file.CanSeek ? new FileInput(file) : new PipeInput(file);
    }

    /// <summary>Makes the input of a stream, which becomes the input's.</summary>
    public static TraceInput OfStream(Stream stream) => stream.CanSeek ? new SeekableInput(stream) : new PipeInput(stream);

    /// <summary>Counts what is read from 0 again.</summary>
    public void Restart() => Interlocked.Exchange(ref _bytesRead, 0);

    /// <summary>Reads into a span until it is full or the input ends.</summary>
    /// <param name="destination">Takes the bytes.</param>
    /// <param name="offset">From where; a pipe goes on where it is.</param>
    /// <returns>How many bytes.</returns>
    public int ReadFully(Span<byte> destination, long offset)
    {
        int read = 0;
        while (read < destination.Length && ReadSome(destination[read..], offset + read) is > 0 and int more)
        {
            read += more;
        }

        return read;
    }

    /// <summary>Reads some bytes; none at the end.</summary>
    /// <param name="destination">Takes the bytes.</param>
    /// <param name="offset">From where; a pipe goes on where it is.</param>
    /// <returns>How many bytes.</returns>
    public int ReadSome(Span<byte> destination, long offset)
    {
        int read = Read(destination, offset);
        Interlocked.Add(ref _bytesRead, read);
        return read;
    }

    public abstract void Dispose();

    protected abstract int Read(Span<byte> destination, long offset);

    private sealed class FileInput(FileStream file) : TraceInput
    {
        /// <summary>Reading by it asks for a place each time, so several threads can.</summary>
        private readonly SafeFileHandle _handle = file.SafeFileHandle;

        public override long Length { get; } = file.Length;

        public override void Dispose() => file.Dispose();

        protected override int Read(Span<byte> destination, long offset) => RandomAccess.Read(_handle, destination, offset);
    }

    private sealed class SeekableInput(Stream stream) : TraceInput
    {
        private readonly Lock _lock = new();

        public override long Length { get; } = stream.Length;

        protected override int Read(Span<byte> destination, long offset)
        {
            lock (_lock)
            {
                stream.Position = offset;
                return stream.Read(destination);
            }
        }

        public override void Dispose() => stream.Dispose();
    }

    private sealed class PipeInput(Stream stream) : TraceInput
    {
        public override long Length => long.MaxValue;

        public override bool CanGoBack => false;

        protected override int Read(Span<byte> destination, long offset) => stream.Read(destination);

        public override void Dispose() => stream.Dispose();
    }
}
